"""Products of nested tensors."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import joining, matrix
from rushlight.engine.calls import view as views
from rushlight.engine.core import nested
from rushlight.engine.core.nested import is_nested
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.transforms.nested import derived, rows, words
from rushlight.engine.transforms.nested.words import blocks, jagged, like, rank, values_of


@jagged("matmul")
def matmul(op: Any, a: Tensor, b: Tensor) -> Any:
    one, other = (nested.parts_of(x).ragged if is_nested(x) else None for x in (a, b))
    if other is None and one is not None and one < rank(a) - 1:
        # (batch, ragged, n) with a matrix for each element, or one for all.
        if rank(a) >= 3 and rank(a) == rank(b):
            return multiplied(op, a, words.elements(a), views.unbind_int(b, 0))
        if rank(b) == 2 and rank(a) > 2:
            return like(a, op.call(values_of(a), b))
    elif one is None and other is not None and other >= 2:
        if rank(b) >= 3 and rank(a) == rank(b):
            return multiplied(op, b, views.unbind_int(a, 0), words.elements(b))
        if rank(a) == 2 and rank(b) > 2:
            return like(b, op.call(a, values_of(b)))
    elif one is not None and other is not None:
        if rank(a) > 3 and rank(b) > 3 and words.has_same_lengths(a, b._size_):
            return like(a, op.call(values_of(a), values_of(b)))
        over_ragged = (one, other, rank(a), rank(b)) == (2, 1, 3, 3)
        if over_ragged and a._size_[2] == b._size_[1]:
            pairs = zip(words.elements(a), words.elements(b))
            return joining.stack([op.call(x, y) for x, y in pairs], 0)
    first = tuple(a._size_) if is_nested(a) else a._size_
    raise RuntimeError(f"matmul(): not supported between inputs of shapes {first} and {b._size_}")


def multiplied(op: Any, base: Tensor, a: Any, b: Any) -> Any:
    """A product for each element."""
    return words.joined(base, [op.call(x, y) for x, y in zip(a, b)])


@jagged("bmm")
def bmm(op: Any, a: Tensor, b: Tensor) -> Any:
    for name, x in (("input", a), ("mat2", b)):
        if rank(x) != 3:
            raise ValueError(f"bmm(): {name} must be 3D")
    return matrix.matmul(a, b)


@blocks("matmul")
def matmul_blocks(op: Any, a: Tensor, b: Tensor) -> Any:
    if is_nested(a) and not is_nested(b) and rank(b) == 2 and rank(a) >= 3:
        return rows.of_rows(a, op.call(rows.rows_of(a, 1, "matmul"), b), 1)
    return _each_product(a, b)


@blocks("bmm")
def bmm_blocks(op: Any, a: Tensor, b: Tensor) -> Any:
    for name, x in (("batch1", a), ("batch2", b)):
        if rank(x) != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    return _each_product(a, b)


def _each_product(a: Tensor, b: Tensor) -> Any:
    """A product for each pair of elements; a dense batch has one for each."""
    for which, x in (("1st", a), ("2nd", b)):
        if is_nested(a) and is_nested(b) and rank(x) < 3:
            raise RuntimeError(
                "matmul: For nested tensors, only inputs with >= 3 dims are currently supported. "
                f"{which} input has rank: {rank(x)}"
            )
    count = a._size_[0]
    if b._size_[0] != count and rank(b) == rank(a):
        raise RuntimeError(
            f"Expected size for the 1st dimension of batch2 tensor to be: {count} but got: {b._size_[0]}."
        )
    one, other = (
        words.elements(x)
        if is_nested(x)
        else derived.rows_of_batch(x, words.nested_in((a, b)), count)
        for x in (a, b)
    )
    made = []
    for k in range(count):
        x, y = (s[k] if isinstance(s, list) else s for s in (one, other))
        if rank(x) >= 2 and rank(y) >= 2 and x._size_[-1] != y._size_[-2]:
            raise RuntimeError(
                f"{k}-th nested matrices in batch cannot be multiplied "
                f"({x._size_[-2]}x{x._size_[-1]} and {y._size_[-2]}x{y._size_[-1]})"
            )
        made.append(matrix.matmul(x, y))
    return words.of_elements(made)

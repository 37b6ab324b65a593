"""Products of sparse matrices on a GPU that cuSPARSE makes."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core import state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor, place_of
from rushlight.engine.cuda import context, cusparse, libraries
from rushlight.engine.cuda.cusparse import Dense, Sparse
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.ops.sparse.parts import indices_of, parts_of, values_of

# The library counts the values of a product of two sparse matrices in 32 bits.
_MOST = (1 << 31) - 1


class Room:
    """Memory of a device that lives as long as this."""

    def __init__(self, where: devices.device) -> None:
        self._where = where
        self._held: list[Tensor] = []

    def __call__(self, nbytes: int) -> int:
        self._held.append(tensors.empty((max(nbytes, 1),), dtypes.uint8, self._where))
        return place_of(self._held[-1])


def are_there(*values: Tensor) -> bool:
    """Whether the library makes products of such values, all of which are on one GPU."""
    first = values[0]
    return (
        all(x._storage_.device.type == "cuda" and x._dtype_ is first._dtype_ for x in values)
        and all(x._numel_ > 0 for x in values)
        and first._dtype_.memory in cusparse.TYPES
        # Sums of the library are joined in an open order.
        and not state.deterministic
        and libraries.find(cusparse.NAME) is not None
    )


def _sparse(matrix: Tensor, values: Tensor, kind: Any = None) -> tuple[Sparse, list[Tensor]] | None:
    """A matrix in the library's words, and what it refers to; None for one whose values are in no order."""
    size = matrix._size_[0], matrix._size_[1]
    by_rows = sparse_tensors.layout_of(matrix) is layouts.sparse_csr
    if by_rows:
        parts = parts_of(matrix)
        rows, columns = parts.compressed, parts.plain
    elif sparse_tensors.layout_of(matrix) is layouts.sparse_coo and matrix.is_coalesced():  # type: ignore[attr-defined]
        indices = indices_of(matrix)
        rows, columns = views.unbind_int(indices, 0)
    else:
        return None
    if kind is not None:
        rows, columns = (copies.to_dtype(x, kind) for x in (rows, columns))
    held = [copies.contiguous(x) for x in (rows, columns, values)]
    widths = held[0]._dtype_.itemsize, held[1]._dtype_.itemsize
    first, second, third = map(place_of, held)
    memory = values._dtype_.memory
    return Sparse(size, values._numel_, first, second, third, memory, widths, by_rows), held


def _dense(matrix: Tensor) -> Dense:
    return Dense((matrix._size_[0], matrix._size_[1]), place_of(matrix), matrix._dtype_.memory)


def times_dense(sparse: Tensor, dense: Tensor) -> Tensor | None:
    """The product of a sparse matrix and a dense one; None if the library does not make it."""
    values = values_of(sparse)
    if len(values._size_) != 1 or not are_there(values, dense):
        return None
    found = _sparse(sparse, values)
    if found is None:
        return None
    steps.Unrepeatable.note()
    where = dense._storage_.device
    made = tensors.empty((sparse._size_[0], dense._size_[1]), dense._dtype_, where)
    # What is referred to lives until the work is queued; the allocator knows the stream.
    dense = copies.contiguous(dense)
    with context.on(where.index or 0):
        cusparse.times_dense(where.index or 0, found[0], _dense(dense), _dense(made), Room(where))
    return made


def sampled(like: Tensor, left: Tensor, right: Tensor, beta: Any, alpha: Any) -> Tensor | None:
    """The values of ``beta * like + alpha * (left @ right)`` where ``like`` has some; None without the library."""
    before = values_of(like)
    if len(before._size_) != 1 or len(left._size_) != 2 or not are_there(before, left, right):
        return None
    steps.Unrepeatable.note()
    where = before._storage_.device
    made = copies.clone(before, layouts.contiguous_format)
    found = _sparse(like, made)
    if found is None:
        return None
    left, right = copies.contiguous(left), copies.contiguous(right)
    with context.on(where.index or 0):
        cusparse.sampled(
            where.index or 0, _dense(left), _dense(right), found[0], (alpha, beta), Room(where)
        )
    return made


def solved(a: Tensor, b: Tensor, upper: bool, transpose: bool, unit: bool) -> Tensor | None:
    """What a triangular matrix takes to another one; None without the library."""
    values = values_of(a)
    is_by_rows = sparse_tensors.layout_of(a) is layouts.sparse_csr
    if not is_by_rows or b._dtype_.memory not in cusparse.SOLVED or not are_there(values, b):
        return None
    found = _sparse(a, values)
    if found is None:
        return None
    steps.Unrepeatable.note()
    where = b._storage_.device
    b = copies.contiguous(b)
    made = tensors.empty(b._size_, b._dtype_, where)
    with context.on(where.index or 0):
        cusparse.solve_triangle(
            where.index or 0, found[0], _dense(b), _dense(made), upper, transpose, unit, Room(where)
        )
    return made


def times_sparse(left: Tensor, right: Tensor) -> tuple[Tensor, Tensor, Tensor] | None:
    """Where rows begin, columns and values of the product of two matrices by rows; None without the library."""
    all_values = [values_of(x) for x in (left, right)]
    is_small = max(*left._size_, *right._size_, *(v._numel_ for v in all_values)) <= _MOST
    by_rows = all(sparse_tensors.layout_of(x) is layouts.sparse_csr for x in (left, right))
    if not (
        by_rows
        and is_small
        and are_there(*all_values)
        and all(len(v._size_) == 1 for v in all_values)
    ):
        return None
    steps.Unrepeatable.note()
    where = all_values[0]._storage_.device
    operands = [_sparse(x, v, dtypes.int32) for x, v in zip((left, right), all_values)]
    starts = tensors.empty((left._size_[0] + 1,), dtypes.int32, where)
    made: list[Tensor] = []

    def results(count: int) -> tuple[int, int]:
        made[:] = [
            tensors.empty((count,), kind, where) for kind in (dtypes.int32, all_values[0]._dtype_)
        ]
        return place_of(made[0]), place_of(made[1])

    with context.on(where.index or 0):
        (one, _), (other, _) = operands  # type: ignore[misc]
        cusparse.times_sparse(where.index or 0, one, other, place_of(starts), Room(where), results)
    wide = [copies.to_dtype(x, dtypes.int64) for x in (starts, made[0])]
    return wide[0], wide[1], made[1]

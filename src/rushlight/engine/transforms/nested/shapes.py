"""Views of nested tensors: of the values, with another ragged dimension where one comes before it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import view as views
from rushlight.engine.core import nested
from rushlight.engine.core import size as sizes
from rushlight.engine.core.nested import Geometry, is_nested
from rushlight.engine.core.nested_ints import is_nested as is_nested_int
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.transforms.nested import derived, words
from rushlight.engine.transforms.nested.words import (
    blocks,
    both,
    inner,
    jagged,
    like,
    rank,
    regular,
    values_of,
    with_lengths,
    wrapped,
)

_ISSUE = "if you need this feature, please open an issue on github describing your use case."


def ragged_of(x: Tensor) -> int:
    return int(nested.parts_of(x).ragged)


@both("unbind.int")
def unbind(op: Any, x: Tensor, dim: int) -> Any:
    if wrapped(dim, x) != 0:
        if nested.is_jagged(x):
            raise RuntimeError("unbind(): only supported for NestedTensor on dim=0")
        raise RuntimeError(
            f"NestedTensor can only be unbound along dimension 0 got dimension {dim} instead."
        )
    return tuple(words.elements(x))


@jagged("transpose.int")
def transpose(op: Any, x: Tensor, dim0: int, dim1: int) -> Any:
    a, b, ragged = wrapped(dim0, x), wrapped(dim1, x), ragged_of(x)
    if ragged in (a, b):
        if 0 in (a, b):
            raise ValueError("Transpose is not supported on the batch dimension for jagged NT")
        other = b if a == ragged else a
        turned = views.transpose_int(values_of(x), inner(a, ragged), inner(b, ragged))
        return like(x, turned, other)
    own = regular(x, dim0, "transpose"), regular(x, dim1, "transpose")
    return like(x, views.transpose_int(values_of(x), *own))


@jagged("permute")
def permute(op: Any, x: Tensor, dims: Sequence[int]) -> Any:
    if len(dims) != rank(x):
        raise ValueError(
            f"permute(): number of dimensions in the tensor input ({rank(x)}) does not match the "
            f"length of the desired ordering of dimensions ({len(dims)})."
        )
    order = [wrapped(d, x) for d in dims]
    if len(set(order)) != len(order):
        raise ValueError("permute(): duplicate dims are not allowed.")
    if nested.parts_of(x).lengths is not None:
        raise ValueError("permute(): not supported on jagged layout nested tensor with holes")
    if order[0] != 0:
        raise ValueError("Permute is not supported on the batch dimension for jagged NT")
    ragged = ragged_of(x)
    turned = views.permute(values_of(x), [inner(d, ragged) for d in order[1:]])
    return like(x, turned, order.index(ragged))


@jagged("view", "_unsafe_view", "reshape")
def view(op: Any, x: Tensor, size: Sequence[Any]) -> Any:
    ragged = ragged_of(x)
    name = "view"
    if ragged != 1 and tuple(x._size_) != tuple(size):
        raise RuntimeError(
            f"{name}(): does not support ragged_idx != 1 except when inp._size == size. inp._size is "
            f"({tuple(x._size_)}) and size is ({list(size)})."
        )
    if len(size) < 3 or not words.has_same_lengths(x, size):
        raise RuntimeError(f"{name}(): cannot view shape {tuple(x._size_)} as {list(size)}")
    values = values_of(x)
    own = [*size[1:]]
    own[ragged - 1] = values._size_[ragged - 1]
    return like(x, op.call(values, own))


@jagged("unflatten.int")
def unflatten(op: Any, x: Tensor, dim: int, lengths: Sequence[int]) -> Any:
    own = regular(x, dim, "unflatten")
    made = op.call(values_of(x), own, lengths)
    ragged = ragged_of(x)
    more = len(lengths) - 1 if own < ragged - 1 else 0
    return like(x, made, ragged + more)


@jagged("flatten.using_ints")
def flatten(op: Any, x: Tensor, start: int, end: int) -> Any:
    first, last = (regular(x, d, "flatten") for d in (start, end))
    if first == last:
        return x
    ragged = ragged_of(x)
    if first < ragged - 1 < last:
        raise RuntimeError("flatten(): not supported for NestedTensor on ragged dim")
    made = op.call(values_of(x), first, last)
    return like(x, made, ragged - (last - first if first < ragged - 1 else 0))


@jagged("unsqueeze")
def unsqueeze(op: Any, x: Tensor, dim: int) -> Any:
    at = regular(x, dim, "unsqueeze", 1, ragged_too=True)
    ragged = ragged_of(x)
    return like(x, op.call(values_of(x), at), ragged + (at <= ragged - 1))


@jagged("squeeze.dim")
def squeeze(op: Any, x: Tensor, dim: int) -> Any:
    at = regular(x, dim, "squeeze")
    values, ragged = values_of(x), ragged_of(x)
    goes = values._size_[at] == 1 and at < ragged - 1
    return like(x, op.call(values, at), ragged - goes)


@jagged("squeeze", "squeeze.dims")
def squeeze_all(op: Any, x: Tensor, dims: Any = None) -> Any:
    chosen = range(rank(x)) if dims is None else [wrapped(d, x) for d in dims]
    for d in sorted(chosen, reverse=True):
        if d not in (0, ragged_of(x)) and x._size_[d] == 1:
            x = views.squeeze_dim(x, d)
    return x


@both("select.int")
def select(op: Any, x: Tensor, dim: int, index: Any) -> Any:
    at = wrapped(dim, x)
    if at == 0:
        count = x._size_[0]
        if not -count <= index < count:
            if nested.is_jagged(x):
                raise IndexError("tuple index out of range")
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size {count}")
        return words.elements(x)[index]
    if not nested.is_jagged(x):
        return words.of_elements([op.call(e, at - 1, index) for e in words.elements(x)])
    if nested.parts_of(x).lengths is not None:
        raise ValueError(
            "select(): not yet supported on dim != 0 for non-contiguous nested tensor with holes"
        )
    own = regular(x, dim, "select")
    ragged = ragged_of(x)
    return like(x, op.call(values_of(x), own, index), ragged - (own < ragged - 1))


@jagged("slice.Tensor")
def slice_(op: Any, x: Tensor, dim: int, start: Any, end: Any, step: Any) -> Any:
    at = wrapped(dim, x)
    takes_all = start in (None, 0) and (end is None or is_huge(end)) and step == 1
    if takes_all and at in (0, ragged_of(x)):
        return copies.alias(x)
    return like(x, op.call(values_of(x), regular(x, dim, "slice"), start, end, step))


def is_huge(end: Any) -> bool:
    return is_nested_int(end) or end >= sizes.MOST


@jagged("narrow")
def narrow(op: Any, x: Tensor, dim: int, start: Any, length: Any) -> Any:
    return like(x, op.call(values_of(x), regular(x, dim, "narrow"), start, length))


@jagged("split.Tensor", "split.sizes", "split_with_sizes")
def split(op: Any, x: Tensor, size: Any, dim: int) -> Any:
    made = op.call(values_of(x), size, regular(x, dim, op.packet_name))
    return type(made)(like(x, part) for part in made)


@jagged("chunk")
def chunk(op: Any, x: Tensor, chunks: int, dim: int) -> Any:
    if wrapped(dim, x) != 0:
        made = op.call(values_of(x), chunks, regular(x, dim, "chunk"))
        return type(made)(like(x, part) for part in made)
    parts = nested.parts_of(x)
    counts = nested.bounds_of(parts)[0]
    each = max(1, math.ceil(len(counts) / chunks))
    groups = [counts[k : k + each] for k in range(0, len(counts), each)]
    values = views.split_with_sizes(values_of(x), [sum(g) for g in groups], parts.along)
    return tuple(
        with_lengths(part, numbers(words.running(g)), None, parts.ragged)
        for part, g in zip(values, groups)
    )


def numbers(given: Sequence[int]) -> Tensor:
    from rushlight.engine.ops.nested.making import whole_numbers

    return whole_numbers(list(given))  # type: ignore[no-any-return]


@jagged("expand")
def expand(op: Any, x: Tensor, size: Sequence[Any], implicit: bool) -> Any:
    if not is_nested(x):
        return op.call(x, size, implicit)
    if not words.has_same_lengths(x, size):
        raise RuntimeError(f"expand(): cannot expand shape {tuple(x._size_)} -> {list(size)}")
    ragged = ragged_of(x)
    own = [-1 if d == ragged else size[d] for d in range(1, len(size))]
    return like(x, op.call(values_of(x), own, implicit))


@jagged("reshape_as", "view_as")
def reshape_as(op: Any, x: Tensor, other: Tensor) -> Any:
    return (
        views.reshape(x, other._size_)
        if op.packet_name == "reshape_as"
        else views.view(x, other._size_)
    )


@both("expand_as")
def expand_as(op: Any, x: Tensor, other: Tensor) -> Any:
    if is_nested(x) and is_nested(other) and not nested.is_jagged(x):
        pairs = zip(words.elements(x), words.elements(other))
        return words.of_elements([op.call(a, b) for a, b in pairs])
    if is_nested(x):
        return views.expand(x, other._size_, False) if is_nested(other) else x
    if not nested.is_jagged(other):
        raise RuntimeError("expand_as(): not supported for nested tensors of layout torch.strided")
    return like(other, views.expand(x, values_of(other)._size_, False))


@jagged("broadcast_to")
def broadcast_to(op: Any, x: Tensor, size: Sequence[Any]) -> Any:
    if len(size) > rank(x):
        raise ValueError(
            "broadcast_to(): broadcasting to a higher-dim shape is currently not supported for "
            "nested tensors with the jagged layout"
        )
    return views.expand(x, [*[1] * (rank(x) - len(size)), *size], False)


@jagged("broadcast_tensors")
def broadcast_tensors(op: Any, tensors: Sequence[Tensor]) -> Any:
    base = max((x for x in tensors if is_nested(x)), key=rank)
    made = []
    for x in tensors:
        if is_nested(x):
            made.append(like(base, views.expand(
                derived.operand(op, base, x), values_of(base)._size_, False
            )))  # fmt: skip
        elif rank(x) < rank(base):
            made.append(like(base, views.expand(x, values_of(base)._size_, False)))
        else:
            raise ValueError(
                "broadcast_tensors(): broadcasting nested tensors with dense tensors of equal or "
                "higher dim is not currently supported"
            )
    return tuple(made)


# -- elements with places of their own --


@blocks("transpose.int")
def transpose_blocks(op: Any, x: Tensor, dim0: int, dim1: int) -> Any:
    a, b = wrapped(dim0, x), wrapped(dim1, x)
    if a == b:
        return x
    if 0 in (a, b):
        raise RuntimeError("Nested tensor dimension 0 cannot be transposed")
    return turned(x, lambda row: swapped(row, a - 1, b - 1))


def swapped(row: Sequence[Any], a: int, b: int) -> list[Any]:
    found = list(row)
    found[a], found[b] = found[b], found[a]
    return found


@blocks("permute")
def permute_blocks(op: Any, x: Tensor, dims: Sequence[int]) -> Any:
    order = [wrapped(d, x) for d in dims]
    if len(order) != rank(x):
        raise RuntimeError(
            f"permute(): number of dimensions in the tensor input ({rank(x)}) does not match the "
            f"length of the desired ordering of dimensions ({len(dims)})."
        )
    if order[0] != 0:
        raise RuntimeError("Nested tensor dimension 0 cannot be permuted")
    return turned(x, lambda row: [row[d - 1] for d in order[1:]])


def turned(x: Tensor, change: Any) -> Any:
    """The same elements with their dimensions in another order."""
    known = nested.parts_of(x).known
    return placed(
        x, [change(r) for r in known.sizes], [change(r) for r in known.strides], known.offsets
    )


def placed(x: Tensor, rows: Any, strides: Any, offsets: Any) -> Any:
    """Other places in the memory of a nested tensor."""
    from rushlight.engine.ops.nested import making

    known = Geometry([tuple(r) for r in rows], [tuple(r) for r in strides], list(offsets))
    return making.blocks(values_of(x), known)


@blocks("view", "_unsafe_view", "reshape")
def view_blocks(op: Any, x: Tensor, size: Sequence[Any]) -> Any:
    name, known = op.packet_name.removeprefix("_unsafe_"), nested.parts_of(x).known
    if not size or size[0] != x._size_[0]:
        raise RuntimeError(
            f"{name}: For now nested {name} cannot change or infer the implicit batch dimension"
        )
    own = list(size[1:])
    if own.count(-1) > 1 and len(own) != rank(x) - 1:
        raise RuntimeError("only one dimension can be inferred")
    found = [
        op.call(e, _size_of_element(before, own, size))
        for e, before in zip(words.elements(x), known.sizes)
    ]
    lengths = [tuple(e._size_) for e in found]
    if known.is_dense:
        return placed(x, lengths, [sizes.contiguous_strides(n) for n in lengths], known.offsets)
    if name == "reshape":
        return words.of_elements(found)
    return placed(x, lengths, [tuple(e._stride_) for e in found], known.offsets)


def _size_of_element(before: Sequence[int], own: Sequence[int], size: Sequence[Any]) -> list[int]:
    """The sizes of an element: -1 keeps a dimension that there was; another one is inferred."""
    made = [before[d] if n == -1 and d < len(before) else n for d, n in enumerate(own)]
    count, there = sizes.numel(before), math.prod(n for n in made if n != -1)
    if count != there if -1 not in made else not there or count % there:
        raise RuntimeError(f"shape '{list(size)}' is invalid for input of size {count}")
    return made


@blocks("unsqueeze")
def unsqueeze_blocks(op: Any, x: Tensor, dim: int) -> Any:
    at = wrapped(dim, x, 1)
    if at == 0:
        raise RuntimeError(
            "unsqueeze(): For nested tensors, unsqueezing dimension 0 is not supported at the moment "
            f"{_ISSUE}"
        )
    known = nested.parts_of(x).known
    made = [op.call(e, at - 1) for e in words.elements(x)]
    return placed(x, [e._size_ for e in made], [e._stride_ for e in made], known.offsets)


@blocks("squeeze.dim")
def squeeze_blocks(op: Any, x: Tensor, dim: int) -> Any:
    at = wrapped(dim, x)
    if at == 0:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeezing dimension 0 is not supported at the moment "
            f"{_ISSUE}"
        )
    if x._size_[at] != 1:
        return copies.alias(x)
    known = nested.parts_of(x).known
    made = [op.call(e, at - 1) for e in words.elements(x)]
    return placed(x, [e._size_ for e in made], [e._stride_ for e in made], known.offsets)


@blocks("squeeze")
def squeeze_all_blocks(op: Any, x: Tensor) -> Any:
    raise RuntimeError(
        "squeeze(): For nested tensors, squeeze without the dim argument is not supported at the "
        f"moment, however you can use squeeze(Tensor self, int dim) instead {_ISSUE}"
    )


@blocks("narrow", "slice.Tensor")
def narrow_blocks(op: Any, x: Tensor, dim: int, start: Any, end: Any, *step: Any) -> Any:
    at = wrapped(dim, x)
    if at == 0:
        if op.packet_name == "narrow":
            if start + end > x._size_[0]:
                raise RuntimeError(
                    f"start ({start}) + length ({end}) exceeds dimension size ({x._size_[0]})."
                )
            chosen = slice(start, start + end)
        else:
            chosen = slice(start, None if end is None or end >= sizes.MOST else end, *step)
        known = nested.parts_of(x).known
        return placed(x, known.sizes[chosen], known.strides[chosen], known.offsets[chosen])
    return words.of_elements([op.call(e, at - 1, start, end, *step) for e in words.elements(x)])


@blocks("chunk", "split.Tensor", "split.sizes", "split_with_sizes")
def split_blocks(op: Any, x: Tensor, size: Any, dim: int) -> Any:
    at = wrapped(dim, x)
    last = x._size_[-1]
    if op.packet_name == "chunk":
        if at != rank(x) - 1:
            raise RuntimeError(
                "Chunk for nested tensors is currently only supported for the last dimension."
            )
        if is_nested_int(last) or last % size:
            raise RuntimeError(
                "Chunk for nested tensors is only supported for nested tensors with trailing "
                f"dimension divisible by chunks, got: {last} % {size} != 0"
            )
    elif at != rank(x) - 1:
        raise RuntimeError(
            f"{op.packet_name} for nested tensors is currently only supported for the last dimension."
        )
    parted = [op.call(e, size, at - 1) for e in words.elements(x)]
    known = nested.parts_of(x).known
    found = []
    for k in range(len(parted[0])):
        of = [p[k] for p in parted]
        first = [e._offset_ - b._offset_ for e, b in zip(of, words.elements(x))]
        offsets = [a + b for a, b in zip(known.offsets, first)]
        found.append(placed(x, [e._size_ for e in of], [e._stride_ for e in of], offsets))
    return tuple(found)


@blocks("expand")
def expand_blocks(op: Any, x: Tensor, size: Sequence[Any], implicit: bool) -> Any:
    raise NotImplementedError(op)

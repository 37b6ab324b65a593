"""Shapes and strides of several operands together: broadcasting, order and merging of dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.core import size as sizes
from rushlight.engine.core.symbolic import required

Ints = tuple[int, ...]


def broadcast_sizes(*shapes: Ints) -> Ints:
    """The common shape of operands; a size of 1 stretches."""
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return tuple(first)
    ndim = max(map(len, shapes))
    result = [1] * ndim
    for shape in shapes:
        for k in range(1, len(shape) + 1):
            size = shape[-k]
            if size == result[-k] or size == 1:
                continue
            if result[-k] != 1:
                if required(size == result[-k]):
                    continue
                raise RuntimeError(
                    f"The size of tensor a ({result[-k]}) must match the size of tensor b ({size}) "
                    f"at non-singleton dimension {ndim - k}"
                )
            result[-k] = size
    return tuple(result)


def expanded_strides(shape: Ints, size: Ints, stride: Ints) -> Ints:
    """Strides of an operand stretched to ``shape``: 0 where it repeats."""
    missing = len(shape) - len(size)
    return (0,) * missing + tuple(0 if own == 1 else step for own, step in zip(size, stride))


def dimension_order(shape: Ints, strides: Sequence[Ints]) -> list[int]:
    """Dimensions from innermost to outermost, as the operands' strides ask for.

    Earlier operands decide first; a stride of 0 has no opinion, and without one the given order
    stays.
    """
    order = list(range(len(shape) - 1, -1, -1))

    def belongs_outside(a: int, b: int) -> int:
        for stride in strides:
            if stride[a] == 0 or stride[b] == 0:
                continue
            if stride[a] != stride[b]:
                return 1 if stride[a] > stride[b] else -1
            if shape[a] > shape[b]:
                return 1
        return 0

    for i in range(1, len(order)):
        place = i
        for j in range(i - 1, -1, -1):
            wanted = belongs_outside(order[j], order[place])
            if wanted > 0:
                order[j], order[place] = order[place], order[j]
                place = j
            elif wanted < 0:
                break
    return order


def dense_strides(shape: Ints, order: Sequence[int]) -> Ints:
    """Strides of a dense tensor whose dimensions lie in ``order``, innermost first."""
    strides = [0] * len(shape)
    step = 1
    for dim in order:
        strides[dim] = step
        step *= max(shape[dim], 1)
    return tuple(strides)


def output_strides(shape: Ints, operands: Sequence[tuple[Ints, Ints]]) -> Ints:
    """Strides for a new result of operands given as (size, stride): their layout carries over."""
    full = [(size, stride) for size, stride in operands if size == shape]
    if len(full) == len(operands):
        if all(sizes.is_contiguous(size, stride) for size, stride in full):
            return sizes.contiguous_strides(shape)
        if all(sizes.is_channels_last(size, stride) for size, stride in full):
            return sizes.channels_last_strides(shape)
        first = full[0][1]
        if all(stride == first for _, stride in full) and sizes.is_dense(shape, first):
            return first
    wishes = [_wished_strides(shape, size, stride) for size, stride in operands]
    return dense_strides(shape, dimension_order(shape, wishes))


def _wished_strides(shape: Ints, size: Ints, stride: Ints) -> Ints:
    """Strides that say where an operand wants a result's dimensions: 0 where it repeats.

    A dimension of size 1 that is no longer in the result has a place among the others as well.
    """
    repeated = expanded_strides(shape, size, stride)
    missing = len(shape) - len(size)
    own = zip(shape[missing:], stride)
    return repeated[:missing] + tuple(
        step if length == 1 else zero for (length, step), zero in zip(own, repeated[missing:])
    )


def merge_dimensions(
    shape: Sequence[int], strides: Sequence[Sequence[int]]
) -> tuple[list[int], list[list[int]]]:
    """Fewer, longer dimensions for the same elements, in the same order (innermost first).

    Neighbours merge where every operand steps through both as through one. Without elements, one
    dimension of size 0 is left: reductions still write their results then.
    """
    if 0 in shape:
        return [0], [[0] for _ in strides]
    merged_shape: list[int] = []
    merged: list[list[int]] = [[] for _ in strides]
    for d, size in enumerate(shape):
        if size == 1:
            continue
        if merged_shape and all(
            own[-1] * merged_shape[-1] == stride[d] for own, stride in zip(merged, strides)
        ):
            merged_shape[-1] *= size
            continue
        merged_shape.append(size)
        for own, stride in zip(merged, strides):
            own.append(stride[d])
    return merged_shape, merged


def may_overlap_itself(size: Ints, stride: Ints) -> bool:
    """Whether two indices may reach one element (never wrong for dense and for expanded tensors)."""
    if sizes.numel(size) <= 1:
        return False
    reach = 0
    for step, length in sorted((abs(s), n) for s, n in zip(stride, size) if n > 1):
        if step <= reach:
            return True
        reach += step * (length - 1)
    return False


def strides_for(
    old_size: Sequence[int], old_stride: Sequence[int], new_size: Sequence[int]
) -> tuple[int, ...] | None:
    """Strides that show the same elements, in order, under another shape; None if there are none.

    Runs of old dimensions that step like one are matched with runs of new dimensions.
    """
    if sizes.numel(old_size) == 0:
        return (
            tuple(old_stride)
            if tuple(old_size) == tuple(new_size)
            else sizes.contiguous_strides(tuple(new_size))
        )
    new_stride = [0] * len(new_size)
    place = len(new_size) - 1
    base = old_stride[-1] if old_size else 1
    run = seen = 1
    for dim in range(len(old_size) - 1, -1, -1):
        run *= old_size[dim]
        ends = dim == 0 or (old_size[dim - 1] != 1 and old_stride[dim - 1] != run * base)
        if not ends:
            continue
        while place >= 0 and (seen < run or new_size[place] == 1):
            new_stride[place] = seen * base
            seen *= new_size[place]
            place -= 1
        if seen != run:
            return None
        if dim > 0:
            base = old_stride[dim - 1]
            run = seen = 1
    if not old_size:
        return (1,) * len(new_size)
    return tuple(new_stride) if place == -1 else None

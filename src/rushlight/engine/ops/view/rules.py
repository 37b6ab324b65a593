"""What the gradient formulas of views call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing, joining, view
from rushlight.engine.core import size as sizes
from rushlight.engine.loops import geometry
from rushlight.engine.ops.dims import wrap_dim

Ints = Sequence[int]


def complex_of(grad: Any) -> Any:
    """A complex gradient from one of pairs."""
    return view.view_as_complex(grad.contiguous())


def real_of(grad: Any) -> Any:
    """A gradient of pairs from a complex one."""
    return view.view_as_real(grad.resolve_conj())


def sum_to(grad: Any, size: Ints) -> Any:
    """The sum over the dimensions that an expansion has added or stretched."""
    extra = len(grad._size_) - len(size)
    dims = [*range(extra)]
    dims += [d + extra for d, s in enumerate(size) if s == 1 and grad._size_[d + extra] != 1]
    if dims:
        grad = grad.sum(dims, True)
    return grad.reshape(size) if extra else grad


def roll_back(grad: Any, shifts: Ints, dims: Ints) -> Any:
    """Every element goes back to where it came from."""
    return view.roll(grad, [-s for s in shifts], dims)


def embedded(grad: Any, size: Ints, place: Any) -> Any:
    """Zeros of a size with the gradient in the part that ``place`` takes out of it."""
    whole = creation.new_zeros(grad, list(size))
    place(whole).copy_(grad)
    return whole


def diagonal_backward(grad: Any, size: Ints, offset: int, dim1: int, dim2: int) -> Any:
    return embedded(grad, size, lambda whole: whole.diagonal(offset, dim1, dim2))


def select_backward(grad: Any, size: Ints, dim: int, index: int) -> Any:
    return embedded(grad, size, lambda whole: whole.select(dim, index))


def slice_backward(grad: Any, size: Ints, dim: int, start: Any, end: Any, step: int) -> Any:
    return embedded(grad, size, lambda whole: view.slice_Tensor(whole, dim, start, end, step))


def view_scattered(scatter: Any, grad: Any, size: Ints, *place: Any) -> Any:
    """The gradient with zeros where something else was put."""
    return scatter(grad, creation.new_zeros(grad, list(size)), *place)


def _in_strides(grad: Any, size: Ints, stride: Ints) -> Any:
    """A gradient with the strides of the tensor that it is of, so that these find its elements."""
    if _overlaps(size, stride):
        return grad.contiguous()
    made = creation.new_empty_strided(grad, tuple(size), tuple(stride))
    return copies.copy_(made, grad, False)


def as_strided_scattered(
    grad: Any, size: Ints, strides: Ints, src: Ints, part: Ints, stride: Ints, offset: Any
) -> Any:
    """The gradient with zeros where something else was put."""
    own = _in_strides(grad, size, strides)
    zeros = creation.new_zeros(grad, list(src))
    return view.as_strided_scatter(own, zeros, list(part), list(stride), offset)


def as_strided_of(
    grad: Any, size: Ints, strides: Ints, part: Ints, stride: Ints, offset: Any
) -> Any:
    """The part of a gradient of what was put there."""
    return view.as_strided(_in_strides(grad, size, strides), list(part), list(stride), offset)


def permute_backward(grad: Any, dims: Ints) -> Any:
    back = [0] * len(dims)
    for place, dim in enumerate(dims):
        back[wrap_dim(dim, len(dims))] = place
    return grad.permute(back)


def _parts(grads: Sequence[Any], shapes: Sequence[Ints]) -> list[Any]:
    """Gradients of parts, zeros for those that did not arrive."""
    like = next(g for g in grads if g is not None)
    return [
        creation.new_zeros(like, list(shape)) if g is None else g for g, shape in zip(grads, shapes)
    ]


def split_with_sizes_backward(grads: Sequence[Any], split_sizes: Ints, size: Ints, dim: int) -> Any:
    dim = wrap_dim(dim, len(size))
    shapes = [[*size[:dim], part, *size[dim + 1 :]] for part in split_sizes]
    return joining.cat(_parts(grads, shapes), dim)


def split_backward(grads: Sequence[Any], size: Ints, dim: int) -> Any:
    dim = wrap_dim(dim, len(size))
    like = next(g for g in grads if g is not None)
    if len(grads) == 1:
        return like
    # All parts are as long as the first; the last is what is left.
    place = next(i for i, g in enumerate(grads) if g is not None)
    last = len(grads) - 1
    whole = size[dim]
    if place < last:
        part = like._size_[dim]
    else:
        part = (whole - like._size_[dim]) // last
    sizes_of_parts = [part] * last + [whole - part * last]
    return split_with_sizes_backward(grads, sizes_of_parts, size, dim)


def unbind_backward(grads: Sequence[Any], size: Ints, dim: int) -> Any:
    dim = wrap_dim(dim, len(size))
    shape = [*size[:dim], *size[dim + 1 :]]
    return joining.stack(_parts(grads, [shape] * len(grads)), dim)


def unfold_backward(grad: Any, size: Ints, dimension: int, length: int, step: int) -> Any:
    if not size:
        return grad.reshape(())
    dimension = wrap_dim(dimension, len(size))
    whole = creation.arange(size[dimension], device=grad._storage_.device)
    positions = whole.unfold(0, length, step)
    moved = grad.movedim(-1, dimension + 1).flatten(dimension, dimension + 1)
    made = creation.new_zeros(grad, list(size))
    return indexing.index_add_(made, dimension, positions.flatten(), moved, 1)


def as_strided_backward(
    grad: Any,
    input_size: Ints,
    input_stride: Ints,
    input_offset: int,
    size: Ints,
    stride: Ints,
    storage_offset: int | None,
) -> Any:
    """Sums the gradient into every element of the storage, and reads the input's places.

    An element that the input shows several times shares its gradient among them.
    """
    offset = (input_offset if storage_offset is None else storage_offset) - input_offset
    low = min(offset, 0)
    reach = max(
        sizes.storage_extent(tuple(input_size), tuple(input_stride), 0),
        sizes.storage_extent(tuple(size), tuple(stride), offset),
    )
    memory = creation.new_zeros(grad, [reach - low])
    if _overlaps(size, stride):
        places = creation.arange(reach - low, device=grad._storage_.device)
        places = view.as_strided(places, list(size), list(stride), offset - low)
        memory = indexing.index_add(memory, 0, places.flatten(), grad.flatten(), 1)
    elif all(size):
        view.as_strided(memory, list(size), list(stride), offset - low).copy_(grad)
    found = view.as_strided(memory, list(input_size), list(input_stride), -low)
    if _overlaps(input_size, input_stride):
        count = creation.new_zeros(grad, [reach - low])
        places = creation.arange(reach - low, device=grad._storage_.device)
        places = view.as_strided(places, list(input_size), list(input_stride), -low).flatten()
        count = indexing.index_add(count, 0, places, creation.ones_like(found).flatten(), 1)
        found = found / view.as_strided(count, list(input_size), list(input_stride), -low)
    return found


def _overlaps(size: Ints, stride: Ints) -> bool:
    """Whether some element of the memory may be shown more than once."""
    reach = 1
    for step, length in sorted((st, s) for s, st in zip(size, stride) if s != 1):
        if step < reach:
            return True
        reach += (length - 1) * step
    return False


assert geometry


def narrow_start(start: int, size: Ints, dim: int) -> int:
    return start + size[wrap_dim(dim, len(size))] if start < 0 else start


def repeat_gradient(grad: Any, repeats: Sequence[int], size: Sequence[int]) -> Any:
    """The sum of what all copies of an element give."""
    padded = (1,) * (len(repeats) - len(size)) + tuple(size)
    grid = [n for pair in zip(repeats, padded) for n in pair]
    if grid:
        grad = grad.reshape(grid).sum(list(range(0, len(grid), 2)))
    return grad.reshape(list(size))

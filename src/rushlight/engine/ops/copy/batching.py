"""What copies do with a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy
from rushlight.engine.core import layout as layouts
from rushlight.engine.ops.batching import batched, derive, front, padded, rank

derive("loop", ["copy", "fill.Tensor"])

Values = Sequence[Any]
Result = tuple[Any, Any]


def _same_place(name: str) -> None:
    """Operators that keep every element where it is."""
    function = getattr(copy, name.replace(".", "_"))

    @batched(name)
    def rule(size: int, values: Values, dims: Values) -> Result:
        return function(*values), dims[0]


for _name in (
    "detach", "alias", "lift_fresh", "lift", "_lazy_clone", "detach_copy", "alias_copy", "zero",
    "fill.Scalar",
):  # fmt: skip
    if hasattr(copy, _name.replace(".", "_")):
        _same_place(_name)


def _formatted(name: str, place: int) -> None:
    """Copies that may be asked for a memory format, which speaks of an element's dimensions."""
    function = getattr(copy, name)

    @batched(name)
    def rule(size: int, values: Values, dims: Values) -> Result:
        given = list(values)
        if name == "clone" and given[place] in (layouts.channels_last, layouts.channels_last_3d):
            word = "ChannelsLast" if given[place] is layouts.channels_last else "ChannelsLast3d"
            raise RuntimeError(
                "NYI: Tensor.clone(memory_format) inside vmap is only supported with memory_format "
                f"torch.preserve_format or torch.contiguous_format (got {word})"
            )
        if given[place] not in (None, layouts.preserve_format):
            given[0], given[place] = front(values[0], dims[0]), layouts.contiguous_format
            return function(*given), 0
        return function(*given), dims[0]


_formatted("clone", 1)
_formatted("_to_copy", 6)


@batched("copy_")
def copy_(size: int, values: Values, dims: Values) -> Result:
    target, source, non_blocking = values
    count = rank(target, dims[0])
    copy.copy_(front(target, dims[0]), padded(source, dims[1], count), non_blocking)
    return None, None


@batched("fill_.Scalar", "zero_")
def fill(size: int, values: Values, dims: Values) -> Result:
    target = values[0]
    if len(values) > 1:
        copy.fill__Scalar(target, values[1])
    else:
        copy.zero_(target)
    return None, None


@batched("fill_.Tensor")
def fill_with(size: int, values: Values, dims: Values) -> Result:
    target, value = front(values[0], dims[0]), values[1]
    if rank(value, dims[1]):
        raise RuntimeError(
            "fill_ only supports 0-dimension value tensor but got tensor with "
            f"{rank(value, dims[1])} dimensions."
        )
    copy.copy_(target, padded(value, dims[1], len(target._size_) - 1), False)
    return None, None


def _resized(x: Any, dim: Any, size: Sequence[int], memory_format: Any) -> Result:
    """Change the size of elements in place, which only a batch that lies in front can."""
    if memory_format not in (None, layouts.contiguous_format):
        raise RuntimeError("resize_: batching rule only supports None or Contiguous MemoryFormat")
    if dim != 0:
        raise RuntimeError(
            "resize_: the dimension of the batch must be the first one of the tensor"
        )
    copy.resize_(x, [x._size_[0], *size], memory_format)
    return None, None


@batched("resize_")
def resize_(size: int, values: Values, dims: Values) -> Result:
    return _resized(values[0], dims[0], values[1], values[2])


@batched("resize_as_")
def resize_as_(size: int, values: Values, dims: Values) -> Result:
    template, place = values[1], dims[1]
    wanted = [n for k, n in enumerate(template._size_) if k != place]
    return _resized(values[0], dims[0], wanted, values[2])

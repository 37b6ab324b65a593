"""Sizes and strides.

Sizes are kept unique, so that two tensors of one shape share the object and generated code
compares shapes by address. Those that programs put together (``x.shape[:-1] + (3,)``) are, too.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, SupportsIndex

from rushlight.engine.core import symbolic
from rushlight.engine.core.expressions import SIZE

_REMEMBERED = 20_000
# The largest count of elements or bytes: they are kept in words with a sign.
MOST = (1 << 63) - 1


class Size(tuple[int, ...]):
    """The sizes of a tensor: a tuple of integers with a few habits of its own."""

    __slots__ = ()

    def __new__(cls, sizes: Iterable[Any] = ()) -> Size:
        items = tuple(sizes)
        if not symbolic.INTEGERS.issuperset(map(type, items)):
            items = tuple([_as_int(x, i) for i, x in enumerate(items)])
        return intern(items) if cls is Size else tuple.__new__(cls, items)

    def numel(self) -> int:
        """The product of all sizes."""
        return numel(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(repr, self))}])"

    __str__ = __repr__

    def __add__(self, other: Any) -> Size:  # type: ignore[override]
        if isinstance(other, tuple):
            return Size(tuple.__add__(self, other))
        reflected = getattr(type(other), "__radd__", None)
        made = NotImplemented if reflected is None else reflected(other, self)
        if made is NotImplemented:
            raise TypeError(
                f"can only concatenate tuple (not {type(other).__name__}) to torch.Size"
            )
        return made  # type: ignore[no-any-return]

    def __radd__(self, other: Any) -> Size:
        if not isinstance(other, tuple):
            return NotImplemented
        return Size(tuple(other) + tuple(self))

    def __mul__(self, times: SupportsIndex) -> Size:
        return intern(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return intern(found) if isinstance(index, slice) else found

    def __reduce__(self) -> tuple[Any, ...]:
        return Size, (tuple(self),)


def _as_int(item: Any, position: int) -> Any:
    if type(item) is symbolic.SymInt:
        return item
    try:
        return operator.index(item)
    except TypeError:
        raise TypeError(
            f"torch.Size() takes an iterable of 'int' (item {position} is '{type(item).__name__}')"
        ) from None


_sizes: dict[tuple[int, ...], Size] = {}
_contiguous: dict[tuple[int, ...], tuple[int, ...]] = {}


symbolic.KINDS_OF_TUPLES[Size] = SIZE


def intern(sizes: tuple[int, ...]) -> Size:
    """The one `Size` with these sizes."""
    trace = symbolic.trace_of(sizes)
    if trace is not None:
        made: Size = trace.unique(sizes, Size)
        return made
    found = _sizes.get(sizes)
    if found is None:
        if len(_sizes) >= _REMEMBERED:
            _sizes.clear()
        found = sizes if type(sizes) is Size else tuple.__new__(Size, sizes)
        _sizes[found] = found
    return found


_strides: dict[tuple[int, ...], tuple[int, ...]] = {}
_MOST_STRIDES = 1 << 16


def intern_strides(strides: tuple[int, ...]) -> tuple[int, ...]:
    """One object for equal strides, so that an address stands for them."""
    trace = symbolic.trace_of(strides)
    if trace is not None:
        made: tuple[int, ...] = trace.unique(strides, tuple)
        return made
    found = _strides.get(strides)
    if found is None:
        if len(_strides) >= _MOST_STRIDES:
            _strides.clear()
        found = _strides.setdefault(tuple(strides), tuple(strides))
    return found


def contiguous_strides(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of a dense tensor with the last dimension innermost."""
    if symbolic.trace_of(sizes) is not None:
        return _steps_over(sizes)
    found = _contiguous.get(sizes)
    if found is None:
        if len(_contiguous) >= _REMEMBERED:
            _contiguous.clear()
        found = _contiguous[tuple(sizes)] = _steps_over(sizes)
    return found


def _steps_over(sizes: tuple[int, ...]) -> tuple[int, ...]:
    strides = []
    step = 1
    for size in reversed(sizes):
        strides.append(step)
        step *= symbolic.maximum(size, 1)
    if strides and strides[-1] > MOST:
        if 0 in sizes:
            raise RuntimeError("Stride calculation overflowed")
        raise too_many_bytes(sizes)
    return tuple(reversed(strides))


def numel(sizes: Iterable[int]) -> int:
    """The product of all sizes; an error if it is more than can be counted."""
    total = 1
    for size in sizes:
        total *= size
        if total > MOST:
            raise RuntimeError("numel: integer multiplication overflow")
    return total


def is_contiguous(sizes: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether the elements lie densely in order, ignoring strides that are never used."""
    step = 1
    for size, stride in zip(reversed(sizes), reversed(strides)):
        # The stride first: where it fits, the size does not matter to a trace.
        if stride != step and size != 1:
            return 0 in sizes
        step *= size
    return True


def is_channels_last(sizes: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether a 4-d or 5-d tensor is dense with its second dimension innermost."""
    order = {4: (1, 3, 2, 0), 5: (1, 4, 3, 2, 0)}.get(len(sizes))
    if order is None:
        return False
    step = 1
    for dim in order:
        if sizes[dim] != 1:
            if strides[dim] != step:
                return False
            step *= sizes[dim]
    return True


def channels_last_strides(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of a dense 4-d or 5-d tensor with its second dimension innermost."""
    order = (1, 3, 2, 0) if len(sizes) == 4 else (1, 4, 3, 2, 0)
    strides = [0] * len(sizes)
    step = 1
    for dim in order:
        strides[dim] = step
        # Unlike in the usual order, what lies over no elements has stride 0.
        step *= sizes[dim]
    return tuple(strides)


def is_dense(sizes: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether the elements fill one block of memory without gaps or overlap, in any order."""
    step = 1
    for stride, size in sorted((s, n) for s, n in zip(strides, sizes) if n != 1):
        if size == 0:
            return True
        if stride != step:
            return False
        step *= size
    return True


def count_bytes(length: int, itemsize: int = 8) -> None:
    """Raise for a vector whose bytes cannot be counted, before anybody makes one."""
    storage_bytes((length,), (1,), 0, itemsize)


def storage_extent(sizes: tuple[int, ...], strides: tuple[int, ...], offset: int) -> int:
    """How many elements of storage a tensor reaches, counted from the storage's start."""
    extent = 1
    for size, stride in zip(sizes, strides):
        if size == 0:
            return 0
        extent += (size - 1) * stride
    return offset + extent


def storage_bytes(
    sizes: tuple[int, ...], strides: tuple[int, ...], offset: int, itemsize: int
) -> int:
    """How many bytes of storage a tensor reaches; an error if that is more than can be counted."""
    extent = storage_extent(sizes, strides, offset)
    nbytes = extent * itemsize
    if nbytes > MOST:
        raise too_many_bytes(sizes, strides)
    if not extent:
        numel(sizes)
    return nbytes


def too_many_bytes(sizes: tuple[int, ...], strides: tuple[int, ...] | None = None) -> RuntimeError:
    """The error for a tensor whose bytes cannot be counted."""
    text = f"Storage size calculation overflowed with sizes={list(sizes)}"
    if strides is not None and tuple(strides) != contiguous_strides(tuple(sizes)):
        text += f" and strides={list(strides)}"
    return RuntimeError(text)

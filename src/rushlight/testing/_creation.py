"""`make_tensor`: random tensors for tests."""

from __future__ import annotations

import collections.abc
import math
import warnings
from typing import Any

import rushlight
from rushlight.engine.core.dtype import dtype as Dtype

# What random values lie between unless the caller says otherwise.
_BYTE = (0, 10)
_INTEGERS = (-9, 10)
_REALS = (-9, 9)


def _bounds(kind: Dtype, low: float | None, high: float | None) -> tuple[Any, Any]:
    """The interval of the values: what was given, within what the type can hold."""
    for bound in (low, high):
        if isinstance(bound, float) and math.isnan(bound):
            raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if kind is rushlight.bool:
        default: tuple[Any, Any] = (0, 2)
        least: float = 0
        most: float = 2
    elif kind.is_floating_point or kind.is_complex:
        default = _REALS
        reals = rushlight.finfo(kind)
        least, most = reals.min, reals.max
    else:
        default = _BYTE if kind is rushlight.uint8 else _INTEGERS
        integers = rushlight.iinfo(kind)
        least, most = integers.min, integers.max + 1
    low = default[0] if low is None else low
    high = default[1] if high is None else high
    if low > high or (low == high and not (kind.is_floating_point or kind.is_complex)):
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    if low == high:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is "
            "deprecated since 2.1 and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=3,
        )
    elif high < least or low >= most:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {kind} only "
            f"supports [{least}, {most})"
        )
    low, high = max(low, least), min(high, most)
    if not (kind.is_floating_point or kind.is_complex):
        return math.ceil(low), math.ceil(high)
    return low, high


def make_tensor(
    *shape: Any,
    dtype: Dtype,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Any:
    """A tensor of random values from ``[low, high)``.

    Args:
        shape: its sizes, one by one or as one sequence
        dtype: its element type
        device: where it is
        low: the least value
        high: the value that all are below
        requires_grad: whether it wants a gradient
        noncontiguous: whether its elements have gaps between them
        exclude_zero: replace zeros by the least positive value
        memory_format: its layout in memory
    """
    if len(shape) == 1 and isinstance(shape[0], collections.abc.Sequence):
        shape = tuple(shape[0])
    if noncontiguous and memory_format is not None:
        raise ValueError(
            f"The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"{noncontiguous=} and {memory_format=}"
        )
    if requires_grad and not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}"
        )
    first, last = _bounds(dtype, low, high)
    spread = noncontiguous and math.prod(shape) > 1
    sizes = (*shape[:-1], 2 * shape[-1]) if spread else shape
    made: Any = _values(sizes, dtype, device, first, last)
    if spread:
        made = made[..., ::2]
    elif memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        is_number = dtype.is_floating_point or dtype.is_complex
        made[made == 0] = rushlight.finfo(dtype).tiny if is_number else 1
    made.requires_grad = requires_grad
    return made


def _values(shape: Any, dtype: Dtype, device: Any, low: Any, high: Any) -> Any:
    if dtype.is_complex or dtype.is_floating_point:
        if dtype.itemsize == 1:
            return _values(shape, rushlight.float32, device, low, high).to(dtype)
        made: Any = rushlight.empty(shape, dtype=dtype, device=device)
        parts = rushlight.view_as_real(made) if dtype.is_complex else made
        if high - low <= rushlight.finfo(dtype).max:
            parts.uniform_(low, high)
        else:
            # Longer than the type can tell.
            parts.uniform_(low / 2, high / 2).mul_(2)
        return made
    return rushlight.randint(low, high, shape, device=device, dtype=dtype)

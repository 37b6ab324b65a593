"""Settings of windows: one number for every dimension, or a number for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.creation import constants

Ints = Sequence[int]


def for_each(name: str, values: Ints, count: int) -> tuple[int, ...]:
    """The setting for each of ``count`` dimensions."""
    if len(values) == 1:
        return tuple(values) * count
    if len(values) != count:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {count} values to match "
            f"the convolution dimensions, but got {name}={list(values)}"
        )
    return tuple(values)


def reach(kernel: Ints, dilation: Ints) -> tuple[int, ...]:
    """From the first to the last element of a window, both included."""
    return tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation))


def padding_list(before: Ints, after: Ints) -> list[int]:
    """Paddings of the last dimensions in the order of `pad`: the last dimension first."""
    return [n for pair in zip(reversed(before), reversed(after)) for n in pair]


def integers(values: Sequence[Any], like: Tensor) -> Any:
    """Nested lists of numbers as a tensor of int64 on another's device."""
    made: Any = constants.of_numbers(values, dtypes.int64)
    return made if like.device == made.device else made.to(like.device)

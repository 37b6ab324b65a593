"""Python numbers where an operator takes a tensor.

The number becomes a 0-dimensional tensor marked as a number, so that type promotion treats it as
the weaker kind.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, state, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.objects import WRAPPED_NUMBER
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import operator
from rushlight.engine.native.numpy_later import is_a
from rushlight.engine.native.numpy_later import is_number as is_numpy_number

_WATCHERS = keys.PYTHON_MODE | keys.TRANSFORMS
_NOTHING: Any = contextlib.nullcontext()
# What stands for a tensor without dimensions, besides numpy's numbers.
_NUMBERS = (int, float, complex, SymInt, SymFloat, SymBool)


def accepting(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """A check for tensors that takes numbers too."""
    return lambda value: _is_number(value) or check(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, _NUMBERS) or is_a(value, "bool_", "number")


def wrapped(value: Any) -> Any:
    """`value` if it is a tensor, else a tensor that stands for the number."""
    if isinstance(value, Tensor) or not _is_number(value):
        return value
    if is_numpy_number(value):
        value = value.item()
    if symbolic.trace() is not None and isinstance(value, (SymInt, SymFloat, SymBool)):
        # Kernels that work out sizes ask no number for its value.
        made = tensors.empty((), number_dtype(value), devices.meta)
        made._flags_ |= WRAPPED_NUMBER
        return made
    is_known = not isinstance(value, (SymInt, SymFloat, SymBool))
    with state.excluding(_WATCHERS) if state.active and is_known else _NOTHING:
        # Modes see the number.
        made = operator("scalar_tensor").call(value, number_dtype(value), None, None, None)
    made._flags_ |= WRAPPED_NUMBER
    return made


def is_wrapped(tensor: Tensor) -> bool:
    return bool(tensor._flags_ & WRAPPED_NUMBER)


def number_dtype(value: Any) -> dtypes.dtype:
    """The element type that a Python number has by itself."""
    if isinstance(value, (bool, SymBool)):
        return dtypes.bool_
    if isinstance(value, (int, SymInt)):
        return dtypes.int64
    if isinstance(value, (float, SymFloat)):
        return dtypes.float64
    return dtypes.complex_for_default(state.default_dtype())

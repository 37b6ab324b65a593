"""What the texts of bindings use besides call functions, and the methods behind operator signs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core.size import MOST, Size
from rushlight.engine.core.symbolic import SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.named_results import named_result
from rushlight.engine.dispatch.overrides_hook import plain
from rushlight.engine.dispatch.resolver import MISSING
from rushlight.engine.native.numpy_later import is_array

# What a text gives for a call that it leaves to the resolver.
UNREAD: Any = type("Unread", (), {})()

# What texts may use besides.
__all__ = [
    "MISSING", "UNREAD", "Device", "Dtype", "Layout", "MemoryFormat", "constants", "int_list", "integers",
    "named_result", "number_types", "plain", "sequence_types",
]  # fmt: skip

number_types = frozenset({int, float, bool, complex})
sequence_types = frozenset({list, tuple})
tuple_types = frozenset({tuple, Size})
Device = devices.device
Dtype = dtypes.dtype
Layout = layouts.layout
MemoryFormat = layouts.memory_format
only_int = frozenset({int, SymInt})


def int_list(value: Any) -> tuple[int, ...] | None:
    """A tuple for a tuple, size or list of plain integers; None for anything else."""
    kind = type(value)
    if kind not in tuple_types and kind is not list:
        return None
    kinds = set(map(type, value))
    if not kinds <= only_int:
        return None
    # Symbols stand for sizes, none of which is so large.
    if value and SymInt not in kinds and max(value) > MOST:
        return None
    return tuple(value) if kind is list else value


def integers(values: tuple[Any, ...]) -> tuple[int, ...] | None:
    """A tuple for integers given one by one or as one list; None for anything else."""
    if len(values) == 1 and type(values[0]) is not int:
        return int_list(values[0])
    return int_list(values) or None


def reflected(method: Callable[..., Any], *args: Any) -> Any:
    """The result of a method behind an operator sign, NotImplemented for types it does not take."""
    try:
        return method(*args)
    except TypeError:
        return NotImplemented


def comparable(self: Any, other: Any) -> Any:
    """What `==` compares with: of all operator signs, only this one takes arrays for tensors."""
    return self.__array_wrap__(other) if is_array(other) else other


def check_whole(self: Any) -> None:
    """Only bits are inverted."""
    if isinstance(self, Tensor) and self._dtype_.category >= dtypes.FLOATING:
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
        )


def check_owner(sign: str, self: Any) -> None:
    """A method behind an operator sign belongs to tensors."""
    if not isinstance(self, Tensor):
        raise TypeError(
            f"descriptor '{sign}' for 'torch._C.TensorBase' objects doesn't apply to a "
            f"'{type(self).__name__}' object"
        )

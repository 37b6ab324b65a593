"""References of conversions between element types: ``_conversions.float(x)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout
from rushlight.engine.core.tensor import Tensor

_TYPES = {
    "bfloat16": dtypes.bfloat16,
    "bool": dtypes.bool_,
    "byte": dtypes.uint8,
    "cdouble": dtypes.complex128,
    "cfloat": dtypes.complex64,
    "chalf": dtypes.complex32,
    "char": dtypes.int8,
    "double": dtypes.float64,
    "float": dtypes.float32,
    "half": dtypes.float16,
    "int": dtypes.int32,
    "long": dtypes.int64,
    "short": dtypes.int16,
}
__all__ = [*sorted(_TYPES), "complex", "polar"]


def _conversion(name: str) -> Callable[..., Tensor]:
    def convert(self: Any, memory_format: Any = layout.preserve_format) -> Tensor:
        if not isinstance(self, Tensor):
            self = rushlight.as_tensor(self)
        return self.to(_TYPES[name], memory_format=memory_format)

    convert.__name__ = convert.__qualname__ = name
    return convert


globals().update({name: _conversion(name) for name in _TYPES})
complex, polar = rushlight.complex, rushlight.polar

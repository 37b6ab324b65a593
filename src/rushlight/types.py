"""Names for what functions take and give."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, TypeAlias

from rushlight.engine.core.device import device as _device
from rushlight.engine.core.dtype import dtype as _dtype  # noqa: F401
from rushlight.engine.core.layout import layout as _layout  # noqa: F401
from rushlight.engine.core.size import Size as _Size
from rushlight.engine.core.storage import UntypedStorage as Storage
from rushlight.engine.core.tensor import Tensor

__all__ = ["Device", "FileLike", "IntLikeType", "Number", "Storage"]

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_complex: TypeAlias = builtins.complex
_size: TypeAlias = _Size | list[builtins.int] | tuple[builtins.int, ...]
_symsize: TypeAlias = _size
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrTensorsOrGradEdge: TypeAlias = Any
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Tensor | None]
_dispatchkey: TypeAlias = str
Number: TypeAlias = builtins.int | builtins.float | builtins.bool
IntLikeType: TypeAlias = builtins.int
FloatLikeType: TypeAlias = builtins.float
BoolLikeType: TypeAlias = builtins.bool
PySymType: TypeAlias = Any
py_sym_types: tuple[type, ...] = ()
Device: TypeAlias = _device | str | builtins.int | None
FileLike: TypeAlias = Any

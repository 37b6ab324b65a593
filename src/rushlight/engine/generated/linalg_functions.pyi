"""Functions of the namespace linalg. Written by `python -m rushlight.engine.codegen`; do not edit."""

from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Sequence
from typing import Any, NamedTuple, overload

from rushlight.engine.core.device import device as _device
from rushlight.engine.core.dtype import dtype as _dtype
from rushlight.engine.core.layout import layout as _layout, memory_format as _memory_format
from rushlight.engine.core.tensor import Tensor

Number = _int | _float | _bool | complex

@overload
def linalg_norm(input: Tensor, ord: Number | None = None, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def linalg_norm(input: Tensor, ord: str, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor: ...
def linalg_vector_norm(input: Tensor, ord: Number = 2, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def linalg_matrix_norm(input: Tensor, ord: Number, dim: Sequence[_int] = (-2, -1), keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def linalg_matrix_norm(input: Tensor, ord: str = 'fro', dim: Sequence[_int] = (-2, -1), keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor: ...
def linalg_diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor: ...

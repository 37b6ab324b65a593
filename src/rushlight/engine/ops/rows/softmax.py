"""Softmax and its logarithm."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import indexing, pointwise, reduction
from rushlight.engine.calls import rows as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import FLOATING, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import maths, promotion
from rushlight.engine.loops import row_kernel as programs
from rushlight.engine.loops.row_kernel import RowProgram
from rushlight.engine.ops import formats
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.planned import Spec, contiguous_spec, planned
from rushlight.engine.ops.kinds.rows import RowsAlong
from rushlight.engine.ops.kinds.views import composite, explicit


def suggested_spec(self: Tensor, kind: dtype) -> Spec:
    """A result of the tensor's size, channels last if the tensor is."""
    return self._size_, formats.suggested_strides(self._size_, self), kind


def _softmax_like(name: str, program: Callable[[str], RowProgram]) -> None:
    """`softmax` or `log_softmax`, in all their forms."""

    @planned(f"_{name}", exact=True)
    def rows(self: Tensor, dim: int, half_to_float: bool) -> RowsAlong:
        kind = self._dtype_
        if half_to_float:
            raise RuntimeError(f"{name} with half to float conversion is not supported on CPU")
        d = wrap_dim(dim, len(self._size_))
        if kind.category != FLOATING or kind in dtypes.FLOAT8:
            last = "_lastdim" if d == max(len(self._size_), 1) - 1 else ""
            raise not_implemented(f"{name}{last}_kernel_impl", kind)
        element = promotion.compute_type(kind)
        dims = (d,) if self._size_ else ()
        return RowsAlong((self,), dims, program(element), [contiguous_spec(self._size_, kind)])

    def wide(self: Tensor, dtype: dtype | None) -> Tensor:
        return self if dtype is None or dtype is self._dtype_ else copies.to_dtype(self, dtype)

    call: Any = getattr(calls, f"_{name}")

    @composite(f"{name}.int")
    def public(self: Tensor, dim: int, dtype: dtype | None) -> Tensor:
        return call(wide(self, dtype), dim, False)

    @explicit(f"{name}.int_out")
    def out(self: Tensor, dim: int, dtype: dtype | None, out: Tensor) -> Tensor:
        wanted = dtype or self._dtype_
        outputs.check_exact(out, wanted)
        return outputs.copy_result(out, call(wide(self, dtype), dim, False))

    @composite(f"special_{name}")
    def special(self: Tensor, dim: int, dtype: dtype | None) -> Tensor:
        return public(self, dim, dtype)


def _gradient_like(name: str, program: Callable[[str], RowProgram]) -> None:
    """The gradient of `softmax` or `log_softmax`, from that of the result and the result."""

    @planned(name, exact=True)
    def rows(grad_output: Tensor, output: Tensor, dim: int, input_dtype: dtype) -> RowsAlong:
        d = wrap_dim(dim, len(output._size_))
        dims = (d,) if output._size_ else ()
        if output._dtype_.category != FLOATING:
            raise not_implemented(name, output._dtype_)
        element = promotion.compute_type(output._dtype_)
        spec = contiguous_spec(output._size_, input_dtype)
        return RowsAlong((grad_output, output), dims, program(element), [spec])


_softmax_like("softmax", lambda type: programs.softmax(type, maths.exp))
_softmax_like("log_softmax", lambda type: programs.log_softmax(type, maths.exp, maths.log))
_gradient_like("_softmax_backward_data", programs.softmax_backward)
_gradient_like(
    "_log_softmax_backward_data", lambda type: programs.log_softmax_backward(type, maths.exp)
)


@composite("_safe_softmax")
def safe_softmax(self: Tensor, dim: int, dtype: dtype | None) -> Tensor:
    """Softmax that gives zeros where a whole row is minus infinity."""
    hidden = pointwise.eq_Scalar(self, -math.inf)
    nothing = reduction.all_dim(hidden, dim, True)
    # Such a row has no softmax, and so no gradient.
    made = calls.softmax_int(indexing.masked_fill_Scalar(self, nothing, 0), dim, dtype)
    return indexing.masked_fill_Scalar(made, nothing, 0)

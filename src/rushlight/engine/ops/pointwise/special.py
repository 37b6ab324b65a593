"""Special functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import pointwise as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import maths
from rushlight.engine.loops.expr import Value
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.pointwise import Args, group, pointwise
from rushlight.engine.ops.kinds.views import composite, explicit

# name, the name in messages, function, types
_FUNCTIONS: list[tuple[str, str, Callable[..., Any], str]] = [
    ("erfc", "erfc_vml_cpu", maths.erfc, "biuhf"),
    ("erfinv", "erfinv_vml_cpu", maths.erfinv, "biuhf"),
    ("digamma", "digamma", maths.digamma, "biuhf"),
    ("lgamma", "lgamma_vml_cpu", maths.lgamma, "biuhf"),
    ("i0", "i0_vml_cpu", maths.i0, "biuhf"),
    ("special_i0e", "i0e_cpu", maths.i0e, "biuhf"),
    ("special_i1", "i1_cpu", maths.i1, "biuhf"),
    ("special_i1e", "i1e_cpu", maths.i1e, "biuhf"),
    ("special_entr", "entr_cpu", maths.entr, "biuhf"),
    ("special_erfcx", "erfcx_cpu", maths.erfcx, "biuf"),
    ("special_ndtri", "ndtri_cpu", maths.ndtri, "biuf"),
    ("special_log_ndtr", "log_ndtr_cpu", maths.log_ndtr, "biuf"),
    ("special_airy_ai", "airy_ai_cpu", maths.airy_ai, "biuf"),
    ("special_bessel_j0", "bessel_j0_cpu", maths.bessel_j0, "biuf"),
    ("special_bessel_j1", "bessel_j1_cpu", maths.bessel_j1, "biuf"),
    ("special_bessel_y0", "bessel_y0_cpu", maths.bessel_y0, "biuf"),
    ("special_bessel_y1", "bessel_y1_cpu", maths.bessel_y1, "biuf"),
    ("special_modified_bessel_i0", "modified_bessel_i0_cpu", maths.i0, "biuf"),
    ("special_modified_bessel_i1", "modified_bessel_i1_cpu", maths.i1, "biuf"),
    ("special_modified_bessel_k0", "modified_bessel_k0_cpu", maths.modified_bessel_k0, "biuf"),
    ("special_modified_bessel_k1", "modified_bessel_k1_cpu", maths.modified_bessel_k1, "biuf"),
    (
        "special_scaled_modified_bessel_k0",
        "scaled_modified_bessel_k0_cpu",
        maths.scaled_modified_bessel_k0,
        "biuf",
    ),
    (
        "special_scaled_modified_bessel_k1",
        "scaled_modified_bessel_k1_cpu",
        maths.scaled_modified_bessel_k1,
        "biuf",
    ),
    ("special_spherical_bessel_j0", "spherical_bessel_j0_cpu", maths.spherical_bessel_j0, "biuf"),
]
for _name, _kernel, _function, _types in _FUNCTIONS:
    pointwise(_name, promote="float", allowed=_types, kernel=_kernel)(_function)


@pointwise("erf", promote="float", allowed="biuhf", kernel="erf_vml_cpu", typed=True)
def erf(kind: dtype, x: Value) -> Value:
    return maths.erf_quick(x) if group(kind) == "h" else maths.erf(x)


@pointwise(
    "xlogy.Tensor",
    "xlogy.Scalar_Self",
    "xlogy.Scalar_Other",
    promote="float",
    allowed="biuhf",
    rounded=True,
)
def xlogy(x: Value, y: Value) -> Value:
    return maths.xlogy(x, y)


def _with_scalars(name: str) -> tuple[str, ...]:
    return (name, f"{name}.self_scalar", f"{name}.other_scalar")


@pointwise(
    *_with_scalars("special_xlog1py"), promote="float", allowed="biuhf", kernel="xlog1py_cpu"
)
def xlog1py(x: Value, y: Value) -> Value:
    return maths.xlog1py(x, y)


@pointwise(*_with_scalars("special_zeta"), promote="float", allowed="biuf", kernel="zeta_cpu")
def zeta(x: Value, q: Value) -> Value:
    return maths.zeta(x, q)


def _check_order(common: dtype, args: Args) -> None:
    if args[0] < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")


@pointwise("polygamma", promote="float", allowed="biuhf", compiled=("n",), check=_check_order)
def polygamma(n: int, x: Value) -> Value:
    return maths.digamma(x) if n == 0 else maths.polygamma(n, x)


def _multivariate(self: Tensor, p: int) -> Tensor:
    """log of the multivariate gamma function: a sum of ordinary ones, half apart."""
    if self._dtype_ is dtypes.bool_:
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    result = calls.lgamma(self)
    for k in range(1, p):
        result = calls.add_Tensor(result, calls.lgamma(calls.sub_Scalar(self, 0.5 * k)))
    return calls.add_Scalar(result, p * (p - 1) / 4 * math.log(math.pi))


@composite("mvlgamma")
def mvlgamma(self: Tensor, p: int) -> Tensor:
    return _multivariate(self, p)


@explicit("mvlgamma.out")
def mvlgamma_out(self: Tensor, p: int, out: Tensor) -> Tensor:
    return outputs.copy_result(out, _multivariate(self, p))


@composite("mvlgamma_")
def mvlgamma_(self: Tensor, p: int) -> Tensor:
    result = _multivariate(outputs.before_change(self), p)
    outputs.check_cast(result._dtype_, self._dtype_)
    return copies.copy_(self, result)


@composite("polygamma_")
def polygamma_(self: Tensor, n: int) -> Tensor:
    result = calls.polygamma(n, outputs.before_change(self))
    outputs.check_cast(result._dtype_, self._dtype_)
    return copies.copy_(self, result)


@composite("special_ndtr")
def ndtr(self: Tensor) -> Tensor:
    scaled = calls.mul_Scalar(self, math.sqrt(0.5))
    return calls.mul_Scalar(calls.add_Scalar(calls.erf(scaled), 1), 0.5)


@composite("special_ndtr.out")
def ndtr_out(self: Tensor, out: Tensor) -> Tensor:
    return outputs.copy_result(out, ndtr(self))

"""Functions of one number with fractional results: exponentials, logarithms, circles, roots."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.engine.core.dtype import COMPLEX, dtype
from rushlight.engine.loops import maths
from rushlight.engine.loops.expr import Complex, Value, const, select, sqrt
from rushlight.engine.loops.maths import complex_functions as on_complex
from rushlight.engine.ops.kinds.pointwise import Args, group, pointwise, real_or_complex, rounded_to

REAL = "biuhf"
REAL_OR_COMPLEX = REAL + "c"

# name, the name in messages, the function of real numbers, the one of complex numbers
_FUNCTIONS: list[tuple[str, str, Callable[..., Any], Callable[..., Any]]] = [
    ("acos", "acos_vml_cpu", maths.acos, on_complex.acos),
    ("acosh", "acosh_cpu", maths.acosh, on_complex.acosh),
    ("asin", "asin_vml_cpu", maths.asin, on_complex.asin),
    ("asinh", "asinh_cpu", maths.asinh, on_complex.asinh),
    ("atan", "atan_vml_cpu", maths.atan, on_complex.atan),
    ("atanh", "atanh_cpu", maths.atanh, on_complex.atanh),
    ("cos", "cos_vml_cpu", maths.cos, on_complex.cos),
    ("cosh", "cosh_cpu", maths.cosh, on_complex.cosh),
    ("exp", "exp_vml_cpu", maths.exp, on_complex.exp),
    ("exp2", "exp2", maths.exp2, on_complex.exp2),
    ("expm1", "expm1_vml_cpu", maths.expm1, on_complex.expm1),
    ("log", "log_vml_cpu", maths.log, on_complex.log),
    ("log10", "log10_vml_cpu", maths.log10, on_complex.log10),
    ("log1p", "log1p_vml_cpu", maths.log1p, on_complex.log1p),
    ("log2", "log2_vml_cpu", maths.log2, on_complex.log2),
    ("reciprocal", "reciprocal_cpu", lambda x: 1 / x, on_complex.reciprocal),
    ("rsqrt", "rsqrt_cpu", maths.rsqrt, on_complex.rsqrt),
    ("sigmoid", "sigmoid_cpu", maths.sigmoid_quick, on_complex.sigmoid),
    ("sin", "sin_vml_cpu", maths.sin, on_complex.sin),
    ("sinh", "sinh_cpu", maths.sinh, on_complex.sinh),
    ("sqrt", "sqrt_vml_cpu", sqrt, on_complex.sqrt),
    ("tan", "tan_vml_cpu", maths.tan, on_complex.tan),
    ("tanh", "tanh_vml_cpu", maths.tanh, on_complex.tanh),
]
for _name, _kernel, _real, _complex in _FUNCTIONS:
    pointwise(_name, promote="float", allowed=REAL_OR_COMPLEX, kernel=_kernel)(
        real_or_complex(_real, _complex)
    )


@pointwise("atan2", promote="float", allowed=REAL)
def atan2(y: Value, x: Value) -> Value:
    return maths.atan2(y, x)


@pointwise("hypot", allowed="hf")
def hypot(x: Value, y: Value) -> Value:
    return maths.hypot(x, y)


@pointwise("sinc", promote="float", allowed=REAL_OR_COMPLEX)
def sinc(x: Any) -> Any:
    if not isinstance(x, Complex):
        return maths.sinc(x)
    angle = x * math.pi
    zero = (x.real == 0) & (x.imag == 0)
    one = Complex(const(x.type, 1), const(x.type, 0))
    return select(zero, one, on_complex.sin(angle) / angle)


@pointwise("logaddexp", allowed="hfc")
def logaddexp(x: Any, y: Any) -> Any:
    if not isinstance(x, Complex):
        return maths.logaddexp(x, y)
    x_is_larger = x.real >= y.real
    large, small = select(x_is_larger, x, y), select(x_is_larger, y, x)
    same = (large.real == small.real) & (abs(large.real) == math.inf)
    total = on_complex.log(on_complex.exp(x) + on_complex.exp(y))
    return select(same, total, large + on_complex.log1p(on_complex.exp(small - large)))


@pointwise("logaddexp2", allowed="hf")
def logaddexp2(x: Value, y: Value) -> Value:
    return maths.logaddexp2(x, y)


def _no_complex(name: str) -> Callable[[Any, Args], None]:
    def check(common: Any, args: Args) -> None:
        if common.category == COMPLEX:
            raise RuntimeError(f"{name} is not supported for complex tensors.")

    return check


@pointwise("rad2deg", promote="float", allowed=REAL, check=_no_complex("rad2deg"))
def rad2deg(x: Value) -> Value:
    return x * (180 / math.pi)


@pointwise("deg2rad", promote="float", allowed=REAL, check=_no_complex("deg2rad"))
def deg2rad(x: Value) -> Value:
    return x * (math.pi / 180)


@pointwise("logit", promote="float", allowed=REAL, typed=True)
def logit(kind: dtype, x: Value, eps: Any) -> Value:
    if eps is not None:
        low, high = eps, 1 - eps
        inside = select(x < low, low, select(x > high, high, x))
        x = select(eps < 0, x, inside)
    if group(kind) != "h":
        return maths.logit(x)
    return maths.log(rounded_to(kind, x / rounded_to(kind, 1 - x)))

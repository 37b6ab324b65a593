"""Derivatives of the mathematical functions: for each, one rule per argument.

A rule takes the function's result and its arguments. It is made of the functions themselves, so
that it can be differentiated again. None: the result does not change with that argument.
"""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.loops import expr, maths
from rushlight.engine.loops.maths import complex_functions as on_complex
from rushlight.engine.loops.maths.gamma import polygamma

_HALF_ROOT_PI = math.sqrt(math.pi) / 2
_ROOT_TWO_PI = math.sqrt(2 * math.pi)


def _gauss(x: Any) -> Any:
    """exp(-x^2)."""
    return maths.exp(-x * x)


def _one(x: Any) -> Any:
    return expr.const(x.type, 1)


def _over(x: Any, y: Any) -> Any:
    """x / y, and zero over zero."""
    zero = y == 0
    return expr.select(zero, expr.const(x.type, 0), x / expr.select(zero, _one(y), y))


def _power_by(y: Any, x: Any, exponent: Any) -> Any:
    return expr.const(x.type, 0) if exponent == 0 else exponent * maths.power_by(x, exponent - 1)


def _sinc(y: Any, x: Any) -> Any:
    # At zero by the series, which can be differentiated again.
    zero = x == 0
    safe = expr.select(zero, _one(x), x)
    change = (maths.cos(math.pi * safe) - y) / safe
    return expr.select(zero, x * (-math.pi * math.pi / 3), change)


def _xlogy(y: Any, x: Any, z: Any) -> Any:
    return expr.select((x == 0) & (z <= 0), x * 0, maths.log(z))


def _share(a: Any, b: Any) -> Any:
    """exp(a) / (exp(a) + exp(b))."""
    return maths.sigmoid(expr.select(a == b, a * 0, a - b))


REAL = {
    "exp": (lambda y, x: y,),
    "exp_quick": (lambda y, x: y,),
    "exp2": (lambda y, x: y * math.log(2),),
    "expm1": (lambda y, x: y + 1,),
    "sigmoid": (lambda y, x: y * (1 - y),),
    "sigmoid_quick": (lambda y, x: y * (1 - y),),
    "log": (lambda y, x: 1 / x,),
    "log_quick": (lambda y, x: 1 / x,),
    "log2": (lambda y, x: 1 / (x * math.log(2)),),
    "log10": (lambda y, x: 1 / (x * math.log(10)),),
    "log1p": (lambda y, x: 1 / (x + 1),),
    "sin": (lambda y, x: maths.cos(x),),
    "cos": (lambda y, x: -maths.sin(x),),
    "tan": (lambda y, x: 1 + y * y,),
    "asin": (lambda y, x: maths.rsqrt(1 - x * x),),
    "acos": (lambda y, x: -maths.rsqrt(1 - x * x),),
    "atan": (lambda y, x: 1 / (x * x + 1),),
    "atan2": (
        lambda r, y, x: _over(x, x * x + y * y),
        lambda r, y, x: -_over(y, x * x + y * y),
    ),
    "sinh": (lambda y, x: maths.cosh(x),),
    "cosh": (lambda y, x: maths.sinh(x),),
    "tanh": (lambda y, x: 1 - y * y,),
    "asinh": (lambda y, x: maths.rsqrt(x * x + 1),),
    "acosh": (lambda y, x: maths.rsqrt(x * x - 1),),
    "atanh": (lambda y, x: 1 / (1 - x * x),),
    "erf": (lambda y, x: _gauss(x) / _HALF_ROOT_PI,),
    "erf_quick": (lambda y, x: _gauss(x) / _HALF_ROOT_PI,),
    "erfc": (lambda y, x: -_gauss(x) / _HALF_ROOT_PI,),
    "erfcx": (lambda y, x: 2 * x * y - 1 / _HALF_ROOT_PI,),
    "erfinv": (lambda y, x: _HALF_ROOT_PI * maths.exp(y * y),),
    "rsqrt": (lambda y, x: -0.5 * y * y * y,),
    "cbrt": (lambda y, x: 1 / (3 * y * y),),
    "hypot": (lambda r, x, y: x / r, lambda r, x, y: y / r),
    "pow": (
        lambda r, x, y: expr.select(
            y == 0, expr.const(x.type, 0), y * maths.pow(x, y - 1)
        ),
        lambda r, x, y: expr.select(
            (x == 0) & (y >= 0), x * 0, r * maths.log(x)
        ),
    ),
    "power_by": (_power_by, None),
    "lgamma": (lambda y, x: maths.digamma(x),),
    "digamma": (lambda y, x: polygamma(1, x),),
    "polygamma": (None, lambda r, n, x: polygamma(n + 1, x)),
    "zeta": (None, lambda r, x, q: -x * maths.zeta(x + 1, q)),
    "softplus": (lambda y, x: maths.sigmoid(x),),
    "log_sigmoid": (lambda y, x: maths.sigmoid(-x),),
    "logaddexp": (lambda r, x, y: _share(x, y), lambda r, x, y: _share(y, x)),
    "logaddexp2": (
        lambda r, x, y: _share(x * math.log(2), y * math.log(2)),
        lambda r, x, y: _share(y * math.log(2), x * math.log(2)),
    ),
    "logit": (
        lambda y, x: expr.select(
            (x >= 0) & (x <= 1), 1 / (x * (1 - x)), expr.const(x.type, math.nan)
        ),
    ),
    "entr": (lambda y, x: -maths.log(x) - 1,),
    "xlogy": (_xlogy, lambda r, x, y: x / y),
    "xlog1py": (
        lambda r, x, y: expr.select((x == 0) & (y <= -1), x * 0, maths.log1p(y)),
        lambda r, x, y: x / (y + 1),
    ),
    "ndtr": (lambda y, x: maths.exp(x * x * -0.5) / _ROOT_TWO_PI,),
    "log_ndtr": (
        lambda y, x: math.sqrt(2 / math.pi) / maths.erfcx(x * -math.sqrt(0.5)),
    ),
    "ndtri": (lambda y, x: maths.exp(y * y * 0.5) * _ROOT_TWO_PI,),
    "sinc": (_sinc,),
    "i0": (lambda y, x: maths.i1(x),),
    "i0e": (lambda y, x: maths.i1e(x) - _signum(x) * y,),
    "i1": (lambda y, x: _bessel_slope(maths.i0(x), y, x, 0.5),),
    "i1e": (lambda y, x: _bessel_slope(maths.i0e(x), y, x, 0.5) - _signum(x) * y,),
    "fmod": (lambda r, x, y: _one(x), lambda r, x, y: -expr.trunc(x / y)),
    "remainder": (lambda r, x, y: _one(x), lambda r, x, y: -expr.floor(x / y)),
    "floor_divide": (None, None),
    "ldexp": (lambda r, x, e: maths.ldexp(_one(x), e), None),
    "round_decimals": (None, None),
}  # fmt: skip


def _signum(x: Any) -> Any:
    return expr.select(x > 0, _one(x), expr.select(x < 0, -_one(x), x * 0))


def _bessel_slope(i0: Any, i1: Any, x: Any, at_zero: float) -> Any:
    """i0 - i1 / x."""
    zero = x == 0
    safe = expr.select(zero, _one(x), x)
    return expr.select(zero, expr.const(x.type, at_zero), i0 - i1 / safe)


COMPLEX = {
    "reciprocal": (lambda y, z: -y * y,),
    "exp": (lambda y, z: y,),
    "exp2": (lambda y, z: y * math.log(2),),
    "expm1": (lambda y, z: y + 1,),
    "sigmoid": (lambda y, z: y * (1 - y),),
    "log": (lambda y, z: 1 / z,),
    "log2": (lambda y, z: 1 / (z * math.log(2)),),
    "log10": (lambda y, z: 1 / (z * math.log(10)),),
    "log1p": (lambda y, z: 1 / (z + 1),),
    "sqrt": (lambda y, z: 0.5 / y,),
    "rsqrt": (lambda y, z: -0.5 * y * y * y,),
    "pow": (
        lambda r, z, w: expr.select(w == 0, z * 0, w * on_complex.pow(z, w - 1)),
        lambda r, z, w: expr.select((z == 0) & (w.real >= 0), z * 0, r * on_complex.log(z)),
    ),
    "sinh": (lambda y, z: on_complex.cosh(z),),
    "cosh": (lambda y, z: on_complex.sinh(z),),
    "tanh": (lambda y, z: 1 - y * y,),
    "sin": (lambda y, z: on_complex.cos(z),),
    "cos": (lambda y, z: -on_complex.sin(z),),
    "tan": (lambda y, z: 1 + y * y,),
    "asin": (lambda y, z: on_complex.rsqrt(1 - z * z),),
    "acos": (lambda y, z: -on_complex.rsqrt(1 - z * z),),
    "acosh": (lambda y, z: 1 / (on_complex.sqrt(z - 1) * on_complex.sqrt(z + 1)),),
    "asinh": (lambda y, z: on_complex.rsqrt(z * z + 1),),
    "atanh": (lambda y, z: 1 / (1 - z * z),),
    "atan": (lambda y, z: 1 / (z * z + 1),),
}  # fmt: skip

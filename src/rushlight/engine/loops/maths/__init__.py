"""Mathematical functions as expressions: straight lines of arithmetic, no library calls.

A function takes and gives `Value` of type f32 or f64, and is within two units in the last place
unless it says otherwise. Half precision is computed in f32. The functions of complex numbers are
in `complex_functions`, integer division and its kin in `integers`.
"""

from rushlight.engine.loops.maths.division import (
    floor_divide,
    fmod,
    frexp,
    ldexp,
    nextafter,
    remainder,
    round_decimals,
)
from rushlight.engine.loops.maths.error_function import erf, erfc, erfcx, erfinv
from rushlight.engine.loops.maths.exponential import exp, exp2, expm1, sigmoid
from rushlight.engine.loops.maths.hyperbolic import acosh, asinh, atanh, cosh, sinh, tanh
from rushlight.engine.loops.maths.logarithm import log, log1p, log2, log10
from rushlight.engine.loops.maths.logistic import (
    log_sigmoid,
    logaddexp,
    logaddexp2,
    logit,
    softplus,
)
from rushlight.engine.loops.maths.power import cbrt, hypot, integer_power, pow, rsqrt
from rushlight.engine.loops.maths.trigonometric import (
    acos,
    asin,
    atan,
    atan2,
    cos,
    sin,
    sin_cos,
    tan,
)

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "floor_divide",
    "fmod",
    "frexp",
    "hypot",
    "integer_power",
    "ldexp",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_sigmoid",
    "logaddexp",
    "logaddexp2",
    "logit",
    "nextafter",
    "pow",
    "remainder",
    "round_decimals",
    "rsqrt",
    "sigmoid",
    "sin",
    "sin_cos",
    "sinh",
    "softplus",
    "tan",
    "tanh",
]

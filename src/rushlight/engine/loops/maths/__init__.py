"""Mathematical functions as expressions: straight lines of arithmetic, no library calls.

A function takes and gives `Value` of type f32 or f64, and is within two units in the last place
unless its module says otherwise. Half precision is computed in f32. The functions of complex
numbers are in `complex_functions`, integer division and its kin in `integers`.

A file is loaded when a function of it is first asked for: few programs need them all.
"""

from __future__ import annotations

import importlib
from typing import Any

_FILES = {
    "division": "floor_divide fmod frexp ldexp nextafter remainder round_decimals",
    "error_function": "erf erf_quick erfc erfcx erfinv",
    "exponential": "exp exp2 expm1 sigmoid sigmoid_quick",
    "hyperbolic": "acosh asinh atanh cosh sinh tanh",
    "logarithm": "log log1p log2 log10",
    "logistic": "log_sigmoid logaddexp logaddexp2 logit softplus",
    "power": "cbrt hypot integer_power pow power_by rsqrt",
    "special": (
        "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 digamma entr i0 i0e i1 i1e lgamma log_ndtr"
        " modified_bessel_k0 modified_bessel_k1 ndtr ndtri polygamma scaled_modified_bessel_k0"
        " scaled_modified_bessel_k1 sinc spherical_bessel_j0 xlog1py xlogy zeta"
    ),
    "trigonometric": "acos asin atan atan2 cos sin sin_cos tan",
}
# Each function's file.
FUNCTIONS = {name: file for file, names in _FILES.items() for name in names.split()}
# Files that others use under their own names.
_WHOLE = ("complex_functions", "integers")


def __getattr__(name: str) -> Any:
    if name in _WHOLE:
        return importlib.import_module(f"{__name__}.{name}")
    file = FUNCTIONS.get(name)
    if file is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f"{__name__}.{file}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *FUNCTIONS, *_WHOLE})

"""The C library's functions of floats, and the rounding that low-level modules share.

A plain function in the kernel language belongs to no module: each that needs it adds it to its
own, as in ``kept = module.function(c_maths.kept)``.
"""

from __future__ import annotations

from rushlight.engine.native.lowlevel import extern, load_float32, stack, store_float32

acos = extern("acos", "float", "float")
ceil = extern("ceil", "float", "float")
cos = extern("cos", "float", "float")
exp = extern("exp", "float", "float")
expm1 = extern("expm1", "float", "float")
fabs = extern("fabs", "float", "float")
floor = extern("floor", "float", "float")
fma = extern("fma", "float", "float", "float", "float")
lgamma = extern("lgamma", "float", "float")
log = extern("log", "float", "float")
log1p = extern("log1p", "float", "float")
power = extern("pow", "float", "float", "float")
sin = extern("sin", "float", "float")
sqrt = extern("sqrt", "float", "float")
tan = extern("tan", "float", "float")
trunc = extern("trunc", "float", "float")
exp_single = extern("expf", "float32", "float32")
log_single = extern("logf", "float32", "float32")


def kept(value: float, single: int) -> float:
    """The value as memory would hold it: rounded to single precision if ``single`` is not zero."""
    if single == 0:
        return value
    room = stack(1)
    store_float32(room, value)
    return load_float32(room)

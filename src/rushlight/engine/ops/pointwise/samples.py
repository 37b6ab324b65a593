"""Samples of pointwise operators; most are derived."""

from __future__ import annotations

from typing import Any

from rushlight.engine.ops.samples import Samples, first, fixed, numbers, of, whole

samples = Samples("pointwise")
add = samples.add

X = numbers(2, 3)
# Where a function is real and smooth; elsewhere 0.15 to 0.85, of both signs.
samples.within(1.2, 3.0, "acosh")
samples.within(0.3, 2.0, "rsqrt", "reciprocal")
samples.within(0.3, 3.0, "lgamma", "digamma")
samples.within(0.5, 3.0, "polygamma")
samples.within(0.75, 1.5, "threshold")
samples.within(
    0.15, 0.85, "log", "log2", "log10", "sqrt", "logit", "xlogy", "special_xlog1py", "pow",
    "special_entr", "special_ndtri", "div", "fmod", "remainder", "floor_divide", "addcdiv",
)  # fmt: skip
samples.given("div.Tensor_mode", rounding_mode="floor")
samples.given("div.Scalar_mode", rounding_mode="trunc")
samples.given("clamp", min=-0.5, max=0.5)
samples.given("round.decimals", decimals=1)
samples.given("polygamma", n=2)
samples.given("threshold", threshold=0.5, value=0.1)
samples.given("hardshrink", lambd=0.1)
samples.given("softshrink", lambd=0.1)


def lower(x: Any) -> Any:
    return x - 0.5


def upper(x: Any) -> Any:
    return x + 0.5


def beyond_two(x: Any) -> Any:
    return x + 2


add("clamp.Tensor", X, of(lower, X), of(upper, numbers(3)), is_real=True)
add("special_zeta", fixed(2.5), of(beyond_two, X), is_real=True)
for _name in ("igamma", "igammac"):
    add(_name, fixed(1.5), numbers(2, 3, low=0.5, high=2.0), is_real=True)
add("log_sigmoid_forward", X, is_real=True, seen=first)
add("frexp.Tensor", X, is_real=True, seen=first)

for _sign in ("and", "or", "xor", "lshift", "rshift"):
    samples.operands(whole(9, 2, 3, low=1), f"__{_sign}__", f"__i{_sign}__")
samples.given("clip", min=-0.5, max=0.5)
add("clip.Tensor", X, of(lower, X), of(upper, numbers(3)), is_real=True)
add("prelu", X, numbers(3))
samples.operands(numbers(2, 4), "glu")
samples.real("div.Tensor_mode", "div.Scalar_mode", "glu")

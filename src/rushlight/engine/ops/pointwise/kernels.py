"""The pointwise operators, by subject, and their other names.

A file is loaded when an operator of it is first asked for.
"""

from __future__ import annotations

from rushlight.engine.dispatch import registry
from rushlight.engine.generated.kernel_files import PACKETS
from rushlight.engine.ops.kinds.aliases import alias

ALIASES = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin",
    "arcsinh": "asinh", "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh",
    "clip": "clamp", "divide": "div", "fix": "trunc", "greater": "gt", "greater_equal": "ge",
    "less": "lt", "less_equal": "le", "multiply": "mul", "negative": "neg", "not_equal": "ne",
    "subtract": "sub", "true_divide": "div",
    "special_digamma": "digamma", "special_erf": "erf", "special_erfc": "erfc",
    "special_erfinv": "erfinv", "special_exp2": "exp2", "special_expit": "sigmoid",
    "special_expm1": "expm1", "special_gammainc": "igamma", "special_gammaincc": "igammac",
    "special_gammaln": "lgamma", "special_i0": "i0", "special_log1p": "log1p",
    "special_logit": "logit", "special_multigammaln": "mvlgamma",
    "special_polygamma": "polygamma", "special_psi": "digamma", "special_round": "round",
    "special_sinc": "sinc", "special_xlogy": "xlogy",
    "__and__": "bitwise_and", "__or__": "bitwise_or", "__xor__": "bitwise_xor",
    "__lshift__": "bitwise_left_shift", "__rshift__": "bitwise_right_shift",
}  # fmt: skip
for _name, _target in ALIASES.items():
    alias(_name, _target)
registry.load_when_needed(__package__, PACKETS["pointwise"])

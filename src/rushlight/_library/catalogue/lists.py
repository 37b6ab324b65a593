"""`_foreach_add` and its kin: operators over lists of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight._library.catalogue.made import Catalogue

_ONE = (
    "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "frac", "lgamma",
    "log", "log10", "log1p", "log2", "neg", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh",
    "sqrt", "tan", "tanh", "trunc",
)  # fmt: skip
_WITH_NUMBER = {
    "Scalar": "Tensor[] self, Scalar scalar", "ScalarList": "Tensor[] self, Scalar[] scalars",
}  # fmt: skip
_WITH_LIST = {**_WITH_NUMBER, "List": "Tensor[] self, Tensor[] other"}
_THREE = "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2"
_WITH_TENSOR = {**_WITH_LIST, "Tensor": "Tensor[] self, Tensor other"}
_OF_THREE = {
    "Scalar": f"{_THREE}, Scalar value=1",
    "ScalarList": f"{_THREE}, Scalar[] scalars",
    "Tensor": f"{_THREE}, Tensor scalars",
}
_ARGUMENTS: dict[str, dict[str, str]] = {
    **dict.fromkeys(("clamp_max", "clamp_min", "maximum", "minimum"), _WITH_LIST),
    "mul": _WITH_TENSOR,
    "div": _WITH_TENSOR,
    "add": {
        **_WITH_NUMBER,
        "List": "Tensor[] self, Tensor[] other, *, Scalar alpha=1",
        "Tensor": "Tensor[] self, Tensor other, *, Scalar alpha=1",
    },
    "sub": {**_WITH_NUMBER, "List": "Tensor[] self, Tensor[] other, *, Scalar alpha=1"},
    "pow": {
        "Scalar": "Tensor[] self, Scalar exponent",
        "ScalarList": "Tensor[] self, Scalar[] exponent",
        "List": "Tensor[] self, Tensor[] exponent",
    },
    "lerp": {
        "Scalar": "Tensor[] self, Tensor[] tensors1, Scalar weight",
        "ScalarList": "Tensor[] self, Tensor[] tensors1, Scalar[] weight",
        "List": "Tensor[] self, Tensor[] tensors1, Tensor[] weights",
    },
    "addcmul": _OF_THREE,
    "addcdiv": _OF_THREE,
    **{name: {"": "Tensor[] self"} for name in _ONE},
}
_catalogue = Catalogue()


def _calling(name: str, takes_alpha: bool) -> Callable[..., Any]:
    function = getattr(torch, name)

    def call(*values: Any) -> Any:
        if takes_alpha:
            *values, alpha = values  # type: ignore[assignment]
            return function(*values, **({} if alpha == 1 else {"alpha": alpha}))
        return function(*values)

    if not name.endswith("_"):
        return call
    return lambda *values: (call(*values), None)[1]


def define() -> None:
    for short, overloads in _ARGUMENTS.items():
        for overload, arguments in overloads.items():
            tail = f".{overload}" if overload else ""
            alpha = "alpha" in arguments
            name = f"_foreach_{short}"
            _catalogue(f"{name}{tail}({arguments}) -> Tensor[]")(_calling(name, alpha))
            changed = arguments.replace("Tensor[] self", "Tensor(a!)[] self", 1)
            _catalogue(f"{name}_{tail}({changed}) -> ()")(_calling(f"{name}_", alpha))
    _catalogue(
        "_foreach_norm.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]"
    )(
        lambda self, ord, dtype: torch._foreach_norm(self, ord, dtype=dtype)  # type: ignore[attr-defined]
    )
    _catalogue("_foreach_max(Tensor[] self) -> Tensor[]")(_calling("_foreach_max", False))
    _catalogue("_foreach_zero_(Tensor(a!)[] self) -> ()")(_calling("_foreach_zero_", False))
    _catalogue("_foreach_copy_(Tensor(a!)[] self, Tensor[] src, bool non_blocking=False) -> ()")(
        lambda self, src, non_blocking: _calling("_foreach_copy_", False)(self, src)
    )
    _catalogue.define()

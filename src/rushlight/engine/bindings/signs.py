"""The methods behind Python's operator signs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.bindings.values import check_owner, check_whole, comparable, reflected
from rushlight.engine.core.tensor import Tensor

Method = Callable[..., Any]

# Sign -> the method that does it.
DIRECT = {
    "__add__": "add", "__radd__": "add", "__iadd__": "add_",
    "__sub__": "sub", "__isub__": "sub_",
    "__mul__": "mul", "__rmul__": "mul", "__imul__": "mul_",
    "__truediv__": "div", "__itruediv__": "div_", "__div__": "div", "__idiv__": "div_",
    "__floordiv__": "floor_divide", "__ifloordiv__": "floor_divide_",
    "__mod__": "remainder", "__imod__": "remainder_",
    "__pow__": "pow", "__ipow__": "pow_",
    "__matmul__": "matmul",
    "__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
}  # fmt: skip
UNARY = {"__neg__": "neg", "__pos__": "positive", "__abs__": "abs", "__invert__": "bitwise_not"}
# Sign -> the function that takes the operands in the other order.
SWAPPED = {
    "__rpow__": "pow",
    "__rmatmul__": "matmul",
    "__rmod__": "remainder",
    "__rfloordiv__": "floor_divide",
    "__rand__": "bitwise_and",
    "__ror__": "bitwise_or",
    "__rxor__": "bitwise_xor",
    "__rlshift__": "bitwise_left_shift",
    "__rrshift__": "bitwise_right_shift",
}
# Signs that PyTorch has written in Python: they take anything for a tensor that acts like one.
LENIENT = {"__rpow__", "__rmatmul__", "__rmod__", "__rfloordiv__", "__rlshift__", "__rrshift__"}


def _direct(sign: str, method: Method) -> Method:
    compared = sign == "__eq__"

    def apply(self: Any, other: Any) -> Any:
        if not isinstance(self, Tensor):
            check_owner(sign, self)
        try:
            return method(self, comparable(self, other) if compared else other)
        except TypeError:
            return NotImplemented

    return apply


def _unary(sign: str, method: Method) -> Method:
    inverts = sign == "__invert__"

    def apply(self: Any) -> Any:
        if inverts:
            check_whole(self)
        return method(self)

    return apply


def _swapped(sign: str, function: Method) -> Method:
    lenient = sign in LENIENT

    def apply(self: Any, other: Any) -> Any:
        if not lenient:
            check_owner(sign, self)
        return reflected(function, other, self)

    return apply


def _divided(self: Any, other: Any) -> Any:
    return self.reciprocal() * other


def signs(methods: dict[str, Method], functions: dict[str, Method]) -> dict[str, Method]:
    """The methods behind all signs, by sign."""

    def subtracted_from(self: Any, other: Any) -> Any:
        return reflected(functions["rsub"], self, other)

    found = {sign: _direct(sign, methods[name]) for sign, name in DIRECT.items()}
    found |= {sign: _unary(sign, methods[name]) for sign, name in UNARY.items()}
    found |= {sign: _swapped(sign, functions[name]) for sign, name in SWAPPED.items()}
    found |= {"__rsub__": subtracted_from, "__rtruediv__": _divided, "__rdiv__": _divided}
    return found


NAMES = (*DIRECT, *UNARY, *SWAPPED, "__rsub__", "__rtruediv__", "__rdiv__")

"""Writes the methods behind Python's operator signs."""

from __future__ import annotations

# Sign -> the method that does it.
DIRECT = {
    "__add__": "add", "__radd__": "add", "__iadd__": "add_",
    "__sub__": "sub", "__rsub__": "rsub", "__isub__": "sub_",
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
LENIENT = ("__rsub__", "__rpow__", "__rmatmul__", "__rmod__", "__rfloordiv__", "__rlshift__",
           "__rrshift__")  # fmt: skip


def _definition(sign: str, call: str) -> str:
    check = "" if sign in LENIENT else f"    check_owner({sign!r}, self)\n"
    return f"def {sign}(self, other):\n{check}    return reflected({call})\n"


def dunders(methods: set[str], functions: set[str]) -> dict[str, str]:
    """The definitions whose operators exist, by sign."""
    found: dict[str, str] = {}
    for sign, name in DIRECT.items():
        target = name if name in methods else f"functions.{name}" if name in functions else ""
        if target:
            other = "comparable(self, other)" if sign == "__eq__" else "other"
            found[sign] = _definition(sign, f"{target}, self, {other}")
    for sign, name in UNARY.items():
        if name in methods:
            check = "    check_whole(self)\n" if sign == "__invert__" else ""
            found[sign] = f"def {sign}(self):\n{check}    return {name}(self)\n"
    for sign, name in SWAPPED.items():
        if name in functions:
            found[sign] = _definition(sign, f"functions.{name}, other, self")
    if {"reciprocal", "mul"} <= methods:
        for sign in ("__rtruediv__", "__rdiv__"):
            found[sign] = f"def {sign}(self, other):\n    return self.reciprocal() * other\n"
    return found

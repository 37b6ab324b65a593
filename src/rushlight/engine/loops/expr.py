"""Typed scalar expressions: what a loop computes for one element.

A scalar function is ordinary Python over `Value` objects. Calling it once, with one `Value` per
operand, records the expression; printers turn that into LLVM vectors, PTX or a numpy evaluation.

Types are short names: ``bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64``. Half precision is
only loaded, stored and converted; arithmetic happens in ``f32``. A complex number is a `Complex`:
a pair of real values, so no printer knows about complex arithmetic.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, Union

FLOATS = ("f16", "bf16", "f32", "f64")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTS = SIGNED + UNSIGNED
TYPES = ("bool", *INTS, *FLOATS)
BITS = {t: int("".join(c for c in t if c.isdigit())) for t in TYPES if t != "bool"} | {"bool": 1}

Number = Union[bool, int, float]
Operand = Union["Value", bool, int, float]

# Every operation: how many operands it takes and the types it accepts.
# The verifier and each printer are tables over the same names.
ARITY = {
    "arg": 0, "const": 0,
    "add": 2, "sub": 2, "mul": 2, "div": 2, "rem": 2, "neg": 1, "abs": 1, "fma": 3, "mulhi": 2,
    "ratio": 2, "scaleb": 2,
    "sqrt": 1, "floor": 1, "ceil": 1, "trunc": 1, "rint": 1, "copysign": 2,
    "minimum": 2, "maximum": 2,
    "lt": 2, "le": 2, "gt": 2, "ge": 2, "eq": 2, "ne": 2,
    "and": 2, "or": 2, "xor": 2, "not": 1, "shl": 2, "shr": 2, "clz": 1,
    "select": 3, "rare": 3, "convert": 1, "bitcast": 1, "table": 1,
}  # fmt: skip
FLOAT_ONLY = {"fma", "ratio", "scaleb", "sqrt", "floor", "ceil", "trunc", "rint", "copysign"}
INT_ONLY = {"mulhi", "shl", "shr", "clz"}
LOGICAL = {"and", "or", "xor", "not"}
COMPARISONS = {"lt", "le", "gt", "ge", "eq", "ne"}


class Value:
    """One typed scalar of an expression: an operation applied to other values.

    ``div`` and ``rem`` truncate on integers (``rem`` takes the dividend's sign, as C's ``%``),
    and the divisor must not be zero. ``shr`` is arithmetic on signed types. ``minimum`` and
    ``maximum`` propagate NaN. Comparisons with NaN are false, except ``ne``. ``mulhi`` is the
    upper half of the double-width product. ``table`` reads a constant table (``attr`` holds its
    values) at an integer index that must be in range.
    """

    __slots__ = ("args", "attr", "op", "type")

    def __init__(self, op: str, type: str, args: tuple[Value, ...] = (), attr: Any = None) -> None:
        self.op = op
        self.type = type
        self.args = args
        self.attr = attr

    @property
    def is_float(self) -> bool:
        return self.type in FLOATS

    @property
    def is_int(self) -> bool:
        return self.type in INTS

    @property
    def is_bool(self) -> bool:
        return self.type == "bool"

    def __repr__(self) -> str:
        return format_expression([self])

    def __bool__(self) -> bool:
        raise TypeError(
            "a traced value has no truth value: the branch would be decided once for all elements; "
            "use select(condition, a, b)"
        )

    __hash__ = object.__hash__

    # -- arithmetic: a plain number beside a Value takes the Value's type --
    def __add__(self, other: Operand) -> Value:
        return _binary("add", self, other)

    def __radd__(self, other: Operand) -> Value:
        return _binary("add", other, self)

    def __sub__(self, other: Operand) -> Value:
        return _binary("sub", self, other)

    def __rsub__(self, other: Operand) -> Value:
        return _binary("sub", other, self)

    def __mul__(self, other: Operand) -> Value:
        return _binary("mul", self, other)

    def __rmul__(self, other: Operand) -> Value:
        return _binary("mul", other, self)

    def __truediv__(self, other: Operand) -> Value:
        return _binary("div", self, other)

    def __rtruediv__(self, other: Operand) -> Value:
        return _binary("div", other, self)

    def __mod__(self, other: Operand) -> Value:
        return _binary("rem", self, other)

    def __neg__(self) -> Value:
        return _operate("neg", self.type, self)

    def __abs__(self) -> Value:
        if self.type in UNSIGNED or self.is_bool:
            return self
        return _operate("abs", self.type, self)

    # -- comparisons give bool --
    def __lt__(self, other: Operand) -> Value:
        return _compare("lt", self, other)

    def __le__(self, other: Operand) -> Value:
        return _compare("le", self, other)

    def __gt__(self, other: Operand) -> Value:
        return _compare("gt", self, other)

    def __ge__(self, other: Operand) -> Value:
        return _compare("ge", self, other)

    def __eq__(self, other: Operand) -> Value:  # type: ignore[override]
        return _compare("eq", self, other)

    def __ne__(self, other: Operand) -> Value:  # type: ignore[override]
        return _compare("ne", self, other)

    # -- bits --
    def __and__(self, other: Operand) -> Value:
        return _binary("and", self, other)

    __rand__ = __and__

    def __or__(self, other: Operand) -> Value:
        return _binary("or", self, other)

    __ror__ = __or__

    def __xor__(self, other: Operand) -> Value:
        return _binary("xor", self, other)

    __rxor__ = __xor__

    def __invert__(self) -> Value:
        return Value("not", self.type, (self,))

    def __lshift__(self, other: Operand) -> Value:
        return _binary("shl", self, other)

    def __rshift__(self, other: Operand) -> Value:
        return _binary("shr", self, other)


def arg(index: int, type: str) -> Value:
    """The loop's ``index``-th input element."""
    return Value("arg", type, (), index)


def const(type: str, value: Number) -> Value:
    """A constant of the given type; integers wrap to its width."""
    if type in FLOATS:
        return Value("const", type, (), float(value))
    if type == "bool":
        return Value("const", type, (), bool(value))
    bits = BITS[type]
    wrapped = int(value) & ((1 << bits) - 1)
    if type in SIGNED and wrapped >> (bits - 1):
        wrapped -= 1 << bits
    return Value("const", type, (), wrapped)


def as_value(x: Operand, type: str) -> Value:
    """``x`` itself if it is a value, else the constant ``x`` of that type."""
    return x if isinstance(x, Value) else const(type, x)


def _pair(a: Operand, b: Operand, what: str) -> tuple[Value, Value]:
    like = a if isinstance(a, Value) else b
    assert isinstance(like, Value)
    a, b = as_value(a, like.type), as_value(b, like.type)
    if a.type != b.type:
        raise TypeError(f"{what} of {a.type} and {b.type}: convert one of them first")
    return a, b


def _binary(op: str, a: Operand, b: Operand) -> Value:
    if isinstance(a, Complex) or isinstance(b, Complex):
        return NotImplemented
    a, b = _pair(a, b, op)
    return _operate(op, a.type, a, b)


def _operate(op: str, type: str, *args: Value) -> Any:
    """An operation; on values with tangents, one on both."""
    lifted: Any = next((a for a in args if a.op == "dual"), None)
    if lifted is None:
        return Value(op, type, args)
    return lifted.operation(op, lambda *given: _apply(op, given), args)


def _apply(op: str, args: Sequence[Value]) -> Value:
    """An operation on values whose tangents are a level lower."""
    if op == "neg":
        return -args[0]
    if op == "abs":
        return abs(args[0])
    if op in COMPARISONS:
        return _compare(op, *args)
    if len(args) == 1:
        return _unary(op)(*args)
    return copysign(*args) if op == "copysign" else _binary(op, *args)


def _compare(op: str, a: Operand, b: Operand) -> Value:
    if isinstance(a, Complex) or isinstance(b, Complex):
        return NotImplemented
    a, b = _pair(a, b, op)
    return _operate(op, "bool", a, b)


def fma(a: Value, b: Operand, c: Operand) -> Value:
    """``a * b + c`` rounded once."""
    if any(isinstance(x, Value) and x.op == "dual" for x in (a, b, c)):
        return a * b + c
    return Value("fma", a.type, (a, as_value(b, a.type), as_value(c, a.type)))


def ratio(a: Operand, b: Value) -> Value:
    """``a / b`` within one unit, for numbers that are far from overflow both ways.

    Where the processor estimates reciprocals this is a third of the price of the division.
    """
    return _binary("ratio", a, b)


def scaleb(x: Value, exponent: Value) -> Value:
    """``x * 2^exponent`` rounded once, for an integral float that is no larger than twice the
    largest exponent of the type."""
    return _operate("scaleb", x.type, x, exponent)


def select(condition: Value, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, else ``b``; both are evaluated."""
    if isinstance(a, Complex) or isinstance(b, Complex):
        a, b = as_complex(a, b), as_complex(b, a)
        return Complex(select(condition, a.real, b.real), select(condition, a.imag, b.imag))
    a, b = _pair(a, b, "select")
    if a.op == "dual" or b.op == "dual":
        return (a if a.op == "dual" else b).selection(select, condition, a, b)
    return Value("select", a.type, (condition, a, b))


def rarely(condition: Value, rare: Any, usual: Any) -> Any:
    """`select`, for a condition that seldom holds and a ``rare`` value that is dear.

    Kernels skip what only ``rare`` needs while the condition holds for no element of a vector.
    """
    if isinstance(usual, Complex):
        rare = as_complex(rare, usual)
        return Complex(
            rarely(condition, rare.real, usual.real), rarely(condition, rare.imag, usual.imag)
        )
    rare, usual = _pair(rare, usual, "rarely")
    if rare.op == "dual" or usual.op == "dual":
        return (rare if rare.op == "dual" else usual).selection(rarely, condition, rare, usual)
    return Value("rare", usual.type, (condition, rare, usual))


def _unary(op: str) -> Callable[[Value], Value]:
    def build(x: Value) -> Value:
        return _operate(op, x.type, x)

    build.__name__ = op
    return build


sqrt, floor, ceil, trunc, rint, clz = map(_unary, ("sqrt", "floor", "ceil", "trunc", "rint", "clz"))


def copysign(x: Operand, sign: Value) -> Value:
    """``x`` with the sign bit of ``sign``."""
    x = as_value(x, sign.type)
    return _operate("copysign", sign.type, x, sign)


def minimum(a: Operand, b: Operand) -> Value:
    """The smaller one; NaN if either is NaN."""
    return _binary("minimum", a, b)


def maximum(a: Operand, b: Operand) -> Value:
    """The larger one; NaN if either is NaN."""
    return _binary("maximum", a, b)


def mulhi(a: Value, b: Operand) -> Value:
    """The upper half of the double-width integer product."""
    return _binary("mulhi", a, b)


def bitcast(x: Value, type: str) -> Value:
    """The same bits read as another type of the same width."""
    return x if x.type == type else _operate("bitcast", type, x)


def table(values: Sequence[Number], index: Value, type: str) -> Value:
    """The constant table's entry at ``index`` (an integer, in range)."""
    return Value("table", type, (index,), tuple(values))


def convert(x: Any, type: str) -> Any:
    """A change of type by value: C's rules, with bool as "not zero"."""
    if isinstance(x, Complex):
        return convert(x.real, type)
    if x.type == type:
        return x
    if type == "bool":
        return x != 0
    if x.op == "dual":
        return x.conversion(type)
    if x.op == "const":
        folded = _converted(x, type)
        if folded is not None:
            return folded
    return Value("convert", type, (x,))


# Types whose rounding Python knows.
_PACKED = {"f16": "e", "f32": "f", "f64": "d"}
# Integers up to here are the same in every type that is folded.
_EXACT = {"f16": 1 << 11, "f32": 1 << 24, "f64": 1 << 53}


def _rounded(type: str, value: float) -> float | None:
    """A number as a type holds it; None where it has no room for it."""
    try:
        return float(struct.unpack(_PACKED[type], struct.pack(_PACKED[type], value))[0])
    except OverflowError:
        return None


def _converted(x: Value, type: str) -> Value | None:
    """A constant in another type, if that is plain."""
    value = x.attr
    if x.type in _PACKED:
        own = _rounded(x.type, value)
        made = None if own is None or type not in _PACKED else _rounded(type, own)
        return None if made is None else const(type, made)
    if x.type in FLOATS:
        return None
    if type in _PACKED:
        return const(type, value) if abs(value) <= _EXACT[type] else None
    return None if type in FLOATS else const(type, value)


def isnan(x: Any) -> Value:
    if isinstance(x, Complex):
        return isnan(x.real) | isnan(x.imag)
    return _compare("ne", x, x) if x.is_float else const("bool", False)


def isinf(x: Any) -> Value:
    if isinstance(x, Complex):
        return isinf(x.real) | isinf(x.imag)
    return abs(x) == math.inf if x.is_float else const("bool", False)


class Complex:
    """A complex scalar of an expression: two real values of one type."""

    __slots__ = ("imag", "real")

    def __init__(self, real: Value, imag: Value) -> None:
        self.real = real
        self.imag = imag

    @property
    def type(self) -> str:
        """The type of each part."""
        return self.real.type

    def __add__(self, other: Any) -> Complex:
        other = as_complex(other, self)
        return Complex(self.real + other.real, self.imag + other.imag)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Complex:
        other = as_complex(other, self)
        return Complex(self.real - other.real, self.imag - other.imag)

    def __rsub__(self, other: Any) -> Complex:
        return as_complex(other, self) - self

    def __mul__(self, other: Any) -> Complex:
        if isinstance(other, Value):
            return Complex(self.real * other, self.imag * other)
        other = as_complex(other, self)
        a, b, c, d = self.real, self.imag, other.real, other.imag
        return Complex(a * c - b * d, a * d + b * c)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Complex:
        if isinstance(other, Value):
            return Complex(self.real / other, self.imag / other)
        return _complex_quotient(self, as_complex(other, self))

    def __rtruediv__(self, other: Any) -> Complex:
        return as_complex(other, self) / self

    def __neg__(self) -> Complex:
        return Complex(-self.real, -self.imag)

    def __eq__(self, other: Any) -> Value:  # type: ignore[override]
        other = as_complex(other, self)
        return (self.real == other.real) & (self.imag == other.imag)

    def __ne__(self, other: Any) -> Value:  # type: ignore[override]
        other = as_complex(other, self)
        return (self.real != other.real) | (self.imag != other.imag)

    __hash__ = object.__hash__

    def conj(self) -> Complex:
        return Complex(self.real, -self.imag)


def as_complex(x: Any, like: Any) -> Complex:
    """``x`` (a number, a real value or a complex one) as a complex of ``like``'s part type."""
    if isinstance(x, Complex):
        return x
    if isinstance(x, Value):
        return Complex(x, const(x.type, 0))
    x = complex(x)
    return Complex(const(like.type, x.real), const(like.type, x.imag))


def _complex_quotient(x: Complex, y: Complex) -> Complex:
    """Smith's method on operands scaled by the larger part, so that squares do not overflow."""
    by_real = abs(y.real) >= abs(y.imag)
    large, small = select(by_real, y.real, y.imag), select(by_real, y.imag, y.real)
    zero = large == 0
    ratio = select(zero, const(y.type, 0), small / large)
    scale = 1 / (large + small * ratio)
    a, b = select(by_real, x.real, x.imag), select(by_real, x.imag, x.real)
    imag = b - a * ratio
    return Complex((a + b * ratio) * scale, select(by_real, imag, -imag) * scale)


def schedule(outputs: Sequence[Value]) -> tuple[list[Value], list[Value]]:
    """Every distinct value the outputs need, operands first, and the outputs themselves.

    Structurally equal values are merged, so the outputs returned may be other objects than the
    ones passed in; they are members of the list.
    """
    merged: dict[tuple[Any, ...], Value] = {}
    stands_for: dict[int, Value] = {}
    order: list[Value] = []
    stack = list(reversed(outputs))
    while stack:
        value = stack[-1]
        args = value.args
        if id(value) not in stands_for:
            waiting = [a for a in args if id(a) not in stands_for]
            if waiting:
                stack += reversed(waiting)
                continue
            operands = [stands_for[id(a)] for a in args]
            numbers = [id(a) for a in operands]
            attr = None if value.attr is None else repr(value.attr)
            key = (value.op, value.type, attr, *numbers)
            same = merged.get(key)
            if same is None:
                if numbers != [id(a) for a in args]:
                    same = Value(value.op, value.type, tuple(operands), value.attr)
                else:
                    same = value
                merged[key] = same
                order.append(same)
            stands_for[id(value)] = same
        stack.pop()
    return order, [stands_for[id(value)] for value in outputs]


def format_expression(outputs: Sequence[Value]) -> str:
    """The expression as numbered lines, one operation each."""
    return "\n".join(format_values(schedule(outputs)[0]))


def format_values(order: Sequence[Value]) -> list[str]:
    """A numbered line for each of some values, operands first."""
    names = {id(value): f"%{i}" for i, value in enumerate(order)}
    lines = []
    for value in order:
        operands = [names[id(a)] for a in value.args]
        if value.attr is not None:
            operands.append(repr(value.attr))
        lines.append(f"{names[id(value)]} = {value.op}.{value.type} {', '.join(operands)}".rstrip())
    return lines

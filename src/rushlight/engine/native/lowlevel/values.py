"""Values of compiled code, as Python sees them while it writes that code.

A value has a kind, which is spelled as LLVM does: ``i64`` for words, ``double``, ``float``, ``i1``
for the results of comparisons, ``ptr``, ``<16 x float>``. Python's operators on values write
instructions. Python's own numbers are constants: they take the kind of what they meet.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import Any, NoReturn, TypeAlias

from rushlight.engine.native.lowlevel.text import here

WORD, DOUBLE, FLOAT, BIT, POINTER = "i64", "double", "float", "i1", "ptr"


class Unset:
    """What a name means that has no value on some path."""

    def __repr__(self) -> str:
        return "a name that has no value on some path"


UNSET = Unset()


class Value:
    """What an instruction of compiled code results in."""

    __slots__ = ("kind", "name")

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name

    def __repr__(self) -> str:
        return f"{self.kind} {self.name}"

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"{self} is known only when compiled code runs: its truth decides nothing here"
        )

    def __add__(self, other: Any) -> Any:
        if self.kind == POINTER:
            return moved(self, other)
        return self if is_number(other, 0) else binary("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return self if is_number(other, 0) else binary("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return self if is_number(other, 0) else binary("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return binary("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return self if is_number(other, 1) else binary("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self if is_number(other, 1) else binary("mul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return binary("div", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return binary("div", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return binary("quotient", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return binary("quotient", other, self)

    def __mod__(self, other: Any) -> Any:
        return binary("rest", self, other)

    def __rmod__(self, other: Any) -> Any:
        return binary("rest", other, self)

    def __and__(self, other: Any) -> Any:
        return bits("and", self, other)

    def __rand__(self, other: Any) -> Any:
        return bits("and", other, self)

    def __or__(self, other: Any) -> Any:
        return bits("or", self, other)

    def __ror__(self, other: Any) -> Any:
        return bits("or", other, self)

    def __xor__(self, other: Any) -> Any:
        return bits("xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return bits("xor", other, self)

    def __lshift__(self, other: Any) -> Any:
        return binary("shl", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return binary("shl", other, self)

    def __rshift__(self, other: Any) -> Any:
        return binary("shr", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return binary("shr", other, self)

    def __neg__(self) -> Any:
        if is_float(self.kind):
            return let(self.kind, f"fneg {self.kind} {self.name}")
        return binary("sub", 0, self)

    def __invert__(self) -> Any:
        return bits("xor", self, True if is_mask(self.kind) else -1)

    def __lt__(self, other: Any) -> Any:
        return compared("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return compared("le", self, other)

    def __gt__(self, other: Any) -> Any:
        return compared("gt", self, other)

    def __ge__(self, other: Any) -> Any:
        return compared("ge", self, other)

    def __eq__(self, other: Any) -> Any:
        return compared("eq", self, other)

    def __ne__(self, other: Any) -> Any:
        return compared("ne", self, other)

    __hash__ = object.__hash__


# Names of kinds for annotations; all of these are values.
Pointer: TypeAlias = Value
Vector: TypeAlias = Value
Mask: TypeAlias = Value
Scalar: TypeAlias = Value


def let(kind: str, instruction: str) -> Value:
    """The result of an instruction that is added to the text."""
    return Value(kind, here().let(instruction))


# -- kinds --


@cache
def lanes_of(kind: str) -> int:
    """How many lanes a kind has; 0 if it is no vector."""
    return int(kind[1 : kind.index(" ")]) if kind[0] == "<" else 0


@cache
def scalar_of(kind: str) -> str:
    """The kind of one lane."""
    return kind[kind.index("x ") + 2 : -1] if kind[0] == "<" else kind


@cache
def is_float(kind: str) -> bool:
    return scalar_of(kind) in (FLOAT, DOUBLE, "half", "bfloat")


@cache
def is_mask(kind: str) -> bool:
    return scalar_of(kind) == BIT


def vector_of(lanes: int, scalar: str) -> str:
    """The kind of vectors; of scalars, if there is one lane."""
    return scalar if lanes == 1 else f"<{lanes} x {scalar}>"


@cache
def bytes_of(kind: str) -> int:
    """How many bytes one element of a kind has."""
    scalar = scalar_of(kind)
    known = {POINTER: 8, DOUBLE: 8, FLOAT: 4, "half": 2, "bfloat": 2}
    return known.get(scalar) or int(scalar[1:]) // 8


@cache
def spelled(kind: str) -> str:
    """How the name of an intrinsic spells a kind: ``v16f32``."""
    lanes, scalar = lanes_of(kind), scalar_of(kind)
    short = {FLOAT: "f32", DOUBLE: "f64", POINTER: "p0", "half": "f16", "bfloat": "bf16"}
    name = short.get(scalar, scalar)
    return f"v{lanes}{name}" if lanes else name


# -- constants --


def is_number(thing: Any, number: int) -> bool:
    return type(thing) is int and thing == number


def double_bits(value: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def literal(kind: str, number: Any) -> str:
    """A constant as LLVM spells it."""
    if lanes_of(kind):
        if number == 0 and not is_float(kind):
            return "zeroinitializer"
        if number == 0 and str(float(number))[0] != "-":
            return "zeroinitializer"
        scalar = scalar_of(kind)
        return f"splat ({scalar} {literal(scalar, number)})"
    if kind == BIT:
        return "true" if number else "false"
    if kind == DOUBLE:
        return double_bits(float(number))
    if kind == FLOAT:
        return double_bits(struct.unpack("<f", struct.pack("<f", float(number)))[0])
    if isinstance(number, float):
        raise TypeError(f"the number {number} is no {kind}")
    return str(int(number))


def constant(number: Any, kind: str) -> Value:
    """A number of a kind; the same in every lane of a vector."""
    return Value(kind, literal(kind, number))


def lifted(thing: Any, kind: str = "") -> Value:
    """What Python has, as a value: of its own kind, or of the one that is asked for."""
    if isinstance(thing, Value):
        if kind and thing.kind != kind:
            return _converted(thing, kind)
        return thing
    if isinstance(thing, bool):
        return constant(thing, kind or BIT)
    if isinstance(thing, int):
        return constant(thing, kind or WORD)
    if isinstance(thing, float):
        return constant(thing, kind or DOUBLE)
    as_value = getattr(thing, "as_value", None)
    if as_value is None:
        raise TypeError(f"a {type(thing).__name__} has no meaning in compiled code: {thing}")
    return lifted(as_value(), kind)


def _converted(value: Value, kind: str) -> Value:
    if value.kind == BIT and kind == WORD:
        return let(WORD, f"zext i1 {value.name} to i64")
    raise TypeError(f"a value of kind {kind} is needed, not {value}")


# -- operations --

_INTEGER = {
    "add": "add", "sub": "sub", "mul": "mul", "quotient": "sdiv", "rest": "srem", "shl": "shl",
    "shr": "ashr",
}  # fmt: skip
_REAL = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_LESS = {"lt": ("slt", "olt"), "le": ("sle", "ole"), "gt": ("sgt", "ogt"), "ge": ("sge", "oge")}
_COMPARE = {**_LESS, "eq": ("eq", "oeq"), "ne": ("ne", "une")}


def same_kind(a: Any, b: Any) -> tuple[Value, Value]:
    """Two values of one kind: constants take that of the other, bits become words beside words."""
    if isinstance(a, Value) and isinstance(b, Value):
        if a.kind == b.kind:
            return a, b
        kind = b.kind if a.kind == BIT else a.kind
    elif isinstance(a, Value):
        kind = WORD if a.kind == BIT and not isinstance(b, bool) else a.kind
    else:
        kind = WORD if b.kind == BIT and not isinstance(a, bool) else b.kind
    return lifted(a, kind), lifted(b, kind)


def binary(op: str, a: Any, b: Any) -> Value:
    """Arithmetic on words, real numbers or vectors of them."""
    if type(a) is not Value or type(b) is not Value or a.kind != b.kind:
        a, b = same_kind(a, b)
    kind = a.kind
    if kind == BIT:
        a, b, kind = lifted(a, WORD), lifted(b, WORD), WORD
    name = (_REAL if is_float(kind) else _INTEGER).get(op)
    if name is None or kind == POINTER:
        raise TypeError(f"there is no {op} of {a} and {b}")
    return let(kind, f"{name} {kind} {a.name}, {b.name}")


def bits(op: str, a: Any, b: Any) -> Value:
    """``and``, ``or``, ``xor``, lane by lane and bit by bit."""
    a, b = same_kind(a, b)
    if is_float(a.kind) or a.kind == POINTER:
        raise TypeError(f"there is no {op} of {a} and {b}")
    return let(a.kind, f"{op} {a.kind} {a.name}, {b.name}")


def compared(op: str, a: Any, b: Any) -> Value:
    """A bit, or one for each lane."""
    a, b = same_kind(a, b)
    how = f"fcmp {_COMPARE[op][1]}" if is_float(a.kind) else f"icmp {_COMPARE[op][0]}"
    return let(_bits_for(a.kind), f"{how} {a.kind} {a.name}, {b.name}")


def _bits_for(kind: str) -> str:
    return f"<{lanes_of(kind)} x i1>" if lanes_of(kind) else BIT


def moved(pointer: Value, offset: Any) -> Value:
    """The place so many bytes behind another; one for each lane of an offset that has several."""
    if type(offset) is int:
        if offset == 0:
            return pointer
        return let(POINTER, f"getelementptr i8, ptr {pointer.name}, i64 {offset}")
    if type(offset) is not Value:
        offset = lifted(offset, WORD)
    lanes = lanes_of(offset.kind)
    kind = f"<{lanes} x ptr>" if lanes else POINTER
    return let(kind, f"getelementptr i8, ptr {pointer.name}, {offset.kind} {offset.name}")


def truth(thing: Any) -> Value:
    """The bit that decides where control goes."""
    value = lifted(thing)
    if value.kind == BIT:
        return value
    if value.kind != WORD:
        raise TypeError(f"a condition must be a bit or a word, not {value}")
    return let(BIT, f"icmp ne i64 {value.name}, 0")

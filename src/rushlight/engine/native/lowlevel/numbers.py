"""Words of the language for numbers: conversions, extremes, LLVM's intrinsics."""

from __future__ import annotations

from typing import Any

from rushlight.engine.native.lowlevel.text import here
from rushlight.engine.native.lowlevel.values import (
    BIT,
    DOUBLE,
    WORD,
    Value,
    is_float,
    lanes_of,
    let,
    lifted,
    same_kind,
    spelled,
)


def intrinsic(result: str, name: str, *operands: Any) -> Any:
    """Call an intrinsic of LLVM's, by its full name; ``immediate(n)`` is a constant operand."""
    values = [x if type(x) is Value else lifted(x) for x in operands]
    found = here().call(result, name, *((x.kind, x.name) for x in values))
    return Value(result, found) if result != "void" else None


def immediate(number: int, kind: str = "i32") -> Value:
    """An operand of an intrinsic that is part of the instruction."""
    return Value(f"{kind} immarg", str(number))


# -- extremes and quotients --


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two words."""
    return _extreme("smin", a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two words."""
    return _extreme("smax", a, b)


def _extreme(name: str, a: Any, b: Any) -> Any:
    if not isinstance(a, Value) and not isinstance(b, Value):
        return min(a, b) if name == "smin" else max(a, b)
    x, y = same_kind(a, b)
    return intrinsic(x.kind, f"llvm.{name}.{spelled(x.kind)}", x, y)


def absolute(word: Any) -> Any:
    value = lifted(word)
    return intrinsic(value.kind, f"llvm.abs.{spelled(value.kind)}", value, False)


def divided(a: Any, b: Any) -> Any:
    """The quotient of words that are not negative."""
    x, y = same_kind(a, b)
    return let(x.kind, f"udiv {x.kind} {x.name}, {y.name}")


def left_over(a: Any, b: Any) -> Any:
    """What words that are not negative leave when they are divided."""
    x, y = same_kind(a, b)
    return let(x.kind, f"urem {x.kind} {x.name}, {y.name}")


def is_within(index: Any, length: Any) -> Any:
    """Whether ``0 <= index < length``, of words or lane by lane."""
    x, y = same_kind(index, length)
    kind = f"<{lanes_of(x.kind)} x i1>" if lanes_of(x.kind) else BIT
    return let(kind, f"icmp ult {x.kind} {x.name}, {y.name}")


def select(condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, else ``b``; both are there already."""
    if not isinstance(condition, Value):
        return a if condition else b
    x, y = (
        same_kind(a, b) if isinstance(a, Value) or isinstance(b, Value) else (lifted(a), lifted(b))
    )
    return let(x.kind, f"select {condition}, {x}, {y}")


def multiply_add(a: Value, b: Value, c: Value) -> Any:
    """``a * b + c``, rounded once."""
    kind = a.kind
    factors = [(kind, a.name), (kind, b.name), (kind, c.name)]
    return Value(kind, here().call(kind, f"llvm.fma.{spelled(kind)}", *factors))


# -- conversions --


def narrowed(value: Any, kind: str) -> Any:
    """The low bits of integers, or real numbers rounded to a shorter kind."""
    how = "fptrunc" if is_float(kind) else "trunc"
    return let(kind, f"{how} {lifted(value)} to {kind}")


def extended(value: Any, kind: str = WORD, signed: bool = True) -> Any:
    """The same number in a wider kind."""
    how = "fpext" if is_float(kind) else "sext" if signed else "zext"
    return let(kind, f"{how} {lifted(value)} to {kind}")


def bits_as(value: Value, kind: str) -> Any:
    """The same bits as a value of another kind."""
    return let(kind, f"bitcast {value} to {kind}")


def address_of(place: Value) -> Any:
    """A place as a word."""
    return let(WORD, f"ptrtoint ptr {place.name} to i64")


def to_float(value: Any) -> Any:
    """A word as a real number."""
    return let(DOUBLE, f"sitofp i64 {lifted(value, WORD).name} to double")


def to_integer(value: Any) -> Any:
    """A real number without its fraction, as a word."""
    return let(WORD, f"fptosi double {lifted(value, DOUBLE).name} to i64")


def leading_zeros(value: Any) -> Any:
    return intrinsic(WORD, "llvm.ctlz.i64", lifted(value, WORD), False)


def count_of(mask: Value) -> Any:
    """In how many lanes a mask holds."""
    lanes = lanes_of(mask.kind)
    packed = f"i{lanes}"
    found = intrinsic(packed, f"llvm.ctpop.{packed}", bits_as(mask, packed))
    return found if lanes == 64 else extended(found, WORD, signed=False)


def in_every_lane(mask: Value) -> Any:
    """Whether a mask holds everywhere."""
    packed = bits_as(mask, f"i{lanes_of(mask.kind)}")
    return packed == -1


def shifted(value: Any, by: int) -> Any:
    """The bits of integers moved down, with zeros above."""
    x, y = same_kind(value, by)
    return let(x.kind, f"lshr {x.kind} {x.name}, {y.name}")


def unordered(a: Value, b: Value) -> Any:
    """Whether either of two real numbers is none, lane by lane."""
    kind = f"<{lanes_of(a.kind)} x i1>" if lanes_of(a.kind) else BIT
    return let(kind, f"fcmp uno {a.kind} {a.name}, {b.name}")

"""What is known of integer expressions without running them: ranges, texts, and simpler forms.

An expression is a node of a `core.symbolic.Trace`: an operation and the numbers of its operands.
"""

from __future__ import annotations

import ctypes
import math
import operator
import struct
from collections.abc import Callable, Sequence
from typing import Any

# What the steps of a program do, see `core.geometry_program`.
ADD, SUB, MUL, FLOORDIV, MOD, MIN, MAX = range(1, 8)
EQUAL, DIFFERENT, LESS, AT_MOST = range(8, 12)
SIZE, STRIDE, NUMBER, FLOAT_NUMBER = range(12, 16)
# Of doubles, whose bits are words: TO_FLOAT has an integer's, CEILING gives one, TO_SINGLE gives the bits of
# a float of 32 bits, comparisons give 1 or 0.
TO_FLOAT, TO_SINGLE, CEILING, FLOAT_ADD, FLOAT_SUB, FLOAT_MUL, FLOAT_DIV = range(24, 31)
FLOAT_EQUAL, FLOAT_LESS, FLOAT_AT_MOST = range(31, 34)
# Nodes that are no steps.
INPUT, CONSTANT, FOUND = "input", "constant", "found"

COMMUTES = {ADD, MUL, MIN, MAX}
PLAIN: dict[int, Callable[[int, int], int]] = {
    ADD: lambda a, b: a + b,
    SUB: lambda a, b: a - b,
    MUL: lambda a, b: a * b,
    FLOORDIV: lambda a, b: a // b,
    MOD: lambda a, b: a % b,
    MIN: min,
    MAX: max,
}
HOLDS: dict[int, Callable[[Any, Any], bool]] = {
    EQUAL: lambda a, b: a == b,
    DIFFERENT: lambda a, b: a != b,
    LESS: lambda a, b: a < b,
    AT_MOST: lambda a, b: a <= b,
}
# Integers up to this size are doubles, and the other way round.
LARGEST_EXACT = 1 << 53


def bits_of(number: float) -> int:
    """A double as a word."""
    return int(struct.unpack("<q", struct.pack("<d", number))[0])


def float_of(bits: int) -> float:
    """The double that a word has the bits of."""
    return float(struct.unpack("<d", struct.pack("<q", bits))[0])


def single_bits(number: float) -> int:
    """A float of 32 bits as a word; infinite where it does not fit."""
    return ctypes.c_uint32.from_buffer(ctypes.c_float(number)).value


def _of_bits(function: Callable[[float, float], float]) -> Callable[[int, int], int]:
    return lambda a, b: bits_of(function(float_of(a), float_of(b)))


def _compared(holds: Callable[[float, float], bool]) -> Callable[[int, int], int]:
    return lambda a, b: int(holds(float_of(a), float_of(b)))


# Those of one operand have it twice.
OF_FLOATS: dict[int, Callable[[int, int], int]] = {
    TO_FLOAT: lambda a, b: bits_of(float(a)),
    TO_SINGLE: lambda a, b: single_bits(float_of(a)),
    CEILING: lambda a, b: math.ceil(float_of(a)),
    FLOAT_ADD: _of_bits(operator.add),
    FLOAT_SUB: _of_bits(operator.sub),
    FLOAT_MUL: _of_bits(operator.mul),
    FLOAT_DIV: _of_bits(operator.truediv),
    FLOAT_EQUAL: _compared(operator.eq),
    FLOAT_LESS: _compared(operator.lt),
    FLOAT_AT_MOST: _compared(operator.le),
}


def applied(operation: int, a: int, b: int) -> int | None:
    """What an operation makes of two words; None where programs do not take it."""
    if operation in OF_FLOATS:
        if operation == TO_FLOAT and abs(a) > LARGEST_EXACT:
            return None
        # A comparison, for no number is equal to what is none.
        if operation == CEILING and not abs(float_of(a)) <= LARGEST_EXACT:
            return None
        if operation == FLOAT_DIV and float_of(b) == 0:
            return None
        return OF_FLOATS[operation](a, b)
    if operation in (FLOORDIV, MOD) and b == 0:
        return None
    return PLAIN[operation](a, b)


# What holds of the operands exchanged where a comparison does not hold.
OPPOSITE = {EQUAL: DIFFERENT, DIFFERENT: EQUAL, LESS: AT_MOST, AT_MOST: LESS}

# The least and the most that an integer can be.
Range = tuple[float, float]
ANY: Range = (-math.inf, math.inf)
LARGEST_WORD = (1 << 63) - 1
A_WORD: Range = (-LARGEST_WORD - 1, LARGEST_WORD)
NOT_NEGATIVE: Range = (0, LARGEST_WORD)


def range_of(operation: int, a: Range, b: Range) -> Range:
    """The range of what an operation makes of integers of these ranges."""
    if operation == ADD:
        return a[0] + b[0], a[1] + b[1]
    if operation == SUB:
        return a[0] - b[1], a[1] - b[0]
    if operation == MIN:
        return min(a[0], b[0]), min(a[1], b[1])
    if operation == MAX:
        return max(a[0], b[0]), max(a[1], b[1])
    if operation == MUL:
        corners = [_times(x, y) for x in a for y in b]
        return min(corners), max(corners)
    if b[0] <= 0:
        return ANY
    if operation == FLOORDIV:
        corners = [_quotient(x, y) for x in a for y in b]
        return min(corners), max(corners)
    return 0, min(a[1], b[1] - 1) if a[0] >= 0 else b[1] - 1


def _times(x: float, y: float) -> float:
    return 0 if x == 0 or y == 0 else x * y


def _quotient(x: float, y: float) -> float:
    if math.isinf(y):
        return 0 if x >= 0 else -1
    return x if math.isinf(x) else x // y


def outcome(operation: int, a: Range, b: Range) -> bool | None:
    """How a comparison of integers of these ranges ends, if that is clear."""
    if operation in (EQUAL, DIFFERENT):
        if a[1] < b[0] or b[1] < a[0]:
            return operation == DIFFERENT
        return operation == EQUAL if a[0] == a[1] == b[0] == b[1] else None
    if a[1] < b[0] or (operation == AT_MOST and a[1] <= b[0]):
        return True
    return False if a[0] > b[1] or (operation == LESS and a[0] >= b[1]) else None


INFIX = {EQUAL: "Eq({}, {})", DIFFERENT: "Ne({}, {})", LESS: "{} < {}", AT_MOST: "{} <= {}"}
_CALLS = {FLOORDIV: "({}//{})", MOD: "Mod({}, {})", MIN: "Min({}, {})", MAX: "Max({}, {})"}


_FLOAT_TEXTS = {
    TO_FLOAT: "float({})", TO_SINGLE: "single({})", CEILING: "ceil({})", FLOAT_ADD: "({} + {})", FLOAT_SUB: "({} - {})",
    FLOAT_MUL: "{}*{}", FLOAT_DIV: "{}/{}", FLOAT_EQUAL: "({} == {})", FLOAT_LESS: "({} < {})",
    FLOAT_AT_MOST: "({} <= {})",
}  # fmt: skip


def _float_text(nodes: Sequence[tuple[Any, ...]], number: int, operation: int) -> str:
    """An operand of an operation on floats."""
    if nodes[number][0] == CONSTANT and operation != TO_FLOAT:
        return repr(float_of(nodes[number][1]))
    return text(nodes, number)


def text(nodes: Sequence[tuple[Any, ...]], number: int) -> str:
    """An expression as one writes it: inputs are s0, s1 …, integers found at run time u0, u1 …"""
    operation, *operands = nodes[number]
    if operation == INPUT:
        return f"s{operands[0]}"
    if operation == FOUND:
        return f"u{operands[0] - 1}"
    if operation == CONSTANT:
        return str(operands[0])
    a, b = operands
    if operation in OF_FLOATS:
        return _FLOAT_TEXTS[operation].format(*(_float_text(nodes, n, operation) for n in operands))
    if operation in COMMUTES and nodes[a][0] == CONSTANT:
        a, b = b, a
    constant = nodes[b][1] if nodes[b][0] == CONSTANT else None
    left, right = text(nodes, a), text(nodes, b)
    if operation == ADD:
        return (
            f"{left} - {-constant}"
            if constant is not None and constant < 0
            else f"{left} + {right}"
        )
    if operation == SUB:
        return f"{left} - {_factor(nodes, b)}"
    if operation == MUL:
        left, right = _factor(nodes, a), _factor(nodes, b)
        return f"{right}*{left}" if constant is not None else f"{left}*{right}"
    if operation == FLOORDIV:
        left, right = _factor(nodes, a), _factor(nodes, b)
    if operation == MOD and not (is_natural(nodes, a) and is_natural(nodes, b)):
        # The remainder of what may be negative has the sign of the divisor, which `Mod` does not say.
        return f"PythonMod({left}, {right})"
    return _CALLS[operation].format(left, right)


def is_natural(nodes: Sequence[tuple[Any, ...]], number: int) -> bool:
    """Whether an expression of sizes is one that no size makes negative."""
    operation, *operands = nodes[number]
    if operation == CONSTANT:
        return bool(operands[0] >= 0)
    if operation in (INPUT, FOUND):
        return bool(operation == INPUT)
    if operation in (ADD, MUL, FLOORDIV, MOD, MIN):
        return all(is_natural(nodes, k) for k in operands)
    return operation == MAX and any(is_natural(nodes, k) for k in operands)


def _factor(nodes: Sequence[tuple[Any, ...]], number: int) -> str:
    made = text(nodes, number)
    return f"({made})" if nodes[number][0] in (ADD, SUB) else made


def comparison_text(nodes: Sequence[tuple[Any, ...]], operation: int, a: int, b: int) -> str:
    """A guard as one writes it."""
    return INFIX[operation].format(text(nodes, a), text(nodes, b))

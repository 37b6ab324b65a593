"""Legality of scalar expressions: arity, types, tables. Printers rely on it and check nothing."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.loops.expr import (
    ARITY,
    BITS,
    COMPARISONS,
    FLOAT_ONLY,
    INT_ONLY,
    INTS,
    LOGICAL,
    TYPES,
    Value,
)

ARITHMETIC = {"add", "sub", "mul", "div", "rem", "neg", "abs", "minimum", "maximum"}
COMPUTED = {"f32", "f64"}


class IllegalExpression(TypeError):
    """An expression that no printer accepts."""


def verify(order: Sequence[Value]) -> None:
    """Raise `IllegalExpression` if a value of the schedule is malformed."""
    for value in order:
        problem = _problem(value)
        if problem:
            raise IllegalExpression(f"{value.op}.{value.type}: {problem}")


def _problem(value: Value) -> str | None:
    op, type, types = value.op, value.type, [a.type for a in value.args]
    if op not in ARITY:
        return "unknown operation"
    if type not in TYPES:
        return "unknown type"
    if len(types) != ARITY[op]:
        return f"takes {ARITY[op]} operands, got {len(types)}"
    if op in COMPARISONS:
        if type != "bool":
            return "a comparison gives bool"
        if types[0] != types[1]:
            return f"compares {types[0]} with {types[1]}"
        return _half(types)
    if op in ("select", "rare"):
        return None if types == ["bool", type, type] else f"operands are {types}"
    if op == "convert":
        return "already of that type" if types[0] == type else None
    if op == "bitcast":
        same = BITS[types[0]] == BITS[type] and "bool" not in (type, types[0])
        return None if same else f"{types[0]} has another width"
    if op == "table":
        if types[0] not in INTS:
            return f"indexed by {types[0]}"
        return None if value.attr else "empty table"
    if op in ("arg", "const"):
        return "has no attribute" if value.attr is None else None
    if any(t != type for t in types):
        return f"operands are {types}"
    return _half(types) or _family(op, type)


def _half(types: Sequence[str]) -> str | None:
    return "half precision is only converted" if {"f16", "bf16"} & set(types) else None


def _family(op: str, type: str) -> str | None:
    if op in FLOAT_ONLY and type not in COMPUTED:
        return "wants a float"
    if op in INT_ONLY and type not in INTS:
        return "wants an integer"
    if op in LOGICAL and type in COMPUTED:
        return "wants an integer or bool"
    if op in ARITHMETIC and type == "bool":
        return "bool has no arithmetic"
    return None

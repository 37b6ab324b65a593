"""Scalar functions of operators that are no pointwise ones by themselves, since alone they have better ways.

Kernels here are never registered: they say what a call computes for an element, and how its result lies in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from rushlight.engine.core.dtype import dtype
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.loops.expr import select
from rushlight.engine.ops.kinds import pointwise
from rushlight.engine.ops.kinds.pointwise import Args, Pointwise

_rules: dict[str, Pointwise] = {}


def lowering(*names: str, **facts: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a scalar function be what operators compute within a fused loop."""

    def decorate(body: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            op = operators.operator(name)
            _rules[op.full_name] = Pointwise(op.base_name, body, **facts)
        return body

    return decorate


@cache
def _own(op: Operator) -> pointwise.Kernel:
    return pointwise.Kernel(op, _rules[op.full_name])


def kernel_of(op: Operator) -> pointwise.Kernel | None:
    """What an operator computes for an element, if that is all it does."""
    return _own(op) if op.full_name in _rules else pointwise.kernels.get(op.full_name)


def _first(common: dtype, args: Args) -> dtype:
    return args[0]._dtype_  # type: ignore[no-any-return]


@lowering("where.self", separate=("condition",))
def where(condition: Any, self: Any, other: Any) -> Any:
    return select(condition, self, other)


@lowering("masked_fill.Scalar", "masked_fill.Tensor", separate=("mask", "value"), result=_first)
def masked_fill(self: Any, mask: Any, value: Any) -> Any:
    return select(mask, value, self)


@lowering("clone")
def clone(self: Any, memory_format: Any) -> Any:
    return self


@lowering("_to_copy", result=lambda common, args: args[1] or common)
def to_copy(self: Any, *options: Any) -> Any:
    return self

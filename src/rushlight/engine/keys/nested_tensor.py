"""NestedTensor: what an operator does with batches of different sizes, found when it first meets one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.specialise import Rest, Writer
from rushlight.engine.transforms.nested.procedures import procedure


def part(op: Operator, keys: int, writer: Writer, rest: Rest) -> Callable[..., Any]:
    """What the key adds to an operator."""
    return procedure(op)


registry.register_part("NestedTensor", part)

"""Operators that take functions: branches, loops over elements, loops as long as something holds."""

from __future__ import annotations

from rushlight._higher_order_ops.associative_scan import associative_scan
from rushlight._higher_order_ops.cond import UnsupportedAliasMutationException, cond
from rushlight._higher_order_ops.map import map
from rushlight._higher_order_ops.scan import scan
from rushlight._higher_order_ops.while_loop import while_loop
from rushlight._higher_order_ops.while_loop import (
    while_loop_stack_output_op as while_loop_stack_output,
)

__all__ = [
    "UnsupportedAliasMutationException",
    "associative_scan",
    "cond",
    "map",
    "scan",
    "while_loop",
    "while_loop_stack_output",
]

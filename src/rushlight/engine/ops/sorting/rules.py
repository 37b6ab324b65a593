"""What the gradient formulas of sorting and selecting call."""

from rushlight.engine.ops.reduction.rules import evenly, value_selecting_backward

__all__ = ["evenly", "value_selecting_backward"]

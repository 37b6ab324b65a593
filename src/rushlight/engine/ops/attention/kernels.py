"""Registers the operators of the family."""

from rushlight.engine.ops.attention import backward, forward

__all__ = ["backward", "forward"]

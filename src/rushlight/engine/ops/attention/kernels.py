"""Registers the operators of the family."""

from rushlight.engine.ops.attention import backward, forward, library

__all__ = ["backward", "forward", "library"]

"""Registers the operators of the family."""

from rushlight.engine.ops.recurrent import sequences

__all__ = ["sequences"]

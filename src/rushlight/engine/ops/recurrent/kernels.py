"""Registers the operators of the family."""

from rushlight.engine.ops.recurrent import lstm

__all__ = ["lstm"]

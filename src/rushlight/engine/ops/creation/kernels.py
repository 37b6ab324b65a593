"""Factory operators."""

from rushlight.engine.ops.creation import factories, sequences

__all__ = ["factories", "sequences"]

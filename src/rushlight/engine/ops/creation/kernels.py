"""Factory operators."""

from rushlight.engine.ops.creation import factories, sequences, triangle_indices

__all__ = ["factories", "sequences", "triangle_indices"]

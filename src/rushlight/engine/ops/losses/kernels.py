"""Registers the operators of the family."""

from rushlight.engine.ops.losses import entropy, likelihood

__all__ = ["entropy", "likelihood"]

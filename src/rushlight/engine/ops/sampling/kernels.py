"""The operators of random numbers, by subject."""

from __future__ import annotations

from rushlight.engine.ops.sampling import distributions, factories, integers

__all__ = ["distributions", "factories", "integers"]

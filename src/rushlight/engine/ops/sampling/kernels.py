"""The operators of random numbers, by subject."""

from __future__ import annotations

from rushlight.engine.ops.sampling import (
    distributions,
    dropout,
    factories,
    given_tensors,
    integers,
    sample_gradients,
)

__all__ = [
    "distributions",
    "dropout",
    "factories",
    "given_tensors",
    "integers",
    "sample_gradients",
]

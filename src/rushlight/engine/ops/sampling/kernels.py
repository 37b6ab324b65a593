"""The operators of random numbers, by subject."""

from __future__ import annotations

from rushlight.engine.ops.sampling import (
    distributions,
    dropout,
    factories,
    functional,
    given_tensors,
    integers,
    sample_gradients,
)

__all__ = [
    "distributions",
    "dropout",
    "factories",
    "functional",
    "given_tensors",
    "integers",
    "sample_gradients",
]

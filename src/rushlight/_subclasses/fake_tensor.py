"""Tensors that know their device and metadata and have no data."""

from __future__ import annotations

from typing import Any

from rushlight import Tensor
from rushlight._names.absent import absent_class

__all__ = ["FakeTensor", "FakeTensorMode", "is_fake"]

FakeTensor = absent_class(__name__, "FakeTensor", "fake tensors", Tensor)
FakeTensorMode = absent_class(__name__, "FakeTensorMode", "fake tensors")


def is_fake(x: Any) -> bool:
    """Whether a tensor has no data: none that is made here does so."""
    return isinstance(x, FakeTensor)

"""Tensors without data, and tensors that are never written."""

from __future__ import annotations

from rushlight._subclasses.fake_tensor import (
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    UnsupportedFakeTensorException,
)
from rushlight._subclasses.fake_utils import CrossRefFakeMode

__all__ = [
    "CrossRefFakeMode",
    "DynamicOutputShapeException",
    "FakeTensor",
    "FakeTensorMode",
    "UnsupportedFakeTensorException",
]

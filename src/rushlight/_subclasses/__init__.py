"""Tensors without data, which are not there yet; ``meta`` tensors are."""

from __future__ import annotations

from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode

__all__ = ["FakeTensor", "FakeTensorMode"]

"""Tensors without data, which libraries import from here; absent yet, ``meta`` tensors are there."""

from __future__ import annotations

from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode

__all__ = ["FakeTensor", "FakeTensorMode"]

"""Counts of operations, which are not there yet."""

from __future__ import annotations

from rushlight._absent import absent_class

__all__ = ["FlopCounterMode"]

FlopCounterMode = absent_class(__name__, "FlopCounterMode", "counter of operations")

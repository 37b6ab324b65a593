"""Sequences that fill a cube evenly, which are not there yet; the name that libraries import is."""

from __future__ import annotations

from typing import Any

from rushlight._absent import absent_class

__all__ = ["SobolEngine"]

SobolEngine: Any = absent_class(__name__, "SobolEngine", "Sobol sequences")

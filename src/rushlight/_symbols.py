"""Sizes that tracers leave open, which are not there yet; programs ask whether numbers are such."""

from __future__ import annotations

from typing import Any

from rushlight._absent import absent_class

__all__ = ["SymBool", "SymFloat", "SymInt"]

_WHAT = "graphs of programs"

SymBool: Any = absent_class("rushlight", "SymBool", _WHAT)
SymFloat: Any = absent_class("rushlight", "SymFloat", _WHAT)
SymInt: Any = absent_class("rushlight", "SymInt", _WHAT)

"""Quantized layers."""

from __future__ import annotations

import importlib
from types import ModuleType

from rushlight.ao.nn.quantized.modules import *  # noqa: F403
from rushlight.ao.nn.quantized.modules import __all__


def __getattr__(name: str) -> ModuleType:
    """A module below this one, imported when it is asked for."""
    if name in ("dynamic", "functional"):
        return importlib.import_module(f"rushlight.ao.nn.quantized.{name}")
    raise AttributeError(f"module 'rushlight.ao.nn.quantized' has no attribute '{name}'")

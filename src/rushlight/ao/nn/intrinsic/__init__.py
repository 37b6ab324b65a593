"""Layers that become one when they are quantized."""

from __future__ import annotations

import importlib
from types import ModuleType

from rushlight.ao.nn.intrinsic.modules import *  # noqa: F403
from rushlight.ao.nn.intrinsic.modules import __all__, _FusedModule


def __getattr__(name: str) -> ModuleType:
    """A module below this one, imported when it is asked for."""
    if name in ("qat", "quantized"):
        return importlib.import_module(f"rushlight.ao.nn.intrinsic.{name}")
    raise AttributeError(f"module 'rushlight.ao.nn.intrinsic' has no attribute '{name}'")

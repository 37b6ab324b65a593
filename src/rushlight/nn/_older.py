"""Names that packages of layers had before they moved below `ao`."""

from __future__ import annotations

import importlib
import sys

_BELOW = {
    "quantized": ("dynamic", "dynamic.modules", "functional", "modules", "modules.utils"),
    "qat": ("modules",),
    "intrinsic": (
        "modules",
        "modules.fused",
        "qat",
        "qat.modules",
        "quantized",
        "quantized.modules",
    ),
}


def stand_in(name: str, new: str) -> None:
    """Let an older name be that of the package, and those below it of its files."""
    there = f"rushlight.ao.nn.{new}"
    sys.modules[name] = importlib.import_module(there)
    for below in _BELOW[new]:
        sys.modules[f"{name}.{below}"] = importlib.import_module(f"{there}.{below}")

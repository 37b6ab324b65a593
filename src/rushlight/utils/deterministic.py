"""`torch.utils.deterministic`: whether deterministic mode fills uninitialised memory."""

from __future__ import annotations

import sys
import types

from rushlight._state import settings


class _Module(types.ModuleType):
    """The setting is an attribute of the module that programs assign to."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """True by default: NaN, the largest integer, or True in place of what was there before."""
        return settings.fills_uninitialized_memory()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise RuntimeError(f"expected a bool, but got {type(mode).__name__}")
        settings.fill_uninitialized_memory(mode)


sys.modules[__name__].__class__ = _Module

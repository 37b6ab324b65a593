"""Older names of `rushlight.amp` for the CPU."""

from __future__ import annotations

from typing import Any

from rushlight.amp import autocast_mode as _modes
from rushlight.amp import grad_scaler as _scalers
from rushlight.engine.core.dtype import bfloat16, dtype

__all__ = ["GradScaler", "autocast"]


class autocast(_modes.autocast):
    """`rushlight.amp.autocast` for the CPU."""

    def __init__(
        self, enabled: bool = True, dtype: dtype = bfloat16, cache_enabled: bool = True
    ) -> None:
        super().__init__("cpu", dtype, enabled, cache_enabled)


class GradScaler(_scalers.GradScaler):
    """`rushlight.amp.GradScaler` for the CPU."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("cpu", *args, **kwargs)

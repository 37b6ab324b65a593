"""Older names of `rushlight.amp` for CUDA; without CUDA they do nothing."""

from __future__ import annotations

import functools
from typing import Any

from rushlight import cuda
from rushlight.amp import autocast_mode as _modes
from rushlight.amp import grad_scaler as _scalers
from rushlight.engine.core.dtype import dtype, float16

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]


def amp_definitely_not_available() -> bool:
    """Whether there is no device for half precision."""
    return not cuda.is_available()


class autocast(_modes.autocast):
    """`rushlight.amp.autocast` for CUDA."""

    def __init__(
        self, enabled: bool = True, dtype: dtype = float16, cache_enabled: bool = True
    ) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(_scalers.GradScaler):
    """`rushlight.amp.GradScaler` for CUDA."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("cuda", *args, **kwargs)


custom_fwd = functools.partial(_modes.custom_fwd, device_type="cuda")
custom_bwd = functools.partial(_modes.custom_bwd, device_type="cuda")

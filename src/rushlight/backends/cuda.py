"""Switches of CUDA's libraries; and the choice of attention kernels."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

from rushlight.backends._switches import Switch, changed
from rushlight.engine.core import library_settings as settings


class _Products:
    """Switches of matrix products."""

    allow_tf32 = Switch(settings.products, "allow_tf32")
    allow_fp16_reduced_precision_reduction = Switch(
        settings.products, "allow_fp16_reduced_precision_reduction"
    )
    allow_bf16_reduced_precision_reduction = Switch(
        settings.products, "allow_bf16_reduced_precision_reduction"
    )
    allow_fp16_accumulation = Switch(settings.products, "allow_fp16_accumulation")
    fp32_precision = "none"


class _PlanCache:
    """The plans of Fourier transforms that are kept for a device.

    Args:
        device: its number; None is the current one
    """

    def __init__(self, device: int | None = None) -> None:
        self._device = device

    @property
    def _plans(self) -> Any:
        from rushlight.engine.cuda import context, cufft

        return cufft.plans(context.current() if self._device is None else self._device)

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self._plans.made)

    @property
    def max_size(self) -> int:
        """How many are kept at most."""
        return int(self._plans.most)

    @max_size.setter
    def max_size(self, most: int) -> None:
        self._plans.most = most
        self._plans.shrink(most)

    def clear(self) -> None:
        """Let all go."""
        self._plans.shrink(0)

    def __getitem__(self, device: Any) -> _PlanCache:
        from rushlight.engine.core import device as devices

        number = device if isinstance(device, int) else devices.device(device).index
        return _PlanCache(number or 0)


matmul = _Products()
cufft_plan_cache = _PlanCache()
_flash = _math = _efficient = _cudnn = True
_library = "default"


def is_built() -> bool:
    """Whether this build has CUDA: it has not."""
    return False


def preferred_linalg_library(backend: Any = None) -> Any:
    """The library asked for; on the CPU there is one."""
    global _library
    _library = _library if backend is None else backend
    return _library


def flash_sdp_enabled() -> bool:
    """Whether flash attention may be chosen."""
    return _flash


def enable_flash_sdp(enabled: bool) -> None:
    """Allow flash attention; the choice is kept and changes nothing on the CPU."""
    globals()["_flash"] = bool(enabled)


def math_sdp_enabled() -> bool:
    """Whether attention may be made of products and a softmax."""
    return _math


def enable_math_sdp(enabled: bool) -> None:
    """Allow attention made of products and a softmax; the choice is kept and changes nothing."""
    globals()["_math"] = bool(enabled)


def mem_efficient_sdp_enabled() -> bool:
    """Whether memory-efficient attention may be chosen."""
    return _efficient


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Allow memory-efficient attention; the choice is kept and changes nothing."""
    globals()["_efficient"] = bool(enabled)


def cudnn_sdp_enabled() -> bool:
    """Whether cuDNN's attention may be chosen."""
    return _cudnn


def enable_cudnn_sdp(enabled: bool) -> None:
    """Allow cuDNN's attention; the choice is kept and changes nothing."""
    globals()["_cudnn"] = bool(enabled)


def is_flash_attention_available() -> bool:
    """Whether this build has CUDA's flash attention: it has not."""
    return False


def sdp_kernel(
    enable_flash: bool = True,
    enable_math: bool = True,
    enable_mem_efficient: bool = True,
    enable_cudnn: bool = True,
) -> AbstractContextManager[None]:
    """A block with another choice."""
    return changed(
        sys.modules[__name__],
        _flash=enable_flash,
        _math=enable_math,
        _efficient=enable_mem_efficient,
        _cudnn=enable_cudnn,
    )

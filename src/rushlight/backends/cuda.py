"""CUDA's libraries, which are not there; and the choice of attention kernels."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

from rushlight.backends._switches import changed


class _Products:
    """Switches of matrix products."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True
    allow_fp16_accumulation = False
    fp32_precision = "none"


class _PlanCache:
    """Plans of Fourier transforms that CUDA keeps: none."""

    size = 0
    max_size = 0

    def clear(self) -> None:
        """There is nothing to forget."""


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

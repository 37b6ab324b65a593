"""Switches of CUDA's libraries; and the choice of attention kernels."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

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


class _Attention:
    """Which kernels attention may use."""

    flash = Switch(settings.attention, "flash")
    math = Switch(settings.attention, "math")
    efficient = Switch(settings.attention, "efficient")
    cudnn = Switch(settings.attention, "cudnn")


_attention = _Attention()
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
    return settings.attention.flash


def enable_flash_sdp(enabled: bool) -> None:
    """Allow flash attention: on a GPU cuDNN's, on the CPU the kernel that keeps no scores."""
    _attention.flash = bool(enabled)


def math_sdp_enabled() -> bool:
    """Whether attention may be made of products and a softmax."""
    return settings.attention.math


def enable_math_sdp(enabled: bool) -> None:
    """Allow attention made of products and a softmax, which is what is left where no other kernel takes the tensors."""
    _attention.math = bool(enabled)


def mem_efficient_sdp_enabled() -> bool:
    """Whether memory-efficient attention may be chosen."""
    return settings.attention.efficient


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Allow memory-efficient attention: on a GPU, products and a softmax for what PyTorch's kernel takes."""
    _attention.efficient = bool(enabled)


def cudnn_sdp_enabled() -> bool:
    """Whether cuDNN's attention may be chosen."""
    return settings.attention.cudnn


def enable_cudnn_sdp(enabled: bool) -> None:
    """Allow cuDNN's attention on GPUs, where it is installed and takes the tensors (`can_use_cudnn_attention`)."""
    _attention.cudnn = bool(enabled)


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
        _attention,
        flash=enable_flash,
        math=enable_math,
        efficient=enable_mem_efficient,
        cudnn=enable_cudnn,
    )


class SDPAParams(NamedTuple):
    """What `scaled_dot_product_attention` is given, for `can_use_cudnn_attention` and its kin."""

    query: Any
    key: Any
    value: Any
    attn_mask: Any
    dropout: float
    is_causal: bool
    enable_gqa: bool


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether there is flash attention on a GPU, which cuDNN makes.

    Args:
        params: the arguments of a call
        debug: whether to warn why not
    """
    from rushlight.nn._functional import attention_choice as choice

    return _told(choice.flash_reason(choice.Given(*params)), debug)


def can_use_efficient_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether there is memory-efficient attention on GPUs: there is none besides cuDNN's.

    Args:
        params: the arguments of a call
        debug: whether to warn why not
    """
    return _told("Memory efficient attention is not there: cuDNN has one.", debug)


def can_use_cudnn_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether cuDNN makes an attention.

    Args:
        params: the arguments of a call
        debug: whether to warn why not
    """
    from rushlight.nn._functional import attention_choice as choice

    return _told(choice.cudnn_reason(choice.Given(*params)), debug)


def _told(reason: str, debug: bool) -> bool:
    """Whether there is no reason against a kernel; if there is one, it may be warned of."""
    if reason and debug:
        warnings.warn(reason, stacklevel=3)
    return not reason

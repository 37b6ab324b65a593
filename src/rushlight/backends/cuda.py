"""Switches of CUDA's libraries; and the choice of attention kernels."""

from __future__ import annotations

import enum
import warnings
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from rushlight.backends._precision import Precision
from rushlight.backends._switches import Switch, changed
from rushlight.engine.core import library_settings as settings
from rushlight.engine.dispatch import call_cache
from rushlight.engine.loops import plans


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
    fp32_precision = Precision()


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


cuBLASModule = _Products
cuFFTPlanCache = cuFFTPlanCacheManager = _PlanCache
matmul = _Products()
cufft_plan_cache = _PlanCache()


class _Attention:
    """Which kernels attention may use."""

    flash = Switch(settings.attention, "flash")
    math = Switch(settings.attention, "math")
    efficient = Switch(settings.attention, "efficient")
    cudnn = Switch(settings.attention, "cudnn")


_attention = _Attention()


class _LinalgBackend(enum.Enum):
    """Libraries of linear algebra that PyTorch knows."""

    Default = 0
    Cusolver = 1
    Magma = 2


class _BlasBackend(enum.Enum):
    """Libraries of products that PyTorch knows."""

    Default = 0
    Cublas = 1
    Cublaslt = 2
    Ck = 3


class _ROCmFABackend(enum.Enum):
    """Kernels of attention that PyTorch knows on AMD's GPUs."""

    Default = 0
    AOTriton = 1
    Ck = 2


_LinalgBackends = {
    "default": _LinalgBackend.Default, "cusolver": _LinalgBackend.Cusolver, "magma": _LinalgBackend.Magma,
}  # fmt: skip
_BlasBackends = {
    "default": _BlasBackend.Default, "cublas": _BlasBackend.Cublas, "hipblas": _BlasBackend.Cublas,
    "cublaslt": _BlasBackend.Cublaslt, "hipblaslt": _BlasBackend.Cublaslt, "ck": _BlasBackend.Ck,
}  # fmt: skip
_ROCmFABackends = {
    "default": _ROCmFABackend.Default, "aotriton": _ROCmFABackend.AOTriton, "ck": _ROCmFABackend.Ck,
}  # fmt: skip
_LinalgBackends_str = ", ".join(_LinalgBackends)
_BlasBackends_str = ", ".join(_BlasBackends)
_ROCmFABackends_str = ", ".join(_ROCmFABackends)
_preferred: dict[str, Any] = {
    "linalg": _LinalgBackend.Default, "blas": _BlasBackend.Cublaslt, "attention": _ROCmFABackend.Default,
}  # fmt: skip
_half_sums = False


def is_built() -> bool:
    """Whether this build has CUDA: it has not."""
    return False


def _prefer(what: str, backend: Any, known: dict[str, Any]) -> Any:
    """The library that is preferred for something, another one from now on if that is said."""
    if isinstance(backend, str):
        if backend not in known:
            raise RuntimeError(f"Unknown input value. Choose from: {', '.join(known)}.")
        _preferred[what] = known[backend]
    elif backend in known.values():
        _preferred[what] = backend
    elif backend is not None:
        raise RuntimeError("Unknown input value type.")
    return _preferred[what]


def preferred_linalg_library(backend: Any = None) -> Any:
    """The library of linear algebra that is asked for; kept, and cuSOLVER's kernels are called in any case."""
    return _prefer("linalg", backend, _LinalgBackends)


def preferred_blas_library(backend: Any = None) -> Any:
    """The library of products that is asked for; kept, and cuBLASLt's kernels are called in any case."""
    return _prefer("blas", backend, _BlasBackends)


def preferred_rocm_fa_library(backend: Any = None) -> Any:
    """The kernels of attention that are asked for on AMD's GPUs; kept, and changes nothing."""
    return _prefer("attention", backend, _ROCmFABackends)


def is_ck_sdpa_available() -> bool:
    """Whether there are AMD's kernels of attention: there are none."""
    return False


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Allow attention of products and a softmax to sum in half precision; the choice is kept, and sums stay exact."""
    global _half_sums
    _half_sums = bool(enabled)


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """Whether that was allowed."""
    return _half_sums


def cublaslt_workspace_size(size: int | None = None) -> int:
    """How many bytes a product may work in; another number from now on if that is said.

    Args:
        size: how many bytes
    """
    from rushlight.engine.cuda import context, cublaslt

    if size is not None:
        # Products that are planned have their memory.
        cublaslt.allowed_work = int(size)
        plans.forget_all()
        call_cache.forget_calls()
    return int(cublaslt.most_work(context.current()))


def cublas_workspace_size(size: int | None = None) -> int:
    """The same: products are cuBLASLt's.

    Args:
        size: how many bytes
    """
    return cublaslt_workspace_size(size)


def blas_workspace_size(size: int | None = None, backend: Any = None) -> int:
    """The same for a library that is named.

    Args:
        size: how many bytes
        backend: which library; the preferred one if None
    """
    _prefer("blas", backend if isinstance(backend, str) else None, _BlasBackends)
    return cublaslt_workspace_size(size)


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

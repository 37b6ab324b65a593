"""Which kernels attention may use: on a GPU cuDNN's, or products and a softmax; on the CPU there is one."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Iterator
from typing import Any

from rushlight.backends import cuda as _switches

__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(enum.IntEnum):
    """The kernels that PyTorch knows."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextlib.contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """A block in which attention may use only some kernels."""
    chosen = [backends] if isinstance(backends, SDPBackend) else list(backends)
    if not all(isinstance(one, SDPBackend) for one in chosen):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances"
        )
    with _switches.sdp_kernel(
        enable_flash=SDPBackend.FLASH_ATTENTION in chosen,
        enable_math=SDPBackend.MATH in chosen,
        enable_mem_efficient=SDPBackend.EFFICIENT_ATTENTION in chosen,
        enable_cudnn=SDPBackend.CUDNN_ATTENTION in chosen,
    ):
        yield

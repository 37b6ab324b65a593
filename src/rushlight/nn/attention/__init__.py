"""Which kernels attention may use: one that keeps no scores (on a GPU cuDNN's), or products and a softmax."""

from __future__ import annotations

import contextlib
import enum
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


class sdpa_kernel(contextlib.ContextDecorator):
    """A block in which attention may use only some kernels.

    Args:
        backends: one or several members of `SDPBackend`
        set_priority: accepted; the kernels are tried in one order
    """

    def __init__(self, backends: Any, set_priority: bool = False) -> None:
        chosen = [backends] if isinstance(backends, SDPBackend) else list(backends)
        if not all(isinstance(one, SDPBackend) for one in chosen):
            raise AssertionError(
                "Backend must be an instance of SDPBackend or a list of SDPBackend instances"
            )
        self.numbers = tuple(map(int, chosen))

    def _recreate_cm(self) -> sdpa_kernel:
        return sdpa_kernel([*map(SDPBackend, self.numbers)])

    def __enter__(self) -> None:
        self._choice = _switches.sdp_kernel(
            enable_flash=SDPBackend.FLASH_ATTENTION in self.numbers,
            enable_math=SDPBackend.MATH in self.numbers,
            enable_mem_efficient=SDPBackend.EFFICIENT_ATTENTION in self.numbers,
            enable_cudnn=SDPBackend.CUDNN_ATTENTION in self.numbers,
        )
        self._choice.__enter__()

    def __exit__(self, *exception: Any) -> None:
        self._choice.__exit__(*exception)


def _enter_kernels(numbers: tuple[int, ...]) -> sdpa_kernel:
    """Begin such a block, in a graph."""
    block = sdpa_kernel([*map(SDPBackend, numbers)])
    block.__enter__()
    return block


def _exit_kernels(block: sdpa_kernel) -> None:
    """End it, in a graph."""
    block.__exit__(None, None, None)

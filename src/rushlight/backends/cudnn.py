"""cuDNN: whether it is there, and what it may do."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any

from rushlight.backends._precision import Precision
from rushlight.backends._switches import Switch, changed
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import library_settings as settings

CUDNN_TENSOR_DTYPES = {dtypes.float16, dtypes.float32, dtypes.float64}


class _Operators:
    """Switches of one kind of the library's operators."""

    allow_tf32 = Switch(settings.convolutions, "allow_tf32")
    fp32_precision = Precision(on="tf32")


class CudnnModule(ModuleType):
    """The module, with switches that plans are built on."""

    enabled = Switch(settings.convolutions, "enabled")
    benchmark = Switch(settings.convolutions, "benchmark")
    benchmark_limit = Switch(settings.convolutions, "benchmark_limit")
    deterministic = Switch(settings.convolutions, "deterministic")
    allow_tf32 = Switch(settings.convolutions, "allow_tf32")
    fp32_precision = Precision(on="none")


sys.modules[__name__].__class__ = CudnnModule
# Recurrent layers of the library are not asked for: their steps are products, and convolutions have this switch.
conv, rnn = _Operators(), _Operators()


def is_available() -> bool:
    """Whether there is a GPU, and the library."""
    from rushlight import cuda

    return cuda.is_available() and version() is not None


def version() -> int | None:
    """The library's version as a number; None where it is not installed."""
    from rushlight.engine.cuda import cudnn

    return cudnn.version()


def is_acceptable(tensor: Any) -> bool:
    """Whether a tensor may be given to the library."""
    from rushlight.engine.cuda import cudnn

    if not settings.convolutions.enabled or tensor.device.type != "cuda":
        return False
    return tensor.dtype.memory in cudnn.TYPES and is_available()


def set_flags(
    _enabled: bool | None = None,
    _benchmark: bool | None = None,
    _benchmark_limit: int | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
) -> tuple[Any, ...]:
    """Set switches; what they were."""
    module = sys.modules[__name__]
    given = {
        "enabled": _enabled, "benchmark": _benchmark, "benchmark_limit": _benchmark_limit,
        "deterministic": _deterministic, "allow_tf32": _allow_tf32,
    }  # fmt: skip
    before = tuple(getattr(module, name) for name in given)
    for name, value in given.items():
        if value is not None:
            setattr(module, name, value)
    return before


def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    **others: Any,
) -> AbstractContextManager[None]:
    """A block with other switches."""
    return changed(
        sys.modules[__name__],
        enabled=enabled,
        benchmark=benchmark,
        benchmark_limit=benchmark_limit,
        deterministic=deterministic,
        allow_tf32=allow_tf32,
    )

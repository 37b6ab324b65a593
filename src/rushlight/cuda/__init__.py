"""CUDA devices: which there are, their streams and their memory.

Nothing is loaded before a device is asked for. Without NVIDIA's driver, questions get true answers, and everything
else raises.
"""

from __future__ import annotations

import importlib
from typing import Any

from rushlight import storage as _storage
from rushlight.cuda._device import *  # noqa: F403
from rushlight.cuda._device import _CudaDeviceProperties as _CudaDeviceProperties
from rushlight.cuda._device import get_device_capability
from rushlight.cuda._device import index_of as _index_of
from rushlight.cuda._management import *  # noqa: F403
from rushlight.cuda._utils import _get_device_index as _get_device_index
from rushlight.cuda.graphs import *  # noqa: F403
from rushlight.cuda.green_contexts import *  # noqa: F403
from rushlight.cuda.memory import *  # noqa: F403
from rushlight.cuda.memory import _use_uvm as _use_uvm
from rushlight.cuda.memory import mem_get_info
from rushlight.cuda.random import *  # noqa: F403
from rushlight.cuda.random import _default_generators
from rushlight.cuda.streams import *  # noqa: F403
from rushlight.engine.core import device as _devices
from rushlight.engine.core.errors import AcceleratorError as AcceleratorError
from rushlight.engine.core.errors import OutOfMemoryError as OutOfMemoryError
from rushlight.engine.cuda import context as _context
from rushlight.engine.cuda.driver import CudaError as CudaError


class DeferredCudaCallError(Exception):
    """What went wrong in a call that waited for the device."""


has_magma = False


def is_available() -> bool:
    """Whether there is a driver and a device."""
    return _context.count() > 0


def is_initialized() -> bool:
    """Whether this process has used a device."""
    return _context.is_started()


def init() -> None:
    """Start the driver, which the first use of a device does otherwise."""
    _context.start()
    _devices.device("cuda").key  # noqa: B018 (makes the device usable)


_lazy_init = init


def _is_in_bad_fork() -> bool:
    """Whether this is a child of a process that has used a device."""
    return _context.is_in_bad_fork()


def device_count() -> int:
    """How many devices there are."""
    return _context.count()


def current_device() -> int:
    """The number of the device that this thread is on."""
    return _context.current()


def set_device(device: Any) -> None:
    """Let this thread be on another device; a negative number changes nothing."""
    index = _index_of(device)
    if index >= 0:
        _context.set_current(index)


def synchronize(device: Any = None) -> None:
    """Wait for all that a device was asked to do."""
    _context.synchronize(_index_of(device))


def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Whether a device reads another one's memory."""
    from rushlight.engine.cuda import driver

    one, other = _index_of(device), _index_of(peer_device)
    if one == other:
        raise AssertionError(f"the device and its peer are the same one: {one}")
    handles = _context.start().handles
    return driver.can_access_peer(handles[one], handles[other])


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the current device computes with bfloat16, if only by way of single precision."""
    if not is_available():
        return False
    return including_emulation or get_device_capability() >= (8, 0)


def is_tf32_supported() -> bool:
    """Whether the current device has the type TF32; products here do not use it."""
    return is_available() and get_device_capability() >= (8, 0)


def ipc_collect() -> None:
    """Let go of memory that was sent to other processes, where these are done with it."""
    from rushlight.engine.cuda import sharing

    _context.start()
    sharing.collect()


_SYNC_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Choose what is done when a call waits for a device without being asked to.

    Args:
        debug_mode: ``"default"`` or 0: nothing; ``"warn"`` or 1: a warning; ``"error"`` or 2: an error
    """
    from rushlight.engine.cuda import transfers

    _context.start()
    chosen = _SYNC_DEBUG_MODES.get(debug_mode) if isinstance(debug_mode, str) else debug_mode
    if chosen not in (0, 1, 2):
        raise RuntimeError(
            f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode!r}"
        )
    transfers.tell_of_waiting(chosen)


def get_sync_debug_mode() -> int:
    """What is done when a call waits for a device without being asked to; see `set_sync_debug_mode`."""
    from rushlight.engine.cuda import transfers

    _context.start()
    return transfers.waiting_is_told


def get_arch_list() -> list[str]:
    """The architectures that kernels were built for: they are written when they are needed, so none."""
    return []


def get_gencode_flags() -> str:
    return ""


globals().update(_storage.tensor_classes("cuda", "torch.cuda"))
globals().update(_storage.storage_classes("cuda", "torch.cuda"))


class cudaStatus:
    """What functions of CUDA's runtime give."""

    SUCCESS: int = 0
    ERROR_NOT_READY: int = 34


def check_error(res: int) -> None:
    """Raise for what a function of CUDA's runtime gave, if that is an error."""
    if res:
        raise CudaError(int(res), f"CUDA error {int(res)}")


def cudart() -> Any:
    """Functions of CUDA's runtime."""
    from rushlight.cuda import _runtime

    _context.start()
    return _runtime


def _lazy_call(callable: Any, **kwargs: Any) -> None:
    """Call a function once a device is used: now, if one is."""
    if _context.is_started():
        callable()
    else:
        _context.when_started.append(_Once(callable))


class _Once:
    """A call that is made at the first start."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self) -> None:
        function, self.function = self.function, None
        if function is not None:
            function()


def _is_compiled() -> bool:
    """Whether devices can be used where there are some."""
    return True


def _exchange_device(device: int) -> int:
    """Let this thread be on another device; the one before. A negative number changes nothing."""
    if device < 0:
        return -1
    before = _context.current()
    _context.set_current(device)
    return before


_maybe_exchange_device = _exchange_device


def _get_rng_state_offset(device: Any = "cuda") -> int:
    """How far a device's generator has come."""
    return int(_default_generators()[_index_of(device)].get_offset())  # type: ignore[attr-defined]


def _set_rng_state_offset(offset: int, device: Any = "cuda") -> None:
    """Let a device's generator go on from a place."""
    _default_generators()[_index_of(device)].set_offset(offset)  # type: ignore[attr-defined]


def _sleep(cycles: int) -> None:
    """Keep the current stream busy for so many cycles of the device's clock."""
    from rushlight.engine.cuda import spinning

    spinning.spin(_context.current(), int(cycles))


def device_memory_used(device: Any = None) -> int:
    """How many bytes of a device anybody uses."""
    free, total = mem_get_info(device)
    return total - free


def current_solver_handle() -> int:
    """cuSOLVER's handle for the current device."""
    return _handle("cusolver")


def current_blas_handle() -> int:
    """cuBLAS's handle for the current device."""
    return _handle("cublas")


def _handle(library: str) -> int:
    from rushlight.engine.cuda import cusolver, libraries

    index = _context.current()
    _context.enter(index)
    libraries.needed(
        library, f"torch.cuda.current_{'solver' if library == 'cusolver' else 'blas'}_handle"
    )
    return int(cusolver.handle(library, index).value)


_MODULES = ("amp", "comm", "gds", "jiterator", "nccl", "nvtx", "profiler", "sparse", "tunable")


def __getattr__(name: str) -> Any:
    """A module below this one, imported when it is asked for."""
    if name in _MODULES:
        return importlib.import_module(f"rushlight.cuda.{name}")
    if name == "has_half":
        return is_available()
    if name == "default_generators":
        return _default_generators()
    raise AttributeError(f"module 'rushlight.cuda' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, "default_generators", "has_half"})

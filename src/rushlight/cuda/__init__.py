"""CUDA, which is not there: questions get true answers, everything else raises."""

from __future__ import annotations

import importlib
from typing import Any

from rushlight._names import absent_devices as _absent_devices
from rushlight._names.absent_devices import AbsentDevice as device
from rushlight._names.absent_devices import StreamBlock as StreamContext
from rushlight.engine.core.errors import AcceleratorError as AcceleratorError
from rushlight.engine.core.errors import OutOfMemoryError as OutOfMemoryError


class CudaError(RuntimeError):
    """What the driver says has gone wrong, by its number."""


class DeferredCudaCallError(Exception):
    """What went wrong in a call that waited for the device."""


has_half = has_magma = False
default_generators: tuple[Any, ...] = ()

globals().update(_absent_devices.constant(False, [
    "is_available", "is_initialized", "is_bf16_supported", "is_tf32_supported",
    "is_current_stream_capturing",
]))  # fmt: skip
globals().update(_absent_devices.constant(0, [
    "device_count", "memory_allocated", "max_memory_allocated", "memory_reserved",
    "max_memory_reserved", "memory_cached", "max_memory_cached",
]))  # fmt: skip
# What PyTorch puts off until CUDA is there.
globals().update(_absent_devices.constant(None, [
    "empty_cache", "manual_seed", "manual_seed_all", "seed", "seed_all", "set_rng_state",
]))  # fmt: skip
globals().update(_absent_devices.raising(AssertionError, "Torch not compiled with CUDA enabled", [
    "can_device_access_peer", "current_blas_handle", "current_device", "current_stream",
    "default_stream", "get_device_capability", "get_device_name", "get_device_properties",
    "get_rng_state", "init", "initial_seed", "ipc_collect", "list_gpu_processes", "mem_get_info",
    "memory_snapshot", "memory_summary", "reset_accumulated_memory_stats",
    "reset_max_memory_allocated", "reset_max_memory_cached", "reset_peak_memory_stats",
    "set_device", "set_per_process_memory_fraction", "set_stream", "set_sync_debug_mode",
    "get_sync_debug_mode", "synchronize", "temperature", "power_draw", "clock_rate", "utilization",
    "memory_usage", "make_graphed_callables",
]))  # fmt: skip


def get_arch_list() -> list[str]:
    """The architectures that kernels were built for: none."""
    return []


def get_gencode_flags() -> str:
    return ""


def memory_stats(device: Any = None) -> dict[str, Any]:
    return {}


def get_rng_state_all() -> list[Any]:
    return []


def set_rng_state_all(new_states: Any) -> None:
    """There is no device whose state could be set."""


def stream(stream: Any) -> StreamContext:
    return StreamContext(stream)


class device_of(device):
    """A block on the device of a tensor; those there are, are on no CUDA device."""

    def __init__(self, obj: Any) -> None:
        super().__init__(-1)


class Stream:
    """A queue of work on a device, which cannot be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("torch.cuda.Stream requires CUDA support")


class ExternalStream(Stream):
    """A queue that another library made."""


class Event:
    """A mark in a queue, which cannot be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class Event")


class CUDAGraph:
    """A recorded sequence of kernels, which cannot be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class _CUDAGraph")


class graph:
    """A block that is recorded into a graph, which cannot be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class _CUDAGraph")


_KINDS = ("BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")


def _tensor_class(name: str) -> type:
    """A class of tensors of the device: nothing is an instance of it, and none can be made."""

    def refuse(cls: type, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            f"type torch.cuda.{name} not available. Torch not compiled with CUDA enabled."
        )

    return type(name, (), {"__new__": refuse, "__module__": "torch.cuda"})


globals().update({f"{kind}Tensor": _tensor_class(f"{kind}Tensor") for kind in _KINDS})


def __getattr__(name: str) -> Any:
    """A module below this one, imported when it is asked for."""
    if name in ("amp", "random", "memory", "nvtx"):
        return importlib.import_module(f"rushlight.cuda.{name}")
    raise AttributeError(f"module 'rushlight.cuda' has no attribute '{name}'")

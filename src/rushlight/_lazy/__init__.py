"""Lazy tensors: on the device ``lazy``, operators are recorded, and run as compiled graphs when values are asked for.

`memory` has the bytes that tensors promise, `recording` what a call becomes, `trace` what was recorded, `running` the cut. See
docs/lazy_tensors.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight._lazy import memory, metrics
from rushlight._lazy.closure import add_step_closure, run_step_closures
from rushlight._lazy.recording import lazy_kernel
from rushlight._lazy.running import recorder
from rushlight.engine.core import device as devices
from rushlight.engine.core import keys
from rushlight.engine.dispatch import registry
from rushlight.utils._pytree import tree_flatten, tree_unflatten

__all__ = [
    "add_step_closure",
    "get_tensor_id",
    "mark_step",
    "run_step_closures",
    "save",
    "sync_multi",
    "to_cpu",
    "wait_device_ops",
]


def mark_step(device: str = "", wait: bool = False) -> None:
    """Compute what was recorded and is still wanted, and run the closures of the step.

    Args:
        device: accepted; there is one lazy device
        wait: accepted; the values are there when the function returns
    """
    metrics.count("MarkStep")
    recorder.cut()
    run_step_closures()


def wait_device_ops(devices: Sequence[str] | None = None) -> None:
    """Wait until the device has done what it was given: it always has.

    Args:
        devices: accepted; there is one lazy device
    """


def sync_multi(tensors: Sequence[Any], devices: Sequence[str]) -> None:
    """Compute what some tensors promise.

    Args:
        tensors: on the lazy device; what else was recorded is computed, too
        devices: accepted; there is one lazy device
    """
    for tensor in tensors:
        _check_lazy(tensor)
    recorder.cut()


def get_tensor_id(tensor: Any) -> int:
    """A number that no other tensor has, but for views of it."""
    _check_lazy(tensor)
    return memory.block_of(tensor).ident


def to_cpu(tensors: Any, devices: Sequence[str] | None = None) -> Any:
    """A nest of tensors with copies in the host's memory in their places."""
    flat, spec = tree_flatten(tensors)
    sync_multi(flat, devices or ["lazy"])
    return tree_unflatten([tensor.to("cpu") for tensor in flat], spec)


def save(tensors: Any, *args: Any, **kwargs: Any) -> None:
    """Write a nest of tensors to a file, as `rushlight.save` does, from the host's memory."""
    import rushlight

    rushlight.save(to_cpu(tensors), *args, **kwargs)


def _check_lazy(tensor: Any) -> None:
    if not memory.is_lazy(tensor):
        raise RuntimeError(f"expected a tensor on the lazy device, got {type(tensor).__name__}")


def _read(host: int, address: int, nbytes: int) -> None:
    """Copy bytes to the host, for which they have to be there."""
    with recorder.lock:
        recorder.cut()
        storage = memory.block_at(address).ready()
        memory.copy_bytes(host, storage._ptr + memory.place_in(address), nbytes)


def _write(address: int, host: int, nbytes: int) -> None:
    """Copy bytes from the host, behind all that was recorded of them."""
    with recorder.lock:
        if memory.block_at(address).values:
            recorder.cut()
        storage = memory.block_at(address).ready()
        memory.copy_bytes(storage._ptr + memory.place_in(address), host, nbytes)


def use_device() -> None:
    """Make the device usable: it is when somebody names it first."""


devices.register("lazy", keys.LAZY, has_numbers=True)
devices.set_memory("lazy", devices.Memory(memory.allocate, memory.free, _read, _write))
registry.register_fallback("Lazy", lazy_kernel)

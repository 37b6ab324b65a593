"""Intel's GPUs, which are not there: questions get true answers, everything else raises."""

from __future__ import annotations

from rushlight._names import absent_devices as _absent_devices
from rushlight._names.absent_devices import StreamBlock as StreamContext

__all__ = ["StreamContext"]

globals().update(
    _absent_devices.constant(0, ["device_count", "memory_allocated", "max_memory_allocated"])
)
globals().update(_absent_devices.constant(
    False, ["is_available", "is_initialized", "is_bf16_supported", "is_tf32_supported"]
))  # fmt: skip
globals().update(_absent_devices.constant(
    None, ["empty_cache", "manual_seed", "manual_seed_all", "seed", "seed_all"]
))  # fmt: skip
globals().update(_absent_devices.raising(AssertionError, "Torch not compiled with XPU enabled", [
    "current_device", "current_stream", "synchronize", "get_device_name", "get_device_capability",
    "get_device_properties", "set_device", "init", "get_rng_state", "mem_get_info",
]))  # fmt: skip

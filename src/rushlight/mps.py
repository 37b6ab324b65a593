"""Apple's GPUs, which are not there: questions get true answers, everything else raises."""

from __future__ import annotations

from rushlight._names import absent_devices as _absent_devices

globals().update(_absent_devices.constant(0, ["device_count"]))
globals().update(_absent_devices.constant(False, ["is_available"]))
globals().update(_absent_devices.constant(None, ["manual_seed", "seed"]))
globals().update(_absent_devices.raising(RuntimeError, "Cannot execute {name}() without MPS backend.", [
    "synchronize", "empty_cache", "current_allocated_memory", "driver_allocated_memory",
    "recommended_max_memory", "set_per_process_memory_fraction", "get_rng_state", "set_rng_state",
]))  # fmt: skip

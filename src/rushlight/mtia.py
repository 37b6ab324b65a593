"""Meta's accelerators, which are not there."""

from __future__ import annotations

from rushlight._names import absent_devices as _absent_devices

globals().update(_absent_devices.constant(0, ["device_count"]))
globals().update(_absent_devices.constant(False, ["is_available", "is_initialized"]))
globals().update(_absent_devices.raising(AssertionError, "Torch not compiled with MTIA enabled", [
    "current_device", "current_stream", "synchronize", "set_device", "init", "empty_cache",
]))  # fmt: skip

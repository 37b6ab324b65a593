"""Libraries for quantized tensors, of which there are none."""

from __future__ import annotations

engine = "none"
supported_engines = ["none"]

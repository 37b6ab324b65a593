"""Libraries for quantized tensors: kernels are generated here, whichever is named."""

from __future__ import annotations

engine = "x86"
supported_engines = ["qnnpack", "onednn", "x86", "fbgemm"]

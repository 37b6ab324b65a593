"""Operators that PyTorch has by name and that are functions of others here.

Programs' graphs name them. They are made when one of them is first looked up in `torch.ops.aten`; nothing of ours calls
them.
"""

from __future__ import annotations

import functools
import importlib
import re

# What runs on other devices, or in other libraries, only: the beginnings or parts of names.
_ELSEWHERE = {
    r"cudnn|cufft|_cslt|semi_structured|mem_eff|_flash_attention|_efficient_attention|_fused_attention|"
    r"_use_miopen|miopen|_triton|fused_sdp_choice": "GPUs",
    r"mps": "Apple's GPUs",
    r"vulkan|xla|hpu": "devices that rushlight does not have",
    r"mkldnn|_nnpack|fbgemm|_dyn_quant|int4pack|int8pack": "weights that other libraries have packed",
}


@functools.cache
def define() -> None:
    """Make all of them."""
    for name in ("lists", "resizing", "backward", "others"):
        importlib.import_module(f"{__name__}.{name}").define()


def refusal(name: str) -> str | None:
    """Why there is no operator of this name that PyTorch has; None if nothing is known of it."""
    for pattern, what in _ELSEWHERE.items():
        if re.search(pattern, name):
            return f"aten::{name} is for {what}"
    return None

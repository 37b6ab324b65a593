"""Fused quantized layers."""

from __future__ import annotations

from rushlight.ao.nn.intrinsic.quantized.modules import *  # noqa: F403
from rushlight.ao.nn.intrinsic.quantized.modules import __all__

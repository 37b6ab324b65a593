"""Layers that become one when they are quantized."""

from rushlight.ao.nn.intrinsic.modules.fused import *  # noqa: F403
from rushlight.ao.nn.intrinsic.modules.fused import __all__, _FusedModule

"""Fused layers that round their weights as if quantized, for training."""

from rushlight.ao.nn.intrinsic.qat.modules import *  # noqa: F403
from rushlight.ao.nn.intrinsic.qat.modules import __all__

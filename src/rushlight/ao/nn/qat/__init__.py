"""Layers that round their weights as if quantized, for training."""

from rushlight.ao.nn.qat.modules import *  # noqa: F403
from rushlight.ao.nn.qat.modules import __all__

"""Collectives with gradients."""

from rushlight.distributed.nn import functional
from rushlight.distributed.nn.functional import *  # noqa: F403

__all__ = [*functional.__all__, "functional"]

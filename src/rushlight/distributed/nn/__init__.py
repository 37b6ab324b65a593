"""Collectives with gradients, and modules of other processes."""

from rushlight.distributed.nn import functional
from rushlight.distributed.nn.api.remote_module import RemoteModule
from rushlight.distributed.nn.functional import *  # noqa: F403

__all__ = [*functional.__all__, "RemoteModule", "functional"]

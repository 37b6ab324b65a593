"""Tracing by running, sizes that vary, and passes that are newer than those of `fx.passes`."""

from rushlight.fx.experimental import _config

__all__ = ["_config"]

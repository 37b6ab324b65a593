"""Tracing by running, sizes that vary, and passes that are newer than those of `fx.passes`."""

"""Tracing by running, which is not there yet."""

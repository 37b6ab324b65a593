"""Backends, of which there are none."""

"""Wrapped: outside of all transformations, wrappers of those that have ended are the values that they stood for."""

from __future__ import annotations

from rushlight.engine.dispatch import registry
from rushlight.engine.transforms.differentiation import call_without_layers

registry.register_fallback("Wrapped", call_without_layers)

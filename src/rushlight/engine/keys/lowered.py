"""Lowered: below autograd, an operator on wrappers is one on the values that they stand for."""

from __future__ import annotations

from rushlight.engine.dispatch import registry
from rushlight.engine.transforms.differentiation import lowered_call

registry.register_fallback("Lowered", lowered_call)

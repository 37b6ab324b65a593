"""Negative: tensors that stand for the negative of what their memory holds."""

from __future__ import annotations

from rushlight.engine.calls import pointwise
from rushlight.engine.core import keys
from rushlight.engine.dispatch import registry
from rushlight.engine.keys.lazy_values import LazyValues

registry.register_part("Negative", LazyValues(keys.NEGATIVE, pointwise.neg).part)

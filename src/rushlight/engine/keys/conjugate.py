"""Conjugate: tensors that stand for the conjugate of what their memory holds."""

from __future__ import annotations

from rushlight.engine.calls import view
from rushlight.engine.core import keys
from rushlight.engine.dispatch import registry
from rushlight.engine.keys.lazy_values import LazyValues

registry.register_part("Conjugate", LazyValues(keys.CONJUGATE, view._conj_physical).part)

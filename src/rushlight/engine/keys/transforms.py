"""Transforms: while transformations are around a call, the innermost one is asked what to do."""

from __future__ import annotations

from rushlight.engine.dispatch import layers, registry

registry.register_fallback("Transforms", layers.process)

"""Autograd: records what is done to tensors that want gradients."""

from __future__ import annotations

from rushlight.engine.autograd.recording.key_part import part
from rushlight.engine.dispatch import registry

registry.register_part("Autograd", part)

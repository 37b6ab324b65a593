"""What the gradient formulas of attention call."""

from rushlight.engine.ops.attention.backward import gradients as attention_gradients
from rushlight.engine.ops.attention.backward import library_gradients as library_attention_gradients

__all__ = ["attention_gradients", "library_attention_gradients"]

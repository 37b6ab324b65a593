"""What the gradient formulas of attention call."""

from rushlight.engine.ops.attention.backward import gradients as attention_gradients

__all__ = ["attention_gradients"]

"""Patterns for the dimensions of tensors."""

from rushlight._functorch.einops import rearrange

__all__ = ["rearrange"]

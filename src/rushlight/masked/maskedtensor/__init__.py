"""Tensors with a mask: which of their elements count."""

from rushlight.masked.maskedtensor.core import MaskedTensor, is_masked_tensor

__all__ = ["MaskedTensor", "is_masked_tensor"]

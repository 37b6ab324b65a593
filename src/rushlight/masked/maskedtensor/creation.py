"""Masked tensors from elements and a mask."""

from __future__ import annotations

from typing import Any

from rushlight.masked.maskedtensor.core import MaskedTensor

__all__ = ["as_masked_tensor", "masked_tensor"]


def masked_tensor(data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
    """A masked tensor without a history.

    Args:
        data: the elements
        mask: where they count
        requires_grad: whether it wants a gradient
    """
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data: Any, mask: Any) -> MaskedTensor:
    """A masked tensor that knows the history of its elements.

    Args:
        data: the elements
        mask: where they count
    """
    return MaskedTensor._from_values(data, mask)  # type: ignore[no-any-return]

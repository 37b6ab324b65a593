"""A mode that libraries put around functions which index tensors by tensors."""

from __future__ import annotations

from rushlight.overrides import BaseTorchFunctionMode

__all__ = ["TransformGetItemToIndex"]


class TransformGetItemToIndex(BaseTorchFunctionMode):
    """Lets tensors without dimensions be indices. They always can be here, so it changes nothing."""

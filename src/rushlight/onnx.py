"""ONNX, which is not there."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["export", "is_in_onnx_export"]


def is_in_onnx_export() -> bool:
    """Whether an export is running."""
    return False


def export(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises: models cannot be exported."""
    raise NotImplementedError("torch.onnx.export: rushlight cannot export models to ONNX")

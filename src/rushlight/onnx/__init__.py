"""ONNX, which is not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

__all__ = ["export", "is_in_onnx_export", "register_custom_op_symbolic"]

# What packages say of their operators when they are imported, for exports to come.
_symbolic: dict[tuple[str, int], Callable[..., Any]] = {}


def register_custom_op_symbolic(
    symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int
) -> None:
    """Say how an operator is written in ONNX from a version of its operators on.

    Args:
        symbolic_name: the operator, as ``namespace::name``
        symbolic_fn: what writes it
        opset_version: the version
    """
    namespace, separator, name = symbolic_name.partition("::")
    if not (namespace and separator and name):
        raise ValueError(f"Failed to register operator {symbolic_name}: expected namespace::name")
    _symbolic[symbolic_name, opset_version] = symbolic_fn


def is_in_onnx_export() -> bool:
    """Whether an export is running."""
    return False


def export(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises: models cannot be exported."""
    raise NotImplementedError("torch.onnx.export: rushlight cannot export models to ONNX")

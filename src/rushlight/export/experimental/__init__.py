"""What may change yet: programs with their backward passes, programs that are made when they are first called."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from rushlight.export.exported_program import ExportedProgram

__all__: list[str] = []


def _export_forward_backward(ep: ExportedProgram, joint_loss_index: int = 0) -> ExportedProgram:
    """A program that also gives the gradients of its parameters.

    Args:
        ep: the program
        joint_loss_index: which of its results is the loss
    """
    from rushlight._decomp import core_aten_decompositions
    from rushlight.export._decomposing import decomposed

    return decomposed(ep, core_aten_decompositions(), joint_loss_index)


def _sticky_export(
    forward_func: Callable[..., Any], dynamic_shapes_callback: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """A module's `forward` that exports the module when it is called; `_exported_artifact` is what was made.

    Args:
        forward_func: the method
        dynamic_shapes_callback: gives the sizes that vary from the arguments
    """
    from rushlight.export import export

    model: Any = forward_func.__self__  # type: ignore[attr-defined]
    original = forward_func.__func__  # type: ignore[attr-defined]

    @functools.wraps(forward_func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        shapes = dynamic_shapes_callback(*args, **kwargs) if dynamic_shapes_callback else None
        model.forward = types.MethodType(original, model)
        try:
            made = export(model, args, kwargs, dynamic_shapes=shapes).module()
        finally:
            model.forward = wrapper
        wrapper._exported_artifact = made  # type: ignore[attr-defined]
        return made(*args, **kwargs)

    return wrapper

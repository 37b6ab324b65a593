"""Blocks that switch the recording of gradients: in a graph they are nodes."""

from __future__ import annotations

from typing import Any

from rushlight.autograd import grad_mode

GRAD_MODES = (grad_mode.no_grad, grad_mode.enable_grad, grad_mode.set_grad_enabled)


def leave_grad_mode(manager: Any, *error: Any) -> Any:
    """``manager.__exit__``, which in a graph is a node."""
    return manager.__exit__(*error)

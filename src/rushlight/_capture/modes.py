"""Blocks that switch what operators do: in a graph they are nodes."""

from __future__ import annotations

from typing import Any

from rushlight.amp.autocast_mode import autocast
from rushlight.autograd import grad_mode
from rushlight.overrides import DisableTorchFunctionSubclass

GRAD_MODES = (grad_mode.no_grad, grad_mode.enable_grad, grad_mode.set_grad_enabled)
# Blocks whose objects are made again from their fields.
MODES = (*GRAD_MODES, autocast, DisableTorchFunctionSubclass)


def leave(manager: Any, *error: Any) -> Any:
    """``manager.__exit__``, which in a graph is a node."""
    return manager.__exit__(*error)


def fields(manager: Any) -> tuple[str, ...]:
    """The attributes that say what a block does."""
    if isinstance(manager, autocast):
        return "device", "fast_dtype", "_enabled", "_cache_enabled"
    return ("mode",) if isinstance(manager, grad_mode.set_grad_enabled) else ()


def arguments(manager: autocast) -> tuple[Any, ...]:
    """The arguments of the node that enters a region of mixed precision."""
    return manager.device, manager.fast_dtype, manager._enabled, manager._cache_enabled

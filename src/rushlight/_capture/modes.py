"""Blocks that switch what operators do: in a graph they are nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.amp.autocast_mode import _enter_autocast, _exit_autocast, autocast
from rushlight.autograd import grad_mode
from rushlight.nn import attention
from rushlight.overrides import DisableTorchFunctionSubclass

GRAD_MODES = (grad_mode.no_grad, grad_mode.enable_grad, grad_mode.set_grad_enabled)


class Switch(NamedTuple):
    """What begins a block in a graph, and what ends it.

    Args:
        begin: is given what the block does, and gives what `end` takes
        end: ends the block
        fields: the attributes of a block that say what it does, in the order of the arguments of `begin`
    """

    begin: Callable[..., Any]
    end: Callable[[Any], None]
    fields: tuple[str, ...]


SWITCHES: dict[type, Switch] = {
    autocast: Switch(
        _enter_autocast, _exit_autocast, ("device", "fast_dtype", "_enabled", "_cache_enabled")
    ),
    grad_mode.inference_mode: Switch(
        grad_mode._enter_inference_mode, grad_mode._exit_inference_mode, ("mode",)
    ),
    attention.sdpa_kernel: Switch(attention._enter_kernels, attention._exit_kernels, ("numbers",)),
}
# Blocks whose objects are made again from their fields.
MODES = (*GRAD_MODES, *SWITCHES, DisableTorchFunctionSubclass)


def leave(manager: Any, *error: Any) -> Any:
    """``manager.__exit__``, which in a graph is a node."""
    return manager.__exit__(*error)


def switch_of(manager: Any) -> Switch | None:
    """What begins and ends a block in a graph, where that is not about recording alone."""
    return next((found for kind, found in SWITCHES.items() if isinstance(manager, kind)), None)


def fields(manager: Any) -> tuple[str, ...]:
    """The attributes that say what a block does."""
    switch = switch_of(manager)
    if switch is not None:
        return switch.fields
    return ("mode",) if isinstance(manager, grad_mode.set_grad_enabled) else ()

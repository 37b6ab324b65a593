"""Modes that see every operator call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.engine.dispatch.modes import TorchDispatchMode

__all__ = [
    "BaseTorchDispatchMode",
    "TorchDispatchMode",
    "_disable_current_modes",
    "_get_current_dispatch_mode",
    "_get_current_dispatch_mode_stack",
    "is_traceable_wrapper_subclass",
]


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that makes every call."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _get_current_dispatch_mode_stack() -> list[TorchDispatchMode]:
    return list(state.thread.modes)


def _get_current_dispatch_mode() -> TorchDispatchMode | None:
    found: TorchDispatchMode | None = state.thread.modes[-1] if state.thread.modes else None
    return found


@contextmanager
def _disable_current_modes() -> Iterator[list[TorchDispatchMode]]:
    """Within the block no mode sees calls."""
    taken = [modes.pop() for _ in list(state.thread.modes)]
    try:
        yield taken[::-1]
    finally:
        for mode in reversed(taken):
            modes.push(mode)


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether a value is of a class of tensors that can be taken apart and put together."""
    is_subclass = isinstance(t, Tensor) and type(t) is not Tensor
    return is_subclass and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")

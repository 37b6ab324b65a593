"""Graphs within graphs that run with gradients, or autocast, switched otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight._higher_order_ops.operator import HigherOrderOperator

__all__ = ["wrap_with_autocast", "wrap_with_set_grad_enabled"]


class _Wrap(HigherOrderOperator):
    """An operator that calls a function within a block; it is traced through."""

    # So many arguments say what the block is.
    leading = 1

    def dispatch(self, /, *args: Any, **kwargs: Any) -> Any:
        with self.block(*args[: self.leading]):
            return args[self.leading](*args[self.leading + 1 :], **kwargs)

    def block(self, *args: Any) -> Any:
        """The block."""
        raise NotImplementedError(self._name)

    def functions(self, args: Sequence[Any]) -> list[Callable[..., Any]]:
        return [args[self.leading]]


class WrapWithSetGradEnabled(_Wrap):
    """`wrap_with_set_grad_enabled(enabled, function, *args)`."""

    def block(self, *args: Any) -> Any:
        return rushlight.set_grad_enabled(args[0])


class WrapWithAutocast(_Wrap):
    """`wrap_with_autocast(device_type, dtype, enabled, cache_enabled, function, *args)`."""

    leading = 4

    def block(self, *args: Any) -> Any:
        device, dtype, enabled, cache = args
        return rushlight.autocast(device, dtype=dtype, enabled=enabled, cache_enabled=cache)


wrap_with_set_grad_enabled = WrapWithSetGradEnabled("wrap_with_set_grad_enabled")
wrap_with_autocast = WrapWithAutocast("wrap_with_autocast")

"""Operators that call their function, some within a block: regions of a program that graphs keep together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight.utils import _pytree as pytree

__all__ = [
    "InlineOperator",
    "TagActivationCheckpoint",
    "Wrap",
    "tag_activation_checkpoint",
    "wrap",
    "wrap_with_autocast",
    "wrap_with_set_grad_enabled",
]


class InlineOperator(HigherOrderOperator):
    """An operator that calls its first argument with the others."""

    # Keywords that are the operator's, not its function's.
    options: tuple[str, ...] = ()

    def dispatch(self, /, *args: Any, **kwargs: Any) -> Any:
        from rushlight import overrides

        leaves = pytree.tree_leaves((args[1:], kwargs))
        if overrides.has_torch_function(leaves):
            return overrides.handle_torch_function(self, leaves, *args, **kwargs)
        named = {name: kwargs.pop(name) for name in self.options if name in kwargs}
        return self.call(args[0], args[1:], kwargs, named)

    def call(self, function: Callable[..., Any], args: Any, kwargs: Any, options: Any) -> Any:
        """Call the function."""
        return function(*args, **kwargs)


class Wrap(InlineOperator):
    """`wrap(function, *args)`: what the function gives."""

    def __init__(self) -> None:
        super().__init__("wrap")


class TagActivationCheckpoint(InlineOperator):
    """A function whose intermediate results are computed again in the backward pass."""

    options = ("use_reentrant", "preserve_rng_state", "determinism_check", "context_fn", "debug")

    def __init__(self) -> None:
        super().__init__("tag_activation_checkpoint")

    def call(self, function: Callable[..., Any], args: Any, kwargs: Any, options: Any) -> Any:
        # Reentrant checkpoints only go with whole backward passes; what they compute is the same.
        named = {**kwargs, **options, "use_reentrant": False}
        return rushlight.utils.checkpoint.checkpoint(function, *args, **named)


wrap = Wrap()
tag_activation_checkpoint = TagActivationCheckpoint()


class _WrapInBlock(HigherOrderOperator):
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


class WrapWithSetGradEnabled(_WrapInBlock):
    """`wrap_with_set_grad_enabled(enabled, function, *args)`."""

    def block(self, *args: Any) -> Any:
        return rushlight.set_grad_enabled(args[0])


class WrapWithAutocast(_WrapInBlock):
    """`wrap_with_autocast(device_type, dtype, enabled, cache_enabled, function, *args)`."""

    leading = 4

    def block(self, *args: Any) -> Any:
        device, dtype, enabled, cache = args
        return rushlight.autocast(device, dtype=dtype, enabled=enabled, cache_enabled=cache)


wrap = Wrap()
tag_activation_checkpoint = TagActivationCheckpoint()
wrap_with_set_grad_enabled = WrapWithSetGradEnabled("wrap_with_set_grad_enabled")
wrap_with_autocast = WrapWithAutocast("wrap_with_autocast")

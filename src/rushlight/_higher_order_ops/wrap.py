"""Operators that call their function and do nothing else: regions of a program that graphs keep together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight
from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight.utils import _pytree as pytree

__all__ = ["InlineOperator", "TagActivationCheckpoint", "Wrap", "tag_activation_checkpoint", "wrap"]


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

"""A function that is called as long as another one says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight._higher_order_ops.cond import check_not_traced
from rushlight.engine.core.tensor import Tensor

__all__ = ["while_loop"]


def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: tuple[Any, ...]
) -> tuple[Any, ...]:
    """What becomes of values that a function changes as long as a condition holds.

    Args:
        cond_fn: whether to go on, of the values: a truth value, or a tensor with one element
        body_fn: the next values, of the values
        carried_inputs: the first values
    """
    check_not_traced("while_loop")
    values = tuple(carried_inputs)
    while True:
        goes_on = cond_fn(*values)
        if not isinstance(goes_on, (bool, Tensor)) or getattr(goes_on, "_numel_", 1) != 1:
            raise RuntimeError(
                f"cond_fn must return a boolean scalar tensor or a boolean but got {goes_on}"
            )
        if not goes_on:
            return values
        found = body_fn(*values)
        if not isinstance(found, tuple) or len(found) != len(values):
            raise RuntimeError(
                f"body_fn should return a tuple of the same length as its inputs, but got {found}"
            )
        values = found

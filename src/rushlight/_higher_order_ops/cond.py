"""One of two functions, as a value decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.core.symbolic import SymBool
from rushlight.engine.core.tensor import Tensor
from rushlight.utils import _pytree as pytree

__all__ = ["UnsupportedAliasMutationException", "cond"]


class UnsupportedAliasMutationException(RuntimeError):
    """A function that an operator takes changes its arguments, or gives them back."""

    reason: str


def check_not_traced(name: str) -> None:
    """Raise where a graph of operators is made: functions would have to be graphs of their own."""
    from rushlight.fx.experimental.proxy_tensor import get_proxy_mode

    if get_proxy_mode() is not None:
        raise NotImplementedError(
            f"{name} within make_fx is not supported: the functions would have to be traced apart"
        )


def cond(
    pred: bool | int | float | Tensor | SymBool,
    true_fn: Callable[..., Any],
    false_fn: Callable[..., Any],
    operands: tuple[Any, ...] | list[Any] = (),
) -> Any:
    """What one of two functions makes of the operands.

    Args:
        pred: which one: a truth value, or a tensor with one element
        true_fn: the function for true
        false_fn: the function for false
        operands: their arguments
    """
    if not isinstance(pred, (bool, int, float, Tensor, SymBool)):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if isinstance(pred, Tensor) and pred._numel_ != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    plain = (Tensor, int)
    if not isinstance(operands, (tuple, list)) or pytree.tree_any(
        lambda x: not isinstance(x, plain), operands
    ):
        raise RuntimeError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of "
            f"tensor leaves, but got {operands}."
        )
    check_not_traced("cond")
    return true_fn(*operands) if pred else false_fn(*operands)

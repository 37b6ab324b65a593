"""A function of each element along the first dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight
from rushlight._higher_order_ops.cond import check_not_traced
from rushlight.engine.core.tensor import Tensor
from rushlight.utils import _pytree as pytree

__all__ = ["map"]


def _unstack_pytree(xs: Any) -> list[Any]:
    """A tree of tensors as a list of trees of their elements along the first dimension."""
    flat, spec = pytree.tree_flatten(xs)
    if not all(isinstance(x, Tensor) for x in flat):
        raise RuntimeError(f"Leaves of xs must be Tensor {flat}")
    sizes = [x.shape[0] if x.dim() else None for x in flat]
    if any(size != sizes[0] for size in sizes):
        raise RuntimeError(
            f"Leaves of xs must have same leading dimension size {[x.shape for x in flat]}"
        )
    return [pytree.tree_unflatten(list(parts), spec) for parts in zip(*flat)]


def _stack_pytree(pytrees: list[Any]) -> Any:
    """A list of trees of tensors as a tree of stacked ones."""
    rows, specs = zip(*map_flatten(pytrees))
    stacked = []
    for parts in zip(*rows):
        if all(isinstance(x, Tensor) for x in parts):
            stacked.append(rushlight.stack(parts))
        elif all(x is None for x in parts):
            stacked.append(None)
        else:
            raise RuntimeError(f"Cannot stack {parts}.")
    return pytree.tree_unflatten(stacked, specs[0])


def map_flatten(trees: list[Any]) -> list[tuple[list[Any], Any]]:
    """Each tree taken apart."""
    return [pytree.tree_flatten(tree) for tree in trees]


def map(f: Callable[..., Any], xs: Any, *args: Any) -> Any:
    """The stacked results of a function for each element along the first dimension.

    Args:
        f: the function; it gets an element and the other arguments
        xs: a tree of tensors
        args: what all calls get
    """
    leaves = pytree.tree_leaves(xs)
    if not all(isinstance(x, Tensor) for x in leaves):
        raise RuntimeError(f"Mapped xs can only consist of tensors. Got xs {leaves}.")
    sizes = [x.shape[0] if x.dim() else 0 for x in leaves]
    if not leaves or sizes[0] == 0:
        raise RuntimeError("Leading dimensions of mapped xs cannot be 0.")
    if any(size != sizes[0] for size in sizes):
        raise RuntimeError(
            f"Leading dimensions of mapped xs must be consistent. Got shapes {[x.shape for x in leaves]}."
        )
    check_not_traced("map")
    return _stack_pytree([f(x, *args) for x in _unstack_pytree(xs)])

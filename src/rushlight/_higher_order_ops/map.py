"""A function of each element along the first dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight._higher_order_ops.cond import Flat
from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight._higher_order_ops.tracing import vjp_of
from rushlight.engine.core.tensor import Tensor
from rushlight.utils import _pytree as pytree

__all__ = ["map", "map_impl"]


class MapImpl(HigherOrderOperator):
    """`map_impl(f, xs, pos_args)`, whose function gives a tuple."""

    graph_names = ("body_graph",)
    body_names = ("map_body",)
    argument_names = ("f", "xs*", "additional_input*")
    graph_titles = ("torch.map",)

    def __init__(self) -> None:
        super().__init__("map_impl")

    def functions(self, args: Sequence[Any]) -> list[Callable[..., Any]]:
        return [args[0]]

    def inputs_of(self, index: int, args: Sequence[Any]) -> list[Any]:
        return [*(_slice(x) for x in args[1]), *args[2]]

    def rebuilt(
        self, functions: Sequence[Any], args: Sequence[Any], captured: Sequence[Any] = ()
    ) -> tuple[Any, ...]:
        return functions[0], list(args[1]), [*args[2], *captured]

    def eager(self, f: Any, xs: Any, pos_args: Any) -> Any:
        return _stack_pytree([f(*row, *pos_args) for row in _unstack_pytree(list(xs))])

    def fake(self, f: Any, xs: Any, pos_args: Any) -> Any:
        count = xs[0].shape[0]
        made = f(*(_slice(x) for x in xs), *pos_args)
        return tuple(_repeated(x, count) for x in made)

    def gradient(self, args: Sequence[Any], grads: Sequence[Any]) -> Sequence[Any]:
        f, xs, rest = args
        step = vjp_of(f, len(xs) + len(rest))
        count = len(xs)

        def backward(*values: Any) -> tuple[Any, ...]:
            rows, outs = values[:count], values[count : count + len(grads)]
            return step(*rows, *values[count + len(grads) :], *outs)

        fixed = [x.detach() if isinstance(x, Tensor) else x for x in rest]  # type: ignore[attr-defined]
        found = self(backward, [*(x.detach() for x in xs), *grads], fixed)
        # What all elements share gets the sum.
        return [*found[:count], *(x.sum(0) for x in found[count:])]


def _slice(x: Any) -> Any:
    """The first element along the first dimension, as a tensor of its own."""
    return x[0].clone()


def _repeated(x: Any, count: Any) -> Any:
    """What is like so many of a result, stacked."""
    return x if x is None else x.new_empty((count, *x.shape))


map_impl = MapImpl()


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
    leaves, spec = pytree.tree_flatten(xs)
    if not all(isinstance(x, Tensor) for x in leaves):
        raise RuntimeError(f"Mapped xs can only consist of tensors. Got xs {leaves}.")
    sizes = [x.shape[0] if x.dim() else 0 for x in leaves]
    if not leaves or sizes[0] == 0:
        raise RuntimeError("Leading dimensions of mapped xs cannot be 0.")
    if any(size != sizes[0] for size in sizes):
        raise RuntimeError(
            f"Leading dimensions of mapped xs must be consistent. Got shapes {[x.shape for x in leaves]}."
        )
    count = len(leaves)
    rest, rest_spec = pytree.tree_flatten(args)

    def apart(*values: Any) -> Any:
        row = pytree.tree_unflatten(list(values[:count]), spec)
        return f(row, *pytree.tree_unflatten(list(values[count:]), rest_spec))

    flat = Flat(apart, pytree.tree_flatten((0,) * (count + len(rest)))[1])
    found = map_impl(flat, leaves, rest)
    return pytree.tree_unflatten(list(found), flat.out_spec)

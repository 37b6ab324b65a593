"""One of two functions, as a value decides."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight._higher_order_ops.tracing import (
    SYMBOLIC,
    UnsupportedAliasMutationException,
    vjp_of,
)
from rushlight.compiler import is_compiling
from rushlight.engine.core.symbolic import SymBool
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers
from rushlight.utils import _pytree as pytree

__all__ = ["UnsupportedAliasMutationException", "cond", "cond_op"]


class CondOp(HigherOrderOperator):
    """`cond(pred, true_fn, false_fn, operands)`, whose functions give tuples."""

    graph_names = ("true_graph", "false_graph")
    body_names = ("cond_true", "cond_false")
    argument_names = ("pred", "true_fn", "false_fn", "operand*")
    graph_titles = ("torch.cond's cond_true", "torch.cond's cond_false")

    def __init__(self) -> None:
        super().__init__("cond")

    def functions(self, args: Sequence[Any]) -> list[Callable[..., Any]]:
        return [args[1], args[2]]

    def inputs_of(self, index: int, args: Sequence[Any]) -> list[Any]:
        return list(args[3])

    def rebuilt(
        self, functions: Sequence[Any], args: Sequence[Any], captured: Sequence[Any] = ()
    ) -> tuple[Any, ...]:
        return args[0], *functions, (*args[3], *captured)

    def eager(self, pred: Any, true_fn: Any, false_fn: Any, operands: Any) -> Any:
        if isinstance(pred, Tensor) and layers.top() is not None and _is_batched(pred):
            return _both(pred, true_fn(*operands), false_fn(*operands))
        return true_fn(*operands) if pred else false_fn(*operands)

    def fake(self, pred: Any, true_fn: Any, false_fn: Any, operands: Any) -> Any:
        if isinstance(pred, bool):
            return true_fn(*operands) if pred else false_fn(*operands)
        one, other = true_fn(*operands), false_fn(*operands)
        return pytree.tree_map(_merge, one, other)

    def gradient(self, args: Sequence[Any], grads: Sequence[Any]) -> Sequence[Any]:
        pred, true_fn, false_fn, operands = args
        count = len(operands)
        found = self(
            pred, vjp_of(true_fn, count), vjp_of(false_fn, count),
            (*(_detached(x) for x in operands), *grads),
        )  # fmt: skip
        # The condition is the first tensor, if it is one.
        return [None, *found] if isinstance(pred, Tensor) else found


def _detached(value: Any) -> Any:
    return value.detach() if isinstance(value, Tensor) else value  # type: ignore[attr-defined]


def _is_batched(pred: Tensor) -> bool:
    from rushlight.engine.core import wrapped

    return wrapped.goes_through_batch(pred)


def _both(pred: Tensor, one: Any, other: Any) -> Any:
    """For each element of a batch, what the function gives that it asks for."""
    import rushlight

    def chosen(x: Any, y: Any) -> Any:
        return rushlight.where(pred, x, y) if isinstance(x, Tensor) else x

    return pytree.tree_map(chosen, one, other)


def _merge(one: Any, other: Any) -> Any:
    """What is like the results of both functions."""
    if not isinstance(one, Tensor) or not isinstance(other, Tensor):
        if type(one) is not type(other) or (not isinstance(one, SYMBOLIC) and one != other):
            raise RuntimeError(
                f"When merging two branches' output in torch.cond, both must be tensors or the same number, "
                f"got {one} and {other}"
            )
        return one
    if one.dtype is not other.dtype or one.dim() != other.dim():  # type: ignore[attr-defined]
        raise RuntimeError(
            f"When merging two branches' output in torch.cond, they have different types or numbers of "
            f"dimensions: {_text(one)} and {_text(other)}"
        )
    if one.shape != other.shape:
        raise RuntimeError(
            f"When merging two branches' output in torch.cond, they have different sizes: {_text(one)} and "
            f"{_text(other)}"
        )
    return one


def _text(tensor: Any) -> str:
    return f"size {tuple(tensor.shape)}, {tensor.dtype}"


cond_op = CondOp()


def check_operands(name: str, operands: Any) -> None:
    """Raise for operands that are no nests of tensors and integers."""
    if not isinstance(operands, (tuple, list)) or pytree.tree_any(
        lambda x: not isinstance(x, (Tensor, int, *SYMBOLIC)), operands
    ):
        raise RuntimeError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of "
            f"tensor leaves, but got {operands}."
        )


class Flat:
    """A function of nests as one of flat arguments that gives a tuple.

    Args:
        function: takes and gives nests
        spec: how its arguments are nested
    """

    def __init__(self, function: Callable[..., Any], spec: Any) -> None:
        self.function, self.spec = function, spec
        # How its results are nested, once it has run.
        self.out_spec: Any = None

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        found = self.function(*pytree.tree_unflatten(list(values), self.spec))
        flat, self.out_spec = pytree.tree_flatten(found)
        return tuple(flat)


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
    check_operands("cond", operands)
    if not isinstance(pred, (Tensor, SymBool)) and is_compiling():
        warnings.warn(
            "Pred is a Python constant. When used with torch.cond, it specializes on one of the branches. If "
            "you want torch.cond to preserve two branches, please make the predicate a boolean tensor or a "
            "SymBool.",
            UserWarning,
            stacklevel=2,
        )
        return (true_fn if pred else false_fn)(*operands)
    flat, spec = pytree.tree_flatten(tuple(operands))
    branches = Flat(true_fn, spec), Flat(false_fn, spec)
    found = cond_op(pred, *branches, tuple(flat))
    specs = [branch.out_spec for branch in branches if branch.out_spec is not None]
    if len(specs) == 2 and specs[0] != specs[1]:
        raise RuntimeError(
            f"Unmatched output spec from torch.cond branches: true branch tree_spec {specs[0]} vs false branch "
            f"tree_spec {specs[1]}."
        )
    return pytree.tree_unflatten(list(found), specs[0])

"""A function that is called as long as another one says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight._higher_order_ops.cond import Flat
from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight.engine.core.tensor import Tensor
from rushlight.utils import _pytree as pytree

__all__ = ["while_loop", "while_loop_op"]


class WhileLoopOp(HigherOrderOperator):
    """`while_loop(cond_fn, body_fn, carried_inputs, additional_inputs)`."""

    graph_names = ("while_loop_cond_graph", "while_loop_body_graph")
    argument_names = ("cond_fn", "body_fn", "carried_input*", "additional_input*")
    graph_titles = ("torch.while_loop's cond_fn", "torch.while_loop's body_fn")

    def __init__(self) -> None:
        super().__init__("while_loop")

    def functions(self, args: Sequence[Any]) -> list[Callable[..., Any]]:
        return [args[0], args[1]]

    def inputs_of(self, index: int, args: Sequence[Any]) -> list[Any]:
        return [*args[2], *(args[3] if len(args) > 3 else ())]

    def rebuilt(
        self, functions: Sequence[Any], args: Sequence[Any], captured: Sequence[Any] = ()
    ) -> tuple[Any, ...]:
        return *functions, tuple(args[2]), (*(args[3] if len(args) > 3 else ()), *captured)

    def eager(self, cond_fn: Any, body_fn: Any, carried: Any, additional: Any = ()) -> Any:
        values = tuple(carried)
        while True:
            goes_on = cond_fn(*values, *additional)
            if not isinstance(goes_on, (bool, Tensor)) or getattr(goes_on, "_numel_", 1) != 1:
                raise RuntimeError(
                    f"cond_fn must return a boolean scalar tensor or a boolean but got {goes_on}"
                )
            if not goes_on:
                return values
            values = self._next(body_fn(*values, *additional), values)

    def fake(self, cond_fn: Any, body_fn: Any, carried: Any, additional: Any = ()) -> Any:
        cond_fn(*carried, *additional)
        found = self._next(body_fn(*carried, *additional), carried)
        for before, after in zip(carried, found):
            self._compare(before, after)
        # Nobody knows how often the loop runs; what it gives is new in any case.
        return tuple(
            rushlight.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)
            if isinstance(x, Tensor)
            else x
            for x in found
        )

    def _next(self, found: Any, values: Sequence[Any]) -> tuple[Any, ...]:
        if not isinstance(found, (tuple, list)) or len(found) != len(values):
            raise RuntimeError(
                f"body_fn should return a tuple of the same length as its inputs, but got {found}"
            )
        return tuple(found)

    def _compare(self, before: Any, after: Any) -> None:
        """Raise if a value becomes another kind of value in the loop."""
        if not isinstance(before, Tensor) or not isinstance(after, Tensor):
            return
        kinds = [(x.shape, x.dtype, x.device) for x in (before, after)]  # type: ignore[attr-defined]
        if kinds[0] != kinds[1]:
            raise RuntimeError(
                f"Expected carried_inputs and body_output to have same metadata but found {kinds[0]} and {kinds[1]}"
            )


while_loop_op = WhileLoopOp()


def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: tuple[Any, ...]
) -> Any:
    """What becomes of values that a function changes as long as a condition holds.

    Args:
        cond_fn: whether to go on, of the values: a truth value, or a tensor with one element
        body_fn: the next values, of the values
        carried_inputs: the first values: nests of tensors and numbers
    """
    values = tuple(carried_inputs) if isinstance(carried_inputs, list) else carried_inputs
    flat, spec = pytree.tree_flatten(values)

    def condition(*leaves: Any) -> Any:
        return cond_fn(*pytree.tree_unflatten(list(leaves), spec))

    body = Flat(body_fn, spec)
    found = while_loop_op(condition, body, tuple(flat), ())
    if body.out_spec is not None and body.out_spec != spec:
        raise RuntimeError(
            f"body_fn should return a tuple of the same length as its inputs, nested like them: {body.out_spec} is not {spec}"
        )
    return pytree.tree_unflatten(list(found), spec)

"""A function that is called as long as another one says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rushlight
from rushlight._higher_order_ops.cond import Flat
from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight._higher_order_ops.tracing import vjp_of
from rushlight.engine.core.symbolic import SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.utils import _pytree as pytree

__all__ = ["while_loop", "while_loop_op", "while_loop_stack_output_op"]


class WhileLoopOp(HigherOrderOperator):
    """`while_loop(cond_fn, body_fn, carried_inputs, additional_inputs)`."""

    graph_names = ("while_loop_cond_graph", "while_loop_body_graph")
    argument_names = ("cond_fn", "body_fn", "carried_input*", "additional_input*")
    graph_titles = ("torch.while_loop's cond_fn", "torch.while_loop's body_fn")

    def __init__(self, name: str = "while_loop") -> None:
        super().__init__(name)

    def functions(self, args: Sequence[Any]) -> list[Callable[..., Any]]:
        return [args[0], args[1]]

    def inputs_of(self, index: int, args: Sequence[Any]) -> list[Any]:
        return [*args[2], *(args[3] if len(args) > 3 else ())]

    def rebuilt(
        self, functions: Sequence[Any], args: Sequence[Any], captured: Sequence[Any] = ()
    ) -> tuple[Any, ...]:
        return *functions, tuple(args[2]), (*(args[3] if len(args) > 3 else ()), *captured)

    def traced_with(self, args: Sequence[Any], shape_env: Any) -> Sequence[Any]:
        # Nobody knows what a number is after some steps.
        if shape_env is None:
            return args
        carried = tuple(
            shape_env.create_unbacked_symint() if type(x) in (int, SymInt) else x for x in args[2]
        )
        return *args[:2], carried, *args[3:]

    def eager(self, cond_fn: Any, body_fn: Any, carried: Any, additional: Any = ()) -> Any:
        values = tuple(carried)
        for found in self._steps(cond_fn, body_fn, values, additional):
            values = found
        return values

    def _steps(
        self, cond_fn: Any, body_fn: Any, values: tuple[Any, ...], additional: Any
    ) -> Iterator[tuple[Any, ...]]:
        """The values after each call of the body."""
        while True:
            goes_on = cond_fn(*values, *additional)
            if not isinstance(goes_on, (bool, Tensor)) or getattr(goes_on, "_numel_", 1) != 1:
                raise RuntimeError(
                    f"cond_fn must return a boolean scalar tensor or a boolean but got {goes_on}"
                )
            if not goes_on:
                return
            values = self._next(body_fn(*values, *additional), values)
            yield values

    def fake(self, cond_fn: Any, body_fn: Any, carried: Any, additional: Any = ()) -> Any:
        # Nobody knows how often the loop runs; what it gives is new in any case.
        found = self._fake_step(cond_fn, body_fn, carried, additional)
        return tuple(map(_after_loop, carried, found))

    def _fake_step(self, cond_fn: Any, body_fn: Any, carried: Any, additional: Any) -> Any:
        """The values after one call of the body."""
        cond_fn(*carried, *additional)
        found = self._next(body_fn(*carried, *additional), carried)
        for before, after in zip(carried, found):
            self._compare(before, after)
            if type(before) is int and (type(after) is not int or after != before):
                raise NotImplementedError(
                    f"{self._name}: a number is carried that the loop changes, which is traced where sizes may be "
                    "symbols only: there is no ShapeEnv"
                )
        return found

    def gradient(self, args: Sequence[Any], grads: Sequence[Any]) -> Sequence[Any]:
        cond_fn, body_fn, carried = args[:3]
        rest = [x.detach() if isinstance(x, Tensor) else x for x in args[3]]
        if not all(isinstance(x, Tensor) for x in carried):
            raise NotImplementedError(
                "while_loop: gradients where numbers are carried are not supported in traces"
            )
        first = [x.detach() for x in carried]
        kept = len(first)

        def goes_on(count: Tensor, *values: Any) -> Any:
            return cond_fn(*values[:kept], *values[2 * kept :])

        def remember(count: Tensor, *values: Any) -> Any:
            # The values before each step are carried along, so they come out for each of them.
            found = body_fn(*values[:kept], *values[2 * kept :])
            return count + 1, *found, *(x.clone() for x in values[:kept])

        none = rushlight.zeros((), dtype=rushlight.int64, device=first[0].device)
        before = [x.clone() for x in first]
        found = while_loop_stack_output_op(goes_on, remember, (none, *first, *before), tuple(rest))
        count, rows = found[0].amax(0), found[1 + kept :]
        step = vjp_of(body_fn, kept + len(rest))
        sums = [rushlight.zeros_like(x) for x in rest if isinstance(x, Tensor)]
        shared = kept + len(sums)

        def has_more(done: Tensor, *values: Any) -> Any:
            return done < values[shared]

        def backward(done: Tensor, *values: Any) -> Any:
            given = values[shared + 1 :]
            place = (values[shared] - 1 - done).reshape(1)
            now = [x.index_select(0, place).squeeze(0) for x in given[:kept]]
            found = step(*now, *given[kept:], *values[:kept])
            added = [a + b for a, b in zip(values[kept:shared], found[kept:])]
            return done + 1, *found[:kept], *added

        last = [
            rushlight.zeros_like(x) if grad is None or grad.dtype is not x.dtype else grad.clone()
            for x, grad in zip(first, grads)
        ]
        of_first = self(has_more, backward, (none.clone(), *last, *sums), (count, *rows, *rest))
        return of_first[1:]

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


def _after_loop(before: Any, after: Any) -> Any:
    """What is like a value after a loop, from what is like it before a step and after it."""
    if isinstance(after, Tensor):
        return rushlight.empty_strided(
            after.shape,  # type: ignore[attr-defined]
            after.stride(),  # type: ignore[attr-defined]
            dtype=after.dtype,  # type: ignore[attr-defined]
            device=after.device,  # type: ignore[attr-defined]
        )
    return before.node.shape_env.create_unbacked_symint() if type(before) is SymInt else after


class WhileLoopStackOutputOp(WhileLoopOp):
    """`while_loop_stack_output`: the values after each step, stacked; the first ones if there is none."""

    def eager(self, cond_fn: Any, body_fn: Any, carried: Any, additional: Any = ()) -> Any:
        values = tuple(carried)
        steps = list(self._steps(cond_fn, body_fn, values, additional)) or [values]
        return tuple(rushlight.stack(parts) for parts in zip(*steps))

    def fake(self, cond_fn: Any, body_fn: Any, carried: Any, additional: Any = ()) -> Any:
        found = self._fake_step(cond_fn, body_fn, carried, additional)
        count = unknown_count(found)
        return tuple(x.new_empty((count, *x.shape)) for x in found)

    def gradient(self, args: Sequence[Any], grads: Sequence[Any]) -> Sequence[Any]:
        raise NotImplementedError(f"{self._name}: it has no gradient")


def unknown_count(fakes: Sequence[Any]) -> Any:
    """A size that only elements decide."""
    shape_env = fakes[0].fake_mode.shape_env
    if shape_env is None:
        raise RuntimeError(
            "gradients of while_loop are traced where sizes may be symbols: there is no ShapeEnv"
        )
    return shape_env.create_unbacked_symint()


while_loop_op = WhileLoopOp()
while_loop_stack_output_op = WhileLoopStackOutputOp("while_loop_stack_output")


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

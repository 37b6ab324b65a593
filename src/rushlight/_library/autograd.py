"""Gradients that programs register for operators of their own."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.autograd.function import Function
from rushlight.engine.autograd import meta as metas
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.call_cache.steps import without_history
from rushlight.engine.dispatch.operator import Operator

Call = Callable[..., Any]


def recorder(backward: Call | None, setup_context: Call | None) -> Callable[[Operator, Call], Call]:
    """What the Autograd key does for an operator: record a call of what is below.

    Args:
        backward: ``backward(ctx, *grads)`` gives a gradient per positional argument; None if there
            is none, which raises when it is needed
        setup_context: ``setup_context(ctx, inputs, output)``
    """

    def make(op: Operator, lower: Call) -> Call:
        function = function_class(op, lower, backward, setup_context)

        def record(*values: Any) -> Any:
            wants = any(metas.requires_grad(t) for t in tensors_in(values))
            if not (wants and state.thread.grad_enabled):
                return lower(*map(without_history, values))
            flat, shape = flattened(values)
            found = function.apply(shape, *flat)
            return list(found) if returns_list(op) else found

        return record

    return make


def returns_list(op: Operator) -> bool:
    returns = op.schema.returns
    return len(returns) == 1 and returns[0].type.kind == "list"


def function_class(
    op: Operator, lower: Call, backward: Call | None, setup_context: Call | None
) -> type[Function]:
    """The operator as a `Function`. Its first argument says which arguments are lists."""
    count = len(op.schema.positional)
    names = [argument.name for argument in op.schema.keyword_only]

    def forward(ctx: Any, shape: Sequence[int | None], *flat: Any) -> Any:
        values = restored(flat, shape)
        ctx.needs_input_grad = tuple(restored(ctx.needs_input_grad[1:], shape)[:count])
        ctx.shape = shape
        output = lower(*map(without_history, values))
        if setup_context is not None:
            given: dict[str, Any] = {"inputs": tuple(values[:count])}
            if names:
                given["keyword_only_inputs"] = dict(zip(names, values[count:]))
            setup_context(ctx=ctx, output=output, **given)
        return tuple(output) if returns_list(op) else output

    def gradients(ctx: Any, *grads: Any) -> Any:
        if backward is None:
            raise NotImplementedError(
                f"Trying to backward through {op} but no autograd formula was registered. Please "
                "use register_autograd to add one."
            )
        found = backward(ctx, list(grads)) if returns_list(op) else backward(ctx, *grads)
        found = found if isinstance(found, tuple) else (found,)
        if len(found) != count:
            raise RuntimeError(
                f"the backward function of {op} returned {len(found)} gradients, but the operator "
                f"has {count} positional arguments"
            )
        return (None, *spread([*found, *[None] * len(names)], ctx.shape))

    name = f"GeneratedBackwardFor_{op.namespace}_{op.packet_name}_{op.overload or 'default'}"
    members = {"forward": staticmethod(forward), "backward": staticmethod(gradients)}
    return types.new_class(name, (Function,), exec_body=lambda body: body.update(members))


def flattened(values: Sequence[Any]) -> tuple[list[Any], tuple[int | None, ...]]:
    """Arguments with lists of tensors opened, and how long each list was (None for no list)."""
    flat: list[Any] = []
    shape: list[int | None] = []
    for value in values:
        if type(value) in (list, tuple) and any(isinstance(v, Tensor) for v in value):
            flat += value
            shape.append(len(value))
        else:
            flat.append(value)
            shape.append(None)
    return flat, tuple(shape)


def restored(flat: Sequence[Any], shape: Sequence[int | None]) -> list[Any]:
    """What `flattened` was given."""
    items = iter(flat)
    return [next(items) if n is None else [next(items) for _ in range(n)] for n in shape]


def spread(found: Sequence[Any], shape: Sequence[int | None]) -> list[Any]:
    """Gradients of arguments as gradients of the flat arguments; a list may have one None."""
    flat: list[Any] = []
    for grad, length in zip(found, shape):
        if length is None:
            flat.append(grad)
        elif grad is None:
            flat += [None] * length
        elif len(grad) != length:
            raise RuntimeError(f"expected {length} gradients for a list, got {len(grad)}")
        else:
            flat += grad
    return flat

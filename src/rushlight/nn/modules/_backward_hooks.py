"""Hooks on the gradients of a module: steps put around its inputs and its outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.autograd.function import Function
from rushlight.engine.core.tensor import Tensor


class _Around(Function):
    """Gives its arguments back; its node sees their gradients."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*(a for a in args if not a.requires_grad))
        return args

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


def _through(values: Sequence[Any], register: Callable[[Any], None]) -> list[Any]:
    """The values, with a node around those that are tensors."""
    import rushlight

    places = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
    wants = any(values[i].requires_grad for i in places)
    if not places or not wants or not rushlight.is_grad_enabled():
        return list(values)
    made = _Around.apply(*(values[i] for i in places))
    node = next(t.grad_fn for t in made if t.grad_fn is not None)
    register(node)
    found = list(values)
    for place, tensor in zip(places, made):
        found[place] = tensor
    return found


class Watch:
    """Calls hooks of one module in the backward pass of one call."""

    def __init__(
        self, module: Any, before: list[Callable[..., Any]], after: list[Callable[..., Any]]
    ) -> None:
        self.module, self.before, self.after = module, before, after
        self.grad_outputs: Any = None
        self.has_inputs = False

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        def register(node: Any) -> None:
            self.has_inputs = True
            node.register_hook(self._after)

        return tuple(_through(args, register))

    def outputs(self, result: Any) -> Any:
        single = not isinstance(result, tuple)
        values = [result] if single else list(result)

        def register(node: Any) -> None:
            node.register_prehook(self._before)

        found = _through(values, register)
        return found[0] if single else tuple(found)

    def _before(self, grads: tuple[Any, ...]) -> Any:
        given = grads
        for hook in self.before:
            found = hook(self.module, given)
            if found is not None:
                given = found if isinstance(found, tuple) else (found,)
        self.grad_outputs = given
        if not self.has_inputs:
            for hook in self.after:
                if hook(self.module, (), given) is not None:
                    raise RuntimeError(
                        "Backward hooks for Modules where no input requires gradient should always "
                        "return None or None for all gradients."
                    )
        return given

    def _after(self, grads: tuple[Any, ...], _: tuple[Any, ...]) -> Any:
        given = grads
        for hook in self.after:
            found = hook(self.module, given, self.grad_outputs)
            if found is not None:
                given = found if isinstance(found, tuple) else (found,)
        self.grad_outputs = None
        return given

"""Hooks on the gradients of a module: steps put around its inputs and its outputs."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.autograd.function import Function
from rushlight.engine.core.tensor import Tensor


class BackwardHookFunction(Function):
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

    places = _tensor_places(values)
    wants = any(values[i].requires_grad for i in places)
    if not places or not wants or not rushlight.is_grad_enabled():
        return list(values)
    made = BackwardHookFunction.apply(*(values[i] for i in places))
    node = next(t.grad_fn for t in made if t.grad_fn is not None)
    register(node)
    found = list(values)
    for place, tensor in zip(places, made):
        found[place] = tensor
    return found


class Watch:
    """Calls hooks of one module in the backward pass of one call.

    Hooks get a gradient for every argument and every result, None for those that are no tensors.
    """

    def __init__(
        self, module: Any, before: list[Callable[..., Any]], after: list[Callable[..., Any]]
    ) -> None:
        self.module, self.before, self.after = module, before, after
        self.grad_outputs: Any = None
        self.has_inputs = False
        self.argument_places: list[int] = []
        self.arguments = 0
        self.result_places: list[int] = []
        self.results = 0

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        self.arguments, self.argument_places = len(args), _tensor_places(args)

        def register(node: Any) -> None:
            self.has_inputs = True
            node.register_hook(self._after)

        return tuple(_through(args, register))

    def outputs(self, result: Any) -> Any:
        single = not isinstance(result, tuple)
        values = [result] if single else list(result)
        self.results, self.result_places = len(values), _tensor_places(values)
        if not all(isinstance(value, Tensor) for value in values) and single:
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of "
                f"Tensors but received {type(result)}",
                stacklevel=4,
            )

        def register(node: Any) -> None:
            node.register_prehook(self._before)

        found = _through(values, register)
        return found[0] if single else tuple(found)

    def _before(self, grads: tuple[Any, ...]) -> Any:
        given = _spread(grads, self.result_places, self.results)
        for hook in self.before:
            given = _changed("grad_output", given, hook(self.module, given))
        self.grad_outputs = given
        if not self.has_inputs:
            if self.after:
                warnings.warn(
                    "Full backward hook is firing when gradients are computed with respect to "
                    "module outputs since no inputs require gradients.",
                    stacklevel=5,
                )
            nothing = (None,) * self.arguments
            for hook in self.after:
                found = hook(self.module, nothing, given)
                if found is not None and not (
                    isinstance(found, tuple) and all(grad is None for grad in found)
                ):
                    raise RuntimeError(
                        "Backward hooks for Modules where no input requires gradient should always "
                        "return None or None for all gradients."
                    )
            self.grad_outputs = None
        return tuple(given[place] for place in self.result_places)

    def _after(self, grads: tuple[Any, ...], _: tuple[Any, ...]) -> Any:
        if self.grad_outputs is None:
            # The gradient did not come through the results.
            return None
        given = _spread(grads, self.argument_places, self.arguments)
        for hook in self.after:
            given = _changed("grad_input", given, hook(self.module, given, self.grad_outputs))
        self.grad_outputs = None
        return tuple(given[place] for place in self.argument_places)


def watch_node(
    module: Any, hooks: list[Callable[..., Any]], args: tuple[Any, ...], result: Any
) -> None:
    """Call hooks with the gradients of the node that made a module's first output."""
    first = result
    while not isinstance(first, Tensor):
        first = (
            next(value for value in first.values() if isinstance(value, Tensor))
            if isinstance(first, dict)
            else first[0]
        )
    node = first.grad_fn  # type: ignore[attr-defined]
    if node is None:
        return
    for hook in hooks:
        node.register_hook(functools.partial(hook, module))
    missing = _what_node_misses(args, result, node)
    if missing is not None:
        warnings.warn(missing, FutureWarning, stacklevel=4)


_HINT = "Please use register_full_backward_hook to get the documented behavior."


def _what_node_misses(args: tuple[Any, ...], result: Any, node: Any) -> str | None:
    """Why the gradients of one node are not all that there are to a module."""
    later = "is deprecated and will be removed in future versions. This hook will be missing some"
    results = (result,) if isinstance(result, Tensor) else result
    if not _are_tensors(results):
        return (
            "Using non-full backward hooks on a Module that does not return a single Tensor or a "
            f"tuple of Tensors {later} of the grad_output. {_HINT}"
        )
    if not _are_tensors(args):
        return (
            "Using non-full backward hooks on a Module that does not take as input a single Tensor or "
            f"a tuple of Tensors {later} of the grad_input. {_HINT}"
        )
    makers = {item.grad_fn for item in results} - {None}
    if len(makers) > 1:
        return (
            "Using a non-full backward hook when outputs are generated by different autograd Nodes "
            f"{later} grad_output. {_HINT}"
        )
    before = {item.grad_fn for item in args} - {None}  # type: ignore[attr-defined]
    if before != {step for step, _ in node.next_functions}:
        return (
            "Using a non-full backward hook when the forward contains multiple autograd Nodes "
            f"{later} grad_input. {_HINT}"
        )
    return None


def _are_tensors(values: Any) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, Tensor) for value in values)


def _tensor_places(values: Sequence[Any]) -> list[int]:
    return [place for place, value in enumerate(values) if isinstance(value, Tensor)]


def _spread(grads: Sequence[Any], places: list[int], count: int) -> tuple[Any, ...]:
    """Gradients at the places of their tensors, None elsewhere."""
    spread = [None] * count
    for place, grad in zip(places, grads):
        spread[place] = grad
    return tuple(spread)


def _changed(what: str, given: tuple[Any, ...], found: Any) -> tuple[Any, ...]:
    """What a hook gave, or what it got if it gave nothing."""
    if found is None:
        return given
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != len(given):
        raise RuntimeError(
            f"Backward hook returned an invalid number of {what}, got {len(found)}, but expected "
            f"{len(given)}"
        )
    return found

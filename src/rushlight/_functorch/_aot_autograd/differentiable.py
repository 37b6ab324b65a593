"""A compiled forward graph and its backward graph as one step of a history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight._functorch._aot_autograd import direct_node
from rushlight._functorch._aot_autograd.direct_node import DirectNode
from rushlight._functorch._aot_autograd.runtime_wrappers import AS_THEY_ARE
from rushlight._functorch._aot_autograd.schemas import (
    VARIES,
    SubclassCreationMeta,
    ViewAndMutationMeta,
)
from rushlight._functorch._aot_autograd.subclass_utils import (
    is_taken_apart,
    parts_of,
    unwrap_tensor_subclasses,
    wrap_tensor_subclasses,
)
from rushlight._functorch._aot_autograd.utils import call_func_at_runtime_with_args
from rushlight.autograd.function import Function
from rushlight.engine.core.symbolic import has_symbols
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import graph_function

__all__ = ["Differentiable", "count_of_parts"]

DOUBLE_BACKWARD = "torch.compile with aot_autograd does not currently support double backward"
Compiled = Callable[[list[Any]], Any]
# What tensors are put together of.
Metas = Sequence[int | SubclassCreationMeta]


class Differentiable:
    """A function that is one step of a history.

    Args:
        compiled_fw: gives what becomes of arguments, results, bases, then what is kept: tensors, then numbers
        compiled_bw: gives gradients from the numbers and tensors that were kept, and gradients
        meta: what the program does
        out_metas: how what is returned is put together
        grad_metas: how gradients are
        num_symints_saved: how many numbers are kept
        copied: the places of kept tensors that are going to be changed
        detached: the places of arguments that have no gradient in any case
    """

    def __init__(
        self, compiled_fw: Compiled, compiled_bw: Compiled, meta: ViewAndMutationMeta, *,
        out_metas: Metas, grad_metas: Metas, num_symints_saved: int, copied: frozenset[int],
        detached: frozenset[int],
    ) -> None:  # fmt: skip
        self.compiled_fw, self.compiled_bw, self.meta = compiled_fw, compiled_bw, meta
        self.out_metas, self.grad_metas = out_metas, grad_metas
        self.count, self.numbers, self.copied = count_of_parts(out_metas), num_symints_saved, copied
        self.detached = detached
        self.without_history = _without_history(meta)
        self.with_history = [
            k for k in range(meta.num_forward_returns) if k not in self.without_history
        ]
        self.fresh = _places_of_views(meta)
        self.is_plain = all(
            isinstance(m, int) for m in (*out_metas, *grad_metas, *meta.subclass_inp_meta)
        )
        self._unwrap = list if self.is_plain else unwrap_tensor_subclasses
        self._wrap = _picked if self.is_plain else wrap_tensor_subclasses
        self._function, self._recorded_backward = _functions(self)
        # The same as a function of arguments, which the call cache knows; None where more is to be done.
        self.plain = self._direct_node()

    def __call__(self, args: list[Any]) -> Any:
        if self.plain is not None:
            return [*self.plain(*args)]
        for place in self.detached:
            args[place] = args[place].detach()
        return self._in_general(args)

    def _in_general(self, args: list[Any]) -> Any:
        given = tuple(args)
        args.clear()
        found = self._function.apply(*given)
        return [x.value if type(x) is _Hidden else x for x in found]

    def forward(self, ctx: Any, args: Sequence[Any]) -> tuple[Any, ...]:
        """Run the forward graph, and keep what the backward graph wants."""
        given = self._unwrap(args)
        own = {id(x) for x in given}
        found = call_func_at_runtime_with_args(self.compiled_fw, given)
        past = len(found) - self.numbers
        kept = [
            value.detach().clone()
            if place in self.copied
            else value
            if id(value) in own
            else _without_base(value)
            for place, value in enumerate(found[self.count : past])
        ]
        ctx.save_for_backward(*(x for x in kept if isinstance(x, Tensor)))
        ctx.others = [None if isinstance(x, Tensor) else x for x in kept]
        ctx.numbers = list(found[past:])
        outs = self._wrap(found[: self.count], self.out_metas)
        self._separate(outs)
        return tuple(_Hidden(x) if k in self.without_history else x for k, x in enumerate(outs))

    def _separate(self, outs: list[Any]) -> None:
        """Let results with a history be tensors of their own."""
        for place in self.fresh:
            if isinstance(outs[place], Tensor):
                outs[place] = _alone(outs[place])
        seen: set[int] = set()
        for place in self.with_history:
            if id(outs[place]) in seen:
                # What is computed only once was two results.
                outs[place] = outs[place].clone()
            seen.add(id(outs[place]))

    def backward(self, ctx: Any, grads: Sequence[Any]) -> Any:
        """Run the backward graph."""
        saved = iter(ctx.saved_tensors)
        kept = [next(saved) if x is None else x for x in ctx.others]
        tangents = [
            self.as_traced(grads[place], number) for number, place in enumerate(self.with_history)
        ]
        given = [*ctx.numbers, *kept, *self._unwrap(tangents)]
        return self.recorded(given) if rushlight.is_grad_enabled() else self.gradients(given)

    def gradients(self, given: list[Any]) -> tuple[Any, ...]:
        """The gradients of the arguments."""
        found = call_func_at_runtime_with_args(self.compiled_bw, given)
        return tuple(self._wrap(found, self.grad_metas))

    def recorded(self, given: list[Any]) -> Any:
        """The same as a step of a history."""
        tensors = (x for x in given if isinstance(x, Tensor))
        # Whatever was kept, who goes back through these gradients hears that they have no derivatives.
        connected = rushlight.empty(0, requires_grad=True)
        return self._recorded_backward.apply(given, *tensors, connected)

    def as_traced(self, grad: Any, number: int) -> Any:
        """A gradient as the backward graph was traced with it."""
        return _as_traced(grad, self.meta.traced_tangents[number])

    def _direct_node(self) -> Callable[..., tuple[Any, ...]] | None:
        """The short way for plain tensors where nothing is changed."""
        meta = self.meta
        changed = meta.mutated_inp_runtime_indices
        if not self.is_plain or changed or self.copied or meta.num_intermediate_bases:
            return None
        kind = direct_node.node_class(
            self._function._backward_cls,
            _boxed(self.compiled_bw),
            self.grad_metas,  # type: ignore[arg-type]
            self.recorded,
            self.with_history,
            self.as_traced,
            direct_node.layouts_of(meta.traced_tangents),
        )
        direct = DirectNode(
            kind, _boxed(self.compiled_fw), self.count, self.numbers, self.with_history, self.fresh, self.detached,
            self._in_general,
        )  # fmt: skip
        return graph_function("graph", direct)  # type: ignore[no-any-return]


def _boxed(compiled: Callable[..., Any]) -> Compiled:
    """What a compiler made, as a function of a list."""
    return compiled if getattr(compiled, "_boxed_call", False) else lambda args: compiled(*args)


def _functions(step: Differentiable) -> tuple[Any, Any]:
    """The step, and its backward pass, as functions with names that programs see in histories."""

    class CompiledFunction(Function):
        metadata = step.meta

        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            return step.forward(ctx, args)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return step.backward(ctx, grads)

    class CompiledFunctionBackward(Function):
        @staticmethod
        def forward(ctx: Any, given: list[Any], *tensors: Any) -> Any:
            return step.gradients(given)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            raise RuntimeError(DOUBLE_BACKWARD)

    return CompiledFunction, CompiledFunctionBackward


def _without_history(meta: ViewAndMutationMeta) -> frozenset[int]:
    """The places of what is returned that autograd does not look at."""
    changed = [
        info.mutates_data and info.requires_grad
        for info in (meta.input_info[index] for index in meta.mutated_inp_runtime_indices)
    ]
    results = [info.requires_grad and info.output_type in AS_THEY_ARE for info in meta.output_info]
    return frozenset(k for k, has_history in enumerate([*changed, *results]) if not has_history)


def _picked(values: Sequence[Any], places: Any) -> list[Any]:
    return [values[place] for place in places]


class _Hidden:
    """A value that autograd does not look at."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def count_of_parts(metas: Metas) -> int:
    """Of how many plain tensors tensors are put together."""
    return sum(1 if isinstance(meta, int) else meta.arg_count for meta in metas)


def _places_of_views(meta: ViewAndMutationMeta) -> list[int]:
    """The places of what is returned that may be a view of what only the graph knows, or of an argument."""
    first = meta.num_mutated_inp_runtime_indices
    return [
        *(
            place
            for place, index in enumerate(meta.mutated_inp_runtime_indices)
            if meta.input_info[index].requires_grad
        ),
        *(
            first + place
            for place, info in enumerate(meta.output_info)
            if info.requires_grad and info.output_type in AS_THEY_ARE and info.base_idx is None
        ),
        *range(first + meta.num_outputs, meta.num_forward_returns),
    ]


def _without_base(value: Any) -> Any:
    """A value that is asked for no history when what it is a view of is changed."""
    return value.detach() if isinstance(value, Tensor) and value._base is not None else value


def _alone(value: Any) -> Any:
    """A tensor over the same elements that counts as no view."""
    if value._base is None:
        return value
    with rushlight.no_grad():
        return value.data


def _as_traced(grad: Any, like: Any) -> Any:
    """A gradient with the strides that the graph was traced with."""
    if grad is not None and like is VARIES:
        return grad.contiguous()
    if grad is None or not isinstance(like, Tensor):
        return grad
    if is_taken_apart(like):
        return _as_traced_class(grad, like)
    if is_taken_apart(grad):
        raise RuntimeError(
            f"\nDuring the backward, we encountered a tensor subclass where we guessed its\nmetadata "
            f"incorrectly.\n\nExpected a plain tensor, got {type(grad)}"
        )
    stride = like.stride()  # type: ignore[attr-defined]
    if has_symbols((*stride, *like.size())):  # type: ignore[attr-defined]
        return grad.contiguous()
    if grad.stride() == stride or grad.size() != like.size():  # type: ignore[attr-defined]
        return grad
    made = rushlight.empty_strided(grad.size(), stride, dtype=grad.dtype, device=grad.device)
    return made.copy_(grad)


def _as_traced_class(grad: Any, like: Any) -> Any:
    """A gradient of the class that the graph was traced with."""
    kind = type(like)
    if type(grad) is not kind:
        change = getattr(grad, "__coerce_same_metadata_as_tangent__", None)
        made = None if change is None else change(like.__tensor_flatten__()[1], kind)
        if made is None:
            raise RuntimeError(
                f"\nDuring the backward, we encountered a tensor subclass where we guessed its\nmetadata "
                f"incorrectly.\n\nExpected metadata: {like.__tensor_flatten__()[1]}, expected type: {kind}\n\n"
                f"Runtime metadata: None, runtime type: {type(grad)}\n"
            )
        grad = made
    if len(parts_of(grad)) != len(parts_of(like)):
        raise RuntimeError(f"a gradient of {kind.__name__} has other parts than it was traced with")
    names, facts = grad.__tensor_flatten__()
    inner = {name: _as_traced(getattr(grad, name), getattr(like, name)) for name in names}
    return kind.__tensor_unflatten__(inner, facts, grad.size(), grad.stride())  # type: ignore[attr-defined]

"""The last pass: around a compiled graph, what a graph cannot do.

Changes of arguments are made, views of arguments and of values of the graph are made again, and the
backward graph is hung into the history.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight._functorch import config
from rushlight._functorch._aot_autograd import direct_node
from rushlight._functorch._aot_autograd.direct_node import DirectNode
from rushlight._functorch._aot_autograd.functional_utils import gen_alias_from_base
from rushlight._functorch._aot_autograd.schemas import (
    OutputType,
    SubclassCreationMeta,
    ViewAndMutationMeta,
)
from rushlight._functorch._aot_autograd.subclass_utils import (
    is_taken_apart,
    parts_of,
    unwrap_tensor_subclasses,
    wrap_tensor_subclasses,
)
from rushlight._functorch._aot_autograd.utils import (
    call_func_at_runtime_with_args,
    format_guard_bug_msg,
)
from rushlight.autograd.function import Function
from rushlight.engine.core.symbolic import has_symbols
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.transforms.functionalization import replayed

__all__ = ["create_runtime_wrapper", "make_differentiable"]

DOUBLE_BACKWARD = "torch.compile with aot_autograd does not currently support double backward"


def create_runtime_wrapper(
    compiled: Callable[[list[Any]], Any], meta: ViewAndMutationMeta, number: int
) -> Callable[[list[Any]], Any]:
    """A function that does to arguments what the program does, and gives its results.

    Args:
        compiled: gives what becomes of arguments, results, and values that results are views of
        meta: what the program does
        number: the program's
    """
    checks = config.debug_assert
    changed = meta.mutated_inp_runtime_indices
    first = len(changed)
    last = first + meta.num_outputs
    needs_views = any(info.output_type not in _AS_THEY_ARE for info in meta.output_info)
    # Only changes and views are done to arguments.
    needs_args = bool(changed) or any(info.output_type in _OF_INPUTS for info in meta.output_info)
    if not (checks or changed or needs_views):
        return compiled

    def run(args: list[Any]) -> Any:
        if checks:
            _check_gradients(args, meta, number)
        kept = list(args) if needs_args else args
        found = call_func_at_runtime_with_args(compiled, args)
        for index, value in zip(changed, found):
            change(kept[index], value, meta.input_info[index])
        outs = list(found[first:last])
        if not needs_views:
            return outs
        bases = found[last:]
        for place, info in enumerate(meta.output_info):
            outs[place] = _result(info, outs[place], kept, outs, bases)
        return outs

    return run


def _check_gradients(args: Sequence[Any], meta: ViewAndMutationMeta, number: int) -> None:
    """Raise if an argument wants a gradient that the program was compiled without."""
    for index, (arg, info) in enumerate(zip(args, meta.input_info)):
        if isinstance(arg, Tensor) and arg.requires_grad and not info.requires_grad:  # type: ignore[attr-defined]
            raise AssertionError(
                format_guard_bug_msg(number, f"input {index} would not require grad")
            )


_AS_THEY_ARE = (OutputType.non_alias, OutputType.unsafe_view_alias)
_OF_INPUTS = (OutputType.alias_of_input, OutputType.is_input)


def _result(info: Any, out: Any, args: Sequence[Any], outs: Sequence[Any], bases: Any) -> Any:
    """A result, made again if it is a view."""
    kind = info.output_type
    if kind in _AS_THEY_ARE:
        return out
    if kind is OutputType.is_input:
        return args[info.base_idx]
    if kind is OutputType.alias_of_input:
        base = args[info.base_idx]
    elif kind is OutputType.alias_of_intermediate_base_is_user_output:
        base = outs[info.base_idx]
    else:
        base = bases[info.base_idx]
    return gen_alias_from_base(base, out, info.requires_grad, info.steps)


def change(arg: Any, value: Any, info: Any) -> None:
    """Let an argument be what the program has made of it."""
    if info.mutates_metadata:
        # The history of a change of sizes is that of the view.
        like = value
        if info.steps is not None:
            # The value may lie elsewhere than the argument, and in another order.
            with rushlight.no_grad():
                like = replayed(arg.detach(), info.steps)
        arg.as_strided_(like.size(), like.stride(), like.storage_offset())
    if not info.mutates_data:
        return
    if info.mutations_under_no_grad_or_inference_mode:
        with rushlight.no_grad():
            arg.copy_(value)
    elif arg.is_leaf and arg.requires_grad:
        # What may be done to a leaf is seen by no history.
        arg.detach().copy_(value)
    else:
        arg.copy_(value)


def wrap_subclasses(
    compiled: Callable[[list[Any]], Any], out_metas: Sequence[int | SubclassCreationMeta]
) -> Callable[[list[Any]], Any]:
    """A function of tensors of classes from one of their parts."""

    def run(args: list[Any]) -> Any:
        given = unwrap_tensor_subclasses(args)
        args.clear()
        return wrap_tensor_subclasses(call_func_at_runtime_with_args(compiled, given), out_metas)

    run._boxed_call = True  # type: ignore[attr-defined]
    return run


def make_differentiable(
    compiled_fw: Callable[[list[Any]], Any],
    compiled_bw: Callable[[list[Any]], Any],
    meta: ViewAndMutationMeta,
    *,
    out_metas: Sequence[int | SubclassCreationMeta],
    grad_metas: Sequence[int | SubclassCreationMeta],
    num_symints_saved: int,
    copied: frozenset[int],
    detached: frozenset[int] = frozenset(),
) -> Callable[[list[Any]], Any]:
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
    flat_count = _count(out_metas)
    changed = meta.mutated_inp_runtime_indices
    without = [
        place
        for place, index in enumerate(changed)
        if not (meta.input_info[index].mutates_data and meta.input_info[index].requires_grad)
    ]
    without += [
        place + len(changed)
        for place, info in enumerate(meta.output_info)
        if not info.requires_grad or info.output_type not in _AS_THEY_ARE
    ]
    unseen = frozenset(without)
    fresh = _places_of_views(meta)
    wanted = [place for place in range(meta.num_forward_returns) if place not in unseen]
    is_plain = all(isinstance(m, int) for m in (*out_metas, *grad_metas, *meta.subclass_inp_meta))
    unwrap = list if is_plain else unwrap_tensor_subclasses
    wrap = _picked if is_plain else wrap_tensor_subclasses

    class CompiledFunction(Function):
        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            given = unwrap(args)
            own = {id(x) for x in given}
            found = call_func_at_runtime_with_args(compiled_fw, given)
            past = len(found) - num_symints_saved
            kept = [
                value.detach().clone()
                if place in copied
                else value
                if id(value) in own
                else _without_base(value)
                for place, value in enumerate(found[flat_count:past])
            ]
            ctx.save_for_backward(*(x for x in kept if isinstance(x, Tensor)))
            ctx.others = [None if isinstance(x, Tensor) else x for x in kept]
            ctx.numbers = list(found[past:])
            outs = wrap(found[:flat_count], out_metas)
            for place in fresh:
                if isinstance(outs[place], Tensor):
                    outs[place] = _alone(outs[place])
            seen: set[int] = set()
            for place in wanted:
                if id(outs[place]) in seen:
                    # What is computed only once was two results.
                    outs[place] = outs[place].clone()
                seen.add(id(outs[place]))
            return tuple(_Hidden(x) if k in unseen else x for k, x in enumerate(outs))

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            saved = iter(ctx.saved_tensors)
            kept = [next(saved) if x is None else x for x in ctx.others]
            tangents = [_as_traced(grads[k], like) for k, like in zip(wanted, meta.traced_tangents)]
            given = [*ctx.numbers, *kept, *unwrap(tangents)]
            return _recorded(given) if rushlight.is_grad_enabled() else _backward(given)

    def _recorded(given: list[Any]) -> Any:
        return CompiledFunctionBackward.apply(given, *(x for x in given if isinstance(x, Tensor)))

    def _backward(given: list[Any]) -> Any:
        found = call_func_at_runtime_with_args(compiled_bw, given)
        return tuple(wrap(found, grad_metas))

    class CompiledFunctionBackward(Function):
        @staticmethod
        def forward(ctx: Any, given: list[Any], *tensors: Any) -> Any:
            return _backward(given)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            raise RuntimeError(DOUBLE_BACKWARD)

    CompiledFunction.metadata = meta  # type: ignore[attr-defined]
    direct: DirectNode | None = None
    if is_plain and not changed and not copied and not meta.num_intermediate_bases:
        kind = direct_node.node_class(
            CompiledFunction._backward_cls,
            _backward,
            _recorded,
            wanted,
            lambda grad, number: _as_traced(grad, meta.traced_tangents[number]),
            direct_node.layouts_of(meta.traced_tangents),
        )
        forward = getattr(compiled_fw, "_boxed_call", False)
        call = compiled_fw if forward else lambda args: compiled_fw(*args)
        direct = DirectNode(kind, call, flat_count, num_symints_saved, wanted, fresh)

    def run(args: list[Any]) -> Any:
        for place in detached:
            args[place] = args[place].detach()
        if direct is not None and not direct_node.is_unusual():
            return direct(args)
        given = tuple(args)
        args.clear()
        found = CompiledFunction.apply(*given)
        return [x.value if type(x) is _Hidden else x for x in found]

    return run


def _picked(values: Sequence[Any], places: Any) -> list[Any]:
    return [values[place] for place in places]


class _Hidden:
    """A value that autograd does not look at."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def _count(metas: Sequence[int | SubclassCreationMeta]) -> int:
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
            if info.requires_grad and info.output_type in _AS_THEY_ARE and info.base_idx is None
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

"""The last pass: around a compiled graph, what a graph cannot do.

Changes of arguments are made, views of arguments and of values of the graph are made again. How the backward
graph is hung into the history is in `differentiable.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight._functorch import config
from rushlight._functorch._aot_autograd.functional_utils import gen_alias_from_base
from rushlight._functorch._aot_autograd.schemas import (
    OutputType,
    SubclassCreationMeta,
    ViewAndMutationMeta,
)
from rushlight._functorch._aot_autograd.subclass_utils import (
    unwrap_tensor_subclasses,
    wrap_tensor_subclasses,
)
from rushlight._functorch._aot_autograd.utils import (
    call_func_at_runtime_with_args,
    format_guard_bug_msg,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.transforms.functionalization import replayed

__all__ = ["AS_THEY_ARE", "create_runtime_wrapper", "wrap_subclasses"]

# Results that are given as the graph gives them.
AS_THEY_ARE = (OutputType.non_alias, OutputType.unsafe_view_alias)
_OF_INPUTS = (OutputType.alias_of_input, OutputType.is_input)


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
    needs_views = any(info.output_type not in AS_THEY_ARE for info in meta.output_info)
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


def _result(info: Any, out: Any, args: Sequence[Any], outs: Sequence[Any], bases: Any) -> Any:
    """A result, made again if it is a view."""
    kind = info.output_type
    if kind in AS_THEY_ARE:
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

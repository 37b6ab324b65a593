"""The first pass: a program is run once on fakes, and what it does besides computing is written down."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight._functorch import config
from rushlight._functorch._aot_autograd.functional_utils import (
    cells_of,
    from_fun,
    has_data_mutation,
    has_metadata_mutation,
    steps_between,
    steps_to,
    to_fun,
)
from rushlight._functorch._aot_autograd.schemas import (
    InputAliasInfo,
    MutationType,
    OutputAliasInfo,
    OutputType,
    ViewAndMutationMeta,
)
from rushlight._functorch._aot_autograd.subclass_utils import (
    create_subclass_meta,
    is_taken_apart,
    transform_subclass,
)
from rushlight._subclasses.functional_tensor import FunctionalTensorMode
from rushlight.engine.autograd import meta as metas
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.geometry import may_overlap_itself
from rushlight.utils import _pytree as pytree
from rushlight.utils._python_dispatch import is_traceable_wrapper_subclass

__all__ = ["run_functionalized_fw_and_collect_metadata"]


def run_functionalized_fw_and_collect_metadata(
    f: Callable[..., Any],
    *,
    flat_args_descs: Any = None,
    keep_input_mutations: bool = False,
    is_train: bool = False,
    static_input_indices: Any = None,
    pre_dispatch: bool = False,
    is_export: bool = False,
) -> Callable[..., ViewAndMutationMeta]:
    """A function of flat arguments that tells what a program does to them, and what its results are.

    Args:
        f: the program, which gives a list
        keep_input_mutations: whether graphs may change arguments
        is_train: whether gradients are wanted
        pre_dispatch: accepted
        is_export: accepted
    """

    def inner(*flat_args: Any) -> ViewAndMutationMeta:
        given = {id(arg): to_fun(arg) for arg in flat_args if isinstance(arg, Tensor)}
        wrapped = [given.get(id(arg), arg) for arg in flat_args]
        cells = [cells_of(x) for x in wrapped]
        steps = [metas.edge_of(x) if isinstance(x, Tensor) else None for x in wrapped]
        with FunctionalTensorMode():
            outs = pytree.tree_leaves(f(*wrapped))
            if cells != [cells_of(x) for x in wrapped]:
                raise AssertionError(
                    "aot_autograd() does not handle arguments that are put over other memory (`set_`, `.data = ...`)"
                )
            # Views may have to be made again to know whether they have a history.
            changes = [
                _input_info(before, after, step, keep_input_mutations)
                for before, after, step in zip(flat_args, wrapped, steps)
            ]
            results, bases = _output_infos(outs, wrapped, changes)
            tangents = _tangents(wrapped, changes, outs, results, bases) if is_train else []
        returned = _returned(wrapped, changes, outs, bases)
        return ViewAndMutationMeta(
            input_info=changes,
            output_info=results,
            num_intermediate_bases=len(bases),
            keep_input_mutations=keep_input_mutations,
            traced_tangents=[_as_tangent(from_fun(one)) for one in tangents],
            subclass_inp_meta=create_subclass_meta(flat_args),
            subclass_fw_graph_out_meta=create_subclass_meta([from_fun(x) for x in returned]),
            is_train=is_train,
        )

    return inner


def _input_info(before: Any, after: Any, step: Any, keeps: bool) -> InputAliasInfo:
    """What has become of an argument, whose history ended in a step."""
    if not isinstance(before, Tensor):
        return InputAliasInfo(True, False, False, False, False, keeps)
    changed = has_data_mutation(after)
    return InputAliasInfo(
        is_leaf=before.is_leaf,  # type: ignore[attr-defined]
        mutates_data=changed,
        mutates_metadata=has_metadata_mutation(after, before),
        mutations_under_no_grad_or_inference_mode=changed and metas.edge_of(after) == step,
        requires_grad=metas.requires_grad(after),
        keep_input_mutations=keeps,
        steps=steps_to(after),
    )


def _output_infos(
    outs: list[Any], inputs: list[Any], changes: list[InputAliasInfo]
) -> tuple[list[OutputAliasInfo], list[Any]]:
    """What results share with arguments and among themselves, and the bases that are to be results, too."""
    of_inputs: dict[Any, int] = {}
    for place, value in enumerate(inputs):
        if isinstance(value, Tensor):
            of_inputs.setdefault(cells_of(value), place)
    same_input = {
        id(value): place for place, value in enumerate(inputs) if isinstance(value, Tensor)
    }
    groups: dict[Any, list[Any]] = collections.defaultdict(list)
    for out in outs:
        if isinstance(out, Tensor):
            groups[cells_of(out)].append(out)
    places = {id(out): place for place, out in reversed(list(enumerate(outs)))}
    bases: list[Any] = []
    infos = []
    for place, out in enumerate(outs):
        if not isinstance(out, Tensor):
            infos.append(OutputAliasInfo(OutputType.non_alias, type(out), None, False))
            continue
        cells = cells_of(out)
        of_input = of_inputs.get(cells) if cells else None
        info = OutputAliasInfo(OutputType.non_alias, type(out), None, metas.requires_grad(out))
        infos.append(info)
        # Results that nobody may change in place share nothing that anybody sees.
        others = [one for one in groups[cells] if not _is_one_of_several(one)]
        if id(out) in same_input:
            info.output_type, info.base_idx = OutputType.is_input, same_input[id(out)]
            continue
        if places[id(out)] < place:
            # The same tensor again.
            info.output_type = OutputType.alias_of_intermediate_base_is_user_output
            info.base_idx, info.steps = places[id(out)], ()
            continue
        if of_input is not None:
            if info.requires_grad and not has_history_of(out, inputs[of_input]):
                # It was changed apart from the argument: its gradient comes from the graph.
                pass
            elif others or out.grad_fn is None or changes[of_input].mutates_data:  # type: ignore[attr-defined]
                info.output_type, info.base_idx = OutputType.alias_of_input, of_input
                info.steps = _replayed(inputs[of_input], out)
            else:
                info.base_idx = of_input
            continue
        base: Any = out._base
        if base is None or not info.requires_grad or not base.requires_grad:
            continue
        if len(groups[cells]) == 1 or len(others) <= 1:
            # At most one of them may be changed in place, so nobody sees what they share.
            info.output_type = OutputType.unsafe_view_alias
        else:
            info.steps = _replayed(base, out)
            known = next((k for k, one in enumerate(bases) if one is base), None)
            if known is not None:
                info.output_type, info.base_idx = OutputType.alias_of_intermediate, known
            elif id(base) in places:
                info.output_type = OutputType.alias_of_intermediate_base_is_user_output
                info.base_idx = places[id(base)]
            else:
                info.output_type = OutputType.alias_of_intermediate_save_as_output
                info.base_idx = len(bases)
                bases.append(base)
    return infos, bases


def _replayed(base: Any, view: Any) -> tuple[Any, ...] | None:
    """The views that a result is made again by; None if by sizes and strides."""
    return steps_between(base, view) if config.view_replay_for_aliased_outputs else None


def has_history_of(view: Any, base: Any) -> bool:
    """Whether autograd takes a tensor for a view of another one."""
    root = base if base._base is None else base._base
    return view is base or view is root or view._base is root


def _is_one_of_several(value: Any) -> bool:
    """Whether a tensor is one of several views that one call has made."""
    meta = value._autograd_
    return meta is not None and meta.made == metas.ONE_OF_SEVERAL


def _returned(
    inputs: list[Any], changes: list[InputAliasInfo], outs: list[Any], bases: list[Any]
) -> list[Any]:
    """What the forward graph returns."""
    outside = MutationType.MUTATED_OUT_GRAPH
    changed = [value for value, info in zip(inputs, changes) if info.mutation_type is outside]
    return [*changed, *outs, *bases]


def _tangents(
    inputs: list[Any],
    changes: list[InputAliasInfo],
    outs: list[Any],
    results: list[OutputAliasInfo],
    bases: list[Any],
) -> list[Any]:
    """The values that the backward graph gets gradients of."""
    changed = [
        value
        for value, info in zip(inputs, changes)
        if info.mutation_type is MutationType.MUTATED_OUT_GRAPH
        and info.mutates_data
        and info.requires_grad
    ]
    kept = [out for out, info in zip(outs, results) if needs_tangent(info)]
    return [*changed, *kept, *bases]


# Results whose gradients come to the graph as those of what the graph returns for them.
_WITH_GRADIENTS = (OutputType.non_alias, OutputType.unsafe_view_alias)


def needs_tangent(info: OutputAliasInfo) -> bool:
    """Whether the backward graph gets the gradient of a result."""
    return info.requires_grad and info.output_type in _WITH_GRADIENTS


def _as_tangent(value: Any) -> Any:
    """What the gradient of a value is like: the value without a history."""
    made = value.detach()
    if is_taken_apart(made):
        made = transform_subclass(made, _in_expected_strides)
    else:
        made = _in_expected_strides(made)
    if is_traceable_wrapper_subclass(value) and hasattr(made, "__coerce_tangent_metadata__"):
        made = made.__coerce_tangent_metadata__()
    return made


def _in_expected_strides(made: Any) -> Any:
    """A tensor with the strides that gradients come with, as most operators would give them."""
    if config.guess_tangent_strides_as_outputs and not may_overlap_itself(
        made._size_, made._stride_
    ):
        return made
    format = rushlight.contiguous_format
    if made.dim() == 4 and made.is_contiguous(memory_format=rushlight.channels_last):
        format = rushlight.channels_last
    return (
        made if made.is_contiguous(memory_format=format) else made.contiguous(memory_format=format)
    )

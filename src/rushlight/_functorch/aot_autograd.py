"""Programs compiled ahead of time, with their gradients: what `functorch.compile` has.

A program is run once on fakes to see what it does (`_aot_autograd.collect_metadata_analysis`), traced together with its
backward pass (`graph_capture`), cut in two (`partitioners`), and given to compilers (`graph_compile`);
`runtime_wrappers` and `differentiable` do the rest when it is called.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import rushlight
from rushlight._functorch._aot_autograd import graph_compile
from rushlight._functorch._aot_autograd.captured_modules import (
    AOT_COUNTER,
    aot_module_simplified,
    create_functional_call,
)
from rushlight._functorch._aot_autograd.collect_metadata_analysis import (
    run_functionalized_fw_and_collect_metadata,
)
from rushlight._functorch._aot_autograd.functional_utils import (
    from_fun,
    gen_alias_from_base,
    has_data_mutation,
    has_metadata_mutation,
    is_fun,
    sync_functional_tensor,
    to_fun,
)
from rushlight._functorch._aot_autograd.graph_capture import assert_functional_graph
from rushlight._functorch._aot_autograd.graph_compile import (
    aot_stage1_graph_capture,
    aot_stage2_compile,
    construct_fake_mode,
    get_aot_compilation_context,
    get_aot_graph_name,
    get_graph_being_compiled,
    process_inputs,
)
from rushlight._functorch._aot_autograd.schemas import (
    AOTConfig,
    BackwardSignature,
    GraphSignature,
    InputAliasInfo,
    MutationType,
    OutputAliasInfo,
    OutputType,
    SerializableAOTDispatchCompiler,
    SubclassCreationMeta,
    ViewAndMutationMeta,
)
from rushlight._functorch._aot_autograd.utils import (
    call_func_at_runtime_with_args,
    create_tree_flattened_fn,
    make_boxed_compiler,
    make_boxed_func,
    normalize_as_list,
)
from rushlight._functorch.partitioners import default_partition
from rushlight.engine.native.garbage import import_module
from rushlight.nn import Module
from rushlight.utils import _pytree as pytree

# What hands out graphs whose arguments are described comes with the first look at it.
_OF_JOINT_EXPORT = (
    "JointWithDescriptors", "aot_compile_joint_with_descriptors", "aot_export_joint_with_descriptors",
    "aot_export_joint_with_descriptors_alone", "boxed_nop_preserve_node_meta",
)  # fmt: skip

__all__ = [
    "AOTConfig",
    "BackwardSignature",
    "GraphSignature",
    "InputAliasInfo",
    "MutationType",
    "OutputAliasInfo",
    "OutputType",
    "SerializableAOTDispatchCompiler",
    "SubclassCreationMeta",
    "ViewAndMutationMeta",
    "aot_export_joint_simple",
    "aot_export_module",
    "aot_function",
    "aot_module",
    "aot_module_simplified",
    "aot_stage1_graph_capture",
    "aot_stage2_compile",
    "assert_functional_graph",
    "call_func_at_runtime_with_args",
    "compiled_function",
    "compiled_module",
    "construct_fake_mode",
    "create_functional_call",
    "create_tree_flattened_fn",
    "from_fun",
    "gen_alias_from_base",
    "get_aot_compilation_context",
    "get_aot_graph_name",
    "get_graph_being_compiled",
    "has_data_mutation",
    "has_metadata_mutation",
    "is_fun",
    "make_boxed_compiler",
    "make_boxed_func",
    "normalize_as_list",
    "process_inputs",
    "run_functionalized_fw_and_collect_metadata",
    "set_model_name",
    "sync_functional_tensor",
    "to_fun",
    *_OF_JOINT_EXPORT,
]


def __getattr__(name: str) -> Any:
    if name in _OF_JOINT_EXPORT:
        return getattr(import_module("rushlight._functorch._aot_autograd.joint_export"), name)
    raise AttributeError(f"module 'rushlight._functorch.aot_autograd' has no attribute '{name}'")


def set_model_name(name: str) -> None:
    """Let graphs that are compiled have a name."""
    graph_compile._compiling.name = name


def aot_function(
    fn: Callable[..., Any],
    fw_compiler: Callable[..., Any],
    bw_compiler: Callable[..., Any] | None = None,
    partition_fn: Callable[..., Any] = default_partition,
    decompositions: Mapping[Any, Callable[..., Any]] | None = None,
    num_params_buffers: int = 0,
    keep_inference_input_mutations: bool = False,
    inference_compiler: Callable[..., Any] | None = None,
    *,
    dynamic: bool = False,
    enable_log: bool = True,
    disable_functionalization: bool = False,
    _disable_torch_fn_metadata_mode: bool = False,
) -> Callable[..., Any]:
    """A function whose forward and backward pass are compiled at its first call.

    Args:
        fn: takes and gives nests of tensors
        fw_compiler: takes the graph of the forward pass and example arguments, and gives a function
        bw_compiler: the same for the backward pass; ``fw_compiler`` if None
        partition_fn: cuts the joint graph in two
        decompositions: what operators are traced as
        num_params_buffers: how many of the first arguments always have the same sizes
        keep_inference_input_mutations: whether graphs without gradients may change arguments
        inference_compiler: for graphs without gradients; ``fw_compiler`` if None
        dynamic: whether sizes are symbols
    """
    config = AOTConfig(
        fw_compiler=fw_compiler,
        bw_compiler=fw_compiler if bw_compiler is None else bw_compiler,
        inference_compiler=fw_compiler if inference_compiler is None else inference_compiler,
        partition_fn=partition_fn,
        decompositions=dict(decompositions or {}),
        num_params_buffers=num_params_buffers,
        aot_id=next(AOT_COUNTER),
        keep_inference_input_mutations=keep_inference_input_mutations,
        dynamic_shapes=dynamic,
    )
    compiled: tuple[Callable[[list[Any]], Any], Any] | None = None

    @functools.wraps(fn)
    def returned_function(*args: Any, **kwargs: Any) -> Any:
        nonlocal compiled
        flat_args = pytree.tree_leaves((args, kwargs))
        if compiled is None:
            flat_fn, out_spec = create_tree_flattened_fn(fn, args, kwargs)
            compiled = graph_compile.compile_flat(flat_fn, flat_args, config), out_spec
        run, spec = compiled
        return spec.unflatten(run(flat_args))

    return returned_function


def aot_module(mod: Module, *args: Any, **kwargs: Any) -> Module:
    """A module whose forward and backward pass are compiled at its first call.

    Args:
        mod: the module, which keeps its parameters
        args: those of `aot_function` after the function
    """

    def functional_call(named: Any, buffers: Any, *args: Any, **kwargs: Any) -> Any:
        return rushlight.func.functional_call(mod, {**named, **buffers}, args, kwargs)

    parameters = dict(mod.named_parameters(remove_duplicate=False))
    buffers = dict(mod.named_buffers(remove_duplicate=False))
    count = len(parameters) + len(buffers)
    compiled = aot_function(functional_call, *args, **kwargs | {"num_params_buffers": count})

    class AOTModule(Module):
        def __init__(self) -> None:
            super().__init__()
            self.orig_module = mod

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return compiled(parameters, buffers, *args, **kwargs)

    return AOTModule()


def _aot_export_function(
    func: Callable[..., Any],
    args: Sequence[Any],
    *,
    num_params_buffers: int = 0,
    decompositions: Mapping[Any, Callable[..., Any]] | None = None,
    no_tangents: bool = False,
    pre_dispatch: bool = False,
    dynamic_shapes: bool | None = None,
    keep_input_mutations: bool = False,
    kwargs: dict[str, Any] | None = None,
) -> tuple[Any, ViewAndMutationMeta, Any, Any]:
    """The graph of a function and its backward pass, what it does, and how arguments and results are nested."""
    kwargs = kwargs or {}
    flat_fn, out_spec = create_tree_flattened_fn(func, tuple(args), kwargs)
    flat_args, in_spec = pytree.tree_flatten((tuple(args), kwargs))
    found = graph_compile.detect_fake_mode(flat_args)
    if dynamic_shapes is None:
        dynamic_shapes = found is not None and found.shape_env is not None
    config = AOTConfig(
        fw_compiler=None,
        bw_compiler=None,
        inference_compiler=None,
        partition_fn=None,
        decompositions=dict(decompositions or {}),
        num_params_buffers=num_params_buffers,
        aot_id=next(AOT_COUNTER),
        keep_inference_input_mutations=keep_input_mutations,
        dynamic_shapes=dynamic_shapes,
        is_export=True,
        no_tangents=no_tangents,
        pre_dispatch=pre_dispatch,
    )
    mode = construct_fake_mode(flat_args, config)
    captured = aot_stage1_graph_capture(flat_fn, flat_args, config, mode)
    if captured.around:
        raise RuntimeError(
            "Found duplicated inputs in the graph you are trying to export.\nThis functionality is currently "
            "not supported. If needed, please file a github issue."
        )
    return captured.graph_module, captured.meta, in_spec, out_spec.spec


def aot_export_module(
    mod: Module,
    args: Sequence[Any],
    *,
    decompositions: Mapping[Any, Callable[..., Any]] | None = None,
    trace_joint: bool,
    output_loss_index: int | None = None,
    pre_dispatch: bool = False,
    dynamic_shapes: bool | None = None,
    kwargs: dict[str, Any] | None = None,
) -> tuple[Any, GraphSignature]:
    """The graph of a module, whose first arguments are parameters and buffers, and what its arguments are.

    Args:
        mod: the module
        args: its example arguments
        decompositions: what operators are traced as
        trace_joint: whether the graph has the backward pass from a loss, too
        output_loss_index: which result the loss is
        pre_dispatch: whether operators are seen above autograd
        dynamic_shapes: whether sizes are symbols
        kwargs: named arguments
    """
    _check_what_is_traced(trace_joint, output_loss_index, pre_dispatch)
    parameters = dict(mod.named_parameters(remove_duplicate=False))
    buffers = dict(mod.named_buffers(remove_duplicate=False))
    flat, spec = pytree.tree_flatten({**parameters, **buffers})
    call = create_functional_call(mod, spec, len(flat))
    joint = None if output_loss_index is None else _WithGradients(call, output_loss_index)
    if joint is not None:
        graph, meta, in_spec, out_spec = _export_with_gradients(
            joint, [*flat, *args], len(flat), decompositions, dynamic_shapes, kwargs
        )
    else:
        with rushlight.no_grad():
            graph, meta, in_spec, out_spec = _aot_export_function(
                lambda *args, **kwargs: tuple(call(*args, **kwargs)), [*flat, *args],
                num_params_buffers=len(flat), decompositions=decompositions,
                pre_dispatch=pre_dispatch, dynamic_shapes=dynamic_shapes, kwargs=kwargs,
            )  # fmt: skip
    names = [node.name for node in graph.graph.find_nodes(op="placeholder")]
    returned = next(iter(graph.graph.find_nodes(op="output"))).args[0]
    outputs: list[Any] = [getattr(node, "name", node) for node in returned]
    backward = None
    if joint is not None:
        own = outputs[meta.num_mutated_inp_runtime_indices :]
        backward = _backward_signature(own, joint, names, dict(zip(names, parameters)))
    signature = GraphSignature.from_tracing_metadata(
        in_spec=in_spec, out_spec=out_spec, graph_input_names=names, graph_output_names=outputs,
        view_mutation_metadata=meta, named_parameters=list(parameters), named_buffers=list(buffers),
        num_user_outputs=meta.num_outputs if joint is None else joint.count,
        trace_joint=trace_joint, loss_index=output_loss_index, backward_signature=backward,
    )  # fmt: skip
    return graph, signature


def _check_what_is_traced(trace_joint: bool, loss: int | None, pre_dispatch: bool) -> None:
    """Raise if a graph with a backward pass has no loss, or is wanted above autograd; or one without has a loss."""
    if pre_dispatch and trace_joint:
        raise RuntimeError("pre_dispatch is not supported when trace_joint is True.")
    if trace_joint and loss is None:
        raise RuntimeError(
            "If trace_joint=Trueit is required that one of your forward outputs must be a scalar loss.\n"
            "You must specify the which (index) output is the loss with output_loss_index."
        )
    if not trace_joint and loss is not None:
        raise RuntimeError("output_loss_index may only be given if trace_joint is True")


class _WithGradients:
    """A module's call: its results, and behind them the gradients of one of them, or None, for each argument.

    Args:
        call: the call
        loss: which of its results is differentiated
    """

    def __init__(self, call: Callable[..., Any], loss: int) -> None:
        self.call, self.loss = call, loss
        # How many results the module has, which the first call tells.
        self.count = 0

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        out = self.call(*args, **kwargs)
        self.count = len(out)
        loss = out[self.loss]
        if loss.numel() != 1 or loss.dim() > 1 or not loss.requires_grad:
            raise RuntimeError(
                f"We require the output marked as the loss (at index {self.loss}) to be a scalar tensor "
                f"with a history, got one of size {tuple(loss.shape)}"
            )
        leaves = [x for x in args if isinstance(x, rushlight.Tensor) and x.requires_grad]  # type: ignore[attr-defined]
        grads = iter(rushlight.autograd.grad(loss, leaves, allow_unused=True))
        wanted = [
            next(grads) if isinstance(x, rushlight.Tensor) and x.requires_grad else None  # type: ignore[attr-defined]
            for x in args
        ]
        results = [x.detach() if isinstance(x, rushlight.Tensor) else x for x in out]
        return (*results, *wanted)


def _backward_signature(
    outputs: Sequence[Any], joint: _WithGradients, names: Sequence[str], parameters: dict[str, str]
) -> BackwardSignature:
    """Which of a graph's outputs is the gradient of what.

    Args:
        outputs: their names: first the module's own results
        joint: what was traced
        names: the graph's inputs
        parameters: the names of parameters, by those of inputs
    """
    pairs = [(g, n) for g, n in zip(outputs[joint.count :], names) if g is not None]
    return BackwardSignature(
        gradients_to_parameters={g: parameters[n] for g, n in pairs if n in parameters},
        gradients_to_user_inputs={g: n for g, n in pairs if n not in parameters},
        loss_output=outputs[joint.loss],
    )


def _export_with_gradients(
    fn: Callable[..., Any],
    args: list[Any],
    count: int,
    decompositions: Any,
    dynamic: Any,
    kwargs: Any,
) -> Any:
    """The graph of a function that asks for gradients itself."""

    def without_history(*args: Any, **kwargs: Any) -> Any:
        with rushlight.enable_grad():
            return pytree.tree_map_only(rushlight.Tensor, lambda x: x.detach(), fn(*args, **kwargs))

    with rushlight.no_grad():
        return _aot_export_function(
            without_history, args, num_params_buffers=count, decompositions=decompositions,
            dynamic_shapes=dynamic, kwargs=kwargs,
        )  # fmt: skip


def aot_export_joint_simple(
    func: Callable[..., Any],
    args: Sequence[Any],
    *,
    trace_joint: bool,
    num_params_buffers: int = 0,
    decompositions: Mapping[Any, Callable[..., Any]] | None = None,
) -> Any:
    """The joint graph of a function that neither changes arguments nor gives views of them.

    Args:
        func: takes and gives flat tensors
        args: its arguments
        trace_joint: whether the graph has the backward pass, too
        num_params_buffers: how many of the first arguments always have the same sizes
        decompositions: what operators are traced as
    """
    with nullcontext() if trace_joint else rushlight.no_grad():
        graph, meta, in_spec, out_spec = _aot_export_function(
            func, args, num_params_buffers=num_params_buffers, decompositions=decompositions
        )
    if any(info.mutates_data or info.mutates_metadata for info in meta.input_info):
        raise RuntimeError(
            f"aot_export_joint_simple does not support input mutations. {meta.input_info}"
        )
    if any(info.output_type is not OutputType.non_alias for info in meta.output_info):
        raise RuntimeError(
            f"aot_export_joint_simple does not support outputs that alias inputs. {meta.output_info}"
        )
    if in_spec.is_leaf() or any(not child.is_leaf() for child in _children(in_spec)):
        raise RuntimeError(
            f"aot_export_joint_simple requires inputs to be a single list/tuple. in_spec={in_spec}"
        )
    if not out_spec.is_leaf() and any(not child.is_leaf() for child in out_spec.children()):
        raise RuntimeError(
            f"aot_export_joint_simple requires outputs to be a single list/tuple. out_spec={out_spec}"
        )
    return graph


def _children(spec: Any) -> list[Any]:
    """How the arguments among arguments and keywords are nested."""
    return list(spec.children()[0].children())


def compiled_function(
    fn: Callable[..., Any],
    fw_compiler: Callable[..., Any],
    bw_compiler: Callable[..., Any] | None = None,
    *args: Any,
    **kwargs: Any,
) -> Callable[..., Any]:
    """An older name of `aot_function`."""
    return aot_function(fn, fw_compiler, bw_compiler, *args, **kwargs)


def compiled_module(mod: Module, *args: Any, **kwargs: Any) -> Module:
    """An older name of `aot_module`."""
    return aot_module(mod, *args, **kwargs)

"""Joint graphs whose inputs and outputs say what they are, and functions that are made of them."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import rushlight
from rushlight._functorch._aot_autograd import graph_compile
from rushlight._functorch._aot_autograd.captured_modules import AOT_COUNTER
from rushlight._functorch._aot_autograd.collect_metadata_analysis import needs_tangent
from rushlight._functorch._aot_autograd.descriptors import (
    BufferAOTInput,
    GradAOTOutput,
    InputMutationAOTOutput,
    IntermediateBaseAOTOutput,
    ParamAOTInput,
    PlainAOTInput,
    PlainAOTOutput,
    SubclassGetAttrAOTInput,
    SubclassGetAttrAOTOutput,
    TangentAOTInput,
)
from rushlight._functorch._aot_autograd.schemas import (
    AOTConfig,
    OutputType,
    SubclassCreationMeta,
    ViewAndMutationMeta,
)
from rushlight._functorch._aot_autograd.subclass_utils import create_subclass_meta
from rushlight._functorch._aot_autograd.utils import create_tree_flattened_fn, make_boxed_func
from rushlight._functorch.partitioners import default_partition
from rushlight._guards import detect_fake_mode
from rushlight.engine.native.records import dataclass
from rushlight.fx.graph_module import GraphModule
from rushlight.nn import Module
from rushlight.nn.utils import stateless
from rushlight.utils import _pytree as pytree

__all__ = [
    "JointWithDescriptors",
    "aot_compile_joint_with_descriptors",
    "aot_export_joint_with_descriptors",
    "aot_export_joint_with_descriptors_alone",
    "boxed_nop_preserve_node_meta",
]


@dataclass
class JointWithDescriptors:
    """A joint graph, and what is needed to make a function of it.

    Args:
        params_spec: the names of parameters, in the order that the function takes them
        buffers_spec: those of buffers, which come behind
        in_spec: how arguments are nested
        out_spec: how results are
    """

    _aot_graph_capture: graph_compile.Capture
    _config: AOTConfig
    fake_mode: Any
    params_spec: list[str]
    buffers_spec: list[str]
    in_spec: Any
    out_spec: Any

    @property
    def graph_module(self) -> GraphModule:
        """The graph, which may be changed or be another one before a function is made of it."""
        return self._aot_graph_capture.graph_module

    @graph_module.setter
    def graph_module(self, value: GraphModule) -> None:
        self._aot_graph_capture.graph_module = value


def boxed_nop_preserve_node_meta(fx_g: GraphModule, example_inputs: Sequence[Any]) -> Any:
    """A compiler that lets graphs run as they are, node by node."""

    def run(*args: Any) -> Any:
        with rushlight.fx.traceback.preserve_node_meta():
            return rushlight.fx.Interpreter(fx_g).run(*args)

    return make_boxed_func(run)


def aot_export_joint_with_descriptors(
    stack: contextlib.ExitStack,
    mod: Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    decompositions: Mapping[Any, Callable[..., Any]] | None = None,
    keep_inference_input_mutations: bool = False,
    ignore_shape_env: bool = False,
    disable_functionalization: bool = False,
    _record_nn_module_stack: bool = False,
    _disable_torch_fn_metadata_mode: bool = False,
) -> JointWithDescriptors:
    """The joint graph of a module and its backward pass, with a descriptor of each input and output.

    Args:
        stack: what has to last until a function is made of the graph
        mod: the module; its parameters and buffers are the first inputs
        args: example arguments
        kwargs: and those by name
        decompositions: what operators are traced as
        keep_inference_input_mutations: whether a graph without gradients may change its inputs
        ignore_shape_env: whether sizes are numbers even if the arguments have symbols
        disable_functionalization: whether writes of the program stay in the graph
    """
    kwargs = dict(kwargs or {})
    parameters = dict(mod.named_parameters(remove_duplicate=False))
    buffers = dict(mod.named_buffers(remove_duplicate=False))
    names = [*parameters, *buffers]
    leaves, in_spec = pytree.tree_flatten((tuple(args), kwargs))
    flat_call, out_spec = create_tree_flattened_fn(mod, tuple(args), kwargs)

    def call(*given: Any) -> Any:
        state = dict(zip(names, given))
        with stateless._reparametrize_module(mod, state):
            return flat_call(*given[len(names) :])

    full = [*parameters.values(), *buffers.values(), *leaves]
    found = detect_fake_mode(full)
    config = AOTConfig(
        fw_compiler=None,
        bw_compiler=None,
        partition_fn=None,
        decompositions=dict(decompositions or {}),
        num_params_buffers=len(names),
        aot_id=next(AOT_COUNTER),
        keep_inference_input_mutations=keep_inference_input_mutations,
        dynamic_shapes=not ignore_shape_env and found is not None and found.shape_env is not None,
        disable_functionalization=disable_functionalization,
    )
    mode = graph_compile.construct_fake_mode(full, config)
    capture = graph_compile.aot_stage1_graph_capture(call, full, config, mode)
    inputs = [
        *map(ParamAOTInput, parameters), *map(BufferAOTInput, buffers),
        *map(PlainAOTInput, range(len(leaves))),
    ]  # fmt: skip
    for change in capture.input_changes:
        inputs = change(inputs)
    _describe(capture, inputs)
    return JointWithDescriptors(
        capture, config, mode, [*parameters], [*buffers], in_spec, out_spec.spec
    )


def aot_export_joint_with_descriptors_alone(
    mod: Module, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, **options: Any
) -> JointWithDescriptors:
    """`aot_export_joint_with_descriptors` where no function will be made of the graph."""
    with contextlib.ExitStack() as stack:
        return aot_export_joint_with_descriptors(stack, mod, args, kwargs, **options)


def _parts(desc: Any, meta: int | SubclassCreationMeta, part: Any) -> list[Any]:
    """The descriptors of the parts of a value."""
    if isinstance(meta, int):
        return [desc]
    return [
        one for name, inner in meta.attrs.items() for one in _parts(part(desc, name), inner, part)
    ]


def _all_parts(descs: Sequence[Any], places: Sequence[Any], part: Any) -> list[Any]:
    return [one for desc, place in zip(descs, places) for one in _parts(desc, place, part)]


def _outputs(meta: ViewAndMutationMeta, inputs: Sequence[Any]) -> list[Any]:
    """What the forward part of a graph returns."""
    plain = [*map(PlainAOTOutput, range(len(meta.output_info)))]
    views = [
        out
        for out, info in zip(plain, meta.output_info)
        if info.output_type is OutputType.alias_of_intermediate_save_as_output
    ]
    changed = [InputMutationAOTOutput(inputs[k]) for k in meta.mutated_inp_runtime_indices]
    return [*changed, *plain, *map(IntermediateBaseAOTOutput, views)]


def _with_tangents(meta: ViewAndMutationMeta, outputs: Sequence[Any]) -> list[Any]:
    """The outputs whose gradients a joint graph takes."""
    count = meta.num_mutated_inp_runtime_indices
    infos = [meta.input_info[k] for k in meta.mutated_inp_runtime_indices]
    changed = [out for out, info in zip(outputs, infos) if info.mutates_data and info.requires_grad]
    plain = outputs[count : count + len(meta.output_info)]
    kept = [out for out, info in zip(plain, meta.output_info) if needs_tangent(info)]
    return [*changed, *kept, *outputs[count + len(meta.output_info) :]]


def _describe(capture: graph_compile.Capture, inputs: Sequence[Any]) -> None:
    """Note at the ends of a graph what they are."""
    graph, meta, known = capture.graph_module.graph, capture.meta, capture.known
    outputs = _outputs(meta, inputs)
    given = _all_parts(inputs, meta.subclass_inp_meta, SubclassGetAttrAOTInput)
    made = _all_parts(outputs, known["outs"], SubclassGetAttrAOTOutput)
    if capture.needs_autograd:
        tangents = [TangentAOTInput(out) for out in _with_tangents(meta, outputs)]
        places = create_subclass_meta(meta.traced_tangents)
        given += _all_parts(tangents, places, SubclassGetAttrAOTInput)
        grads = [GradAOTOutput(one) for one in inputs]
        made += _all_parts(grads, known["grads"], SubclassGetAttrAOTOutput)
    for node, desc in zip(graph.find_nodes(op="placeholder"), given, strict=True):
        node.meta["desc"] = desc
    (output,) = graph.find_nodes(op="output")
    output.meta["desc"] = made


def aot_compile_joint_with_descriptors(
    jd: JointWithDescriptors,
    *,
    partition_fn: Callable[..., Any] = default_partition,
    fw_compiler: Callable[..., Any] = boxed_nop_preserve_node_meta,
    bw_compiler: Callable[..., Any] | None = boxed_nop_preserve_node_meta,
) -> Callable[..., Any]:
    """A function of a joint graph, which takes parameters, buffers and then arguments as the module does.

    Args:
        jd: the graph
        partition_fn: cuts it in two
        fw_compiler: makes a function of the forward graph
        bw_compiler: makes one of the backward graph
    """
    config = dataclasses.replace(
        jd._config,
        fw_compiler=fw_compiler,
        bw_compiler=bw_compiler or fw_compiler,
        inference_compiler=fw_compiler,
        partition_fn=partition_fn,
    )
    run = graph_compile.aot_stage2_compile(jd._aot_graph_capture, config)

    def call(*args: Any, **kwargs: Any) -> Any:
        return pytree.tree_unflatten(run(pytree.tree_leaves((args, kwargs))), jd.out_spec)

    return call

"""What `torch.compile` calls: a captured graph, its gradients, its loops."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._dynamo.utils import counters
from rushlight._functorch._aot_autograd.captured_modules import aot_module_simplified
from rushlight._functorch._aot_autograd.schemas import SerializableAOTDispatchCompiler
from rushlight._inductor import config
from rushlight._inductor.attention import find_attention
from rushlight._inductor.codecache import FxGraphCache
from rushlight._inductor.cuda_graphs import replayed
from rushlight._inductor.program_files import boxed
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.graph_module import GraphModule

# What fuses and cuts graphs is imported where that is done: a program that is found on disk has it behind it.

# Called with each graph of loops that is made.
listeners: list[Callable[[GraphModule], None]] = []


def compile_graph(graph: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """The function of a graph of operators: its kernels as one remembered call."""
    from rushlight._inductor.activations import join_activations
    from rushlight._inductor.choices import chooser
    from rushlight._inductor.lowering import lower

    for change in (config.post_grad_custom_pre_pass, config.post_grad_custom_post_pass):
        if change is not None:
            change(graph.graph)
            graph.recompile()
    if config.epilogue_fusion and join_activations(graph.graph):
        graph.recompile()
    lowered = lower(graph, chooser=chooser())
    for listener in listeners:
        listener(lowered)
    return boxed(lowered)


def compile_fx_inner(gm: GraphModule, example_inputs: Sequence[Any], **kwargs: Any) -> Any:
    """The function of a graph of operators, which takes a list.

    Args:
        gm: the graph
        example_inputs: what it will be called with
        kwargs: accepted
    """
    if not caches_are_on():
        return compile_graph(gm, example_inputs)
    return FxGraphCache.load(gm, example_inputs, compile_graph)


def caches_are_on() -> bool:
    """Whether what was compiled is looked for: who listens wants to hear of each graph."""
    return config.fx_graph_cache and not config.force_disable_caches and not listeners


def partition(*args: Any, **options: Any) -> Any:
    """The forward and the backward graph of a joint one (`choices.partition`)."""
    from rushlight._inductor import choices

    return choices.partition(*args, **options)


def _replays(inputs: Sequence[Any]) -> bool:
    """Whether a graph of such inputs is to be replayed as a CUDA graph."""
    if not config.get_config_copy()["triton.cudagraphs"]:
        return False
    return any(isinstance(x, Tensor) and x.device.type != "cpu" for x in inputs)  # type: ignore[attr-defined]


def compile_fx(
    model_: Any,
    example_inputs_: Sequence[Any],
    inner_compile: Callable[..., Any] = compile_fx_inner,
    config_patches: dict[str, Any] | None = None,
    decompositions: dict[Any, Callable[..., Any]] | None = None,
    **others: Any,
) -> Callable[..., Any]:
    """The function of a captured graph, with its gradients.

    Args:
        model_: the graph
        example_inputs_: what it will be called with
        inner_compile: makes functions of graphs of operators
        config_patches: settings for this graph
        decompositions: operators that are written as others
        others: accepted
    """
    (output,) = model_.graph.find_nodes(op="output")
    if not isinstance(output.args[0], (tuple, list)):
        inner = compile_fx(
            _with_tuple(model_), example_inputs_, inner_compile, config_patches, decompositions
        )
        return lambda *args: inner(*args)[0]

    if config.pattern_matcher and (count := find_attention(model_.graph)):
        counters["inductor"]["fuse_attention"] += count
        model_.recompile()

    def compiler(graph: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        # The backward graph is compiled when it is first called.
        with config.patch(config_patches or {}):
            function: Callable[..., Any] = inner_compile(graph, inputs)
            return replayed(graph, function) if _replays(inputs) else function

    with config.patch(config_patches or {}):
        made: Any = compiler
        if inner_compile is compile_fx_inner and caches_are_on() and not _replays(example_inputs_):
            made = SerializableAOTDispatchCompiler(types.FunctionType, compiler)
        return aot_module_simplified(  # type: ignore[no-any-return]
            model_, example_inputs_, fw_compiler=made, decompositions=decompositions,
            partition_fn=partition,
        )  # fmt: skip


def _with_tuple(module: GraphModule) -> GraphModule:
    """A graph that gives a tuple of its one result."""
    graph = copy.deepcopy(module.graph)
    (output,) = graph.find_nodes(op="output")
    output.args = ((output.args[0],),)
    return GraphModule(module, graph)

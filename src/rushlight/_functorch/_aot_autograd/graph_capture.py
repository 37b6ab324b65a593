"""The second pass: a program is traced, without or with its backward pass."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight._functorch._aot_autograd.graph_capture_wrappers import (
    aot_dispatch_subclass,
    create_functionalized_fn,
    create_joint,
    fn_input_mutations_to_outputs,
    fn_prepped_for_autograd,
)
from rushlight._functorch._aot_autograd.schemas import AOTConfig, ViewAndMutationMeta
from rushlight._functorch._aot_autograd.subclass_utils import create_subclass_meta
from rushlight._guards import detect_fake_mode
from rushlight.engine.dispatch.operator import Operator
from rushlight.fx.experimental.proxy_tensor import make_fx
from rushlight.fx.graph_module import GraphModule

__all__ = ["aot_dispatch_autograd_graph", "aot_dispatch_base_graph", "assert_functional_graph"]


def aot_dispatch_base_graph(
    flat_fn: Callable[..., Any], flat_args: list[Any], config: AOTConfig, meta: ViewAndMutationMeta
) -> tuple[GraphModule, list[Any], dict[str, Any]]:
    """The graph of a program without gradients.

    Returns:
        the graph; its example arguments; how its results are put together
    """
    fn = fn_input_mutations_to_outputs(flat_fn, meta)
    fn, args = create_functionalized_fn(
        fn, flat_args, meta=meta, aot_config=config, trace_joint=False
    )
    fn, args, known = aot_dispatch_subclass(fn, args, meta.subclass_inp_meta, (), False)
    return _traced(fn, args, config), list(args), known


def aot_dispatch_autograd_graph(
    flat_fn: Callable[..., Any], flat_args: list[Any], config: AOTConfig, meta: ViewAndMutationMeta
) -> tuple[GraphModule, tuple[list[Any], list[Any]], dict[str, Any]]:
    """The joint graph of a program and its backward pass.

    Returns:
        the graph; its example arguments and gradients; how results and gradients are put together
    """
    fn = create_joint(fn_prepped_for_autograd(flat_fn, meta))
    fn, _ = create_functionalized_fn(fn, flat_args, meta=meta, aot_config=config, trace_joint=True)
    tangents = create_subclass_meta(meta.traced_tangents)
    given = (list(flat_args), list(meta.traced_tangents))
    fn, args, known = aot_dispatch_subclass(fn, given, meta.subclass_inp_meta, tangents, True)
    return _traced(fn, args, config), args, known


def _traced(fn: Callable[..., Any], args: Any, config: AOTConfig) -> GraphModule:
    """What a function does, as a graph whose operators write to nothing but its arguments."""
    mode = detect_fake_mode(args)
    with contextlib.nullcontext() if mode is None else mode, _states_of_random_numbers():
        made = make_fx(fn, decomposition_table=config.decompositions)(*args)
    if not config.disable_functionalization:
        assert_functional_graph(made.graph)
    _without_detaching(made.graph)
    made.graph.eliminate_dead_code()
    made.recompile()
    return made


def _without_detaching(graph: Any) -> None:
    """Let what uses a tensor without its history use the tensor: below autograd both are the same."""
    for node in graph.find_nodes(op="call_function", target=rushlight.ops.aten.detach.default):
        for user in list(node.users):
            if user.op != "output":
                user.replace_input_with(node, node.args[0])


@contextlib.contextmanager
def _states_of_random_numbers() -> Any:
    """Within the block random numbers may be drawn that nobody misses."""
    before = rushlight.get_rng_state()  # type: ignore[attr-defined]
    try:
        yield
    finally:
        rushlight.set_rng_state(before)  # type: ignore[attr-defined]


def assert_functional_graph(graph: Any) -> int:
    """Raise if an operator of a graph writes to what is no argument of it; the number of writes."""
    placeholders = set(graph.find_nodes(op="placeholder"))
    count = 0
    for node in graph.nodes:
        if not isinstance(node.target, Operator) or not node.target.schema.mutated:
            continue
        if node.target is rushlight.ops.aten.copy_.default and node.args[0] in placeholders:
            count += 1
        elif not node.target.schema.out_arguments:
            raise AssertionError(
                f"aot_autograd expected to have an entirely functional graph, but found {node.format_node()}"
            )
    return count

"""Modules that do the same in fewer steps."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NoReturn

import rushlight
from rushlight.fx._symbolic_trace import Tracer, symbolic_trace
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Transformer
from rushlight.fx.node import Node
from rushlight.nn.utils.fusion import fuse_conv_bn_eval

__all__ = [
    "extract_subgraph",
    "fuse",
    "matches_module_pattern",
    "optimize_for_inference",
    "remove_dropout",
    "replace_node_module",
]

nn = rushlight.nn


def _parent_name(target: str) -> tuple[str, str]:
    """A path without its last part, and that part."""
    parent, _, name = target.rpartition(".")
    return parent, name


def matches_module_pattern(pattern: Iterable[type], node: Node, modules: dict[str, Any]) -> bool:
    """Whether a node calls a module of a class on what a module of another returns.

    Args:
        pattern: the two classes, the inner one first
        node: the node
        modules: the modules by their paths
    """
    if len(node.args) == 0:
        return False
    for kind, current in zip(pattern, (node.args[0], node)):
        if not isinstance(current, Node) or current.op != "call_module":
            return False
        if not isinstance(current.target, str) or current.target not in modules:
            return False
        if type(modules[current.target]) is not kind:
            return False
    return True


def replace_node_module(node: Node, modules: dict[str, Any], new_module: Any) -> None:
    """Let another module be what a node calls."""
    if not isinstance(node.target, str):
        raise AssertionError(f"Expected str, got {type(node.target)}")
    parent, name = _parent_name(node.target)
    modules[node.target] = new_module
    setattr(modules[parent], name, new_module)


def fuse(model: Any, inplace: bool = False, no_trace: bool = False) -> Any:
    """A module in which convolutions do what the normalisations behind them did. For inference.

    Args:
        model: the module
        inplace: whether to change it, and no copy
        no_trace: whether it is a module with a graph already
    """
    patterns = [
        (nn.Conv1d, nn.BatchNorm1d),
        (nn.Conv2d, nn.BatchNorm2d),
        (nn.Conv3d, nn.BatchNorm3d),
    ]
    if not inplace:
        model = copy.deepcopy(model)
    traced = model if no_trace and isinstance(model, GraphModule) else symbolic_trace(model)
    modules = dict(traced.named_modules())
    graph = copy.deepcopy(traced.graph)
    for pattern in patterns:
        for node in graph.nodes:
            if not matches_module_pattern(pattern, node, modules):
                continue
            if len(node.args[0].users) > 1:
                # Somebody wants what comes before the normalisation.
                continue
            norm = modules[node.target]
            if not norm.track_running_stats:
                continue
            fused = fuse_conv_bn_eval(modules[node.args[0].target], norm)
            replace_node_module(node.args[0], modules, fused)
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
    return GraphModule(traced, graph)


def remove_dropout(model: Any) -> Any:
    """A module without dropout. For inference."""
    traced = symbolic_trace(model)

    class DropoutRemover(Transformer):
        """Leaves calls of dropout out."""

        def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            if isinstance(self.submodules[target], nn.Dropout):
                if len(args) != 1:
                    raise AssertionError(f"Expected 1 arg for Dropout, got {len(args)}")
                return args[0]
            return super().call_module(target, args, kwargs)

    return DropoutRemover(traced).transform()


def extract_subgraph(
    orig_module: Any, nodes: list[Node], inputs: list[Node], outputs: list[Node]
) -> GraphModule:
    """A module of some nodes.

    Args:
        orig_module: the module that they use
        nodes: the nodes in order
        inputs: the nodes whose values become arguments
        outputs: the nodes whose values it returns
    """
    graph = Graph()
    known: dict[Node, Node] = {}
    for node in inputs:
        known[node] = graph.placeholder(node.name)
    for node in nodes:
        known[node] = graph.node_copy(node, lambda n: known[n])
    graph.output([known[node] for node in outputs])
    graph.lint()
    return GraphModule(orig_module, graph)


def optimize_for_inference(
    model: Any, pass_config: dict[str, Any] | None = None, tracer: type[Tracer] = Tracer
) -> Any:
    """A module for inference: normalisations are part of convolutions, and there is no dropout.

    Args:
        model: the module
        pass_config: switches: `conv_bn_fuse`, `remove_dropout`; a layout for MKL-DNN is refused
        tracer: the class that traces it
    """
    switches: dict[str, Any] = defaultdict(lambda: True)
    switches.update(pass_config or {})
    if pass_config and pass_config.get("mkldnn_layout_optimize"):
        _no_mkldnn()
    if switches["conv_bn_fuse"]:
        model = fuse(model)
    if switches["remove_dropout"]:
        model = remove_dropout(model)
    graph = tracer().trace(copy.deepcopy(model))
    return GraphModule(model, graph)


def _no_mkldnn() -> NoReturn:
    raise NotImplementedError(
        "optimize_for_inference: mkldnn_layout_optimize is not supported: there is no MKL-DNN"
    )


class UnionFind:
    """Sets of numbers that grow together."""

    def __init__(self, n: int) -> None:
        self.parent: list[int | None] = [None] * n
        self.size: list[int] = [0] * n

    def make_set(self, v: int) -> None:
        """Begin a set."""
        self.parent[v] = v
        self.size[v] = 1

    def find(self, v: int) -> int:
        """The number that stands for a number's set."""
        parent = self.parent[v]
        if parent is None:
            raise AssertionError(f"Parent is None for {v}")
        if v == parent:
            return v
        self.parent[v] = self.find(parent)
        found = self.parent[v]
        assert found is not None
        return found

    def join(self, a: int, b: int) -> int | None:
        """Let two sets be one."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return a
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        return None

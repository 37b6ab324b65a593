"""Computing once what does not depend on arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.fx._symbolic_trace import symbolic_trace
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule, _assign_attr
from rushlight.fx.node import Node, map_arg
from rushlight.fx.passes.split_module import split_module

__all__ = ["FoldedGraphModule", "get_unique_attr_name_in_module", "split_const_subgraphs"]


class FoldedGraphModule(GraphModule):
    """A module that computes its constants when it is called first.

    Args:
        root: the module that the graph uses
        graph: the graph
        const_subgraph: the graph of the constants
        fx_const_folded_attrs_name: the attribute that holds them
        device_for_folded_attrs: the device of the attribute
    """

    def __init__(
        self,
        root: Any,
        graph: Graph,
        const_subgraph: Graph | None = None,
        fx_const_folded_attrs_name: str | None = None,
        device_for_folded_attrs: str = "cuda",
    ) -> None:
        super().__init__(root, graph)
        self.const_subgraph_module = (
            None if const_subgraph is None else GraphModule(root, const_subgraph)
        )
        self.has_folding_been_run = False
        self.fx_const_folded_attrs_name = fx_const_folded_attrs_name
        self.device_for_folded_attrs = device_for_folded_attrs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module; the constants are computed first if they were not yet."""
        if not self.has_folding_been_run:
            self.run_folding()
        return super().__call__(*args)

    def run_folding(self) -> None:
        """Compute the constants."""
        if self.const_subgraph_module is None or self.fx_const_folded_attrs_name is None:
            return
        if self.has_folding_been_run:
            raise AssertionError("Folding has already been run")
        self.has_folding_been_run = True
        # Values, one or several, without a history of their own.
        folded = self.const_subgraph_module()

        def parameter(value: Any) -> Any:
            if isinstance(value, rushlight.Tensor):
                return rushlight.nn.Parameter(
                    value.detach().clone(), requires_grad=value.requires_grad
                )
            return value

        name = self.fx_const_folded_attrs_name
        if isinstance(folded, tuple):
            setattr(self, name, rushlight.nn.ParameterList([parameter(v) for v in folded]))
        else:
            setattr(self, name, parameter(folded))


def _inline_module(gm: GraphModule, inline_mod_name: str, run_dce: bool = True) -> dict[Node, Node]:
    """Put the nodes of a submodule in the place of its call."""
    inner: Any = dict(gm.named_modules())[inline_mod_name]
    if not isinstance(inner, GraphModule):
        raise AssertionError(f"Expected GraphModule, got {type(inner)}")
    call = next(
        (n for n in gm.graph.nodes if n.op == "call_module" and n.target == inline_mod_name), None
    )
    if call is None:
        raise AssertionError(f"Could not find call_module node for {inline_mod_name}")
    given = iter(call.args)
    known: dict[Node, Any] = {
        node: next(given) for node in inner.graph.nodes if node.op == "placeholder"
    }
    for node in inner.graph.nodes:
        if node.op == "placeholder":
            continue
        if node.op == "output":
            result = map_arg(node.args[0], lambda n: known[n])
            _use_instead(gm, call, result)
            continue
        with gm.graph.inserting_before(call):
            known[node] = gm.graph.node_copy(node, lambda n: known[n])
    if run_dce:
        gm.graph.eliminate_dead_code()
    return known


def _use_instead(gm: GraphModule, call: Node, result: Any) -> None:
    """Let what a call returned be values that are there."""
    if isinstance(result, Node):
        call.replace_all_uses_with(result)
        return
    for user in list(call.users):
        if user.op == "call_function" and getattr(user.target, "__name__", "") == "getitem":
            user.replace_all_uses_with(result[user.args[1]])
    if call.users:
        for user in list(call.users):
            if user.users:
                user.args = map_arg(user.args, lambda n: result if n is call else n)


def get_unique_attr_name_in_module(mod_traced: GraphModule, name: str) -> str:
    """A name that no attribute of a module has."""
    name = re.sub(r"[^0-9a-zA-Z_]+", "_", name)
    if name[0].isdigit():
        name = f"_{name}"
    while hasattr(mod_traced, name):
        match = re.match(r"(.*)_(\d+)$", name)
        name = f"{match[1]}_{int(match[2]) + 1}" if match else f"{name}_1"
    return name


def _is_constant(node: Node, constant: set[Node], skip: Callable[[Node], bool] | None) -> bool:
    """Whether a node depends on no argument, and may be computed once."""
    if node.op in ("placeholder", "output"):
        return False
    if node.op != "get_attr" and not set(node.all_input_nodes) <= constant:
        return False
    if skip and skip(node):
        return False
    # What does something each time cannot be done once.
    return not node.is_impure()


def split_const_subgraphs(
    module: Any,
    skip_folding_node_fn: Callable[[Node], bool] | None = None,
    device_for_folded_attrs: str = "cpu",
) -> FoldedGraphModule:
    """A module that computes once what does not depend on its arguments.

    Args:
        module: the module
        skip_folding_node_fn: says of nodes whether they are computed each time all the same
        device_for_folded_attrs: the device of what is computed once
    """
    traced = module if isinstance(module, GraphModule) else symbolic_trace(module)
    constant: set[Node] = set()
    found = False
    for node in traced.graph.nodes:
        if _is_constant(node, constant, skip_folding_node_fn):
            constant.add(node)
            found = found or node.op != "get_attr"
    if not found:
        return FoldedGraphModule(traced, traced.graph)

    def part_of(node: Node) -> int:
        return 0 if node in constant else 1

    split = split_module(traced, module, part_of)
    # Names of the parts: what is constant, and the rest.
    first, second = "submod_0", "submod_1"
    constants, others = getattr(split, first), getattr(split, second, None)
    for node in split.graph.nodes:
        if node.op == "call_module" and node.target == first:
            constant_call = node
    root_graph = _constant_graph(split, constants, constant_call)
    for node in split.graph.nodes:
        if node.op == "call_module":
            inner = getattr(split, node.target)
            for name, value in _attributes_of(inner):
                _assign_attr(value, split, name)
    name = get_unique_attr_name_in_module(split, "_FX_CONST_FOLDED_ATTRS")
    several = isinstance(constants.graph.output_node().args[0], tuple)
    empty = rushlight.nn.Parameter(rushlight.randn(1), requires_grad=False)
    setattr(split, name, rushlight.nn.ParameterList() if several else empty)
    with split.graph.inserting_before(constant_call):
        fetched = split.graph.get_attr(name)
    fetched.meta = constant_call.meta.copy()
    constant_call.replace_all_uses_with(fetched)
    split.graph.erase_node(constant_call)
    if others is not None:
        _inline_module(split, second)
    else:
        split.graph.eliminate_dead_code()
    return FoldedGraphModule(split, split.graph, root_graph, name, device_for_folded_attrs)


def _attributes_of(module: Any) -> list[tuple[str, Any]]:
    """What the graph of a submodule uses."""
    found = []
    for node in module.graph.nodes:
        if node.op in ("get_attr", "call_module"):
            value = module
            for part in node.target.split("."):
                value = getattr(value, part)
            found.append((node.target, value))
    return found


def _constant_graph(split: GraphModule, constants: GraphModule, call: Node) -> Graph:
    """The graph of the constants without parameters: it fetches what its call was given."""
    graph = Graph()
    known: dict[Node, Node] = {}
    given = iter(call.args)
    for node in constants.graph.nodes:
        if node.op == "placeholder":
            source = next(given)
            if not isinstance(source, Node) or source.op != "get_attr":
                raise AssertionError(f"Expected get_attr node, got {source}")
            # The parameter's name is taken: it is told apart from what is fetched.
            graph._graph_namespace.create_name(node.name, None)
            known[node] = graph.get_attr(source.target)
            known[node].meta = source.meta.copy()
        elif node.op == "output":
            graph.output(map_arg(node.args[0], lambda n: known[n]))
        else:
            known[node] = graph.node_copy(node, lambda n: known[n])
    return graph

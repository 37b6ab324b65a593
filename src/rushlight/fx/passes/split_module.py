"""Taking a module apart into submodules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, map_arg

__all__ = ["Partition", "split_module"]


class Partition:
    """A submodule in the making.

    Args:
        name: a part of its name
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.submod_name = f"submod_{name}"
        self.node_names: list[str] = []
        # What comes in and goes out, by names, in order.
        self.inputs: dict[str, None] = {}
        self.outputs: dict[str, None] = {}
        self.dependencies: dict[str, None] = {}
        self.dependents: dict[str, None] = {}
        self.graph = Graph()
        self.environment: dict[Node, Node] = {}
        self.targets: dict[str, Any] = {}

    def __repr__(self) -> str:
        return (
            f"name: {self.name},\n"
            f" nodes: {self.node_names},\n"
            f" inputs: {self.inputs},\n"
            f" outputs: {self.outputs},\n"
            f" partitions depended on: {self.dependencies},\n"
            f" partition dependents: {self.dependents}"
        )


def _get_attr_from_qualname(mod: Any, qualname: str) -> Any:
    """What a path in a module leads to."""
    for part in qualname.split("."):
        if not hasattr(mod, part):
            raise AttributeError(f"Node target {qualname} not found!")
        mod = getattr(mod, part)
    return mod


def split_module(
    m: GraphModule,
    root_m: Any,
    split_callback: Callable[[Node], int],
    qualname_map: dict[str, str] | None = None,
    keep_original_order: bool | None = False,
    keep_original_node_name: bool | None = False,
    keep_original_input_name: bool = True,
    *,
    partition_affix: str | None = None,
    tuple_return: bool = False,
) -> GraphModule:
    """A module that calls submodules, each with a part of a module's nodes.

    Args:
        m: the module
        root_m: the module that it was traced from; not needed
        split_callback: gives the number or name of each node's part
        qualname_map: where to write which path in the new module was which one before
        keep_original_order: whether parts are called in the order in which they come first
        keep_original_node_name: whether nodes keep their names
        keep_original_input_name: whether parameters of parts are called like what is given
        partition_affix: a part of the submodules' names
        tuple_return: whether a submodule with one result returns a tuple too
    """
    splitter = _Splitter(m, split_callback, partition_affix)
    splitter.assign()
    return splitter.build(
        qualname_map, bool(keep_original_order), bool(keep_original_node_name),
        keep_original_input_name, tuple_return,
    )  # fmt: skip


class _Splitter:
    """Takes one module apart."""

    def __init__(
        self, module: GraphModule, part_of: Callable[[Node], Any], affix: str | None
    ) -> None:
        self.module = module
        self.part_of = part_of
        self.affix = affix
        self.parts: dict[str, Partition] = {}
        self.nodes = {node.name: node for node in module.graph.nodes}
        self.part_names: dict[Node, str] = {}

    def _part(self, node: Node) -> Partition:
        name = str(self.part_of(node))
        part = self.parts.get(name)
        if part is None:
            shown = name if self.affix is None else f"{self.affix}_{name}"
            part = self.parts[name] = Partition(shown)
        return part

    def assign(self) -> None:
        """Let each node have its part, and the parts what goes between them."""
        for node in self.module.graph.nodes:
            if node.op in ("placeholder", "get_attr", "output"):
                continue
            part = self._part(node)
            part.node_names.append(node.name)
            self.part_names[node] = str(self.part_of(node))
        for node in self.module.graph.nodes:
            if node.op in ("placeholder", "get_attr"):
                continue
            for used in node.all_input_nodes:
                self._connect(used, None if node.op == "output" else node)

    def _connect(self, used: Node, user: Node | None) -> None:
        """Note that a node's value is used."""
        giver = self.part_names.get(used)
        taker = None if user is None else self.part_names[user]
        if giver == taker:
            return
        if giver is not None:
            self.parts[giver].outputs.setdefault(used.name)
        if taker is not None:
            self.parts[taker].inputs.setdefault(used.name)
            if giver is not None:
                self.parts[giver].dependents.setdefault(taker)
                self.parts[taker].dependencies.setdefault(giver)

    def _order(self, keep: bool) -> list[str]:
        """The parts so that each comes behind those it needs."""
        names = list(self.parts)
        waiting = {name: set(self.parts[name].dependencies) for name in names}
        ordered: list[str] = []
        ready = [name for name in names if not waiting[name]]
        while ready:
            name = ready.pop(0)
            ordered.append(name)
            for later in self.parts[name].dependents:
                waiting[later].discard(name)
                if not waiting[later] and later not in ordered and later not in ready:
                    ready.append(later)
            if keep:
                # As the nodes come, as far as that is possible.
                ready.sort(key=names.index)
        if len(ordered) != len(names):
            raise RuntimeError("cycle exists between partitions!")
        return ordered

    def build(
        self,
        moved: dict[str, str] | None,
        keep_order: bool,
        keep_names: bool,
        keep_inputs: bool,
        tuple_return: bool,
    ) -> GraphModule:
        """The new module."""
        order = self._order(keep_order)
        for name in order:
            self._add_inputs(self.parts[name], keep_inputs)
        for node in self.module.graph.nodes:
            if node in self.part_names:
                self._copy_into_part(node, moved, keep_names)
        base = Graph()
        base_env: dict[str, Node] = {}
        attributes: dict[str, Any] = {}
        for node in self.module.graph.nodes:
            if node.op == "placeholder":
                base_env[node.name] = _copy_parameter(base, node)
            elif node.op == "get_attr":
                base_env[node.name] = base.get_attr(node.target)
                base_env[node.name].meta = node.meta.copy()
                attributes[node.target] = _get_attr_from_qualname(self.module, node.target)
        for name in order:
            self._call_part(self.parts[name], base, base_env, attributes, tuple_return)
        for node in self.module.graph.nodes:
            if node.op == "output":
                made = base.output(map_arg(node.args[0], lambda n: base_env[n.name]))
                made.meta = node.meta.copy()
        return GraphModule(attributes, base)

    def _add_inputs(self, part: Partition, keep_names: bool) -> None:
        for index, name in enumerate(part.inputs):
            node = self.nodes[name]
            shown = name if keep_names else f"arg_{index}"
            made = part.graph.placeholder(shown, type_expr=node.type)
            made.meta = node.meta.copy()
            part.environment[node] = made

    def _copy_into_part(self, node: Node, moved: dict[str, str] | None, keep_names: bool) -> None:
        part = self.parts[self.part_names[node]]
        environment = part.environment
        args = map_arg(node.args, lambda n: environment[n])
        kwargs = map_arg(node.kwargs, lambda n: environment[n])
        target = node.target
        if node.op == "call_module":
            found = _get_attr_from_qualname(self.module, node.target)
            target = node.target.replace(".", "_")
            part.targets[target] = found
            if moved is not None:
                moved[f"{part.submod_name}.{target}"] = node.target
        made = part.graph.create_node(
            node.op, target, args, kwargs, type_expr=node.type,
            name=node.name if keep_names else None,
        )  # fmt: skip
        made.meta = node.meta.copy()
        environment[node] = made

    def _call_part(
        self,
        part: Partition,
        base: Graph,
        base_env: dict[str, Node],
        attributes: dict[str, Any],
        tuple_return: bool,
    ) -> None:
        values = tuple(part.environment[self.nodes[name]] for name in part.outputs)
        several = len(values) > 1 or (tuple_return and len(values) == 1)
        if values:
            part.graph.output(values if several else values[0])
        else:
            part.graph.output(())
        attributes[part.submod_name] = GraphModule(part.targets, part.graph)
        call = base.call_module(part.submod_name, tuple(base_env[name] for name in part.inputs))
        if several:
            from rushlight.fx.proxy import Proxy

            proxy = Proxy(call)
            for index, name in enumerate(part.outputs):
                base_env[name] = proxy[index].node  # type: ignore[index]
                base_env[name].meta = self.nodes[name].meta.copy()
        elif values:
            name = next(iter(part.outputs))
            base_env[name] = call
            call.meta = self.nodes[name].meta.copy()


def _copy_parameter(graph: Graph, node: Node) -> Node:
    default = node.args[0] if node.args else ...
    made = graph.placeholder(node.target, type_expr=node.type, default_value=default)
    made.meta = node.meta.copy()
    return made

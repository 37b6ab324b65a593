"""A graph of operators, written anew with fused kernels."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from rushlight._inductor.fusion import Fusion, Group, calls_of, value_of
from rushlight._inductor.kernels import Kernel, Map, Reduced, Rows
from rushlight._inductor.product_kernels import Behind, Multiplied
from rushlight._inductor.products import Joined, call_of, join_products, plan_product_ahead
from rushlight._inductor.reuse import Reuse
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node


class Chooser(Protocol):
    """Who decides what is not clear by itself."""

    def is_fused(
        self, kernel: Kernel, nodes: Sequence[Node], inputs: Sequence[Node],
        apart: Callable[[], GraphModule] | None = None,
    ) -> bool:  # fmt: skip
        """Whether nodes become a kernel, rather than another graph: by default, their calls one after the other.

        The kernel reads the first of the inputs, the graph all of them.
        """

    def kernel_of(self, node: Node) -> Kernel | None:
        """What computes a call that is left alone, of its inputs, if not the operator."""


def lower(module: GraphModule, fewest: int = 2, chooser: Chooser | None = None) -> GraphModule:
    """The same program with one kernel for each group of nodes.

    Args:
        module: the program
        fewest: a group of fewer calls stays as it is
        chooser: decides what is not clear by itself
    """
    return GraphModule(module, Lowering(Fusion(module.graph), fewest, chooser).graph)


class Lowering:
    """Writes the graph of groups.

    Args:
        fusion: the groups
        fewest: a group of fewer calls stays as it is
        chooser: decides what is not clear by itself
    """

    def __init__(self, fusion: Fusion, fewest: int = 2, chooser: Chooser | None = None) -> None:
        self.fusion, self.chooser = fusion, chooser
        plan_product_ahead(fusion.graph)
        self.joined = join_products(fusion)
        self.graph = Graph()
        self.made: dict[Node, Node] = {}
        order = fusion.in_order()
        reuse = Reuse(fusion, order)
        for group in order:
            over = reuse.input_of(group)
            if group.number in self.joined:
                self._with_product(group, self.joined[group.number])
            elif group.calls < fewest and over is None:
                self._apart(group.nodes)
            else:
                self._fused(group, over)
        self.graph.lint()

    def _apart(self, nodes: Sequence[Node]) -> None:
        """Nodes as their calls, one after the other."""
        for node in nodes:
            kernel = self.chooser.kernel_of(node) if self.chooser is not None else None
            if kernel is None:
                self.made[node] = self.graph.node_copy(node, self.made.__getitem__)
            else:
                given = tuple(self.made[x] for x in node.all_input_nodes)
                self.made[node] = made = self.graph.call_function(kernel, given)
                made.meta["val"] = value_of(node)

    def _fused(self, group: Group, over: Node | None) -> None:
        """A group as a kernel, which may write over one of its inputs."""
        inputs = group.inputs()
        results = self._in_kernels_order(group)
        if not results:
            return
        kernel = self._kernel(group, inputs, results, over)
        chooser = self.chooser if group.calls > 1 else None
        if chooser is not None and not chooser.is_fused(kernel, group.nodes, inputs):
            self._apart(group.nodes)
            return
        self._call(kernel, inputs, results, group.nodes)

    def _call(
        self, kernel: Kernel, inputs: Sequence[Node], results: Sequence[Node], fused: Sequence[Node]
    ) -> None:
        """The call of a kernel that gives the values of some nodes; what it was fused from is noted."""
        call = self.graph.call_function(kernel, tuple(self.made[x] for x in inputs))
        call.meta["fused"] = [node.name for node in fused]
        if len(results) == 1:
            self.made[results[0]] = call
            call.meta["val"] = value_of(results[0])
            return
        for k, node in enumerate(results):
            self.made[node] = item = self.graph.call_function(operator.getitem, (call, k))
            item.meta["val"] = value_of(node)

    def _with_product(self, group: Group, joined: Joined) -> None:
        """A product and the loop behind it, as one kernel or one after the other."""
        product, view = joined
        before = [n for n in (product, view) if n is not None]
        rest = Group(group.number, group.size)
        rest.nodes = [n for n in group.nodes if n not in before]
        rest.calls = group.calls
        read, results = rest.inputs(), rest.results()
        loop = self._kernel(rest, read, results, None)
        assert isinstance(loop, Map)
        outside = [n for n in before if any(user not in group.nodes for user in n.users)]
        inputs = list(
            dict.fromkeys([*product.all_input_nodes, *(x for x in read if x not in before)])
        )
        reads = [None if x in before else inputs.index(x) for x in read]
        size = None if view is None else _with_one_open(value_of(view)._size_)
        behind = Behind(loop, reads, size, bool(outside))
        wanted = [product] * bool(outside) + results
        call = call_of(product, inputs)
        name = _name(group)
        kernel = Multiplied(name, [call], len(inputs), range(len(wanted)), behind=behind)
        if self.chooser is not None:
            # What gives the view its size comes behind the kernel's own inputs.
            sizes = [] if view is None else [x for x in view.all_input_nodes if x is not product]
            given = list(dict.fromkeys([*inputs, *sizes]))

            def apart() -> GraphModule:
                return _one_by_one(product, view, loop, given, read, outside)

            if not self.chooser.is_fused(kernel, group.nodes, given, apart):
                self._apart(before)
                self._call(loop, read, results, rest.nodes)
                return
        self._call(kernel, inputs, wanted, group.nodes)
        if view is not None and view in outside:
            self.made[view] = self.graph.node_copy(view, self.made.__getitem__)

    def _in_kernels_order(self, group: Group) -> list[Node]:
        """The results, those with whole rows first."""
        found = [node for node in group.results() if not isinstance(value_of(node), (tuple, list))]
        return sorted(found, key=lambda node: node in group.row_values)

    def _kernel(
        self, group: Group, inputs: list[Node], results: list[Node], over: Node | None
    ) -> Kernel:
        calls, places = calls_of(group, self.fusion.calls, inputs)
        wanted = [places[node] for node in results]
        name = _name(group)
        if group.has_reduction:
            return Reduced(name, calls, len(inputs), wanted)
        if group.dims is None:
            into = None if over is None else inputs.index(over)
            return Map(name, calls, len(inputs), wanted, into)
        scalars = sum(node in group.row_values for node in results)
        return Rows(name, calls, len(inputs), wanted, group.dims, scalars)


def _with_one_open(size: Sequence[Any]) -> list[int]:
    """A size for a view, in which a symbol follows from the others."""
    return [n if type(n) is int else -1 for n in size]


def _one_by_one(
    product: Node, view: Node | None, loop: Map, inputs: Sequence[Node], read: Sequence[Node],
    outside: Sequence[Node],
) -> GraphModule:  # fmt: skip
    """The graph of a product and of a loop behind it."""
    graph = Graph()
    made = {x: graph.placeholder(x.name) for x in inputs}
    for node in (product, view):
        if node is not None:
            made[node] = graph.node_copy(node, made.__getitem__)
    call = graph.call_function(loop, tuple(made[x] for x in read))
    graph.output((*(made[n] for n in outside), call))
    return GraphModule({}, graph)


def _name(group: Group) -> str:
    """What a kernel does, in a few words."""
    names: dict[str, None] = {}
    for node in group.nodes:
        if node.target is not operator.getitem:
            names[node.target._opname.strip("_")] = None  # type: ignore[union-attr]
    return "fused_" + "_".join(list(names)[:6])

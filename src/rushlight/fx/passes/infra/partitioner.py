"""Finding groups of nodes that a backend can run."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, _get_qualified_name
from rushlight.fx.passes.operator_support import OperatorSupportBase
from rushlight.fx.passes.utils.fuser_utils import fuse_by_partitions

__all__ = ["CapabilityBasedPartitioner", "Partition"]


class Partition:
    """A group of nodes.

    Args:
        id: its number
        nodes: the nodes
        node_orders: their places
    """

    def __init__(
        self,
        id: int | None = None,
        nodes: Iterable[Node] | None = None,
        node_orders: Iterable[int] | None = None,
    ) -> None:
        self.id = id
        self.nodes: dict[Node, int | None] = {}
        if nodes is not None:
            orders: Iterable[int | None] = (
                itertools.repeat(None) if node_orders is None else node_orders
            )
            self.nodes = dict(zip(nodes, orders))

    def __repr__(self) -> str:
        return str(self.nodes)

    def add_node(self, node: Node, node_order: int | None = None) -> None:
        """Add a node."""
        self.nodes[node] = node_order

    def remove_node(self, node: Node) -> None:
        """Take a node away."""
        del self.nodes[node]

    def size(self) -> int:
        """How many nodes there are."""
        return len(self.nodes)


class CapabilityBasedPartitioner:
    """Groups the nodes that can be run.

    Args:
        graph_module: the module
        operator_support: says which nodes can be run
        allows_single_node_partition: whether a group may be one node
        non_compute_ops: targets that compute nothing: a group of them alone is none
        allowed_single_node_partition_ops: targets whose single nodes may be a group all the same
        skip_horizontal_fusion: whether groups without a value between them stay apart
    """

    def __init__(
        self,
        graph_module: GraphModule,
        operator_support: OperatorSupportBase,
        allows_single_node_partition: bool = False,
        non_compute_ops: Sequence[str] | None = None,
        allowed_single_node_partition_ops: Sequence[str] | None = None,
        skip_horizontal_fusion: bool = False,
    ) -> None:
        self.graph_module = graph_module
        self.operator_support = operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = non_compute_ops if non_compute_ops is not None else []
        self.allowed_single_node_partition_ops = allowed_single_node_partition_ops or []
        self.skip_horizontal_fusion = skip_horizontal_fusion
        self._submodules: Mapping[str, Any] = dict(graph_module.named_modules())

    def _is_node_supported(self, node: Node) -> bool:
        return self.operator_support.is_node_supported(self._submodules, node)

    def propose_partitions(self) -> list[Partition]:
        """The groups."""
        grouping = _Grouping()
        backwards = reversed(self.graph_module.graph.nodes)
        places = {node: place for place, node in enumerate(backwards)}
        for node in reversed(self.graph_module.graph.nodes):
            if not self._is_node_supported(node):
                continue
            number = grouping.new(node, places[node])
            others: list[int] = list(grouping.groups)[:-1]
            if self.skip_horizontal_fusion:
                near = {grouping.group_of.get(user) for user in node.users}
                others = [other for other in others if other in near]
            # The groups made last come first: they begin nearest to the node.
            for other in reversed(others):
                grouping.merge(number, other)
        grouping.keep_items_together(self._is_node_supported)
        partitions = [group for group in grouping.groups.values() if group.size()]
        if not self.allows_single_node_partition:
            partitions = [group for group in partitions if self._is_worth_it(group)]
        return partitions

    def _is_worth_it(self, group: Partition) -> bool:
        idle = {"torch.ops.aten.view", "_operator.getitem", *self.non_compute_ops}
        count = 0
        for node in group.nodes:
            if node.op != "call_function":
                continue
            target = node.target
            if not callable(target):
                raise AssertionError(f"Expected callable target, got {type(target)}")
            if _get_qualified_name(target) not in idle:
                count += 1
            if _get_qualified_name(target) in self.allowed_single_node_partition_ops:
                return True
        return count > 1

    def fuse_partitions(self, partitions: list[Partition], prefix: str = "fused_") -> GraphModule:
        """Put the groups into submodules."""
        return fuse_by_partitions(
            self.graph_module, [list(partition.nodes) for partition in partitions], prefix=prefix
        )

    def remove_bookend_non_compute_ops(self, partitions: list[Partition]) -> None:
        """Take nodes that compute nothing away from the groups' beginnings and ends."""
        idle = set(self.non_compute_ops)

        def is_idle(node: Node) -> bool:
            return node.op == "call_function" and _get_qualified_name(node.target) in idle

        for partition in partitions:
            removed: set[Node] = set()
            for step in (
                lambda node: node.all_input_nodes,
                lambda node: node.users,
            ):
                # An idle node goes if all that it has on this side is outside, or goes too.
                changed = True
                while changed:
                    changed = False
                    for node in partition.nodes:
                        if node in removed or not is_idle(node):
                            continue
                        if all(
                            other not in partition.nodes or other in removed for other in step(node)
                        ):
                            removed.add(node)
                            changed = True
            for node in removed:
                partition.remove_node(node)

    def partition_and_fuse(self, prefix: str = "fused_") -> GraphModule:
        """Find the groups and put them into submodules."""
        return self.fuse_partitions(self.propose_partitions(), prefix=prefix)


class _Grouping:
    """Groups that grow as long as nothing leads out of one and back into it."""

    def __init__(self) -> None:
        self.groups: dict[int, Partition] = {}
        self.group_of: dict[Node, int] = {}
        self._next = itertools.count()

    def new(self, node: Node, place: int) -> int:
        number = next(self._next)
        self.groups[number] = Partition(number, [node], [place])
        self.group_of[node] = number
        return number

    def _leads_back(self, inside: set[Node]) -> bool:
        """Whether something leads out of nodes and back to them."""
        seen: set[int | Node] = set()
        outside = [user for node in inside for user in node.users if user not in inside]
        while outside:
            node = outside.pop()
            number = self.group_of.get(node)
            mark: int | Node = node if number is None else number
            if mark in seen:
                continue
            seen.add(mark)
            # A group is one: what leads into it leads to all that comes out of it.
            members = [node] if number is None else list(self.groups[number].nodes)
            for member in members:
                if member in inside:
                    return True
                outside.extend(member.users)
        return False

    def merge(self, first: int, second: int) -> bool:
        """Let two groups be one, if that is possible."""
        inside = {*self.groups[first].nodes, *self.groups[second].nodes}
        if self._leads_back(inside):
            return False
        for node, place in self.groups.pop(second).nodes.items():
            self.groups[first].add_node(node, place)
            self.group_of[node] = first
        return True

    def keep_items_together(self, is_supported: Any) -> None:
        """Let nodes that take an item of a tuple be in the group of the tuple."""
        moves: dict[Node, int] = {}
        for node, number in self.group_of.items():
            if (
                node.op == "call_function"
                and _get_qualified_name(node.target) == "_operator.getitem"
            ):
                continue
            for user in node.users:
                is_item = (
                    user.op == "call_function"
                    and _get_qualified_name(user.target) == "_operator.getitem"
                )
                if is_item and self.group_of.get(user) not in (None, number):
                    moves[user] = number
        for node, number in moves.items():
            old = self.group_of[node]
            place = self.groups[old].nodes[node]
            self.groups[old].remove_node(node)
            self.groups[number].add_node(node, place)
            self.group_of[node] = number

"""Results in the memory of inputs that nobody reads afterwards.

A kernel whose result follows, element by element, from inputs at the same place may write over one of them. That takes
less memory, and what is written is in the cache already.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight._inductor.fusion import (
    Fusion,
    Group,
    is_item,
    is_plain,
    size_of,
    spec_of,
    value_of,
)
from rushlight._inductor.products import request_by
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops.kinds.planned import Computed
from rushlight.fx.node import Node

# For fewer bytes a call by itself is not worth a kernel of its own.
FEWEST_BYTES = 1 << 14


class Reuse:
    """Which groups may write over an input.

    Args:
        fusion: the groups
        order: the same in the order in which they run
    """

    def __init__(self, fusion: Fusion, order: Sequence[Group]) -> None:
        self.fusion = fusion
        self.place = {group.number: k for k, group in enumerate(order)}
        self._makes_new: dict[Node, bool] = {}

    def input_of(self, group: Group) -> Node | None:
        """The input that a group's result may take the place of, if there is one."""
        results = group.results()
        if group.dims is not None or group.has_reduction or len(results) != 1:
            return None
        # A product among them reads more than what is at the same place.
        if not all(node in self.fusion.calls for node in group.nodes):
            return None
        wanted = value_of(results[0])
        if group.calls == 1 and wanted.numel() * wanted.dtype.itemsize < FEWEST_BYTES:
            return None
        return next((x for x in group.inputs() if self._may_hold(x, wanted, group)), None)

    def _may_hold(self, x: Node, wanted: Tensor, group: Group) -> bool:
        """Whether an input has the result's layout, and its memory to itself when the group runs."""
        value = value_of(x)
        if not is_plain(value) or size_of(value) != size_of(wanted):
            return False
        return spec_of(value) == spec_of(wanted) and self._is_last(x, group)

    def _is_last(self, x: Node, group: Group) -> bool:
        """Whether nothing but a group reads the memory of an input from there on, and only by that name."""
        root = x
        while _is_view(root):
            root = root.all_input_nodes[0]
        if not self._gives_new(root.args[0] if is_item(root) else root):  # type: ignore[arg-type]
            return False
        names = [root]
        for name in names:
            for user in name.users:
                if _is_view(user):
                    names.append(user)
                elif self.fusion.group_of.get(user) is group:
                    if name is not x:
                        return False
                elif not self._has_read(user, group):
                    return False
        return True

    def _has_read(self, user: Node, group: Group) -> bool:
        """Whether a node has read its inputs when a group begins, and shows nobody their memory."""
        other = self.fusion.group_of.get(user)
        if other is None or user.op == "output" or is_item(user):
            return False
        return self.place[other.number] < self.place[group.number] and self._gives_new(user)

    def _gives_new(self, node: Node) -> bool:
        """Whether a call's results are new tensors."""
        if node not in self._makes_new:
            self._makes_new[node] = node in self.fusion.calls or _is_planned(node)
        return self._makes_new[node]


def _is_view(node: Node) -> bool:
    """Whether a value is one tensor in the memory of another one."""
    op = node.target
    return isinstance(op, Operator) and op.schema.is_view and isinstance(value_of(node), Tensor)


def _is_planned(node: Node) -> bool:
    """Whether a call is a loop that fills what was taken for it."""
    request = request_by(node)
    return request is not None and not isinstance(request, Computed)

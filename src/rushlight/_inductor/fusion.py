"""Which nodes of a graph share a loop.

A group is a set of nodes that become one kernel. Nodes come in the graph's order; each joins the group of one of its
inputs if it fits in there and if no node outside lies on a way from the group to it.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any

from rushlight._functorch.partitioners import is_random
from rushlight._inductor.scalar_program import (
    Call,
    Number,
    Ref,
    Spec,
    fits_rows,
    is_pointwise,
    plan_calls,
    request_of,
    stand_in,
)
from rushlight.engine.core import layout as layouts
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema_call import match
from rushlight.engine.loops import placement
from rushlight.engine.loops.casts import COMPLEX
from rushlight.engine.ops.kinds.reduction import Reduce, reduced_size
from rushlight.engine.ops.kinds.rows import RowsAlong
from rushlight.fx.graph import Graph
from rushlight.fx.node import Node, map_aggregate

# More calls or inputs than this make a loop's registers spill.
MOST_CALLS, MOST_INPUTS = 64, 24
# Longer rows leave the cache between two looks.
LONGEST_ROW = 1 << 14

Ints = tuple[int, ...]
Size = tuple[Any, ...]


class Whole:
    """What a node does to rows.

    Args:
        size: of what it reads
        request: what it asks for
    """

    def __init__(self, size: Size, request: Reduce | RowsAlong) -> None:
        self.size, self.dims = size, tuple(sorted(request.dims))
        self.is_reduce = isinstance(request, Reduce)
        shape = tuple(request.shape)
        # For each result, whether it has whole rows.
        self.outputs = [not self.is_reduce and tuple(spec[0]) == shape for spec in request.specs]
        rank = len(shape)
        length = math.prod(shape[d] for d in self.dims)
        # Whether rows are the last dimensions, and stay in the cache. What is always done by rows may share them.
        self.is_row = not self.is_reduce or (
            fits_rows(request)
            and self.dims == tuple(range(rank - len(self.dims), rank))
            and 0 < length <= LONGEST_ROW
            and (0 < len(self.dims) < rank or rank == 1)
        )


class Group:
    """Nodes of one kernel.

    Args:
        number: of the group
        size: that of its largest values
    """

    def __init__(self, number: int, size: Size) -> None:
        self.number, self.size = number, size
        self.nodes: list[Node] = []
        self.dims: Ints | None = None
        # The groups that must run before it, as bits.
        self.before = 0
        self.is_open = True
        # How many of the nodes are calls, not items of results.
        self.calls = 0
        self.has_reduction = False
        # The nodes whose values have one element a row.
        self.row_values: set[Node] = set()

    @property
    def row_size(self) -> Size:
        assert self.dims is not None
        return reduced_size(self.size, self.dims, True)

    def inputs(self) -> list[Node]:
        """What its nodes read of others, in order."""
        own = set(self.nodes)
        found: dict[Node, None] = {}
        for node in self.nodes:
            for x in node.all_input_nodes:
                if x not in own:
                    found[x] = None
        return list(found)

    def results(self) -> list[Node]:
        """The nodes whose values others read."""
        own = set(self.nodes)
        return [n for n in self.nodes if any(user not in own for user in n.users)]


def value_of(node: Any) -> Any:
    return node.meta.get("val") if isinstance(node, Node) else node


def spec_of(value: Tensor) -> Spec:
    """What a fake is like; sizes that are symbols are what they were when the program was captured."""
    return tuple(map(_hint, value._size_)), tuple(map(_hint, value._stride_)), value._dtype_


def _is_known(size: Any) -> bool:
    return type(size) is int or size.node.hint is not None


def _hint(size: Any) -> int:
    return size if type(size) is int else int(size.node.hint)


def size_of(value: Tensor) -> Size:
    """A size in which equal numbers are equal whatever comes: symbols stand for themselves."""
    return tuple(n if type(n) is int else str(n) for n in value._size_)


def full_arguments(node: Node) -> list[Any]:
    """Every argument of a node's operator: nodes where tensors stand, `Number` where a number does."""
    stands: dict[Node, Tensor] = {x: stand_in(spec_of(value_of(x))) for x in node.all_input_nodes}
    nodes = {id(t): x for x, t in stands.items()}
    args = map_aggregate(node.args, lambda x: stands.get(x, x))
    kwargs = map_aggregate(node.kwargs, lambda x: stands.get(x, x))
    found: list[Any] = []
    for value in match(node.target, args, kwargs):  # type: ignore[arg-type]
        if id(value) in nodes:
            found.append(nodes[id(value)])
        elif isinstance(value, Tensor):
            found.append(Number(value.item(), value))  # type: ignore[attr-defined]
        else:
            found.append(value)
    return found


class Fusion:
    """The groups of a graph.

    Args:
        graph: of operators, with fakes
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.groups: list[Group] = []
        self.numbers = itertools.count()
        self.group_of: dict[Node, Group] = {}
        self.calls: dict[Node, list[Any]] = {}
        self.wholes: dict[Node, Whole] = {}
        self.position = {node: k for k, node in enumerate(graph.nodes)}
        # The latest of the calls that must stay in the program's order.
        self.last_in_order: Group | None = None
        for node in graph.nodes:
            self._place(node)

    def _place(self, node: Node) -> None:
        """Find the node's group, or begin one."""
        if is_item(node) and node.args[0] in self.calls:
            # An item of a call's results is where the call is.
            self._join(self.group_of[node.args[0]], node)  # type: ignore[index]
            return
        kind = self._kind(node)
        if kind is None:
            self._alone(node)
            return
        for group in self._groups_before(node):
            if self._may_join(group, node):
                self._join(group, node)
                self._merge_inputs(group, node)
                return
        whole = self.wholes.get(node)
        group = self._new(whole.size if whole else size_of(value_of(node)))
        self._join(group, node)

    def _new(self, size: Size) -> Group:
        group = Group(next(self.numbers), size)
        self.groups.append(group)
        return group

    def _alone(self, node: Node) -> None:
        group = self._new(())
        group.is_open = False
        self._join(group, node)
        if _stays_in_order(node):
            last, self.last_in_order = self.last_in_order, group
            if last is not None:
                self._wait(group, last.before | 1 << last.number)

    # -- what nodes are --

    def _kind(self, node: Node) -> str | None:
        """``map`` or ``whole`` for what a kernel may do."""
        op = node.target
        if (
            node.op != "call_function"
            or not isinstance(op, Operator)
            or op.schema.kind != "functional"
        ):
            return None
        given = [value_of(x) for x in node.all_input_nodes]
        made = value_of(node)
        results = list(made) if isinstance(made, (tuple, list)) else [made]
        values = [*given, *(t for t in results if t is not None)]
        if not all(map(is_plain, values)) or len({x.device for x in values}) != 1:
            return None
        if is_pointwise(op, len(given)) and len(results) == 1:
            args = full_arguments(node)
            if any(isinstance(x, (list, tuple)) for x in args):
                return None
            if not _is_as_traced(op, args, results[0]):
                return None
            self.calls[node] = args
            return "map"
        return "whole" if self._is_whole(node, op, results) else None

    def _is_whole(self, node: Node, op: Operator, results: list[Any]) -> bool:
        args = full_arguments(node)
        if any(isinstance(y, Tensor) for x in args if isinstance(x, (list, tuple)) for y in x):
            return False
        stands = [stand_in(spec_of(value_of(x))) if isinstance(x, Node) else x for x in args]
        request = request_of(op, stands)
        if not isinstance(request, (Reduce, RowsAlong)) or None in results:
            return False
        shape = tuple(request.shape)
        like = [x for x in node.all_input_nodes if spec_of(value_of(x))[0] == shape]
        if 0 in shape or not shape or not like:
            return False
        if isinstance(request, Reduce) and len(request.specs) != 1:
            return False
        if not all(any(x is given for x in stands) for given in request.inputs):
            # It reads what its rule makes of the arguments.
            return False
        self.calls[node] = args
        self.wholes[node] = Whole(size_of(value_of(like[0])), request)
        return True

    # -- groups --

    def _groups_before(self, node: Node) -> Iterator[Group]:
        """The groups that a node may join, those of its inputs, the latest first."""
        found = {
            self.group_of[x].number: self.group_of[x]
            for x in node.all_input_nodes
            if self.group_of[x].is_open
        }
        for number in sorted(found, reverse=True):
            yield found[number]

    def _may_join(self, group: Group, node: Node) -> bool:
        if group.calls >= MOST_CALLS or self._is_behind(group, node):
            return False
        return self._has_room([*group.nodes, node]) and self._fits(group, node)

    def _has_room(self, nodes: list[Node]) -> bool:
        """Whether a loop may have as many inputs as such a group."""
        own = set(nodes)
        return len({x for n in nodes for x in n.all_input_nodes if x not in own}) <= MOST_INPUTS

    def _fits(self, group: Group, node: Node) -> bool:
        """Whether a loop over a group's elements, or rows, can do what a node does."""
        whole = self.wholes.get(node)
        if whole is not None:
            return self._may_join_whole(group, node, whole)
        size = size_of(value_of(node))
        of_rows = [x for x in node.all_input_nodes if x in group.row_values]
        if group.dims is not None:
            if not of_rows:
                return size == group.size
            if size == group.size:
                # What lacks the rows' dimensions does not broadcast over them as it is.
                return all(size_of(value_of(x)) == group.row_size for x in of_rows)
            # With and without the rows' dimensions they would broadcast against each other.
            return len(of_rows) == len(node.all_input_nodes) and all(
                size_of(value_of(x)) == size for x in of_rows
            )
        return size == group.size

    def _may_join_whole(self, group: Group, node: Node, whole: Whole) -> bool:
        if whole.size != group.size or any(x in group.row_values for x in node.all_input_nodes):
            return False
        own = set(group.nodes)
        if whole.is_row:
            return group.dims in (None, whole.dims)
        # Another kind of reduction reads what the group makes, if nobody else does.
        is_last = all(user in own or user is node for n in group.nodes for user in n.users)
        return group.dims is None and is_last and whole.is_reduce

    def _is_behind(self, group: Group, node: Node) -> bool:
        """Whether an input of the node must wait for the group, but is not in it."""
        for x in node.all_input_nodes:
            other = self.group_of[x]
            if other is not group and other.before >> group.number & 1:
                return True
        return False

    def _join(self, group: Group, node: Node) -> None:
        whole = self.wholes.get(node)
        if whole is not None:
            if whole.is_row:
                group.dims = whole.dims
            else:
                group.has_reduction, group.is_open = True, False
        group.nodes.append(node)
        self.group_of[node] = group
        if node in self.calls:
            group.calls += 1
            self._note_row_value(group, node, whole)
        elif is_item(node) and not self._has_rows(*node.args):
            group.row_values.add(node)
        before = 0
        for x in node.all_input_nodes:
            other = self.group_of[x]
            if other is not group:
                before |= other.before | 1 << other.number
        if before & ~group.before:
            self._wait(group, before)

    # -- groups that become one --

    def _merge_inputs(self, group: Group, node: Node) -> None:
        """Let the group that a node has joined take in those of its other inputs."""
        for other in self._groups_before(node):
            if other is not group and self._may_merge(group, other):
                self.merge(group, other)

    def _may_merge(self, group: Group, other: Group) -> bool:
        if not group.is_open or other.size != group.size:
            return False
        if group.calls + other.calls > MOST_CALLS:
            return False
        if not self._has_room([*group.nodes, *other.nodes]):
            return False
        if self.is_between(group, other) or self.is_between(other, group):
            return False
        both = Group(-1, group.size)
        both.dims = group.dims or other.dims
        both.row_values = group.row_values | other.row_values
        nodes = [n for n in (*group.nodes, *other.nodes) if n in self.calls]
        return all(self._fits(both, n) for n in nodes)

    def is_between(self, first: Group, last: Group, besides: Sequence[Group] = ()) -> bool:
        """Whether another group waits for the first and must run before the last, besides some."""
        return any(
            g is not first
            and g not in besides
            and g.before >> first.number & 1
            and last.before >> g.number & 1
            for g in self.groups
        )

    def merge(self, group: Group, other: Group) -> None:
        """Let a group take in another one."""
        self.groups.remove(other)
        for node in other.nodes:
            self.group_of[node] = group
        group.nodes = sorted([*group.nodes, *other.nodes], key=self.position.__getitem__)
        group.calls += other.calls
        group.dims = group.dims or other.dims
        group.row_values |= other.row_values
        own = 1 << group.number | 1 << other.number
        group.before = (group.before | other.before) & ~own
        for waiting in self.groups:
            if waiting is not group and waiting.before & own:
                waiting.before |= group.before | 1 << group.number
                waiting.before &= ~(1 << other.number)

    def _has_rows(self, call: Any, which: Any) -> bool:
        """Whether a result has whole rows."""
        whole = self.wholes.get(call)
        return whole is None or whole.outputs[which]

    def _note_row_value(self, group: Group, node: Node, whole: Whole | None) -> None:
        if group.dims is None:
            return
        if whole is not None:
            if whole.outputs == [False]:
                group.row_values.add(node)
        elif size_of(value_of(node)) != group.size:
            group.row_values.add(node)

    def _wait(self, group: Group, before: int) -> None:
        """Let a group, and all that wait for it, wait for more."""
        group.before |= before
        for other in self.groups:
            if other.before >> group.number & 1:
                other.before |= group.before

    def in_order(self) -> list[Group]:
        """The groups, each behind all that it waits for, otherwise as in the graph."""
        left = sorted(self.groups, key=lambda g: self.position[g.nodes[0]])
        done, found = 0, []
        while left:
            rest = []
            for group in left:
                if group.before & ~done:
                    rest.append(group)
                else:
                    done |= 1 << group.number
                    found.append(group)
            assert len(rest) < len(left), "groups wait for each other"
            left = rest
        return found


def is_item(node: Node) -> bool:
    return node.op == "call_function" and node.target is operator.getitem


def _stays_in_order(node: Node) -> bool:
    """Whether a call does more than give its results: it draws random numbers, writes, or calls what may."""
    if node.op != "call_function" or is_item(node):
        return False
    target = node.target
    return not isinstance(target, Operator) or is_random(node) or bool(target.schema.mutated)


def is_plain(value: Any) -> bool:
    """Whether a value is a tensor whose elements are what memory holds, of a size that no element decides.

    It is where loops are made for: on the CPU, or a GPU.
    """
    return (
        isinstance(value, Tensor)
        and all(map(_is_known, value._size_))
        and (value.device.type == "cpu" or value.device.type in placement.planners)  # type: ignore[attr-defined]
        and value.layout is layouts.strided  # type: ignore[attr-defined]
        and value.dtype.memory not in COMPLEX  # type: ignore[attr-defined]
        and not value.dtype.memory.startswith("f8")  # type: ignore[attr-defined]
        and not value.is_conj()  # type: ignore[attr-defined]
        and not value.is_neg()  # type: ignore[attr-defined]
    )


def _is_as_traced(op: Operator, args: list[Any], result: Tensor) -> bool:
    """Whether a fused loop would give what was traced: the same size, strides and type."""
    stands = [stand_in(spec_of(value_of(x))) if isinstance(x, Node) else x for x in args]
    count = iter(range(len(args)))
    refs = [Ref(next(count)) if isinstance(x, Node) else x for x in args]
    inputs = [x for x, node in zip(stands, args) if isinstance(node, Node)]
    (made,) = plan_calls([Call(op, tuple(refs))], inputs)
    return tuple(made.specs[0]) == spec_of(result)


def calls_of(
    group: Group, known: dict[Node, list[Any]], inputs: list[Node]
) -> tuple[list[Call], dict[Node, int]]:
    """The calls of a group, and the places of values."""
    places: dict[Node, int] = {node: k for k, node in enumerate(inputs)}
    calls = []
    count = len(inputs)
    for node in group.nodes:
        if node not in known:
            places[node] = places[node.args[0]] + node.args[1]  # type: ignore[index,operator]
            continue
        args = tuple(Ref(places[x]) if isinstance(x, Node) else x for x in known[node])
        calls.append(Call(node.target, args))  # type: ignore[arg-type]
        places[node] = count
        made = value_of(node)
        count += len(made) if isinstance(made, (tuple, list)) else 1
    return calls, places

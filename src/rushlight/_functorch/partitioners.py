"""Cuts a joint graph into a forward and a backward graph: what is kept in between, and what is computed again."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._functorch import config
from rushlight._functorch.compile_utils import fx_graph_cse
from rushlight._functorch.max_flow import Network
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt, has_symbols
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.fx._lazy_graph_module import _make_graph_module
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.utils import _pytree as pytree

__all__ = [
    "default_partition",
    "draw_graph",
    "is_sym_node",
    "min_cut_rematerialization_partition",
]


def is_sym_node(node: Any) -> bool:
    """Whether the value of a node is a symbolic number."""
    return isinstance(node, Node) and isinstance(node.meta.get("val"), (SymInt, SymFloat, SymBool))


def _is_primal(node: Node) -> bool:
    return node.op == "placeholder" and not _is_tangent(node)


def _is_tangent(node: Node) -> bool:
    return node.op == "placeholder" and "tangents" in str(node.target)


class InvalidNodeBase:
    """In the place of a node that a part of a graph cannot have."""

    def __repr__(self) -> str:
        return "Invalid Node"


InvalidNode = InvalidNodeBase()


def _extract_graph_with_inputs_outputs(
    joint_graph: Graph,
    inputs: Sequence[Node],
    outputs: Sequence[Any],
    outputs_descs: Any = None,
    subgraph: str | None = None,
    **unused: Any,
) -> Graph:
    """The part of a graph that computes some of its values from others.

    Args:
        joint_graph: the graph
        inputs: nodes that become arguments
        outputs: nodes that are returned
        subgraph: ``forward`` or ``backward``: each draws the random numbers that are drawn in this pass
    """
    made = Graph()
    copies: dict[Node, Any] = {}
    for node in inputs:
        new = made.placeholder(node.name)
        new.meta = node.meta
        copies[node] = new
    for node in joint_graph.nodes:
        if node in copies:
            continue
        if node.op == "placeholder" or (
            is_random(node)
            and subgraph is not None
            and _is_behind(node) != (subgraph == "backward")
        ):
            copies[node] = InvalidNode
        elif node.op == "call_function" or node.op == "call_method":
            invalid = any(copies[x] is InvalidNode for x in node.all_input_nodes)
            copies[node] = InvalidNode if invalid else made.node_copy(node, lambda x: copies[x])
        elif node.op in ("get_attr", "call_module"):
            copies[node] = made.node_copy(node, lambda x: copies[x])
    returned: list[Any] = []
    for value in outputs:
        if isinstance(value, Node):
            if value not in copies:
                raise RuntimeError(f"Node {value} couldn't be found in env")
            if copies[value] is InvalidNode:
                raise AssertionError(f"Node {value} was invalid, but is output")
            returned.append(copies[value])
        else:
            returned.append(value)
    made.output(tuple(returned))
    made.eliminate_dead_code()
    made.lint()
    return made


def _extract_fwd_bwd_outputs(
    joint_module: GraphModule, *, num_fwd_outputs: int
) -> tuple[list[Any], list[Any]]:
    """What the joint graph returns, before and from the first gradient."""
    (output,) = joint_module.graph.find_nodes(op="output")
    outputs = pytree.tree_leaves(list(pytree.tree_leaves(output.args)))
    return outputs[:num_fwd_outputs], outputs[num_fwd_outputs:]


def _extract_fwd_bwd_modules(
    joint_module: GraphModule,
    saved_values: list[Node],
    saved_sym_nodes: Sequence[Node] = (),
    *,
    num_fwd_outputs: int,
    static_lifetime_input_nodes: Any = None,
) -> tuple[GraphModule, GraphModule]:
    """Both graphs, if it is known what is kept.

    Args:
        joint_module: the joint graph
        saved_values: the tensors
        saved_sym_nodes: the numbers
        num_fwd_outputs: how many of the joint graph's results are the program's
    """
    fwd_outputs, bwd_outputs = _extract_fwd_bwd_outputs(
        joint_module, num_fwd_outputs=num_fwd_outputs
    )
    placeholders = joint_module.graph.find_nodes(op="placeholder")
    primals = [node for node in placeholders if _is_primal(node)]
    tangents = [node for node in placeholders if _is_tangent(node)]
    numbers = list(saved_sym_nodes)
    bwd_graph = _extract_graph_with_inputs_outputs(
        joint_module.graph,
        [*numbers, *saved_values, *tangents],
        bwd_outputs,
        subgraph="backward",
    )
    used = {node.name for node in bwd_graph.find_nodes(op="placeholder") if node.users}
    saved_values = [node for node in saved_values if node.name in used]
    numbers = [node for node in numbers if node.name in used]
    fwd_graph = _extract_graph_with_inputs_outputs(
        joint_module.graph, primals, [*fwd_outputs, *saved_values, *numbers], subgraph="forward"
    )
    bwd_graph = _extract_graph_with_inputs_outputs(
        joint_module.graph,
        [*numbers, *saved_values, *tangents],
        bwd_outputs,
        subgraph="backward",
    )
    return (
        _make_graph_module(joint_module, fwd_graph),
        _make_graph_module(joint_module, bwd_graph),
    )


def _forward_names(joint_module: GraphModule, num_fwd_outputs: int) -> set[str]:
    """The names of the nodes that the program's results need."""
    primals = [n for n in joint_module.graph.find_nodes(op="placeholder") if _is_primal(n)]
    outputs, _ = _extract_fwd_bwd_outputs(joint_module, num_fwd_outputs=num_fwd_outputs)
    part = _extract_graph_with_inputs_outputs(
        joint_module.graph, primals, outputs, subgraph="forward"
    )
    return {node.name for node in part.nodes if node.op != "output"}


def default_partition(
    joint_module: GraphModule,
    _joint_inputs: Any,
    *,
    num_fwd_outputs: int,
    static_lifetime_input_indices: Any = None,
    static_lifetime_input_nodes: Any = None,
) -> tuple[GraphModule, GraphModule]:
    """The forward and the backward graph that PyTorch's autograd would run: nothing is computed again.

    Args:
        joint_module: the joint graph
        num_fwd_outputs: how many of its results are the program's
    """
    forward = _forward_names(joint_module, num_fwd_outputs)
    numbers: list[Node] = []
    tensors: list[Node] = []
    for node in joint_module.graph.nodes:
        if node.name not in forward:
            continue
        if is_sym_node(node):
            numbers.append(node)
        elif node.op == "call_function" and _is_several(node):
            # Nests cannot be kept; their parts can.
            tensors.extend(user for user in node.users if user.target is operator.getitem)
        elif node.op == "call_function" or node.op == "placeholder":
            behind = [user for user in node.users if user.name not in forward]
            if (
                behind
                and isinstance(node.meta.get("val"), Tensor)
                and all(map(is_sym_node, behind))
            ):
                numbers.extend(behind)
            elif node.op != "get_attr":
                tensors.append(node)
    return _extract_fwd_bwd_modules(
        joint_module,
        list(dict.fromkeys(tensors)),
        list(dict.fromkeys(numbers)),
        num_fwd_outputs=num_fwd_outputs,
    )


def _is_behind(node: Node) -> bool:
    """Whether a node was traced in the backward pass."""
    return node.meta.get("partitioner_tag") == "is_backward"


def _is_several(node: Node) -> bool:
    """Whether the value of a node is a nest of tensors."""
    return isinstance(node.meta.get("val"), (list, tuple)) or "tensor_meta" not in node.meta


# -- what may be computed again --

# Operators without the tag of pointwise ones that cost no more than they.
_CHEAP = frozenset(
    "aten::" + name
    for name in (
        "clone", "full", "full_like", "zeros", "zeros_like", "ones", "ones_like", "empty_like", "scalar_tensor",
        "arange", "_to_copy", "to_dtype", "where", "cat", "stack", "constant_pad_nd", "index", "gather",
        "native_layer_norm", "var_mean", "sum", "mean", "lift_fresh_copy", "new_zeros", "new_full",
        "split", "split_with_sizes", "unbind", "slice", "_unsafe_view", "reshape", "repeat", "fill",
        "embedding", "masked_fill", "triu", "tril", "upsample_bilinear2d", "native_batch_norm",
    )
)  # fmt: skip


def _packet_name(node: Node) -> str:
    target = node.target
    return target.full_name.partition(".")[0] if isinstance(target, Operator) else ""


def is_random(node: Node) -> bool:
    """Whether a node draws random numbers."""
    target = node.target
    return isinstance(target, Operator) and "nondeterministic_seeded" in target.declared_tags


def is_view(node: Node) -> bool:
    target = node.target
    return isinstance(target, Operator) and target.schema.is_view


def is_recomputable(node: Node) -> bool:
    """Whether computing a node again costs little beside reading it."""
    target = node.target
    if target is operator.getitem or is_sym_node(node):
        return True
    if not isinstance(target, Operator) or is_random(node) or target.schema.mutated:
        return False
    # Derivatives of elementwise functions have no names of PyTorch's.
    return (
        "pointwise" in target.declared_tags
        or is_view(node)
        or _packet_name(node) in _CHEAP
        or target.namespace in ("rushlight", "prims")
    )


def is_fusible(node: Node, other: Node) -> bool:
    """Whether a compiler may compute a node where another one is computed."""
    return (is_recomputable(node) or is_random(node)) and (
        is_recomputable(other) or is_random(other)
    )


def _bytes(value: Any) -> int:
    """How much memory a value takes; symbols count for what they are now."""
    if isinstance(value, Tensor):
        if has_symbols(value._size_):
            count = math.prod(getattr(size, "value", size) or 4096 for size in value._size_)
        else:
            count = value._numel_
        return int(count) * value._dtype_.itemsize
    if isinstance(value, (list, tuple)):
        return sum(map(_bytes, value))
    return 4


def _weights(
    nodes: Sequence[Node], far: dict[Node, int], unwritten: float
) -> Callable[[Node], float]:
    def weight(node: Node) -> float:
        value = node.meta.get("val")
        if isinstance(value, (list, tuple)) or (value is None and node.op != "placeholder"):
            return math.inf
        size = _bytes(value) * 1.1 ** max(min(far[node], 100), 1)
        written = node.op == "placeholder" or not all(is_fusible(node, user) for user in node.users)
        # What nobody would write to memory otherwise is written and read for this.
        return int(size) if written else int(size * unwritten)

    return weight


def min_cut_rematerialization_partition(
    joint_module: GraphModule,
    _joint_inputs: Any,
    compiler: str = "inductor",
    *,
    num_fwd_outputs: int,
    static_lifetime_input_indices: Any = None,
    unwritten: float = 2.0,
) -> tuple[GraphModule, GraphModule]:
    """The forward and the backward graph between which the least memory is kept; what is cheap is computed again.

    A network is made whose cuts are the sets of values that are enough for the backward graph: each value is an edge as
    wide as it is large, and values that must not be computed again come from the source.

    Args:
        joint_module: the joint graph
        compiler: accepted
        num_fwd_outputs: how many of its results are the program's
        unwritten: how much more a byte counts that nobody would write to memory otherwise
    """
    joint_module.graph.eliminate_dead_code()
    joint_module.recompile()
    graph = joint_module.graph
    if config.cse:
        graph = fx_graph_cse(graph)
        joint_module.graph = graph
    nodes = list(graph.nodes)
    network = _network_of_values(joint_module, nodes, num_fwd_outputs, unwritten)
    _, side = network.minimum_cut("source", "sink")
    kept = [node for node in nodes if (node, "out") in side and (node, "in") not in side]
    numbers = [node for node in kept if is_sym_node(node)]
    tensors = [node for node in kept if not is_sym_node(node)]
    return _extract_fwd_bwd_modules(joint_module, tensors, numbers, num_fwd_outputs=num_fwd_outputs)


def _network_of_values(
    joint_module: GraphModule, nodes: Sequence[Node], num_fwd_outputs: int, unwritten: float
) -> Network:
    """The network whose cuts are the sets of values that are enough for the backward graph."""
    forward = _forward_names(joint_module, num_fwd_outputs)
    _, returned = _extract_fwd_bwd_outputs(joint_module, num_fwd_outputs=num_fwd_outputs)
    gradients = {node for node in returned if isinstance(node, Node)}
    behind = _computed_behind(nodes)
    weight = _weights(nodes, _distances(nodes, behind), unwritten)
    network = Network()
    for node in nodes:
        if node.op == "output":
            continue
        if node in behind:
            if node.op != "placeholder":
                network.add_edge((node, "in"), "sink", math.inf)
            continue
        must = _must_be_kept(node, forward) or (
            config.ban_recompute_materialized_backward
            and node.name in forward
            and _is_read_behind(node, behind)
        )
        if _is_primal(node) or (node.op != "get_attr" and must):
            network.add_edge("source", (node, "in"), math.inf)
        if node in gradients:
            # A gradient that needs none of those that come in is computed behind, too.
            network.add_edge((node, "out"), "sink", math.inf)
        network.add_edge((node, "in"), (node, "out"), weight(node))
        for user in node.users:
            if user.op != "output":
                network.add_edge((node, "out"), (user, "in"), math.inf)
    return network


def _computed_behind(nodes: Sequence[Node]) -> set[Node]:
    """The nodes that only the backward graph can compute: those that need gradients that come in."""
    behind: set[Node] = set()
    for node in nodes:
        drawn = is_random(node) and _is_behind(node)
        if drawn or _is_tangent(node) or any(x in behind for x in node.all_input_nodes):
            behind.add(node)
    return behind


def _distances(nodes: Sequence[Node], behind: set[Node]) -> dict[Node, int]:
    """How many steps it is from each node to the backward graph, or to the results."""
    far: dict[Node, int] = {}
    for node in reversed(nodes):
        if node in behind or node.op == "output":
            far[node] = 0
        else:
            far[node] = 1 + min((far[user] for user in node.users), default=10**9)
    return far


def kept_bytes(forward: GraphModule, num_fwd_outputs: int) -> int:
    """How many bytes a forward graph keeps for the backward one, behind the program's results."""
    (output,) = forward.graph.find_nodes(op="output")
    kept = output.args[0][num_fwd_outputs:]  # type: ignore[index]
    return sum(_bytes(x.meta.get("val")) for x in kept if isinstance(x, Node))


def _must_be_kept(node: Node, forward: set[str]) -> bool:
    """Whether a node is not to be computed a second time."""
    if is_sym_node(node):
        return False
    if node.target is operator.getitem:
        source: Any = node.args[0]
        return (
            source.name in forward and source.op == "call_function" and _makes_little(source, node)
        )
    if is_random(node):
        return True
    if node.name not in forward:
        # It is computed once, wherever.
        return False
    return not is_recomputable(node) or _is_reduced(node)


def _is_read_behind(node: Node, behind: set[Node]) -> bool:
    """Whether something behind reads a node from memory: then it would be written there once more."""
    return not is_view(node) and any(_reads(user, behind) for user in node.users)


def _reads(user: Node, behind: set[Node]) -> bool:
    if is_view(user):
        return any(_reads(next_user, behind) for next_user in user.users)
    return user in behind and isinstance(user.target, Operator) and not is_recomputable(user)


def _is_reduced(node: Node) -> bool:
    """Whether a node makes little of much: keeping it is cheaper than computing it again."""
    return not is_view(node) and _makes_little(node, node)


def _makes_little(node: Node, result: Node) -> bool:
    value = result.meta.get("val")
    given = [x.meta.get("val") for x in node.all_input_nodes]
    return isinstance(value, Tensor) and _bytes(value) * 4 < sum(map(_bytes, given))


def draw_graph(
    traced: GraphModule,
    fname: str,
    figname: str = "fx_graph",
    clear_meta: bool = True,
    prog: str | list[str] | None = None,
    parse_stack_trace: bool = False,
    dot_graph_shape: str | None = None,
) -> None:
    """Write a picture of a graph into a file.

    Args:
        traced: the graph
        fname: where; the end of the name says what kind of picture
        figname: its title
        clear_meta: whether the picture is without sizes
        prog: accepted
        parse_stack_trace: whether nodes say where in the program they come from
        dot_graph_shape: the shape of nodes
    """
    from rushlight.fx.passes.graph_drawer import FxGraphDrawer

    if clear_meta:
        new = Graph()
        copies: dict[Node, Node] = {}
        for node in traced.graph.nodes:
            copies[node] = new.node_copy(node, lambda x: copies[x])
            copies[node].meta = {}
        traced = GraphModule(traced, new)
    base, _, kind = fname.rpartition(".")
    base, kind = (base, kind) if base else (kind, config.torch_compile_graph_format)
    drawer = FxGraphDrawer(
        traced, figname, parse_stack_trace=parse_stack_trace, dot_graph_shape=dot_graph_shape
    )
    dot = drawer.get_main_dot_graph()
    write = getattr(dot, f"write_{kind}", None)
    if write is None:
        dot.write(f"{base}.{kind}")
    else:
        write(f"{base}.{kind}")

"""What there is to choose between in a graph: a loop or calls apart, ways of products, what gradients compute again."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._functorch import config as functorch_config
from rushlight._functorch.partitioners import kept_bytes, min_cut_rematerialization_partition
from rushlight._inductor import config
from rushlight._inductor.autotuning import Measurements, function_of
from rushlight._inductor.fusion import value_of
from rushlight._inductor.kernels import Kernel, Map
from rushlight._inductor.lowering import lower
from rushlight._inductor.product_kernels import Multiplied
from rushlight._inductor.products import call_of, plan_product_ahead, product_of
from rushlight._subclasses.fake_tensor import FakeTensor
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node

# Another cut is worth trying if it keeps at most so much more than the one that keeps least.
NEAR = 1.5


class Choices:
    """The choices that the lowering of one graph asks for.

    Args:
        loops: whether it is measured which nodes become loops
        products: whether the ways of products are
    """

    def __init__(self, loops: bool = True, products: bool = True) -> None:
        self.loops, self.products = loops, products
        self.measurements = Measurements()

    def is_fused(
        self, kernel: Kernel, nodes: Sequence[Node], inputs: Sequence[Node],
        apart: Callable[[], GraphModule] | None = None,
    ) -> bool:  # fmt: skip
        """Whether nodes become a kernel, rather than another graph: by default, their calls one after the other."""
        if not self.loops or not _are_on_host([*nodes, *inputs[: kernel.inputs]]):
            return True
        results = [n for n in nodes if any(user not in nodes for user in n.users)]
        calls = _apart(nodes, inputs, results)
        # What is written over an input in the program would change it from run to run.
        alone = Map(*kernel.__reduce__()[1][:4]) if isinstance(kernel, Map) else kernel
        chosen = self.measurements.choose(
            kernel.__name__, calls, [value_of(x) for x in inputs],
            {
                "fused": lambda: function_of(_calling(alone, inputs)),
                "apart": lambda: function_of(calls if apart is None else apart()),
            },
        )  # fmt: skip
        return chosen == "fused"

    def kernel_of(self, node: Node) -> Kernel | None:
        """What computes a call, if it is a product that has a faster way than the operator's."""
        product = product_of(node) if self.products else None
        ways = {} if product is None else product.other_ways()
        if not ways:
            return None
        inputs = node.all_input_nodes
        call = call_of(node, inputs)
        own = _apart([node], inputs, [node])
        made: dict[str, Kernel] = {
            name: Multiplied(node.name, [call], len(inputs), [len(inputs)], way)
            for name, way in ways.items()
        }
        tried: dict[str, Callable[[], Any]] = {"by sizes": lambda: function_of(own)}
        for name, kernel in made.items():
            tried[name] = functools.partial(_function_calling, kernel, inputs)
        chosen = self.measurements.choose(node.name, own, [value_of(x) for x in inputs], tried)
        return made.get(chosen)


def chooser() -> Choices | None:
    """Who chooses, if the settings ask for measurements."""
    loops = config.max_autotune or config.max_autotune_pointwise
    products = config.max_autotune or config.max_autotune_gemm
    return Choices(loops, products) if loops or products else None


def _are_on_host(nodes: Sequence[Node]) -> bool:
    values = [y for n in nodes for x in (value_of(n),) for y in (x if _is_several(x) else [x])]
    return all(isinstance(x, Tensor) and x.device.type == "cpu" for x in values)  # type: ignore[attr-defined]


def _is_several(value: Any) -> bool:
    return isinstance(value, (tuple, list))


def _apart(nodes: Sequence[Node], inputs: Sequence[Node], results: Sequence[Node]) -> GraphModule:
    """Nodes as a graph of their own."""
    graph = Graph()
    made = {x: graph.placeholder(x.name) for x in inputs}
    for node in nodes:
        made[node] = graph.node_copy(node, made.__getitem__)
    # Calls that give lists are not remembered.
    graph.output(tuple(made[n] for n in results))
    return GraphModule({}, graph)


def _calling(kernel: Kernel, inputs: Sequence[Node]) -> GraphModule:
    """A graph that calls a kernel with the first of its inputs."""
    graph = Graph()
    given = [graph.placeholder(x.name) for x in inputs]
    call = graph.call_function(kernel, tuple(given[: kernel.inputs]))
    several = len(kernel.results) > 1
    items = [graph.call_function(operator.getitem, (call, k)) for k in range(len(kernel.results))]
    graph.output(tuple(items) if several else (call,))
    if not several:
        graph.eliminate_dead_code()
    return GraphModule({}, graph)


def _function_calling(kernel: Kernel, inputs: Sequence[Node]) -> Callable[[list[Any]], Any]:
    return function_of(_calling(kernel, inputs))


# -- what is kept for gradients --


def partition(
    joint: GraphModule, inputs: Any, compiler: str = "inductor", **options: Any
) -> tuple[GraphModule, GraphModule]:
    """The forward and the backward graph: the cut that keeps least, or a measured one if settings ask for that.

    Args:
        joint: the joint graph
        inputs: what it will be called with
        compiler: accepted
        options: of `min_cut_rematerialization_partition`
    """
    plan_product_ahead(joint.graph)
    least = min_cut_rematerialization_partition(joint, inputs, **options)
    return _measured_cut(least, joint, inputs, options) if config.max_autotune else least


def _measured_cut(
    least: tuple[GraphModule, GraphModule], joint: GraphModule, inputs: Any, options: dict[str, Any]
) -> tuple[GraphModule, GraphModule]:
    """The fastest of the cuts that keep little."""
    cuts = {"keep least": least}
    with functorch_config.patch(ban_recompute_materialized_backward=False):
        cuts["compute more again"] = min_cut_rematerialization_partition(joint, inputs, **options)
    rather = min_cut_rematerialization_partition(joint, inputs, unwritten=1.0, **options)
    cuts["keep more"] = rather
    count = options["num_fwd_outputs"]
    few = kept_bytes(least[0], count)
    near = {
        name: cut
        for name, cut in cuts.items()
        if cut is least or (_text(cut) != _text(least) and kept_bytes(cut[0], count) <= NEAR * few)
    }
    values = [value_of(n) for n in joint.graph.nodes if n.op == "placeholder"]
    if len(near) == 1 or not _may_run_early(joint, values):
        return least
    tried = {name: functools.partial(_step, cut, count) for name, cut in near.items()}
    return near[Measurements().choose("what is kept for gradients", joint, values, tried)]


def _text(cut: tuple[GraphModule, GraphModule]) -> str:
    return cut[0].code + cut[1].code


def _may_run_early(joint: GraphModule, values: Sequence[Any]) -> bool:
    """Whether a graph does nothing but compute tensors of the host from tensors."""
    plain = all(type(x) in (FakeTensor, Tensor) and x.device.type == "cpu" for x in values)
    calls = [n for n in joint.graph.nodes if n.op not in ("placeholder", "output")]
    return plain and all(
        n.target is operator.getitem
        or (
            n.op == "call_function"
            and isinstance(n.target, Operator)
            and n.target.namespace in ("aten", "prims", "rushlight")
            and not n.target.schema.mutated
        )
        for n in calls
    )


def _step(cut: tuple[GraphModule, GraphModule], outputs: int) -> Callable[[list[Any]], Any]:
    """Both passes as one function of the joint graph's arguments."""
    forward, backward = cut
    run, run_back = (function_of(lower(graph)) for graph in cut)
    names = [n.name for n in forward.graph.nodes if n.op == "placeholder"]
    tangents = sum(
        n.op == "placeholder" and "tangents" in n.name for n in backward.graph.nodes
    )  # fmt: skip
    (output,) = forward.graph.find_nodes(op="output")
    kept = [getattr(x, "name", None) for x in output.args[0][outputs:]]  # type: ignore[index]
    wanted = [n.name for n in backward.graph.nodes if n.op == "placeholder"]

    def both(given: list[Any]) -> Any:
        own, rest = given[: len(names)], given[len(given) - tangents :] if tangents else []
        made = list(run(list(own)))
        values = dict(zip(kept, made[outputs:]))
        ordered = [values[name] for name in wanted if name in values]
        return made, run_back([*ordered, *rest])

    return both

"""What lazy tensors promise, as texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight._inductor.lowering import lower
from rushlight._lazy.memory import block_of
from rushlight._lazy.running import recorder
from rushlight.fx.graph_module import GraphModule

__all__ = ["dump_ir", "graph_of", "render_ir_graph"]


def graph_of(tensors: Sequence[Any]) -> GraphModule:
    """The graph that computes tensors.

    Args:
        tensors: on the lazy device; nothing is computed
    """
    with recorder.lock:
        trace = recorder.trace
        for tensor in tensors:
            trace.ref(tensor)
        blocks = list(dict.fromkeys(map(block_of, tensors)))
        inputs = [block.shown_as(block.base) for block in trace.inputs]  # type: ignore[arg-type]
        return trace.graph(trace.bases(blocks), inputs)


def dump_ir(tensors: Sequence[Any], ir_format: str) -> str:
    """What some lazy tensors promise.

    Args:
        tensors: on the lazy device; nothing is computed
        ir_format: ``"text"`` for the graph of operators, ``"backend"`` for the one with fused loops
    """
    if ir_format == "text":
        return graph_of(tensors).code.strip()
    if ir_format == "backend":
        return lower(graph_of(tensors)).code.strip()
    raise RuntimeError(f"Unrecognized IR format: {ir_format}")


def render_ir_graph(tensors: Sequence[Any]) -> str:
    """What some lazy tensors promise, in the language of graphviz.

    Args:
        tensors: on the lazy device; nothing is computed
    """
    lines = ["digraph G {"]
    for node in graph_of(tensors).graph.nodes:
        label = node.name if node.op == "placeholder" else f"{node.name}\\n{node.target}"
        lines.append(f'  {node.name} [label="{label}"];')
        lines += [f"  {source.name} -> {node.name};" for source in node.all_input_nodes]
    return "\n".join([*lines, "}"]) + "\n"

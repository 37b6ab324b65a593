"""The graphs that were compiled."""

from __future__ import annotations

from rushlight._lazy.running import recorder

__all__ = ["dump", "reset"]


def dump(dot_file_name: str) -> None:
    """Write the compiled graphs to a file, in the language of graphviz.

    Args:
        dot_file_name: the file
    """
    lines = ["digraph G {"]
    for k, compiled in enumerate(recorder.graphs):
        graph = compiled.graph
        calls = [] if graph is None else [n.name for n in graph.graph.nodes if n.op != "output"]
        label = "call by call" if graph is None else "\\n".join(calls)
        lines.append(f'  graph{k} [shape=box, label="{label}"];')
    with open(dot_file_name, "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "}"]) + "\n")


def reset() -> None:
    """Forget the compiled graphs."""
    recorder.graphs.clear()

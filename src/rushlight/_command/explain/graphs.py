"""Pictures of graphs that were not captured by `torch.compile`: exported programs, and what lazy tensors promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight._command.explain.memory import memory_picture
from rushlight._command.explain.picture import (
    LOOPS,
    Picture,
    beside,
    drawn,
    legend,
    loop_colours,
    stacked,
)
from rushlight._inductor.lowering import lower
from rushlight._lazy.debug import graph_of
from rushlight.export import ExportedProgram

__all__ = ["exported_picture", "lazy_picture"]


def exported_picture(program: ExportedProgram) -> Picture:
    """The graph of an exported program, whose inputs and outputs have the colours of their kinds.

    Args:
        program: what `torch.export.export` has made
    """
    signature = program.graph_signature
    specs: list[Any] = [*signature.input_specs, *signature.output_specs]
    found: dict[str, str] = {}
    for spec in specs:
        found.setdefault(spec.arg.name, spec.kind.name.lower().replace("_", " "))
    of_kind = dict(zip(dict.fromkeys(found.values()), LOOPS))
    colours = {name: of_kind[kind] for name, kind in found.items()}
    return stacked([("", legend(of_kind)), ("", drawn(program.graph, colours))])


def lazy_picture(tensors: Sequence[Any]) -> Picture:
    """What has been recorded, the loops that it would be, and their memory.

    Args:
        tensors: on the lazy device; nothing is computed
    """
    graph = graph_of(tensors)
    loops = lower(graph)
    colours = loop_colours(loops.graph)
    graphs = beside(
        [("recorded", drawn(graph.graph, colours)), ("loops", drawn(loops.graph, colours))]
    )
    return stacked([("", graphs), ("memory", memory_picture(loops))])

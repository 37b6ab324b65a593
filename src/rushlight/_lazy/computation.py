"""The graph behind lazy tensors, its inputs, and running it again with others."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from rushlight._lazy.memory import block_of, geometry_of
from rushlight._lazy.running import Compiled, recorder

__all__ = ["get_graph_hash", "get_tensors_ts_device_data_node", "run_cached_graph"]

# Graphs, and the fractions and numbers of the traces that were hashed.
_by_hash: dict[str, tuple[Compiled, list[float], list[int]]] = {}


def _asked(tensors: Sequence[Any]) -> list[int]:
    """The values that show all of the blocks behind tensors, each block once."""
    for tensor in tensors:
        recorder.trace.ref(tensor)
    return recorder.trace.bases(list(dict.fromkeys(map(block_of, tensors))))


def get_tensors_ts_device_data_node(tensors: Sequence[Any]) -> tuple[list[int], list[Any]]:
    """The inputs of the graph behind tensors: their ids, and their elements as tensors on the CPU.

    Args:
        tensors: on the lazy device
    """
    with recorder.lock:
        _asked(tensors)
        inputs = recorder.trace.inputs
        return [b.ident for b in inputs], [b.shown_as(b.base) for b in inputs]  # type: ignore[arg-type]


def get_graph_hash(tensors: Sequence[Any]) -> str:
    """A text that names the graph behind tensors; `run_cached_graph` runs it.

    Args:
        tensors: on the lazy device
    """
    with recorder.lock:
        outputs = _asked(tensors)
        trace = recorder.trace
        shown = [geometry_of(tensor) for tensor in tensors]
        text = repr((trace.key(outputs), trace.fractions, trace.numbers, shown))
        name = hashlib.sha256(text.encode()).hexdigest()
        if name not in _by_hash:
            inputs = [b.shown_as(b.base) for b in trace.inputs]  # type: ignore[arg-type]
            found = recorder.graphs.find(trace, outputs, inputs)
            _by_hash[name] = found, list(trace.fractions), list(trace.numbers)
        return name


def run_cached_graph(hash_str: str, graph_inputs: Sequence[Any]) -> list[Any]:
    """What a graph computes of other inputs: one tensor for each block behind the tensors that it was hashed of.

    Args:
        hash_str: what `get_graph_hash` gave
        graph_inputs: tensors on the CPU, in the order of `get_tensors_ts_device_data_node`
    """
    if hash_str not in _by_hash:
        raise RuntimeError(f"Failed to find the computation of the graph {hash_str}")
    compiled, fractions, numbers = _by_hash[hash_str]
    return list(compiled.run(list(graph_inputs), fractions, numbers))

"""What fakes of a graph are in this run: the graph so far, run on the program's own tensors."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight._capture.breaks import Break
from rushlight._capture.recording import SYMBOLIC, Recorder, outside
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.experimental.sym_node import hint_of
from rushlight.fx.node import Node, map_arg

__all__ = ["Reality"]


class Reality:
    """The values of a graph's nodes.

    Args:
        recorder: writes the graph
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._values: dict[Node, Any] | None = None

    def of(self, value: Any) -> Any:
        """What a fake or a symbolic number is."""
        if isinstance(value, SYMBOLIC):
            found = hint_of(value)
            if found is not None:
                return found
        if self._recorder.is_in_body:
            raise Break("elements are asked for in a function that an operator is given")
        node = self._recorder.node_of(value)
        if not isinstance(node, Node):
            raise Break("a tensor is used that the graph does not know")
        if self._values is None:
            self._values = self._run()
        return self._values[node]

    def _run(self) -> dict[Node, Any]:
        found: dict[Node, Any] = {}
        with outside(), rushlight.random.fork_rng():
            for node in self._recorder.graph.nodes:
                args, kwargs = map_arg((node.args, node.kwargs), lambda n: found[n])
                found[node] = self._result(node, args, kwargs)
        return found

    def _result(self, node: Node, args: Any, kwargs: Any) -> Any:
        target: Any = node.target
        if node.op == "placeholder":
            given = self._recorder.given[node]
            # The program's own stay as they are.
            return given.clone() if isinstance(given, Tensor) else given  # type: ignore[attr-defined]
        if node.op == "get_attr":
            return self._recorder.modules[target]
        if node.op == "call_method":
            return getattr(args[0], target)(*args[1:], **kwargs)
        return target(*args, **kwargs)

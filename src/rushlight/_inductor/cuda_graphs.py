"""Compiled graphs as CUDA graphs: ``torch.compile(mode="reduce-overhead")`` on a GPU.

A function runs as it is for two calls with inputs alike; the third one is recorded. Replays read inputs where they
were, if they are there again (parameters, say), and otherwise copies in places of their own; results are copied out of the memory that
the next replay writes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight._dynamo.utils import counters
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.fx.graph_module import GraphModule

_log = logging.getLogger(__name__)
# Calls before one is recorded: what is planned, compiled or loaded is so by then.
WARM_UP = 2


def replayed(graph: GraphModule, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a list that is replayed, where its graph can be recorded; otherwise the function itself."""
    for node in graph.graph.nodes:
        if (
            node.op == "call_function"
            and isinstance(node.target, Operator)
            and node.target.schema.mutated
        ):
            return function
    recorded = _Replayed(function)

    def run(inputs: list[Any]) -> Any:
        return recorded(inputs)

    run._boxed_call = True  # type: ignore[attr-defined]
    return run


class _Replayed:
    """A function with its recordings.

    Args:
        function: takes a list of inputs, and gives a list of results
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.seen: dict[Any, _Inputs] = {}
        self.refused = False

    def __call__(self, inputs: list[Any]) -> Any:
        if (
            self.refused
            or not _are_on_one_gpu(inputs)
            or rushlight.cuda.is_current_stream_capturing()
        ):  # type: ignore[attr-defined]
            return self.function(inputs)
        key = tuple(_facts(x) for x in inputs)
        known = self.seen.get(key)
        if known is None:
            known = self.seen[key] = _Inputs(inputs)
        given = list(inputs)
        inputs.clear()
        if known.recording is not None and known.are_in_place(given):
            return known.recording.replay(given)
        known.note(given)
        known.recording = None
        if known.calls <= WARM_UP:
            return self.function(given)
        try:
            known.recording = _Recording(self.function, given, known.stays)
        except RuntimeError as error:
            # Something in it cannot be recorded, such as a number that the host reads. Another error of the
            # function itself comes again from the call.
            counters["inductor"]["cudagraph_skips"] += 1
            _log.warning("skipping cudagraphs due to %s", error)
            self.refused = True
            return self.function(given)
        return known.recording.replay(given)


def _are_on_one_gpu(inputs: Sequence[Any]) -> bool:
    """Whether all tensors are plain ones on the same GPU, and there are some."""
    found = [x for x in inputs if isinstance(x, Tensor)]
    places = {x._storage_.device for x in found}
    return (
        len(places) == 1
        and places.pop().type == "cuda"
        and all(type(x) in tensors.plain_types for x in found)
    )


def _facts(x: Any) -> Any:
    return (x._size_, x._stride_, x._dtype_, x._keys_) if isinstance(x, Tensor) else x


class _Inputs:
    """Inputs that are alike, and which of them stay in their places.

    Args:
        inputs: the first ones
    """

    def __init__(self, inputs: Sequence[Any]) -> None:
        self.places = [_place(x) for x in inputs]
        self.stays = [isinstance(x, Tensor) for x in inputs]
        self.calls = 0
        self.recording: _Recording | None = None

    def note(self, inputs: Sequence[Any]) -> None:
        """One more call."""
        self.calls += 1
        for k, x in enumerate(inputs):
            self.stays[k] &= _place(x) == self.places[k]

    def are_in_place(self, inputs: Sequence[Any]) -> bool:
        """Whether what a recording reads where it was is there."""
        return all(
            not stays or _place(x) == place
            for x, stays, place in zip(inputs, self.stays, self.places, strict=True)
        )


def _place(x: Any) -> int:
    return tensors.place_of(x) if isinstance(x, Tensor) else 0


class _Recording:
    """A CUDA graph of one call.

    Args:
        function: what is called
        inputs: its inputs
        stays: which of them are read where they are
    """

    def __init__(
        self, function: Callable[..., Any], inputs: Sequence[Any], stays: Sequence[bool]
    ) -> None:
        self.own = [
            x.detach().clone() if isinstance(x, Tensor) and not stay else None  # type: ignore[attr-defined]
            for x, stay in zip(inputs, stays, strict=True)
        ]
        given = [x if own is None else own for x, own in zip(inputs, self.own, strict=True)]
        self.graph = rushlight.cuda.CUDAGraph()  # type: ignore[attr-defined]
        with rushlight.no_grad(), rushlight.cuda.graph(self.graph):  # type: ignore[attr-defined]
            self.results = list(function(list(given)))
        # A result that is an input is given back as such.
        self.sources = [
            next((k for k, x in enumerate(given) if x is r), None) for r in self.results
        ]
        storages = {id(x._storage_) for x in given if isinstance(x, Tensor)}
        for result, source in zip(self.results, self.sources, strict=True):
            if source is None and isinstance(result, Tensor) and id(result._storage_) in storages:
                raise RuntimeError("a result is a view of an input")

    def replay(self, inputs: Sequence[Any]) -> list[Any]:
        """The results for other inputs."""
        with rushlight.no_grad():
            for own, x in zip(self.own, inputs, strict=True):
                if own is not None:
                    own.copy_(x)
            self.graph.replay()
            return [
                inputs[source] if source is not None else r.clone() if isinstance(r, Tensor) else r  # type: ignore[attr-defined]
                for r, source in zip(self.results, self.sources, strict=True)
            ]

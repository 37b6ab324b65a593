"""The usual compiled graph in a history: plain tensors, nothing changed. Its node is made without `Function.apply`.

What `Function` asks at every call is known here once: which arguments are tensors, which results have a
history, how the gradients are laid out that the backward graph was traced with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight._functorch._aot_autograd.utils import normalize_as_list
from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd import saved
from rushlight.engine.autograd.backward import keeps_graph
from rushlight.engine.calls import creation
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.symbolic import has_symbols
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes

# What an output is described as that autograd does not look at.
HIDDEN = (None, dtypes.int64)


def layouts_of(likes: Sequence[Any]) -> list[Any]:
    """The sizes and strides of traced gradients; None for what is no tensor or has symbols in its strides."""
    found: list[Any] = []
    for like in likes:
        is_known = isinstance(like, Tensor) and not has_symbols((*like._stride_, *like._size_))
        found.append((tuple(like._size_), tuple(like._stride_)) if is_known else None)
    return found


def is_unusual() -> bool:
    """Whether something around a call has to see how the node is made."""
    return bool(
        state.thread.layers
        or state.duals
        or nodes.when_made
        or saved.hooks.active
        or modes.is_watched()
    )


class DirectNode:
    """What is known of a graph, and how it is called.

    Args:
        kind: the class of its nodes
        forward: gives results, then what is kept: tensors, then numbers
        count: how many results there are
        numbers: how many numbers are kept
        with_history: the places of results that have one
        fresh: the places of results that count as no view of anything
    """

    def __init__(
        self, kind: Any, forward: Callable[[list[Any]], Any], count: int, numbers: int,
        with_history: Sequence[int], fresh: Sequence[int],
    ) -> None:  # fmt: skip
        self.kind, self.forward, self.count, self.numbers = kind, forward, count, numbers
        self.with_history, self.fresh = tuple(with_history), frozenset(fresh)

    def __call__(self, args: list[Any]) -> list[Any]:
        recording = state.thread.grad_enabled
        edges, tensors_given = [], []
        for a in args:
            if isinstance(a, Tensor):
                tensors_given.append(a)
                edges.append(a._autograd_.edge if a._keys_ & keys.AUTOGRAD else None)
        is_tensor = [isinstance(a, Tensor) for a in args]
        state.set_grad(False)
        try:
            found = normalize_as_list(self.forward(args))
            outs, past = found[: self.count], len(found) - self.numbers
            self._separate(outs, tensors_given)
        finally:
            state.set_grad(recording)
        if not recording or not any(edges):
            return outs
        node = self.kind()
        node.seq = next(nodes.sequence)
        node.edges, node._is_tensor = tuple(edges), is_tensor
        node.numbers_kept = found[past:]
        self._keep(node, found[self.count : past], outs, tensors_given)
        self._give_history(node, outs)
        return outs

    def _separate(self, outs: list[Any], given: list[Tensor]) -> None:
        """Let results with a history be tensors of their own."""
        seen = set(map(id, given))
        for place in self.with_history:
            out = outs[place]
            if id(out) in seen:
                # What is computed only once was two results.
                outs[place] = out = out.clone()
            elif place in self.fresh and out._base is not None:
                outs[place] = out = saved.shadow(out)
            seen.add(id(out))

    def _keep(self, node: Any, kept: list[Any], outs: list[Any], given: list[Tensor]) -> None:
        """Save what the backward graph wants."""
        own = set(map(id, given))
        places = {id(outs[place]): place for place in self.with_history}
        items: list[Any] = []
        others: list[Any] = []
        for value in kept:
            if not isinstance(value, Tensor):
                others.append(value)
                continue
            others.append(None)
            if id(value) in places:
                items.append(saved.SavedResult(value, places[id(value)]))
                continue
            if value._keys_ & keys.INFERENCE:
                saved.refuse_inference([value])
            if value._base is not None and id(value) not in own:
                # It is asked for no history when what it is a view of is changed.
                value = saved.shadow(value)
            items.append((value, tensors.version(value)))
        node.saved, node.others = tuple(items), others

    def _give_history(self, node: Any, outs: list[Any]) -> None:
        described = [HIDDEN] * len(outs)
        for place in self.with_history:
            out = outs[place]
            described[place] = (out._size_, out._dtype_)
            metas.set_edge(out, (node, place))
        node.outputs = tuple(described)
        node._places = tuple(range(len(outs)))


def node_class(
    base: type,
    backward: Callable[[list[Any]], tuple[Any, ...]],
    backward_of_backward: Callable[[list[Any]], Any],
    with_history: Sequence[int],
    fitted: Callable[[Any, int], Any],
    layouts: Sequence[Any],
) -> type:
    """A class of nodes that call a backward graph.

    Args:
        base: the class of the graph's nodes in general
        backward: gives a gradient for each argument
        backward_of_backward: the same, recorded
        with_history: the places of results that have a history
        fitted: a gradient, and the number of what it belongs to, as the graph was traced with
        layouts: the sizes and strides that it was traced with, if they are known
    """

    class Direct(base):  # type: ignore[misc, valid-type]
        numbers_kept: Sequence[Any] = ()
        others: Sequence[Any] = ()
        saved: Any

        def run(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
            if self.saved is None:
                raise nodes.freed()
            items = iter(self.saved)
            given = [*self.numbers_kept]
            for x in self.others:
                given.append(saved.unpack(next(items), self) if x is None else x)
            del items
            if not keeps_graph():
                # The backward graph lets go of what it has used, if nobody else has it.
                self.saved = None
            for number, place in enumerate(with_history):
                grad, layout = grads[place], layouts[number]
                if grad is None:
                    size, dtype = self.outputs[place]
                    grad = creation.zeros(list(size), dtype)
                if (grad._size_, grad._stride_) != layout or type(grad) is not Tensor:
                    grad = fitted(grad, number)
                given.append(grad)
            make = backward_of_backward if state.thread.grad_enabled else backward
            found = make(given)
            return tuple([grad for grad, is_tensor in zip(found, self._is_tensor) if is_tensor])

    Direct.__name__ = Direct.__qualname__ = base.__name__
    return Direct

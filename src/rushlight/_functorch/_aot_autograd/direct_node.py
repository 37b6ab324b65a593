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
from rushlight.engine.dispatch.call_cache import history, steps

# What a result is described as that is no tensor.
NO_TENSOR = (None, dtypes.int64)


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
    """A forward graph whose calls are steps of a history. The call cache knows it as a function.

    Args:
        kind: the class of its nodes
        forward: gives results, then what is kept: tensors, then numbers
        count: how many results there are
        numbers: how many numbers are kept
        with_history: the places of results that have one
        fresh: the places of results that count as no view of anything
        detached: the places of arguments that have no gradient in any case
        in_general: makes the same call with `Function.apply`, from a list
    """

    def __init__(
        self, kind: Any, forward: Callable[[list[Any]], Any], count: int, numbers: int,
        with_history: Sequence[int], fresh: Sequence[int], detached: frozenset[int],
        in_general: Callable[[list[Any]], Any],
    ) -> None:  # fmt: skip
        self.kind, self.forward, self.count, self.numbers = kind, forward, count, numbers
        self.with_history, self.fresh = tuple(with_history), frozenset(fresh)
        self.detached, self.in_general = detached, in_general

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        given = [a.detach() if place in self.detached else a for place, a in enumerate(args)]
        if is_unusual():
            steps.Unrepeatable.note()
            return tuple(self.in_general(given))
        inputs = [a for a in given if isinstance(a, Tensor)]
        self.kind._is_tensor = [isinstance(a, Tensor) for a in given]
        recording = state.thread.grad_enabled
        state.set_grad(False)
        try:
            found = normalize_as_list(self.forward(given))
            outs = found[: self.count]
            self._separate(outs, inputs)
            kept = self._without_bases(found[self.count :], outs, inputs)
        finally:
            state.set_grad(recording)
        result = tuple(outs)
        if not recording:
            return result
        give = _GivesHistory(self.kind, self.with_history, len(inputs), self.numbers)
        give(result, *inputs, *kept)
        steps.Record.note(give, (*inputs, *kept), result)
        return result

    def _separate(self, outs: list[Any], given: list[Tensor]) -> None:
        """Let results with a history be tensors of their own."""
        seen = set(map(id, given))
        for place in self.with_history:
            out = outs[place]
            if id(out) in seen:
                # What is computed only once was two results.
                outs[place] = out = out.clone()
            elif place in self.fresh and out._base is not None:
                outs[place] = out = _without_base(out)
            seen.add(id(out))

    def _without_bases(self, kept: list[Any], outs: list[Any], given: list[Tensor]) -> list[Any]:
        """What the backward graph wants; nothing of it is asked for a history when what it is a view of is changed."""
        others = {id(outs[place]) for place in self.with_history}.union(map(id, given))
        return [
            value
            if id(value) in others or not isinstance(value, Tensor) or value._base is None
            else _without_base(value)
            for value in kept
        ]


def _without_base(view: Tensor) -> Tensor:
    """The same elements as a tensor that is no view."""
    made: Tensor = steps.View.note(view, tensors.shadow(view))
    return made


class _GivesHistory:
    """Gives the results of a forward graph their history.

    It is called with the results, the tensors among the arguments, and what is kept: tensors, then numbers.

    Args:
        kind: the class of nodes
        with_history: the places of results that get a history
        inputs: how many tensors are among the arguments
        numbers: how many numbers are kept
    """

    def __init__(self, kind: Any, with_history: tuple[int, ...], inputs: int, numbers: int) -> None:
        self.kind, self.with_history, self.inputs, self.numbers = (
            kind,
            with_history,
            inputs,
            numbers,
        )

    def __call__(self, result: tuple[Any, ...], *operands: Any) -> tuple[Any, ...]:
        edges = [
            a._autograd_.edge if a._keys_ & keys.AUTOGRAD else None for a in operands[: self.inputs]
        ]
        if not any(edges):
            return result
        past = len(operands) - self.numbers
        kept = operands[self.inputs : past]
        node = self.kind()
        node.seq = next(nodes.sequence)
        node.edges = tuple(edges)
        node.saved = tuple([self._saved(x, result) for x in kept])
        if saved.hooks.active:
            node.saved = saved.pack_all(node.saved)
        node.numbers_kept = operands[past:]
        node.outputs = tuple(
            [nodes.describe(x) if isinstance(x, Tensor) else NO_TENSOR for x in result]
        )
        if nodes.when_made:
            nodes.when_made[0](node)
        for place in self.with_history:
            metas.set_edge(result[place], (node, place))
        return result

    def _saved(self, value: Tensor, result: tuple[Any, ...]) -> Any:
        """How a tensor is kept."""
        place = self._place(value, result)
        if place is not None:
            return saved.SavedResult(value, place)
        if value._keys_ & keys.INFERENCE:
            saved.refuse_inference([value])
        return saved.pair_of(value)

    def _place(self, value: Any, result: tuple[Any, ...]) -> int | None:
        """Which of the results with a history a tensor is."""
        return next((k for k in self.with_history if result[k] is value), None)

    def machine_words(
        self, places: list[int | None], values: list[Any], result: tuple[Any, ...]
    ) -> list[int] | None:
        """The same for machine code; None if it takes Python."""
        if not all(isinstance(x, Tensor) for x in (*values, *result)) or None in places:
            return None
        if self.inputs > history.MOST_TARGETS or len(result) > history.MOST_WANTED:
            return None
        kept = values[self.inputs :]
        wanted = sum(1 << k for k in self.with_history)
        words: list[Any] = [id(self.kind), self.inputs, len(kept), history.NEW, 1, wanted]
        words += places[: self.inputs]
        for value, place in zip(kept, places[self.inputs :]):
            number = self._place(value, result)
            thing = (
                (history.KEPT_TENSOR, place) if number is None else (history.KEPT_RESULT, number)
            )
            # Whoever of the arguments wants a gradient: all that is kept is needed.
            words += [*thing, (1 << self.inputs) - 1]
        return words


def node_class(
    base: type,
    backward: Callable[[list[Any]], Any],
    places: Sequence[int],
    recorded: Callable[[list[Any]], Any],
    with_history: Sequence[int],
    fitted: Callable[[Any, int], Any],
    layouts: Sequence[Any],
) -> type:
    """A class of nodes that call a backward graph.

    Args:
        base: the class of the graph's nodes in general
        backward: the backward graph
        places: which of its results is the gradient of each argument
        recorded: gives a gradient for each argument, with a history
        with_history: the places of results that have a history
        fitted: a gradient, and the number of what it belongs to, as the graph was traced with
        layouts: the sizes and strides that it was traced with, if they are known
    """

    class Direct(base):  # type: ignore[misc, valid-type]
        numbers_kept: Sequence[Any] = ()
        saved: Any

        def run(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
            if self.saved is None:
                raise nodes.freed()
            given = [*self.numbers_kept, *[saved.unpack(item, self) for item in self.saved]]
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
            if state.thread.grad_enabled:
                made = recorded(given)
                return tuple([made[k] for k, is_one in enumerate(self._is_tensor) if is_one])
            found = backward(given)
            return tuple([found[places[k]] for k, is_one in enumerate(self._is_tensor) if is_one])

    Direct.__name__ = Direct.__qualname__ = base.__name__
    return Direct

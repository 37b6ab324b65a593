"""Gradients through calls between processes.

Within a context, tensors with a history that are sent to another process arrive as leaves there. The backward pass of
a process goes from what it has sent to what has arrived; what has arrived then gives its gradient to the process
that sent it, as soon as all that was computed of it, and sent on, has had its own.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import rushlight
from rushlight.autograd.graph import get_gradient_edge
from rushlight.engine.core.tensor import Tensor
from rushlight.futures import collect_all
from rushlight.utils import _pytree as pytree

# The rank of who has sent a message, and its count.
MessageId = tuple[int, int]


@dataclass
class Arrived:
    """A message that has come with tensors that want gradients.

    Args:
        sender: its rank
        leaves: the tensors here
    """

    sender: int
    leaves: list[Any]


class Context:
    """What a process knows of one forward pass over several processes.

    Args:
        number: of the context
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.lock = threading.RLock()
        self.sent: dict[MessageId, list[Any]] = {}
        self.arrived: dict[MessageId, Arrived] = {}
        self.peers: set[int] = set()
        self.grads: dict[Any, Any] = {}
        # While going back: how many of those that were sent, or roots, each message that has arrived waits for.
        self.waiting: dict[MessageId, int] | None = None
        self.leads: dict[MessageId | None, set[MessageId]] = {}
        self.held: dict[int, Any] = {}


class _Process:
    def __init__(self) -> None:
        self.contexts: dict[int, Context] = {}
        self.lock = threading.Lock()
        self.numbers = itertools.count()
        self.local = threading.local()

    def context(self, number: int) -> Context:
        with self.lock:
            return self.contexts.setdefault(number, Context(number))

    def known(self, number: int) -> Context:
        with self.lock:
            found = self.contexts.get(number)
        if found is None:
            raise RuntimeError(f"Could not find autograd context with id: {number}")
        return found


process = _Process()


def current() -> Context | None:
    """The context of this thread."""
    return getattr(process.local, "context", None)


def _agent() -> Any:
    from rushlight.distributed.rpc.requests import agent

    return agent()


class context:
    """A block in which calls between processes keep their history.

    Gives the number of the context, by which :func:`backward` and :func:`get_gradients` find it.
    """

    def __enter__(self) -> int:
        if current() is not None:
            raise RuntimeError("a context of distributed autograd cannot be in another one")
        carrier = _agent()
        number = carrier.info.id << 48 | next(process.numbers)
        process.local.context = process.context(number)
        return number

    def __exit__(self, *exception: object) -> None:
        own, process.local.context = process.local.context, None
        Release(own.number)()


@dataclass
class Release:
    """Forget a context, here and where it went from here."""

    number: int

    def __call__(self) -> None:
        with process.lock:
            own = process.contexts.pop(self.number, None)
        if own is None:
            return
        carrier = _agent()
        for rank in own.peers:
            carrier.ask(carrier.worker(rank), Release(self.number), carrier.timeout)


# -- messages --


@dataclass
class Place:
    """Stands for a tensor of a message."""

    index: int


@dataclass
class Message:
    """A value whose tensors have a history at the sender.

    Args:
        context: its number
        number: of the message
        sender: its rank
        tree: the value, with `Place` for the tensors
        tensors: without their history
    """

    context: int
    number: MessageId
    sender: int
    tree: Any
    tensors: list[Any]

    def opened(self) -> Any:
        """The value, with leaves for the tensors."""
        own = process.context(self.context)
        leaves = [x.detach().requires_grad_() for x in self.tensors]
        with own.lock:
            own.arrived[self.number] = Arrived(self.sender, leaves)
            own.peers.add(self.sender)
        return pytree.tree_map(lambda x: leaves[x.index] if isinstance(x, Place) else x, self.tree)


def _wants(x: Any) -> bool:
    return isinstance(x, Tensor) and x.requires_grad and x.is_floating_point()  # type: ignore[attr-defined]


def packed(value: Any, to: int | None) -> Any:
    """What is sent for a value: a `Message` if it has tensors with a history, and there is a context."""
    own = current()
    if own is None or not any(map(_wants, pytree.tree_leaves(value))):
        return value
    sent: list[Any] = []

    def place(x: Any) -> Any:
        if not _wants(x):
            return x
        sent.append(x)
        return Place(len(sent) - 1)

    tree = pytree.tree_map(place, value)
    rank = _agent().info.id
    number = rank, next(process.numbers)
    with own.lock:
        own.sent[number] = sent
        if to is not None:
            own.peers.add(to)
    return Message(own.number, number, rank, tree, [x.detach() for x in sent])


def opened(value: Any) -> Any:
    """What a value is for who gets it."""
    return value.opened() if isinstance(value, Message) else value


@dataclass
class Within:
    """Run a request in a context.

    Args:
        context: its number
        request: what to run
        given: the arguments of its call, which may have a history
    """

    context: int
    request: Any
    given: Any = None

    @property
    def gives_future(self) -> bool:
        """Whether the answer comes when a future has it."""
        return bool(getattr(self.request, "gives_future", False))

    def __call__(self) -> Any:
        process.local.context = process.context(self.context)
        try:
            if self.given is not None:
                call = getattr(self.request, "call", self.request)
                call.args, call.kwargs = opened(self.given)
            return self.answer(self.request())
        finally:
            process.local.context = None

    def answer(self, found: Any) -> Any:
        """What goes back for what the request gives; for a future, when it is there."""
        if self.gives_future:
            return found.then(self._answer_of)
        return packed(found, None)

    def _answer_of(self, future: Any) -> Any:
        process.local.context = process.context(self.context)
        try:
            return packed(future.value(), None)
        finally:
            process.local.context = None


def ask(to: Any, request: Any, timeout: float, waits: bool = False) -> Any:
    """`Agent.ask` that keeps histories: a future of what a request gives in a process."""
    carrier = _agent()
    own = current()
    if own is None:
        return carrier.ask(to, request, timeout, waits)
    if to == carrier.info:
        # The history goes on as it is.
        return carrier.ask(to, _Here(own, request), timeout)
    given = None
    call = getattr(request, "call", request)
    if hasattr(call, "args"):
        given = packed((call.args, call.kwargs), to.id)
        call.args, call.kwargs = (), {}
    with own.lock:
        own.peers.add(to.id)
    return carrier.ask(to, Within(own.number, request, given), timeout).then(
        lambda future: opened(future.value())
    )


class _Here:
    """A request of this process, in a context."""

    def __init__(self, own: Context, request: Any) -> None:
        self.own, self.request = own, request
        self.gives_future = bool(getattr(request, "gives_future", False))

    def __call__(self) -> Any:
        process.local.context = self.own
        try:
            return self.request()
        finally:
            process.local.context = None


# -- going back --


def _steps_behind(roots: Iterable[Any]) -> set[Any]:
    """All steps of the histories of some tensors."""
    stack = [get_gradient_edge(x).node for x in roots]
    seen: set[Any] = set()
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += [n for n, _ in node.next_functions if n is not None]
    return seen


def _prepare(own: Context, roots: list[Any] | None) -> None:
    """Find out what each message that has arrived waits for."""
    if own.waiting is not None:
        return
    ends = {
        get_gradient_edge(leaf).node: number
        for number, message in own.arrived.items()
        for leaf in message.leaves
    }
    starts: list[tuple[MessageId | None, list[Any]]] = [*own.sent.items()]
    if roots is not None:
        starts.append((None, roots))
    own.waiting = dict.fromkeys(own.arrived, 0)
    for start, tensors in starts:
        own.leads[start] = {ends[node] for node in _steps_behind(tensors) if node in ends}
        for number in own.leads[start]:
            own.waiting[number] += 1


def _back_from(own: Context, start: MessageId | None, tensors: list[Any], grads: list[Any]) -> Any:
    """Go back from some tensors in this process, and on from there; a future."""
    pairs = [(x, grad) for x, grad in zip(tensors, grads) if grad is not None]
    if pairs:
        leaves = _leaves_behind(x for x, _ in pairs)
        found = rushlight.autograd.grad(
            [x for x, _ in pairs], leaves, [grad for _, grad in pairs], retain_graph=True,
            allow_unused=True,
        )  # fmt: skip
        ours = {id(leaf) for message in own.arrived.values() for leaf in message.leaves}
        with own.lock:
            for leaf, grad in zip(leaves, found):
                if grad is not None:
                    _add(own, leaf, grad, id(leaf) in ours)
    ready = []
    assert own.waiting is not None
    with own.lock:
        for number in own.leads[start]:
            own.waiting[number] -= 1
            if own.waiting[number] == 0:
                ready.append(number)
    carrier = _agent()
    futures = []
    for number in ready:
        message = own.arrived[number]
        back = [own.held.pop(id(leaf), None) for leaf in message.leaves]
        request = Back(own.number, number, back)
        futures.append(carrier.ask(carrier.worker(message.sender), request, carrier.timeout))
    return collect_all(futures)


def _add(own: Context, leaf: Any, grad: Any, is_ours: bool) -> None:
    """Add a gradient to those of a leaf: one that has arrived, or a parameter."""
    if is_ours:
        before = own.held.get(id(leaf))
        own.held[id(leaf)] = grad if before is None else before + grad
    else:
        before = own.grads.get(leaf)
        own.grads[leaf] = grad if before is None else before + grad


def _leaves_behind(tensors: Iterable[Any]) -> list[Any]:
    found = (getattr(node, "variable", None) for node in _steps_behind(tensors))
    return [leaf for leaf in found if leaf is not None]


@dataclass
class Back:
    """Go back with the gradients of a message.

    Args:
        context: its number
        number: of the message
        grads: of its tensors
    """

    context: int
    number: MessageId
    grads: list[Any]
    gives_future = True

    def __call__(self) -> Any:
        own = process.known(self.context)
        with own.lock:
            _prepare(own, None)
        return _done(_back_from(own, self.number, own.sent[self.number], self.grads))


def _done(futures: Any) -> Any:
    """A future of None that fails if one of some does."""

    def check(done: Any) -> None:
        for future in done.value():
            future.value()

    return futures.then(check)


def backward(context_id: int, roots: list[Any], retain_graph: bool = False) -> None:
    """Go back from results in this process through all that took part in them.

    Args:
        context_id: the number of the context
        roots: results of one element; their gradients go to the context, not to the tensors' ``grad``
        retain_graph: whether that can be done again
    """
    own = process.known(context_id)
    if not roots:
        raise RuntimeError("No tensors provided for gradient computation.")
    for root in roots:
        if not root.requires_grad:
            raise RuntimeError("requires_grad not set on root")
        if root.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
    with own.lock:
        own.waiting = None
        own.leads.clear()
        _prepare(own, roots)
    ones = [rushlight.ones_like(root) for root in roots]
    _done(_back_from(own, None, list(roots), ones)).wait()


def get_gradients(context_id: int) -> dict[Any, Any]:
    """The gradients that a context has for parameters of this process.

    Args:
        context_id: the number of the context
    """
    own = process.known(context_id)
    with own.lock:
        return dict(own.grads)

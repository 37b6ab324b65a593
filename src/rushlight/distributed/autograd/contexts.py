"""Gradients through calls between processes.

Within a context, tensors with a history that are sent to another process arrive as leaves there. Each process has one
backward pass, from what it has sent to what has arrived and to its parameters. It is resumed by each message with
gradients of what was sent; a message that has arrived gives its gradients to the process that sent it as soon as
all that was computed of it, and sent on, has had its own.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable
from typing import Any

import rushlight
from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd.resumed import ResumedPass
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.records import dataclass
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
        # Where gradients of what was sent go.
        self.sent: dict[MessageId, list[Any]] = {}
        self.arrived: dict[MessageId, Arrived] = {}
        self.peers: set[int] = set()
        self.grads: dict[Any, Any] = {}
        # While going back: one thread at a time.
        self.going_back: GoingBack | None = None
        self.pass_lock = threading.RLock()


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
        own.sent[number] = _edges(sent)
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


class GoingBack:
    """The backward pass of one process, and what it has to send.

    Args:
        own: the context
        roots: what the pass begins with besides what was sent; None in processes without a loss
        retain_graph: whether there can be another pass
    """

    def __init__(self, own: Context, roots: list[Any] | None, retain_graph: bool) -> None:
        self.own, self.retain_graph = own, retain_graph
        with own.lock:
            # By the number of the message; the roots have none.
            self.starts: dict[Any, list[Any]] = dict(own.sent)
            arrived = dict(own.arrived)
        if roots is not None:
            self.starts[None] = _edges(roots)
        self.task = ResumedPass(list(self.starts.values()), own.grads, retain_graph)
        # What has arrived and takes part, with the ends of the histories here.
        self.ends: dict[MessageId, list[Any]] = {}
        for number, message in arrived.items():
            nodes = [node for node, _ in _edges(message.leaves) if node in self.task.waiting]
            if nodes:
                self.ends[number] = nodes

    def resume(self, start: MessageId | None, grads: list[Any]) -> Any:
        """Go on from a message, or from the roots, and from there in other processes; a future."""
        own = self.own
        with own.pass_lock:
            try:
                self.task.resume(self.starts[start], grads)
            except BaseException:
                own.going_back = None
                raise
            if not self.task.groups_left:
                own.going_back = None
            ready = [n for n, nodes in self.ends.items() if all(map(self.task.is_done, nodes))]
            backs = [self.back(number) for number in ready]
        carrier = _agent()
        return collect_all(
            [carrier.ask(carrier.worker(to), back, carrier.timeout) for to, back in backs]
        )

    def back(self, number: MessageId) -> tuple[int, Back]:
        """To whom a message that has arrived gives gradients, and which."""
        del self.ends[number]
        message = self.own.arrived[number]
        with self.own.lock:
            grads = [self.own.grads.pop(leaf, None) for leaf in message.leaves]
        return message.sender, Back(self.own.number, number, grads, self.retain_graph)


def _edges(tensors: Iterable[Any]) -> list[Any]:
    return [metas.edge_of(x) for x in tensors]


@dataclass
class Back:
    """Go back with the gradients of a message.

    Args:
        context: its number
        number: of the message
        grads: of its tensors
        retain_graph: whether there can be another pass
    """

    context: int
    number: MessageId
    grads: list[Any]
    retain_graph: bool
    gives_future = True

    def __call__(self) -> Any:
        own = process.known(self.context)
        with own.pass_lock:
            if own.going_back is None:
                own.going_back = GoingBack(own, None, self.retain_graph)
            going = own.going_back
        return _done(going.resume(self.number, self.grads))


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
    with own.pass_lock:
        going = own.going_back = GoingBack(own, list(roots), retain_graph)
    _done(going.resume(None, [rushlight.ones_like(root) for root in roots])).wait()


def get_gradients(context_id: int) -> dict[Any, Any]:
    """The gradients that a context has for parameters of this process.

    Args:
        context_id: the number of the context
    """
    own = process.known(context_id)
    with own.lock:
        return dict(own.grads)

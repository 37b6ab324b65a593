"""The recorded graph: its nodes, what they keep, and hooks on several of its tensors."""

from __future__ import annotations

import contextlib
import functools
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from rushlight.autograd.grad_mode import Decorating, no_grad
from rushlight.engine.autograd import backward, saved
from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd.node import Node
from rushlight.engine.core import device as devices
from rushlight.engine.core import state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.engine.native.forks import hold_over_fork

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]

_lock = threading.Lock()
hold_over_fork(_lock)


# -- edges --


class GradientEdge(NamedTuple):
    """Where a gradient goes: an output of a node."""

    node: Node
    output_nr: int
    ownership_token: Any = None


class _LeafEdge(GradientEdge):
    """The edge of a leaf, which it keeps alive: the leaf's node knows it only weakly."""

    leaf: Any


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """The edge where gradients of a tensor go; it stands for the tensor in `grad`."""
    edge = metas.edge_of(tensor)
    if edge is None:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require "
            "gradients"
        )
    if not edge[0].is_leaf:
        return GradientEdge(*edge)
    # Equal to an edge that was found in the graph, which knows of no tensor.
    found = _LeafEdge(*edge)
    found.leaf = tensor
    return found


def increment_version(tensor: Any) -> None:
    """Say that the elements of a tensor (or several) have been changed unseen."""
    for item in (tensor,) if isinstance(tensor, Tensor) else tuple(tensor):
        if not item.is_inference():
            tensors.bump_version(item)


# -- what nodes keep --


class saved_tensors_hooks(Decorating):
    """A block in which nodes keep ``pack_hook(tensor)``, and get back ``unpack_hook`` of that.

    Args:
        pack_hook: what to keep for a tensor
        unpack_hook: the tensor from what was kept
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def clone(self) -> saved_tensors_hooks:
        return saved_tensors_hooks(self.pack_hook, self.unpack_hook)

    def __enter__(self) -> None:
        push_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exception: object) -> None:
        pop_hooks()


def push_hooks(pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
    """Let nodes keep what hooks make of tensors, until `pop_hooks`."""
    refuse_if_disabled()
    state.thread.saved_hooks.append((pack_hook, unpack_hook))
    count_hooks(+1)


def pop_hooks() -> None:
    """Take the hooks that were set last away."""
    state.thread.saved_hooks.pop()
    count_hooks(-1)


def refuse_hooks_over_others(message: str) -> None:
    """Raise if there are hooks already."""
    if state.thread.saved_hooks:
        raise RuntimeError(message)


def count_hooks(change: int) -> None:
    with _lock:
        saved.hooks.active += change


def refuse_if_disabled() -> None:
    message = state.thread.saved_hooks_disabled
    if message is not None:
        raise RuntimeError(message)


class save_on_cpu(saved_tensors_hooks):
    """A block in which nodes keep copies in the host's memory.

    Args:
        pin_memory: let the copies be pinned, for faster transfers, if there is such a device
        device_type: the device that may be pinned for
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        pins = pin_memory and devices.device(device_type).is_here

        def pack(tensor: Any) -> Any:
            copy = tensor.detach().to("cpu", copy=True)
            return tensor.device, copy.pin_memory() if pins else copy

        def unpack(packed: Any) -> Any:
            device, copy = packed
            return copy.to(device, non_blocking=pin_memory)

        super().__init__(pack, unpack)


class disable_saved_tensors_hooks(Decorating):
    """A block in which hooks on saved tensors are refused, with a message."""

    def __init__(self, error_message: str) -> None:
        self.error_message = error_message

    def clone(self) -> disable_saved_tensors_hooks:
        return disable_saved_tensors_hooks(self.error_message)

    def __enter__(self) -> None:
        refuse_hooks_over_others(self.error_message)
        self._previous = state.thread.saved_hooks_disabled
        state.thread.saved_hooks_disabled = self.error_message

    def __exit__(self, *exception: object) -> None:
        state.thread.saved_hooks_disabled = self._previous


# -- hooks on several tensors --


class MultiHandle:
    """Takes the hooks of `register_multi_grad_hook` away again."""

    def __init__(self, handles: Sequence[Any]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> MultiHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[Any], fn: Callable[[Any], Any], *, mode: Literal["all", "any"] = "all"
) -> MultiHandle:
    """Call ``fn`` in each backward pass, when gradients of the tensors have been computed.

    Args:
        tensors: whose gradients to wait for
        fn: with mode "all", called once with the list of all gradients (None for tensors that the
            pass does not reach); with "any", called with the first that arrives
        mode: "all" or "any"
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        watcher: Any = _FirstGradient(fn)
    else:
        watcher = _AllGradients([metas.edge_of(t) for t in tensors], fn)
    return MultiHandle(
        [t.register_hook(functools.partial(watcher.arrived, k)) for k, t in enumerate(tensors)]
    )


def running_pass() -> backward.Pass:
    passes = backward.running.passes
    if not passes:
        raise RuntimeError("expected this hook to be called inside a backward call")
    return passes[-1]


class _FirstGradient:
    """Calls a function once per pass."""

    def __init__(self, fn: Callable[[Any], Any]) -> None:
        self._fn = fn
        self._done: weakref.WeakSet[backward.Pass] = weakref.WeakSet()
        self._lock = threading.Lock()

    def arrived(self, place: int, grad: Any) -> None:
        current = running_pass()
        with self._lock:
            if current in self._done:
                return
            self._done.add(current)
        self._fn(grad)


class _AllGradients:
    """Collects the gradients of a pass and calls a function with them."""

    def __init__(self, edges: Sequence[Any], fn: Callable[[Any], Any]) -> None:
        self._edges = list(edges)
        self._fn = fn
        self._found: weakref.WeakKeyDictionary[backward.Pass, dict[int, Any]]
        self._found = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def arrived(self, place: int, grad: Any) -> None:
        current = running_pass()
        with self._lock:
            found = self._found.setdefault(current, {})
            found[place] = grad
            expected = [k for k, e in enumerate(self._edges) if current.will_run(e[0])]
            is_complete = all(k in found for k in expected)
            if is_complete:
                del self._found[current]
        if is_complete:
            self._fn([found.get(k) for k in range(len(self._edges))])


# -- changing what was saved --


class _Kept:
    """A saved tensor; a copy, once its elements are about to change."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor
        self.is_copy = False

    def copy(self) -> None:
        if not self.is_copy:
            self.tensor = self.tensor.detach().clone()
            self.is_copy = True


class _Copies(TorchDispatchMode):
    """Copies saved tensors just before something writes to their memory."""

    def __init__(self) -> None:
        # By the number of the storage.
        self.kept: dict[int, weakref.WeakSet[_Kept]] = {}
        self.is_open = True

    def pack(self, tensor: Any) -> _Kept:
        made = _Kept(tensor)
        self.kept.setdefault(id(tensor._storage_), weakref.WeakSet()).add(made)
        return made

    def unpack(self, kept: _Kept) -> Any:
        if not self.is_open:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
                "in which the graph was originally recorded."
            )
        return kept.tensor

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        written = func.schema.mutated
        if written:
            arguments = {**dict(zip((a.name for a in func.schema.arguments), args)), **kwargs}
            with no_grad():
                for tensor in tensors_in([arguments.get(a.name) for a in written]):
                    self.before_writing(tensor)
        return func(*args, **kwargs)

    def before_writing(self, tensor: Any) -> None:
        for kept in self.kept.pop(id(tensor._storage_), ()):
            kept.copy()


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_Copies]:
    """A block in which saved tensors may be changed in place: nodes then keep copies.

    Passes over graphs that were recorded in the block must run in the block.
    """
    if any(isinstance(mode, _Copies) for mode in state.thread.modes):
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    copies = _Copies()
    with saved_tensors_hooks(copies.pack, copies.unpack), copies:
        try:
            yield copies
        finally:
            copies.is_open = False
            copies.kept.clear()

"""Nodes: the recorded steps of a computation, from results back to leaves.

`edges` says where the gradients that a node computes go: one per differentiable input, a node and
the number of its output, or None. Nodes point backwards only, so that a graph is released by
reference counting alone.
"""

from __future__ import annotations

import itertools
import re
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.autograd import meta as metas
from rushlight.engine.calls import copy as copies
from rushlight.engine.core import keys, objects, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes

Grads = tuple[Any, ...]

sequence = itertools.count()
# Called for each new node while anomaly detection is on.
when_made: list[Callable[[Any], None]] = []


class RemovableHandle:
    """Takes a hook away again: by `remove`, or at the end of a `with` block.

    Args:
        hooks_dict: where the hook is, under the handle's number
        extra_dict: other tables, or one, from which the number goes as well
    """

    _next = itertools.count()

    def __init__(self, hooks_dict: dict[int, Any], *, extra_dict: Any = None) -> None:
        self.id = next(RemovableHandle._next)
        self.hooks_dict_ref = _reference(hooks_dict)
        extra = [extra_dict] if isinstance(extra_dict, dict) else extra_dict or ()
        self.extra_dict_ref = tuple(map(_reference, extra))

    def remove(self) -> None:
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> tuple[Any, ...]:
        state = self.hooks_dict_ref(), self.id
        extra = tuple(reference() for reference in self.extra_dict_ref)
        return (*state, extra) if extra else state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        hooks, self.id, *extra = state
        self.hooks_dict_ref = _reference(Hooks() if hooks is None else hooks)
        others = extra[0] if extra else ()
        self.extra_dict_ref = tuple(_reference({} if x is None else x) for x in others)
        RemovableHandle._next = itertools.count(max(next(RemovableHandle._next), self.id + 1))

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def _reference(hooks: dict[int, Any]) -> Callable[[], dict[int, Any] | None]:
    return weakref.ref(hooks) if hasattr(hooks, "__weakref__") else (lambda: hooks)


class Hooks(dict[int, Any]):
    """Hooks by the number of their handle, in the order in which they were added."""

    __slots__ = ("__weakref__",)


def add_hook(
    hooks: dict[int, Any],
    hook: Any,
    first: bool = False,
    numbers: Sequence[dict[int, bool]] = (),
) -> RemovableHandle:
    """Add a hook behind the others, or in front of them, and its number to some tables."""
    handle = RemovableHandle(hooks, extra_dict=numbers)
    for table in numbers:
        table[handle.id] = True
    others = dict(hooks) if first else {}
    if first:
        hooks.clear()
    hooks[handle.id] = hook
    hooks.update(others)
    return handle


class Node:
    """One recorded step. Fields that most nodes do not set are the class's own."""

    __slots__ = ("__dict__", "__weakref__", "edges", "outputs", "saved", "seq")

    edges: tuple[metas.Edge | None, ...]
    # Size and element type of each output.
    outputs: tuple[tuple[Any, Any], ...]
    # What the rule needs; None when it has been released.
    saved: tuple[Any, ...] | None
    # The number of the step: later ones are undone first.
    seq: int
    is_leaf = False
    # The step on a whole base that this step on a view of it has become, held weakly.
    around: Any = None
    # Whether any of what the rule needs is a tensor.
    keeps_tensors = True
    # Whether that depends on which inputs want gradients.
    keeps_sometimes = False
    # Whether a complex gradient of a real input is a fault of the step, and not its real part meant.
    same_kind = False
    # Hooks on gradients of outputs: (output, hook); on all gradients before and after the step.
    tensor_hooks: Hooks | None = None
    # Those of `retain_grad`, which keep what the others have made of a gradient.
    retaining_hooks: Hooks | None = None
    pre_hooks: Hooks | None = None
    post_hooks: Hooks | None = None
    # How many numbers stand behind the tensors, where PyTorch has tensors for them.
    numbers: int = 0
    # Whether the engine has to look for hooks that see gradients before the step.
    is_hooked = False
    _metadata: dict[Any, Any] | None = None

    def __init__(self) -> None:
        self.edges = self.outputs = self.saved = ()
        self.seq = 0

    def run(self, grads: Grads) -> Grads:
        """Gradients of the inputs from those of the outputs; None stands for zero."""
        raise NotImplementedError(self.name())

    def release(self) -> None:
        """Let go of saved tensors, after a pass that does not keep the graph.

        A step that keeps none may be passed again.
        """
        if not self.saved or not self.keeps_tensors:
            return
        if self.keeps_sometimes and not any(map(holds_tensor, self.saved)):
            return
        self.saved = None

    def __call__(self, *grads: Any) -> Any:
        found = self.run(grads)
        return found[0] if len(found) == 1 else found

    # -- what programs see --
    def name(self) -> str:
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        shown = [
            (None, 0) if edge is None or leads_to_null_node(edge) else edge for edge in self.edges
        ]
        return (*shown, *[(None, 0)] * self.numbers)

    @property
    def metadata(self) -> dict[Any, Any]:
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    @property
    def requires_grad(self) -> bool:
        return True

    @property
    def _input_metadata(self) -> tuple[Any, ...]:
        return self.outputs

    def _sequence_nr(self) -> int:
        return self.seq

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` after the step; it may replace the former."""
        if self.post_hooks is None:
            self.post_hooks = Hooks()
        return add_hook(self.post_hooks, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before the step; it may replace them."""
        self.is_hooked = True
        if self.pre_hooks is None:
            self.pre_hooks = Hooks()
        return add_hook(self.pre_hooks, hook)

    def add_tensor_hook(self, output: int, hook: Callable[[Any], Any]) -> RemovableHandle:
        self.is_hooked = True
        if self.tensor_hooks is None:
            self.tensor_hooks = Hooks()
        return add_hook(self.tensor_hooks, (output, hook))

    def add_retaining_hook(self, output: int, hook: Callable[[Any], Any]) -> RemovableHandle:
        self.is_hooked = True
        if self.retaining_hooks is None:
            self.retaining_hooks = Hooks()
        return add_hook(self.retaining_hooks, (output, hook))

    def __repr__(self) -> str:
        return f"<{self.name()} object at {hex(id(self))}>"


def holds_tensor(item: Any) -> bool:
    """Whether a thing that a node keeps is a tensor, or some."""
    if type(item) in (tuple, list):
        return any(isinstance(x, Tensor) or holds_tensor(x) for x in item)
    return hasattr(item, "unpack")


def describe(tensor: Tensor) -> tuple[Any, Any]:
    """What a node keeps of one of its outputs."""
    return tensor._size_, tensor._dtype_


def described(edge: metas.Edge) -> str:
    """An output of a node, in the words of error messages."""
    step = re.sub(r"Backward\d*$", "", edge[0].name())
    return f"Output {edge[1]} of {step}"


def freed() -> RuntimeError:
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after "
        "they have already been freed). Saved intermediate values of the graph are freed when you "
        "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
        "through the graph a second time or if you need to access saved tensors after calling "
        "backward."
    )


class AccumulateGrad(Node):
    """The end of a path: adds the gradient to a leaf.

    The leaf knows its node, the node knows the leaf only weakly.
    """

    is_leaf = True
    _lock = threading.Lock()

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def __init__(self, variable: Tensor) -> None:
        super().__init__()
        self._variable = weakref.ref(variable)
        self.outputs = (describe(variable),)

    @property
    def variable(self) -> Tensor | None:
        return self._variable()

    def run(self, grads: Grads) -> Grads:
        variable = self._variable()
        grad = grads[0]
        if variable is None or grad is None:
            return ()
        meta = variable._autograd_
        if meta is None or meta.edge is None:
            # It has stopped wanting a gradient since the step was recorded.
            return ()
        # What only this call and its tuple know may be taken over as it is.
        is_ours = sys.getrefcount(grad) <= 3
        with self._lock:
            meta.grad = self.added_to(meta.grad, variable, grad, is_ours)
        if meta.post_hooks:
            for hook in list(meta.post_hooks.values()):
                if hook(variable) is not None:
                    raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        return ()

    def added_to(self, old: Any, variable: Tensor, grad: Any, is_ours: bool) -> Any:
        """The gradient of a leaf that has had the old one so far, which may be changed."""
        recording = state.thread.grad_enabled
        if old is None:
            if recording:
                return self.recorded_copy(variable, grad)
            if is_ours and not grad._keys_ & keys.AUTOGRAD and grad._stride_ == layout_of(variable):
                # What it may have been a view of is gone.
                grad._base = None
                return copies.detach(grad) if modes.is_watched() else grad
            if is_ours and grad._keys_ & keys.SPARSE_LAYOUTS:
                return copies.detach(grad)
            return self.fresh(variable, grad)
        if recording or (old._keys_ & ~grad._keys_ & keys.SPARSE_LAYOUTS):
            return added(old, grad)
        return old.add_(grad)

    @staticmethod
    def recorded_copy(variable: Tensor, grad: Any) -> Any:
        """A copy of a gradient that has a history."""
        if type(grad) is not Tensor or grad._keys_ & keys.SPARSE_LAYOUTS:
            return copies.clone(grad)
        made = tensors.empty_strided(
            grad._size_, layout_of(variable), grad._dtype_, variable._storage_.device
        )
        return copies.copy_(made, grad, False)

    @staticmethod
    def fresh(variable: Tensor, grad: Any) -> Any:
        """A copy of the gradient, laid out as the variable where that is dense."""
        if grad._keys_ & keys.SPARSE_LAYOUTS:
            return copies.detach(copies.clone(grad))
        if grad._stride_ == variable._stride_ and type(grad) is Tensor:
            return grad.clone()
        if type(grad) is Tensor and grad._dtype_ is variable._dtype_ and not state.thread.layers:
            made = tensors.empty_strided(
                grad._size_, layout_of(variable), grad._dtype_, variable._storage_.device
            )
            return copies.copy_(made, grad, False)
        return copies.detach(copies.clone(grad))


def layout_of(variable: Tensor) -> tuple[int, ...]:
    """The strides with which a leaf's gradient is kept: the leaf's, if no elements lie in one place."""
    size, stride = variable._size_, variable._stride_
    if variable._flags_ & objects.CONTIGUOUS or tensors.sizes.is_dense(size, stride):
        return stride
    return tensors.sizes.contiguous_strides(size)


def added(old: Any, grad: Any) -> Any:
    """The sum of two gradients; that of a sparse and a dense one is dense."""
    if old._keys_ & ~grad._keys_ & keys.SPARSE_LAYOUTS:
        return grad + old
    return old + grad


def make_leaf(tensor: Tensor) -> None:
    """Let a tensor that no recorded step made want a gradient.

    Steps from when it wanted one before lead to it again.
    """
    meta = tensor._autograd_
    former = None if meta is None or meta.former is None else meta.former()
    metas.set_edge(tensor, (AccumulateGrad(tensor) if former is None else former, 0))


def end_leaf(meta: metas.Meta) -> None:
    """Let a leaf want no gradient any more."""
    if meta.edge is not None and type(meta.edge[0]) is AccumulateGrad:
        meta.former = weakref.ref(meta.edge[0])


class NullNode(Node):
    """The end of a path at a view that was made while nothing was recorded.

    Steps on such a view are recorded if its base wants a gradient; what comes back is dropped.
    """

    is_leaf = True
    variable = None

    def __init__(self, view: Tensor) -> None:
        super().__init__()
        self.outputs = (describe(view),)

    def run(self, grads: Grads) -> Grads:
        return ()


def follow_leaf(base: Tensor, wanted: bool) -> None:
    """Tell the views of a leaf that were made while nothing was recorded whether it wants a gradient.

    They want one if it does, but none comes back through them.
    """
    for item in metas.views_of(base):
        if wanted and not item._keys_ & keys.AUTOGRAD:
            metas.meta_of(item)
            item._keys_ |= keys.AUTOGRAD
        meta = item._autograd_
        if isinstance(meta, metas.ViewMeta) and (
            meta._edge is None or leads_to_null_node(meta._edge)
        ):
            meta.edge = (NullNode(item), 0) if wanted else None


def leads_to_null_node(edge: metas.Edge | None) -> bool:
    """Whether a gradient that goes there is dropped."""
    return edge is not None and type(edge[0]) is NullNode


class Tied(Node):
    """The history of gradients with tensors that they do not change with.

    Args:
        gradients: the gradients, which become its outputs
        own: the history of the only one of them, if it has any
        ties: the tensors, and whether a further gradient is zeros; it is nothing otherwise
    """

    def __init__(
        self,
        gradients: list[Tensor],
        own: metas.Edge | None,
        ties: tuple[tuple[metas.Edge, bool], ...],
    ) -> None:
        super().__init__()
        self.edges = (own, *(edge for edge, _ in ties))
        self.wants_zeros = tuple(zeros for _, zeros in ties)
        self.outputs = tuple(map(describe, gradients))
        self.seq = next(sequence)

    def run(self, grads: Grads) -> Grads:
        from rushlight.engine.calls import creation

        like = next((g for g in grads if g is not None), None)
        if like is None:
            return (None,) * len(self.edges)
        found: list[Any] = [grads[0] if self.edges[0] is not None else None]
        for edge, zeros in zip(self.edges[1:], self.wants_zeros):
            assert edge is not None
            size, dtype = edge[0].outputs[edge[1]]
            found.append(creation.zeros(list(size), dtype, None, like.device) if zeros else None)
        return tuple(found)


def tied(gradients: Grads, ties: tuple[tuple[metas.Edge | None, bool], ...]) -> Grads:
    """Gradients of a recorded pass, with a history for the inputs of their step that they lack.

    A gradient that has one already says by it that a further gradient is nothing.

    Args:
        gradients: what the step's rule gave
        ties: the inputs, and whether a further gradient is zeros; it is nothing otherwise
    """
    wanted = tuple((edge, zeros) for edge, zeros in ties if edge is not None)
    given = [g for g in gradients if g is not None]
    plain = [g for g in given if not metas.requires_grad(g)]
    if wanted and plain:
        node = Tied(plain, None, wanted)
        for place, gradient in enumerate(plain):
            metas.set_edge(gradient, (node, place))
    zeros = tuple(tie for tie in wanted if tie[1])
    for gradient in given if zeros else ():
        if all(gradient is not g for g in plain):
            metas.set_edge(gradient, (Tied([gradient], metas.edge_of(gradient), zeros), 0))
    return gradients


class NotImplementedNode(Node):
    """Stands for a step that has no rule: it raises when a gradient reaches it."""

    def __init__(self, what: str, edges: tuple[Any, ...]) -> None:
        super().__init__()
        self.what = what
        self.edges = edges
        self.seq = next(sequence)

    def name(self) -> str:
        return "NotImplemented"

    def run(self, grads: Grads) -> Grads:
        raise RuntimeError(f"derivative for {self.what} is not implemented")

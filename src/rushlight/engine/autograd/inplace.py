"""In-place operations and views: whose history changes when elements do."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd import registry, saved
from rushlight.engine.autograd.derivative_table import functional_name
from rushlight.engine.autograd.meta import ViewMeta
from rushlight.engine.autograd.node import Grads, Node
from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.call_cache import Sizes, history, public_function, steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.native import heap_types

ADVICE = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
    "code by moving both the view and the inplace either both inside the {block} block (if you don't "
    "want the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
)
WHY = {
    metas.UNDER_NO_GRAD: ADVICE.format(block="no_grad"),
    metas.UNDER_INFERENCE: ADVICE.format(block="inference_mode"),
    metas.IN_FUNCTION: (
        "This view was created inside a custom Function (or because an input was returned as-is) and "
        "the autograd logic to handle view+inplace would override the custom backward associated with "
        "the custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix "
        "this by cloning the output of the custom Function."
    ),
    metas.ONE_OF_SEVERAL: (
        "This view is the output of a function that returns multiple views. Such functions do not "
        "allow the output views to be modified inplace. You should replace the inplace operation by "
        "an out-of-place one."
    ),
}
UNRECORDED = (metas.UNDER_NO_GRAD, metas.UNDER_INFERENCE)


def check_inplace(tensor: Tensor, records: bool) -> None:
    """Raise if the tensor's elements must not be changed while gradients are recorded."""
    if not state.thread.grad_enabled:
        return
    meta = tensor._autograd_
    base = tensor._base
    if base is not None and records:
        if isinstance(meta, ViewMeta) and meta.made is not None:
            raise RuntimeError(refusal(meta.made, meta.edge))
        if metas.requires_grad(tensor) and metas.is_leaf(base):
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place "
                "operation."
            )
    if meta is not None and meta.edge is not None and meta.edge[0].is_leaf:
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place operation."
        )


def refusal(made: str, maker: metas.Edge | None, changed: str = "is being") -> str:
    """Why a view that was made in some way must not be changed in place, or follow its base."""
    if maker is not None and maker[0].is_leaf:
        maker = None
    if maker is not None and made not in UNRECORDED:
        return f"{nodes.described(maker)} is a view and {changed} modified inplace. {WHY[made]}"
    who = "A view was created in"
    if maker is not None:
        who = f"{nodes.described(maker)} is a view of a view which was created in"
    if made == metas.UNDER_INFERENCE:
        where = f"inference mode and {changed} modified inplace in normal mode."
    else:
        # Without a step, nothing was recorded when the view was made.
        where = f"no_grad mode and {changed} modified inplace with grad mode enabled."
    return f"{who} {where} {WHY[made]}"


def check_view_of_changed(made: str | None, edge: metas.Edge | None) -> None:
    """Raise if a view cannot follow its base, which has been changed in place."""
    if made is not None and (made in UNRECORDED or edge is not None):
        raise RuntimeError(refusal(made, edge, "its base or another view of its base has been"))


def original_of(tensor: Tensor) -> Tensor:
    """A copy of the elements before they are changed, with the tensor's own history."""
    if state.thread.modes:
        # Modes see the tensor itself: a tracer knows it.
        with state.recording(False):
            copied = copies.clone(tensor)
    else:
        copied = copies.clone(steps.Shadow.note(tensor, saved.shadow(tensor)))
    give_history(copied, tensor)
    steps.Record.note(give_history, (tensor,), copied)
    tangent = None if tensor._autograd_ is None else tensor._autograd_.tangent
    if tangent is not None:
        metas.meta_of(copied).tangent = copies.clone(tangent)
        copied._keys_ |= keys.AUTOGRAD
    return copied


def give_history(copied: Tensor, tensor: Tensor) -> Tensor:
    """Let a copy have the history of a tensor."""
    edge = metas.edge_of(tensor)
    if edge is not None:
        metas.set_edge(copied, edge)
    return copied


def words_of_given_history(places: list[int | None], *_: Any) -> list[int] | None:
    return None if places[0] is None else [0, 1, 0, history.NEW, 0, 1, places[0]]


give_history.machine_words = words_of_given_history  # type: ignore[attr-defined]


def as_of_now(argument: Any, target: Tensor) -> Any:
    """An argument with the history that it has before the target is changed.

    A view over the target's memory would get the history of the target as it is afterwards.
    """
    if not isinstance(argument, Tensor) or not isinstance(argument._autograd_, ViewMeta):
        return argument
    edge = metas.edge_of(argument) if saved.shares(argument, target) else None
    if edge is None:
        return argument
    before = saved.with_edge(argument, edge)
    before._autograd_.tangent = argument._autograd_.tangent
    return before


def rebase(tensor: Tensor, node: Node) -> None:
    """Make a changed tensor the output of a node; a view passes the change on to its base."""
    base = tensor._base
    if base is None:
        # Views of what had no history until now are not known to have one: they must look again.
        if metas.edge_of(tensor) is None:
            metas.note_views(tensor)
        move_retained(tensor._autograd_, (node, 0))
        metas.set_edge(tensor, (node, 0))
        return
    meta = tensor._autograd_
    if not isinstance(meta, ViewMeta):
        meta = tensor._autograd_ = metas.new_meta(tensor)
        tensor._keys_ |= keys.AUTOGRAD
    if meta.replay is None:
        meta.replay = metas.replay_of(tensor)
    replay = meta.replay
    slices = CopySlices(base, tensor, node, replay)
    if metas.edge_of(base) is None:
        metas.note_views(base, known=1)
    move_retained(base._autograd_, (slices, 0))
    metas.set_edge(base, (slices, 0))
    # The view's own step is made anew, from the base as it is then, when somebody asks for it.
    meta._seen = -1
    tensor._keys_ |= keys.AUTOGRAD


def turn_view(op: Operator, view: Tensor, node: Node, rest: Any) -> None:
    """Make a view whose sizes and strides were changed in place the output of a node.

    The elements are what they were, so its base has nothing to record.
    """
    meta = view._autograd_
    before = meta.replay
    if before is not None:
        functional = operators.operator(functional_name(op))
        meta.replay = lambda base: functional.call(before(base), *rest)
    move_retained(view._autograd_, (node, 0))
    meta.edge = (node, 0)


def turned_base(lower: Callable[..., Any], place: int) -> Callable[..., Any]:
    """What changes sizes and strides in place, after which the ways to views begin where they did."""

    def run(*args: Any) -> Any:
        target = args[place]
        if target._base is not None:
            return lower(*args)
        before = target._size_, target._stride_, target._offset_
        result = lower(*args)
        for view in metas.views_of(target):
            meta = view._autograd_
            if isinstance(meta, ViewMeta) and meta.replay is not None:
                meta.replay = from_former(meta.replay, before)
        return result

    return run


def from_former(replay: Callable[..., Any], geometry: tuple[Any, Any, Any]) -> Callable[..., Any]:
    """The way to a view from a base whose sizes and strides were others when the view was made."""
    return lambda base: replay(views.as_strided(base, *geometry))


def move_retained(meta: metas.Meta | None, edge: metas.Edge | None) -> None:
    """`retain_grad` speaks of the tensor as it is last."""
    if meta is not None and meta.retained is not None and edge is not None:
        handle, hook = meta.retained
        handle.remove()
        meta.retained = (edge[0].add_retaining_hook(edge[1], hook), hook)


def renewed(meta: ViewMeta, base: Tensor, view: Tensor) -> metas.Edge | None:
    """The edge of a view whose base has been changed."""
    check_view_of_changed(meta.made, meta._edge)
    edge = view_edge(base, view, meta.replay)
    move_retained(meta, edge)
    return edge


ViewMeta.renewed = staticmethod(renewed)


def view_edge(base: Tensor, view: Tensor, replay: Callable[..., Any] | None) -> metas.Edge | None:
    """The edge that a view of the base has now."""
    if view._dtype_.category < dtypes.FLOATING:
        # Whole numbers have one only if they were written to by what has one.
        return edge_of_whole(base, view)
    with state.recording(True):
        if replay is not None:
            made = replay(base)
        else:
            made = views.as_strided(base, view._size_, view._stride_, view._offset_)
    return metas.edge_of(made)


def edge_of_whole(base: Tensor, view: Tensor) -> metas.Edge:
    """The edge of a view of whole numbers: a step that could not be recorded by itself."""
    rule = registry.rule_for(operators.operator("aten::as_strided"))
    assert rule is not None
    return rule.make(view, base, view._size_, view._stride_, view._offset_), 0


def whole_gradient(grad: Tensor, size: Any, stride: Any) -> Tensor:
    """A copy of a gradient of a whole tensor, to be changed in a part."""
    if state.thread.layers or grad._keys_ & keys.PYTHON:
        made = creation.new_empty_strided(grad, size, stride)
    else:
        made = creation.empty_strided(size, stride, grad._dtype_, None, grad._storage_.device, None)
    return copies.copy_(made, grad, False)


def _opened(
    grad: Tensor, size: Any, stride: Any, part_size: Any, part_stride: Any, offset: int
) -> tuple[Tensor, Tensor]:
    """That copy, and a copy of the part."""
    whole = whole_gradient(grad, size, stride)
    return whole, copies.clone(_part_of(whole, part_size, part_stride, offset))


def _closed(whole: Tensor, found: Tensor | None, size: Any, stride: Any, offset: int) -> None:
    """Write what a step has made of its part; nothing stands for zeros."""
    part = _part_of(whole, size, stride, offset)
    if found is None:
        copies.zero_(part)
    else:
        copies.copy_(part, found, False)


def _part_of(whole: Tensor, size: Any, stride: Any, offset: int) -> Tensor:
    made = tensors.view_of(whole, size, stride, whole._offset_ + offset)
    steps.View.note(whole, made)
    return made


opened = public_function("opened", _opened, sizes=lambda: Sizes(0b111110))
closed = public_function("closed", _closed, sizes=lambda: Sizes(0b11100))


class CopySlices(Node):
    """A step that was made on a view, as a step on the whole base."""

    __slots__ = ("_base", "_base_geometry", "_replay", "_view_geometry", "step")

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def __init__(
        self, base: Tensor, view: Tensor, step: Node, replay: Callable[..., Any] | None
    ) -> None:
        super().__init__()
        self.step = step
        self._replay = replay
        self._base_geometry = base._size_, base._stride_
        self._view_geometry = view._size_, view._stride_, view._offset_ - base._offset_
        self.edges = (metas.edge_of(base), *step.edges[1:])
        self.outputs = (nodes.describe(base),)
        self.seq = next(nodes.sequence)
        # A result that the step keeps belongs to the history of the base.
        # A step that keeps its result would hold the view, whose node it is: a cycle. A shadow
        # has no history.
        keeps_result = any(isinstance(item, saved.SavedResult) for item in step.saved or ())
        self._base = saved.shadow(base) if keeps_result else None
        step.around = weakref.ref(self) if keeps_result else None
        if nodes.when_made:
            nodes.when_made[0](self)

    def run(self, grads: Grads) -> Grads:
        grad = grads[0]
        if grad is None:
            return (None,) * len(self.edges)
        # A gradient of a program's own class must see each operator, and so must modes; for others one
        # remembered call does all.
        answered = grad._keys_ & keys.PYTHON
        plain = not answered and not state.thread.layers and not state.thread.modes
        if self._replay is None and not state.thread.grad_enabled and plain:
            whole, part = opened(grad, *self._base_geometry, *self._view_geometry)
            found = self.step.run((part,))
            closed(whole, found[0], *self._view_geometry)
            return (whole, *found[1:])
        whole = whole_gradient(grad, *self._base_geometry)
        if self._replay is not None:
            part = self._replay(whole)
        else:
            part = views.as_strided(whole, *self._view_geometry)
        found = self.step.run((copies.clone(part),))
        if found[0] is None:
            copies.zero_(part)
        else:
            copies.copy_(part, found[0], False)
        return (whole, *found[1:])

    @property
    def same_kind(self) -> bool:  # type: ignore[override]
        return self.step.same_kind

    def changed_part(self) -> Tensor:
        """The view as the step has left it, as a part of the base."""
        assert self._base is not None
        whole = saved.with_edge(self._base, (self, 0))
        with state.recording(True):
            if self._replay is not None:
                return self._replay(whole)  # type: ignore[no-any-return]
            size, stride, offset = self._view_geometry
            return views.as_strided(whole, size, stride, whole._offset_ + offset)

    def release(self) -> None:
        self.step.release()
        if self.step.saved is None:
            self._base = None

    @property
    def saved(self) -> Any:  # type: ignore[override]
        return self.step.saved

    @saved.setter
    def saved(self, value: Any) -> None:
        pass


def tell_layout() -> None:
    """Let machine code make steps on views."""
    facts = history.facts
    facts.slices_type = id(CopySlices)
    for name in ("step", "replay", "base_geometry", "view_geometry", "base"):
        slot = name if name == "step" else f"_{name}"
        setattr(facts, f"slices_{name}", heap_types.slot_offset(CopySlices, slot))


if heap_types.supported():
    tell_layout()

"""What a tensor knows of gradients: whether it wants one, and the step that made it.

A tensor without gradients has no `Meta` at all; one that carries the key AUTOGRAD always has.
`edge` is where a gradient of the tensor goes: a node and the number of its output. It is None for
a tensor that only has a tangent.
"""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, symbolic, wrapped
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor

if TYPE_CHECKING:
    from rushlight.engine.autograd.node import Node

Edge = tuple["Node", int]

# How a view came to be, where an in-place operation on it cannot be recorded.
UNDER_NO_GRAD = "no_grad"
UNDER_INFERENCE = "inference"
IN_FUNCTION = "function"
ONE_OF_SEVERAL = "multi-output"


class Meta:
    """Autograd's part of a tensor. Fields that most tensors do not set are the class's own."""

    __slots__ = ("__dict__", "__weakref__", "_retained", "_tangent", "edge")

    edge: Edge | None
    _retained: Any
    _tangent: Any
    grad: Tensor | None = None
    # Whether the tensor was given its tangent by `make_dual`.
    is_dual: bool = False
    # Hooks of a leaf: on its gradient, and after its gradient has been stored.
    hooks: Any = None
    post_hooks: Any = None
    # The end of the paths to a leaf that has stopped wanting a gradient, held weakly.
    former: Any = None
    # How a view came to be, one of the words above.
    made: str | None = None
    # The element type that a gradient must have, if it was set.
    grad_dtype: Any = ...

    def __init__(self) -> None:
        self.edge = None

    def copied_for(self, tensor: Tensor) -> Meta:
        """The same history for another tensor."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        made.edge, made.tangent = self.edge, self.tangent
        return made

    @property
    def retained(self) -> Any:
        """The hook that `retain_grad` left, to be moved when the tensor is changed in place."""
        # Machine code makes objects without it.
        return getattr(self, "_retained", None)

    @retained.setter
    def retained(self, hook: Any) -> None:
        self._retained = hook

    @property
    def tangent(self) -> Any:
        """The tangent of forward mode."""
        return getattr(self, "_tangent", None)

    @tangent.setter
    def tangent(self, tangent: Any) -> None:
        self._tangent = tangent

    @property
    def node(self) -> Node | None:
        """The step that made the tensor; None for a leaf."""
        edge = self.edge
        return None if edge is None or edge[0].is_leaf else edge[0]

    @property
    def wants_grad(self) -> bool:
        return self.edge is not None


class ViewMeta(Meta):
    """Of a view: its step is made anew when an in-place operation has changed the base.

    ``replay`` makes the view from the base where sizes and strides alone would not do.
    """

    __slots__ = ("_edge", "_seen", "_view", "made", "replay")
    # The edge of a view whose base has been changed; `inplace` says how it is found.
    renewed: ClassVar[Callable[[ViewMeta, Tensor, Tensor], Edge | None]]

    def __init__(
        self, view: Tensor, edge: Edge | None, replay: Any = None, made: str | None = None
    ) -> None:
        self._view = weakref.ref(view)
        self._edge = edge
        self._seen = tensors.version(view)
        self.replay = replay
        self.made = made

    def copied_for(self, tensor: Tensor) -> ViewMeta:
        """The same history for another tensor; nobody has asked yet whether it still holds."""
        made = object.__new__(ViewMeta)
        vars(made).update(vars(self))
        made._view, made._edge = weakref.ref(tensor), self._edge
        made._seen, made.replay, made.made = self._seen, self.replay, self.made
        made.tangent = self.tangent
        return made

    @property
    def edge(self) -> Edge | None:  # type: ignore[override]
        view = self._view()
        if view is not None and tensors.version(view) != self._seen:
            base: Any = view._base
            if base is not None and edge_of(base) is not None:
                self._edge = ViewMeta.renewed(self, base, view)
            self._seen = tensors.version(view)
        return self._edge

    @edge.setter
    def edge(self, edge: Edge | None) -> None:
        view = self._view()
        self._edge = edge
        if view is not None:
            self._seen = tensors.version(view)

    @property
    def wants_grad(self) -> bool:
        return self._edge is not None or self.edge is not None


def edge_of(tensor: Tensor) -> Edge | None:
    """Where a gradient of the tensor goes; None if it wants none."""
    return tensor._autograd_.edge if tensor._keys_ & keys.AUTOGRAD else None


def keep_edge(tensor: Tensor) -> None:
    """Let a view keep the edge that it had before its elements were changed."""
    meta = tensor._autograd_
    if isinstance(meta, ViewMeta):
        meta._seen = tensors.version(tensor)


def requires_grad(tensor: Tensor) -> bool:
    """Whether operations on the tensor are recorded."""
    return bool(tensor._keys_ & keys.AUTOGRAD) and tensor._autograd_.wants_grad


def is_leaf(tensor: Tensor) -> bool:
    """Whether no recorded step made the tensor."""
    meta = tensor._autograd_
    return meta is None or meta.node is None


def meta_of(tensor: Tensor) -> Meta:
    """The tensor's `Meta`, made if there is none."""
    if tensor._autograd_ is None:
        tensor._autograd_ = new_meta(tensor)
    meta: Meta = tensor._autograd_
    return meta


def new_meta(tensor: Tensor) -> Meta:
    """A `Meta` for a tensor that has none; that of a view can follow its base."""
    return Meta() if tensor._base is None else ViewMeta(tensor, None, replay_of(tensor))


def set_edge(tensor: Tensor, edge: Edge) -> None:
    """Make the tensor an output of a node, if it was not part of any history before."""
    if tensor._autograd_ is None:
        tensor._autograd_ = new_meta(tensor)
    tensor._autograd_.edge = edge
    tensor._keys_ |= keys.AUTOGRAD


def replay_of(view: Tensor) -> Callable[[Tensor], Tensor] | None:
    """How to make a view again that nobody recorded, if sizes and strides alone do not say it."""
    if view._keys_ & keys.PYTHON:
        # Its class may know.
        found: Callable[[Tensor], Tensor] | None = getattr(view, "_replay_", None)
        if found is not None:
            return found
    base: Any = view._base
    size, stride, offset, kind = view._size_, view._stride_, view._offset_, view._dtype_
    bits = (view._keys_ ^ base._keys_) & (keys.CONJUGATE | keys.NEGATIVE)
    if kind is base._dtype_ and not bits:
        return None
    becomes_pairs = base._dtype_.category == dtypes.COMPLEX and kind.category == dtypes.FLOATING
    becomes_numbers = base._dtype_.category == dtypes.FLOATING and kind.category == dtypes.COMPLEX

    def replay(source: Tensor) -> Tensor:
        from rushlight.engine.calls import view as views

        if becomes_numbers:
            doubled = tuple(2 * step for step in stride)
            pairs = views.as_strided(source, (*size, 2), (*doubled, 1), 2 * offset)
            made = views.view_as_complex(pairs)
        else:
            numbers = views.view_as_real(source) if becomes_pairs else source
            made = views.as_strided(numbers, size, stride, offset)
        made = views._conj(made) if bits & keys.CONJUGATE else made
        return views._neg_view(made) if bits & keys.NEGATIVE else made

    return replay


def views_of(base: Tensor, known: int = 0) -> list[Tensor]:
    """The views of a tensor that are alive.

    Args:
        base: the tensor
        known: how many of its views the caller has seen to
    """
    if base._keys_ & keys.WRAPPED:
        return wrapped.views_of(base)
    if type(base) is not Tensor and "_views_" in vars(base):
        return [
            x for x in (one() for one in vars(base)["_views_"]) if x is not None and x._base is base
        ]
    if symbolic.trace() is not None or not tensors.may_have_views(base):
        return []
    storage = base._storage_
    # The storage is known to the tensor and to this call; anything more may be another view.
    others = sys.getrefcount(storage) - 3
    if others <= known:
        return []
    return [x for x in _sharing(base, storage, others) if x._base is base]


# Tensors over a storage that a look at every object has found, held weakly, by the storage's address.
_found_before: dict[int, tuple[Any, list[Any]]] = {}
_MOST_STORAGES = 64


def _sharing(base: Tensor, storage: Any, others: int) -> list[Tensor]:
    """Other tensors over a tensor's storage, which ``others`` references lead to; all its views are among them.

    The number tells when all are found: among those that were found before, then among young objects,
    as most views are. Views are younger than what they are views of: those of a tensor that has just been
    made are among the youngest objects. What is left takes a look at every object that there is.
    """
    kinds = _tensor_classes()

    def shares(x: Any) -> bool:
        return type(x) in kinds and x is not base and getattr(x, "_storage_", None) is storage

    known, tensors_before = _found_before.get(id(storage), (None, []))
    before = [] if known is None or known() is not storage else [x() for x in tensors_before]
    sharing: dict[int, Tensor] = {id(x): x for x in before if x is not None and shares(x)}
    for generation in range(2):
        if len(sharing) >= others:
            return list(sharing.values())
        young = gc.get_objects(generation)
        sharing.update((id(x), x) for x in young if shares(x))
        if generation == 0 and any(x is base for x in young):
            return list(sharing.values())
    if len(sharing) < others:
        sharing = {id(x): x for x in gc.get_referrers(storage) if shares(x)}
        if len(_found_before) >= _MOST_STORAGES:
            _found_before.clear()
        _found_before[id(storage)] = weakref.ref(storage), list(map(weakref.ref, sharing.values()))
    return list(sharing.values())


def _tensor_classes() -> set[type]:
    """The tensor class and all that are derived from it."""
    found: set[type] = {Tensor}
    left: list[type] = [Tensor]
    while left:
        derived: set[type] = set(left.pop().__subclasses__()) - found
        found |= derived
        left += derived
    return found


def note_views(base: Tensor, known: int = 0) -> None:
    """Let the views of a tensor follow its history, when it is about to get its first one."""
    for item in views_of(base, known):
        if not item._keys_ & keys.AUTOGRAD:
            meta_of(item)._seen = -1  # type: ignore[attr-defined]
            item._keys_ |= keys.AUTOGRAD

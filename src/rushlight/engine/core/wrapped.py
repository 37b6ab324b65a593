"""Tensors that stand for other tensors: what the code inside a transformation sees.

A wrapper is an ordinary `Tensor` with the key WRAPPED. Its storage has no memory; what it owns says
which tensor is meant, and within which layer of the stack of transformations. So everything that
shares the storage (a tensor without its history, what a step has kept) means the same tensor. The
version is that of the tensor that is meant.
"""

from __future__ import annotations

import functools
import weakref
from typing import Any

from rushlight.engine.core import keys, objects, state, symbolic, symbolic_fields
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native import heap_types

# What a wrapper's keys say of the tensor that is meant: where it is, how its elements are to be read.
KEPT = keys.BACKENDS | keys.STORES | keys.CONJUGATE | keys.NEGATIVE


# The base of layers, of which compiled code reads the level, which is their place in the stack from 1, or
# negative once they have ended, of a batch how many elements it has, of other layers -1, and whether what is
# below records gradients.
LAYER_BASE: Any = (
    heap_types.make_base("rushlight.LayerBase", ("level", "batch_size", "records"))
    if heap_types.supported()
    else object
)


class LAYER:
    """Offsets of a layer's fields."""

    level, batch_size, records = (heap_types.HEADER + 8 * k for k in range(3))


class Meaning:
    """What a wrapper stands for.

    Args:
        value: a tensor of the layers below
        layer: the layer that the wrapper belongs to
        dim: the dimension of the value that the layer goes through, one element for each call; None if the
            wrapper stands for the value as it is
    """

    __slots__ = ("dim", "layer", "value", "views")
    # Whether the value comes from around the transformation, by no argument.
    is_captured = False

    def __init__(self, value: Tensor, layer: Any, dim: int | None) -> None:
        self.value, self.layer, self.dim = value, layer, dim
        # The views of the wrapper, held weakly.
        self.views: list[Any] | None = None


class Captured(Meaning):
    """What a wrapper stands for that only hides the history of a tensor from around the transformation."""

    __slots__ = ()
    is_captured = True


class SharedVersion:
    """The version of a wrapper: that of the tensor that is meant."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    @property
    def value(self) -> int:
        return tensors.version(self.tensor)

    @value.setter
    def value(self, version: int) -> None:
        tensors.set_version(self.tensor, version)


if heap_types.supported():
    objects.types.shared_version = id(SharedVersion)
    objects.types.shared_tensor = heap_types.slot_offset(SharedVersion, "tensor")
    objects.types.meaning, objects.types.captured = id(Meaning), id(Captured)
    objects.types.meaning_value = heap_types.slot_offset(Meaning, "value")
    objects.types.meaning_layer = heap_types.slot_offset(Meaning, "layer")
    objects.types.meaning_dim = heap_types.slot_offset(Meaning, "dim")
    objects.types.meaning_views = heap_types.slot_offset(Meaning, "views")


def _class_for(size: tuple[int, ...]) -> type:
    return symbolic_fields.SymbolicTensor if symbolic.of_program(size) else Tensor


def wrap(value: Tensor, layer: Any, dim: int | None = None, how: type[Meaning] = Meaning) -> Tensor:
    """A tensor that stands for a value within a layer."""
    return wrapper_of(how(value, layer, dim), SharedVersion(value))


@functools.cache
def _storages() -> Any:
    # The module compiles when it is loaded, which an import of the package does not.
    from rushlight.engine.core import storage

    return storage


def wrapper_of(meaning: Meaning, counter: Any) -> Tensor:
    """The tensor that stands for what is meant, whose versions are a counter's."""
    value, dim = meaning.value, meaning.dim
    kind = value._dtype_
    made: Any = object.__new__(_class_for(value._size_))
    made._storage_ = _storages().without_memory(value._storage_, meaning)
    made._dtype_ = kind
    if dim is None:
        made._size_, made._stride_ = value._size_, value._stride_
        # Words hold what symbols are now, which is no guard.
        made._numel_, made._flags_ = symbolic.known(value._numel_), value._flags_
    else:
        facts = _of_element(kind, value._size_, value._stride_, dim)
        made._size_, made._stride_, made._numel_, made._flags_ = facts
    made._offset_ = symbolic.known(value._offset_)
    made._keys_ = keys.WRAPPED | value._keys_ & KEPT
    made._counter_ = counter
    made._base = made._autograd_ = None
    return made  # type: ignore[no-any-return]


@symbolic.cached(1 << 14)
def _of_element(
    kind: Any, size: tuple[int, ...], stride: tuple[int, ...], dim: int
) -> tuple[Any, ...]:
    """Sizes, strides, count and ``_flags_`` of an element of a batch."""
    own = sizes.intern(size[:dim] + size[dim + 1 :])
    steps = sizes.intern_strides(stride[:dim] + stride[dim + 1 :])
    return own, steps, sizes.numel(own), tensors.flags_for(kind, own, steps)


def is_wrapped(value: Any) -> bool:
    """Whether something is a tensor that stands for another one."""
    return isinstance(value, Tensor) and bool(value._keys_ & keys.WRAPPED)


def meaning_of(wrapper: Tensor) -> Meaning:
    """What a wrapper stands for."""
    found: Meaning = wrapper._storage_._owner
    return found


def is_batched(value: Any) -> bool:
    """Whether something is a tensor that stands for the elements of a batch."""
    return is_wrapped(value) and meaning_of(value).dim is not None


def value_of(wrapper: Tensor) -> Tensor:
    """The tensor that a wrapper stands for."""
    return meaning_of(wrapper).value


def with_values(item: Any) -> list[Any]:
    """Something and, if it is a tensor, what it stands for and its tangent, and so on."""
    found = [item]
    for one in found:
        if is_wrapped(one):
            found.append(value_of(one))
        if state.switches.duals and isinstance(one, Tensor) and one._autograd_ is not None:
            tangent = one._autograd_.tangent
            if tangent is not None:
                found.append(tangent)
    return found


def note_view(base: Tensor, view: Tensor) -> None:
    """Remember a wrapper that is a view of another one: they share no storage that would tell."""
    meaning = meaning_of(base)
    if meaning.views is None:
        meaning.views = []
    elif len(meaning.views) > 16:
        meaning.views = [known for known in meaning.views if known() is not None]
    meaning.views.append(weakref.ref(view))


def views_of(base: Tensor) -> list[Tensor]:
    """The wrappers that are views of a wrapper and are alive."""
    found = [known() for known in meaning_of(base).views or ()]
    return [view for view in found if view is not None and view._base is base]


def bottom_of(tensor: Tensor) -> Tensor:
    """The tensor with memory behind all the wrappers of a tensor."""
    while tensor._keys_ & keys.WRAPPED:
        tensor = value_of(tensor)
    return tensor


def goes_through_batch(tensor: Tensor) -> bool:
    """Whether a tensor stands for the elements of a batch, in whatever layers."""
    while tensor._keys_ & keys.WRAPPED:
        meaning = meaning_of(tensor)
        if meaning.dim is not None:
            return True
        tensor = meaning.value
    return False


def check_has_storage(tensor: Tensor) -> None:
    """Raise for a wrapper, which has no storage that programs may see."""
    if tensor._keys_ & keys.WRAPPED:
        kind = "TensorWrapper" if meaning_of(tensor).dim is None else "BatchedTensorImpl"
        raise NotImplementedError(f"Cannot access storage of {kind}")


def check_has_address(tensor: Tensor) -> None:
    """Raise for a wrapper, whose elements are not at an address."""
    if tensor._keys_ & keys.WRAPPED:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

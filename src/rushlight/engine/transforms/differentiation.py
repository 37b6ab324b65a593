"""The layers of `grad`, `vjp`, `jvp` and their kin.

A tensor that is wrapped for such a layer has a history, and a tangent, of its own: those of the value are the
matter of the layers below. To autograd a wrapper is data of one more kind, so the layer only says which
tensors take part; what autograd adds to an operator is the same as ever, and the operator itself is
lowered.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import keys, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.core.wrapped import Captured, note_view, wrap
from rushlight.engine.dispatch import layers
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Schema


class Differentiation(layers.Layer):
    """One differentiation that runs."""

    differentiates = True

    def process(self, op: Operator, values: tuple[Any, ...]) -> Any:
        """Record what is done to the layer's tensors, and give tangents to the results."""
        schema = op.schema
        if not schema.tensors:
            return lowered_call(op, *values)
        given = list(values)
        found = keys.LOWERED | keys.AUTOGRAD & ~state.thread.excluded
        for place, value in enumerate(values):
            if isinstance(value, Tensor):
                bits = value._keys_
                if bits & (keys.WRAPPED | keys.AUTOGRAD):
                    given[place] = value = self.admitted(value)
                    bits = value._keys_
                found |= bits & keys.BACKENDS
            elif type(value) in (list, tuple) and value and type(value[0]) is not int:
                given[place] = self.admitted(value)
                for item in given[place]:
                    if isinstance(item, Tensor):
                        found |= item._keys_ & keys.BACKENDS
        if schema.is_inplace and isinstance(given[0], Tensor) and self.is_captured(given[0]):
            raise captured(op)
        return op.table[found](*given)

    def admitted(self, value: Any) -> Any:
        """A value as this layer sees it: the histories of other layers' tensors are none of its business."""
        if isinstance(value, Tensor):
            bits = value._keys_
            if bits & keys.WRAPPED:
                meaning = value._storage_._owner
                if meaning.layer is self:
                    return value
                if meaning.layer.level < 0 and meaning.dim is None:
                    return self.admitted(meaning.value)
            return self.capture(value) if bits & keys.AUTOGRAD else value
        if type(value) is list:
            return [self.admitted(item) for item in value]
        if type(value) is tuple:
            return tuple(self.admitted(item) for item in value)
        return value

    def capture(self, value: Tensor) -> Tensor:
        """A tensor from around the transformation, without its history."""
        made: Tensor = steps.Wrapped.note(value, wrap(value, self, None, Captured))
        return made

    def is_captured(self, value: Tensor) -> bool:
        """Whether a tensor comes from around the transformation, so that it must not be written."""
        meaning = self.meaning(value)
        return meaning is None or meaning.is_captured

    def unwrapped(self, value: Any) -> Any:
        """A value as the layers below see it."""
        if isinstance(value, Tensor):
            if value._keys_ & keys.WRAPPED:
                meaning = value._storage_._owner
                if meaning.layer is self:
                    return meaning.value
            return value
        if type(value) is list:
            return [self.unwrapped(item) for item in value]
        if type(value) is tuple:
            return tuple(self.unwrapped(item) for item in value)
        return value

    def wrapped(self, result: Any) -> Any:
        """What the layers below gave, as this layer sees it."""
        if isinstance(result, Tensor):
            return self.wrap(result)
        if type(result) is list:
            return [self.wrapped(item) for item in result]
        if isinstance(result, tuple):
            items = [self.wrapped(item) for item in result]
            return tuple(items) if type(result) is tuple else type(result)(*items)
        return result


class Grad(Differentiation):
    """A reverse-mode differentiation: `grad`, `vjp`, `jacrev`."""

    kind = "Grad"

    def facts(self) -> tuple[Any, ...]:
        return ()


class Jvp(Differentiation):
    """A forward-mode differentiation: `jvp`, `jacfwd`, `linearize`."""

    kind = "Jvp"

    def facts(self) -> tuple[Any, ...]:
        return ()


def lowered_call(op: Operator, *values: Any) -> Any:
    """An operator below what autograd adds to it: the values take the places of the wrappers."""
    layer: Differentiation = layers.stack()[-1]  # type: ignore[assignment]
    inner = [layer.unwrapped(value) for value in values]
    result = layers.lower(op.call, *inner)
    return returned(layer, op.schema, values, inner, result)


def call_without_layers(op: Operator, *values: Any) -> Any:
    """A call on wrappers outside of all transformations: their values, if what they were for has ended."""
    if op.schema.mutated and any(map(is_followed, values)):
        for argument, value in zip(op.schema.arguments, values):
            if argument.is_write and isinstance(value, Tensor) and not is_followed(value):
                raise RuntimeError(
                    f"{op.full_name}: mutating a non-functional tensor with a functional tensor is not allowed. "
                    "Please ensure that all of your inputs are wrapped inside of a functionalize() call."
                )
    given = [layers.living(value) for value in values]
    if any(is_escaped(value) for value in given):
        raise RuntimeError(layers.ESCAPED)
    return op.call(*given)


def is_followed(value: Any) -> bool:
    """Whether a tensor's changes are followed rather than made."""
    if not isinstance(value, Tensor) or not value._keys_ & keys.WRAPPED:
        return False
    layer = value._storage_._owner.layer
    return layer is not None and layer.kind == "Functionalize"


def is_escaped(value: Any) -> bool:
    """Whether a value is an element of a batch outside the code that goes through the batch."""
    if type(value) in (list, tuple):
        return any(is_escaped(item) for item in value)
    return isinstance(value, Tensor) and bool(value._keys_ & keys.WRAPPED)


def returned(
    layer: Differentiation, schema: Schema, values: Any, inner: list[Any], result: Any
) -> Any:
    """The result in the layer's wrappers: what was given comes back as it was given."""
    for given, value in zip(values, inner):
        if value is result and given is not value:
            if schema.mutated:
                follow(given, value)
            return given
    if schema.mutated:
        result = _exchanged(values, inner, result)
        for given, value in zip(values, inner):
            if given is not value:
                follow(given, value)
        if layer.owns_any((result,)):
            return result
    if not schema.is_view:
        return layer.wrapped(result)
    source = next(value for value in values if isinstance(value, Tensor))
    if not layer.owns(source):
        # What is seen through is as little the layer's as what it is a view of.
        return result
    made = layer.wrapped(result)
    count_as_views(made, source)
    if layer.is_captured(source):
        for item in made if type(made) in (list, tuple) else (made,):
            item._storage_._owner = Captured(item._storage_._owner.value, layer, None)
    return made


def _exchanged(values: Any, inner: list[Any], result: Any) -> Any:
    """A result of an operator that writes, with the tensors that were given in the places of their values."""
    if type(result) in (list, tuple):
        return type(result)(_exchanged(values, inner, item) for item in result)
    for given, value in zip(values, inner):
        if value is result:
            return given
        if type(value) in (list, tuple):
            for one, other in zip(given, value):
                if other is result:
                    return one
    return result


def follow(wrapper: Any, value: Any) -> None:
    """Give a wrapper the shape of its value, which may have been changed in place; lists item by item."""
    if type(wrapper) in (list, tuple):
        for one, other in zip(wrapper, value):
            follow(one, other)
    elif isinstance(wrapper, Tensor) and (
        wrapper._size_ is not value._size_ or wrapper._stride_ != value._stride_
    ):
        steps.Unrepeatable.note()
        tensors.set_geometry(wrapper, value._size_, value._stride_, value._offset_)


def count_as_views(made: Any, source: Tensor) -> None:
    """Let wrappers of views be views of what the wrapper of their base is."""
    for item in made if type(made) in (list, tuple) else (made,):
        if isinstance(item, Tensor) and item is not source and item._base is None:
            root = source if source._base is None else source._base
            item._base = root
            steps.Wrapped.note_source(item, source)
            if root._keys_ & keys.WRAPPED:
                note_view(root, item)


def captured(op: Operator) -> RuntimeError:
    return RuntimeError(
        "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call "
        f"in-place operation ({op.full_name}) that would mutate a captured Tensor. This is not "
        "supported; please rewrite the function being transformed to explicitly accept the mutated "
        "Tensor(s) as inputs."
    )

"""The layer of `functionalize`: what the layers below see neither writes to a tensor nor, if that is wanted, views one.

A wrapper stands for a value. What writes to it is computed as a new value, which the wrapper stands for
from then on. Views of one another share a `Cell`: it holds the value of their common base, and each view knows the way
from there. A change goes back along the way to the base; the other views make themselves anew when they are
next asked for.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import view as views
from rushlight.engine.core import keys, objects
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core import wrapped as wrappers
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Schema
from rushlight.engine.loops.geometry import may_overlap_itself
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.view import inverses
from rushlight.engine.transforms.batch import any_ended


class Cell:
    """What views of one another share: the value of their base, and how often it was changed.

    Nothing is ever written, so this is what counts the versions of wrappers.
    """

    __slots__ = ("base", "generation", "is_frozen")

    def __init__(self, base: Tensor) -> None:
        self.base = base
        self.generation = 0
        # Whether changes are refused from now on.
        self.is_frozen = False

    @property
    def value(self) -> int:
        """The version."""
        return self.generation


class Step:
    """One step from a base to a view.

    Args:
        op: the view
        args: its arguments after the tensor
        place: the number of the result, where there are several
    """

    __slots__ = ("args", "op", "place")

    def __init__(self, op: Operator, args: tuple[Any, ...], place: int | None) -> None:
        self.op, self.args, self.place = op, args, place

    def do(self, base: Tensor, layer: Functionalize) -> Tensor:
        found = layer.viewing(self.op).call(base, *self.args)
        return found if self.place is None else found[self.place]  # type: ignore[no-any-return]

    def undo(self, base: Tensor, made: Tensor) -> Tensor:
        return inverses.undo(self.op.full_name, base, made, self.place, self.args)


def replayed(base: Tensor, steps: tuple[Step, ...]) -> Tensor:
    """The view of a base that steps lead to."""
    made: Any = base
    for step in steps:
        made = step.op.call(made, *step.args)
        made = made if step.place is None else made[step.place]
    return made  # type: ignore[no-any-return]


class Functional(wrappers.Meaning):
    """What a wrapper stands for, and where in its cell that is."""

    __slots__ = ("cell", "generation", "steps")

    def __init__(self, value: Tensor, layer: Any, cell: Cell, steps: tuple[Step, ...]) -> None:
        self.value, self.layer, self.dim, self.views = value, layer, None, None
        self.cell, self.steps, self.generation = cell, steps, cell.generation


class Functionalize(layers.Layer):
    """One `functionalize` that runs.

    Args:
        removes_views: whether views are copies to the layers below, too
    """

    kind = "Functionalize"

    def __init__(self, removes_views: bool = False) -> None:
        super().__init__()
        self.removes_views = removes_views

    # -- wrappers --

    def wrap(self, value: Tensor, dim: int | None = None) -> Tensor:
        """A tensor that stands for a value which is no view of another one."""
        return self.wrap_in(value, Cell(value), ())

    def wrap_in(self, value: Tensor, cell: Cell, steps: tuple[Step, ...]) -> Tensor:
        return wrappers.wrapper_of(Functional(value, self, cell, steps), cell)

    def value(self, wrapper: Tensor) -> Tensor:
        """What a wrapper stands for now."""
        meaning: Functional = wrapper._storage_._owner
        cell = meaning.cell
        if meaning.generation != cell.generation:
            made = cell.base
            for step in meaning.steps:
                made = layers.lower(step.do, made, self)
            meaning.value, meaning.generation = made, cell.generation
        return meaning.value

    def replace(self, wrapper: Tensor, value: Tensor) -> None:
        """Let a wrapper stand for a new value, and all that are views of the same base see it."""
        meaning: Functional = wrapper._storage_._owner
        if shows_twice(wrapper):
            raise RuntimeError(
                "functionalization: encountered a tensor being mutated that has internal overlap when "
                "mutating the tensor. Please clone() it before the change."
            )
        self.value(wrapper)
        cell = meaning.cell
        if cell.is_frozen:
            raise RuntimeError("cannot mutate tensors with frozen storage")
        made = value
        if meaning.steps:
            path = [cell.base]
            for step in meaning.steps[:-1]:
                path.append(layers.lower(step.do, path[-1], self))
            if any(map(shows_twice, path)):
                # What is written there is one of several views of an element, and no inverse says which.
                made = self.scattered(meaning, path[-1], value)
            else:
                for base, step in zip(reversed(path), reversed(meaning.steps)):
                    made = layers.lower(step.undo, base, made)
        if cell.base._flags_ & objects.CONTIGUOUS and not made._flags_ & objects.CONTIGUOUS:
            # The ways to other views may lead through shapes that only such a base has.
            made = layers.lower(copies.contiguous, made)
        cell.base = made
        cell.generation += 1
        if not meaning.steps:
            meaning.value, meaning.generation = made, cell.generation
            if wrapper._size_ != made._size_:
                follow(wrapper, made)

    def scattered(self, meaning: Functional, before: Tensor, value: Tensor) -> Tensor:
        """The base of a view with other elements where the view shows them, by sizes and strides."""
        base = meaning.cell.base
        view = layers.lower(meaning.steps[-1].do, before, self)
        if view._storage_ is not base._storage_ or view._dtype_ is not base._dtype_:
            raise RuntimeError(
                "functionalization: a view is changed that was made of one which shows elements several times. "
                "Please clone() it before the change."
            )
        place = view._offset_
        return layers.lower(
            views.as_strided_scatter, base, value, view._size_, view._stride_, place
        )  # type: ignore[no-any-return]

    def opened(self, value: Any) -> Any:
        """A value as the layers below see it; lists item by item."""
        if isinstance(value, Tensor):
            if value._keys_ & keys.WRAPPED:
                meaning = value._storage_._owner
                if meaning.layer is self:
                    if meaning.generation == meaning.cell.generation:
                        return meaning.value
                    return self.value(value)
            return value
        if type(value) in (list, tuple) and has_tensors(value):
            return type(value)(self.opened(item) for item in value)
        return value

    def closed(self, result: Any) -> Any:
        if isinstance(result, Tensor):
            return self.wrap(result)
        if type(result) is list:
            return [self.closed(item) for item in result]
        if isinstance(result, tuple):
            items = [self.closed(item) for item in result]
            return tuple(items) if type(result) is tuple else type(result)(*items)
        return result

    def viewing(self, op: Operator) -> Operator:
        """What makes a view for the layers below: the view itself, or its copying form."""
        if not self.removes_views:
            return op
        name = f"{op.namespace}::{op.packet_name}_copy"
        found = operators.find(f"{name}.{op.overload}" if op.overload else name)
        return op if found is None else found

    # -- calls --

    def process(self, op: Operator, values: tuple[Any, ...]) -> Any:
        """Do a call without writing to anything."""
        owned = False
        for value in values:
            if isinstance(value, Tensor):
                if value._keys_ & keys.WRAPPED:
                    layer = value._storage_._owner.layer
                    owned = owned or layer is self
                    if layer.level < 0:
                        return self.process(op, tuple(map(layers.living, values)))
            elif type(value) in (list, tuple) and has_tensors(value):
                if any_ended(value):
                    return self.process(op, tuple(map(layers.living, values)))
                owned = owned or self.owns_any(value)
        manner = manner_of(op)
        if not owned:
            found = layers.lower_call(op, *values)
            return found if manner.writes else self.closed(found)
        if op.composite is not None and not manner.outs and not op.has_backend_kernel(keys.CPU):
            # It is made of others, each of which comes here.
            return op.composite(*values)
        if manner.writes:
            return self.changed(op, manner, values)
        if manner.is_view:
            return self.viewed(op, values)
        return self.closed(layers.lower_call(op, *map(self.opened, values)))

    def viewed(self, op: Operator, values: tuple[Any, ...]) -> Any:
        """A view: it shares its source's cell."""
        source = values[0]
        if not self.owns(source):
            return self.closed(layers.lower_call(op, *map(self.opened, values)))
        args = tuple(map(self.opened, values[1:]))
        meaning: Functional = source._storage_._owner
        found = layers.lower_call(self.viewing(op), self.value(source), *args)
        if isinstance(found, Tensor):
            made: Any = self.wrap_in(found, meaning.cell, (*meaning.steps, Step(op, args, None)))
        else:
            made = type(found)(
                self.wrap_in(one, meaning.cell, (*meaning.steps, Step(op, args, place)))
                for place, one in enumerate(found)
            )
        root = source if source._base is None else source._base
        for one in (made,) if isinstance(made, Tensor) else made:
            one._base = root
        return made

    def changed(self, op: Operator, manner: Manner, values: tuple[Any, ...]) -> Any:
        """What writes: the results are new values of what would have been written."""
        targets = [values[place] for place in manner.writes]
        for target in targets:
            if isinstance(target, Tensor) and not self.owns(target):
                raise RuntimeError(
                    f"{op.full_name}: mutating a non-functional tensor with a functional tensor is not "
                    "allowed. Please ensure that all of your inputs are wrapped inside of a "
                    "functionalize() call."
                )
        if manner.turns:
            return self.turned(op, values)
        inner = list(map(self.opened, values))
        functional = functional_of(op)
        if functional is not None:
            given = [inner[place] for place in manner.given]
            found = layers.lower_call(functional, *given)
            is_list = len(targets) == 1 and type(targets[0]) in (list, tuple)
            new = list(found) if isinstance(found, (tuple, list)) and not is_list else [found]
            for target, value in zip(targets, new):
                self.settle_all(target, value)
            if not op.schema.returns:
                return None
            return targets[0] if len(targets) == 1 else tuple(targets)
        if automatic is not None:
            results, new = layers.lower(automatic, op, tuple(inner))
            for target, value in zip(targets, new):
                self.settle_all(target, value)
            returns = op.schema.returns
            aliased = [any(alias.is_write for alias in r.type.aliases) for r in returns]
            own, changed = iter(results), iter(targets)
            made = tuple(
                next(changed) if is_target else self.closed(next(own)) for is_target in aliased
            )
            return None if not made else made[0] if len(made) == 1 else made
        # Whatever it writes to are copies, which nobody else knows.
        copied = {}
        for place in manner.writes:
            if isinstance(values[place], Tensor):
                inner[place] = copied[place] = layers.lower(copies.clone, inner[place])
        found = layers.lower(op.call, *inner)
        for place, value in copied.items():
            self.replace(values[place], value)
        return self.returned(found, {id(new): values[place] for place, new in copied.items()})

    def settle_all(self, target: Any, value: Any) -> None:
        """Replace a target, or each of a list of them, by a result."""
        if isinstance(target, Tensor):
            self.settle(target, value)
        elif target is not None:
            for one, made in zip(target, value):
                self.settle_all(one, made)

    def returned(self, found: Any, targets: dict[int, Any]) -> Any:
        if type(found) in (tuple, list):
            return type(found)(self.returned(item, targets) for item in found)
        if isinstance(found, Tensor):
            return targets.get(id(found)) if id(found) in targets else self.closed(found)
        return found

    def settle(self, target: Tensor, value: Tensor) -> None:
        """Replace a target by a result, in the target's type and, but for results of ``out=``, its size."""
        own = self.value(target)
        if value._dtype_ is not own._dtype_:
            value = layers.lower(_like, value, own)
        if value._size_ != own._size_ and own._numel_:
            raise RuntimeError(
                f"output with shape {list(own._size_)} doesn't match the broadcast shape "
                f"{list(value._size_)}"
            )
        self.replace(target, value)

    def turned(self, op: Operator, values: tuple[Any, ...]) -> Any:
        """What changes sizes and strides in place: the wrapper becomes a view of what it was."""
        functional = functional_of(op)
        target = values[0]
        if functional is None:
            if len(values) == 2 and isinstance(values[1], Tensor):
                return self.adopted(target, values[1])
            raise RuntimeError(f"functionalization: {op.full_name} is not supported")
        if not functional.schema.is_view:
            return self.resized(functional, values)
        made = self.viewed(functional, values)
        target._storage_._owner = made._storage_._owner
        follow(target, self.value(made))
        return target

    def adopted(self, target: Tensor, source: Tensor) -> Tensor:
        """What puts a tensor over the memory of another one: both stand for the same from now on."""
        if target._dtype_ is not source._dtype_:
            raise RuntimeError(
                f"Could not set tensor of type {source._dtype_._name} to a tensor of type {target._dtype_._name}"
            )
        if not self.owns(source):
            source = self.wrap(source)
        meaning: Functional = source._storage_._owner
        target._storage_._owner = Functional(self.value(source), self, meaning.cell, meaning.steps)
        counted: Any = target
        counted._counter_ = meaning.cell
        follow(target, self.value(target))
        return target

    def resized(self, functional: Operator, values: tuple[Any, ...]) -> Any:
        """What changes a size in place: a view of what was there, or a larger value."""
        target = values[0]
        own = self.value(target)
        made = layers.lower(functional.call, own, *self.opened(values[1:]))
        meaning: Functional = target._storage_._owner
        if made._numel_ * made._dtype_.itemsize > own._storage_._nbytes:
            if meaning.steps:
                raise RuntimeError(
                    "Attempted to resize a view tensor to a larger size. This is not allowed in the functionalization pass"
                )
            self.replace(target, made)
            return target
        geometry = list(made._size_), list(made._stride_), None
        view = self.viewed(operators.operator("as_strided"), (target, *geometry))
        target._storage_._owner = view._storage_._owner
        follow(target, self.value(view))
        return target


def shows_twice(x: Tensor) -> bool:
    """Whether a tensor shows elements of its memory at several places."""
    is_dense = x._flags_ & objects.CONTIGUOUS
    return not is_dense and may_overlap_itself(x._size_, x._stride_)


class Manner(NamedTuple):
    """What the layer asks of an operator's schema.

    Args:
        writes: the places of the arguments that are written
        outs: whether there are arguments for results only
        given: the places of all others
        is_view: whether results are views of the first argument
        turns: whether it changes sizes or strides in place
    """

    writes: tuple[int, ...]
    outs: bool
    given: tuple[int, ...]
    is_view: bool
    turns: bool


@functools.cache
def manner_of(op: Operator) -> Manner:
    schema = op.schema
    numbered = list(enumerate(schema.arguments))
    return Manner(
        writes=tuple(k for k, a in numbered if a.is_write),
        outs=bool(schema.out_arguments),
        given=tuple(k for k, a in numbered if a not in schema.out_arguments),
        is_view=schema.is_view,
        turns="inplace_view" in op.declared_tags,
    )


def has_tensors(values: Any) -> bool:
    """Whether a list may have tensors in it."""
    return bool(values) and type(values[0]) is not int


# What calls an operator that has no functional form, where there is a trace: it gives results, and what is written.
automatic: Any = None

_functional: dict[Operator, Operator] = {}


def functional_of(op: Operator) -> Operator | None:
    """The overload that computes what another one writes."""
    found = _functional.get(op)
    if found is None:
        found = _search_functional(op)
        if found is not None:
            # An operator that has none may get one later.
            _functional[op] = found
    return found


def _search_functional(op: Operator) -> Operator | None:
    if op.schema.out_arguments:
        return outputs.functional_of(op)
    stem = op.packet_name.removesuffix("_")
    taken = _types(op.schema)
    for name in (f"{stem}_functional", stem):
        for other in operators.overloads(f"{op.namespace}::{name}"):
            if other.schema.kind == "functional" and _types(other.schema) == taken:
                return other
    return None


def _types(schema: Schema) -> list[tuple[str, str]]:
    """What an operator takes, whatever the names of tensors are."""
    return [("" if a.type.plain == "Tensor" else a.name, a.type.plain) for a in schema.arguments]


def _like(value: Tensor, own: Tensor) -> Tensor:
    """A value in the type of another one."""
    layout: Any = own.layout  # type: ignore[attr-defined]
    return copies.to_dtype_layout(value, own._dtype_, layout, None, None, False, False, None)  # type: ignore[no-any-return]


def follow(wrapper: Tensor, value: Tensor) -> None:
    """Give a wrapper the shape of its value."""
    if wrapper._size_ != value._size_ or wrapper._stride_ != value._stride_:
        tensors.set_geometry(wrapper, value._size_, value._stride_, value._offset_)

"""The layer of `vmap`: each call inside stands for one on every element of a batch.

How an operator is processed is decided once (`procedures.py`). Mostly it is by a rule, which works on the
layers below, with whole batches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.engine.core import keys
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core import wrapped as wrappers
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers
from rushlight.engine.dispatch.boxing import box
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops import batching
from rushlight.engine.transforms import no_elements, refusals

Procedure = Callable[..., Any]


class Batch(layers.Layer):
    """One `vmap` that runs.

    Args:
        size: how many elements the batch has
        randomness: what random numbers are: an ``error``, the ``same`` for all elements or ``different``
    """

    kind = "Vmap"

    def __init__(self, size: int, randomness: str = "error") -> None:
        super().__init__()
        self.size, self.randomness = size, randomness
        if type(size) is int:
            self.batch_size = size

    def facts(self) -> tuple[Any, ...] | None:
        return (self.randomness,) if type(self.size) is int else None

    def process(self, op: Operator, values: tuple[Any, ...]) -> Any:
        """Do a call for all elements of the batch at once."""
        owned = False
        for value in values:
            if isinstance(value, Tensor):
                if value._keys_ & keys.WRAPPED:
                    layer = value._storage_._owner.layer
                    owned = owned or layer is self
                    if layer.level < 0:
                        return self.process(op, living(values))
            elif type(value) in (list, tuple) and value and not isinstance(value[0], int):
                if any_ended(value):
                    return self.process(op, living(values))
                owned = owned or self.owns_any(value)
        if not owned and not is_random(op):
            # What is made of others may draw random numbers all the same.
            others = op.composite if is_made_of_others(op) else None
            return layers.lower(op.call, *values) if others is None else others(*values)
        return op.table[keys.BATCHED](*values)

    def opened(self, value: Any) -> tuple[Any, Any]:
        """A value as the layers below see it, and the dimension of the batch in it."""
        if isinstance(value, Tensor):
            if value._keys_ & keys.WRAPPED:
                meaning = value._storage_._owner
                if meaning.layer is self:
                    return meaning.value, meaning.dim
            return value, None
        if type(value) in (list, tuple) and self.owns_any(value):
            pairs = [self.opened(item) for item in value]
            return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        return value, None

    def closed(self, result: Any, dims: Any) -> Any:
        """What a rule gave, as this layer sees it."""
        if isinstance(result, Tensor):
            return result if dims is None else self.wrap(result, dims)
        if type(result) is list:
            each = dims if isinstance(dims, (list, tuple)) else [dims] * len(result)
            return [self.closed(item, dim) for item, dim in zip(result, each)]
        if isinstance(result, tuple):
            each = dims if isinstance(dims, (list, tuple)) else [dims] * len(result)
            items = [self.closed(item, dim) for item, dim in zip(result, each)]
            return tuple(items) if type(result) is tuple else type(result)(*items)
        return result


def any_ended(values: Any) -> bool:
    """Whether a tensor of a list is wrapped for a transformation that has ended."""
    return any(
        isinstance(value, Tensor)
        and value._keys_ & keys.WRAPPED
        and value._storage_._owner.layer.level < 0
        for value in values
    )


def living(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Values without the wrappers of transformations that have ended."""
    found = tuple(map(layers.living, values))
    for value in found:
        if is_escaped(value):
            raise RuntimeError(layers.ESCAPED)
    return found


def is_escaped(value: Any) -> bool:
    """Whether a value is an element of a batch that is no more gone through."""
    if type(value) in (list, tuple):
        return any(map(is_escaped, value))
    return (
        isinstance(value, Tensor)
        and bool(value._keys_ & keys.WRAPPED)
        and value._storage_._owner.layer.level < 0
    )


def is_random(op: Operator) -> bool:
    return "nondeterministic_seeded" in op.declared_tags


def is_made_of_others(op: Operator) -> bool:
    """Whether an operator is what it calls: each of these asks the layer again."""
    return op.composite is not None and not op.kernels and bool(op.schema.tensors)


def current() -> Batch:
    """The layer that processes a call."""
    layer = layers.top()
    assert isinstance(layer, Batch)
    return layer


def by_rule(op: Operator, rule: batching.Rule, takes_none: bool = False) -> Procedure:
    """The procedure of a rule.

    Args:
        op: the operator
        rule: its rule
        takes_none: whether the rule is right for batches of no element, too
    """
    schema = op.schema
    mutated = schema.mutated
    is_view = schema.is_view
    # What is written and not given back, such as running statistics, is up to a family's own rule.
    gives_target = any(r.type.aliases for r in schema.returns)
    checks_target = mutated and (gives_target or op.full_name not in batching.rules)
    asks_for_one = not (mutated or is_view or takes_none)

    def run(*values: Any) -> Any:
        layer: Batch = layers.stack()[-1]  # type: ignore[assignment]
        inner: list[Any]
        dims: list[Any]
        inner, dims = list(values), [None] * len(values)
        for place, value in enumerate(values):
            if isinstance(value, Tensor):
                if value._keys_ & keys.WRAPPED:
                    meaning = value._storage_._owner
                    if meaning.layer is layer:
                        inner[place], dims[place] = meaning.value, meaning.dim
            elif type(value) in (list, tuple):
                inner[place], dims[place] = layer.opened(value)
        if checks_target:
            refusals.check_written(op, layer, values, dims)
        if asks_for_one and not layer.size:
            result, places = layers.lower(no_elements.run, rule, inner, dims)
        else:
            result, places = layers.lower(rule, layer.size, inner, dims)
        if mutated:
            return written(layer, op, values, result, places)
        made = layer.closed(result, places)
        if is_view:
            source = next(value for value in values if isinstance(value, Tensor))
            count_as_views(made, source)
        return made

    return run


class VmapInfo(NamedTuple):
    """What a program's own rule is told: the size of the batch and what random numbers are."""

    batch_size: int
    randomness: str


def by_function(op: Operator, function: Callable[..., Any]) -> Procedure:
    """The procedure of a rule that a program has written, in terms of Python's arguments."""

    def run(*values: Any) -> Any:
        layer = current()
        args, kwargs = box(op.schema, values)
        pairs = [layer.opened(value) for value in args]
        inner, dims = [pair[0] for pair in pairs], tuple(pair[1] for pair in pairs)
        info = VmapInfo(layer.size, layer.randomness)
        found = layers.lower(lambda: function(info, dims, *inner, **kwargs))
        if not isinstance(found, tuple) or len(found) != 2:
            got = f"{len(found)} returns" if isinstance(found, tuple) else f"a {type(found)}"
            raise RuntimeError(
                "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree "
                f"structure compatible with the output. Got {got} instead"
            )
        return layer.closed(*found)

    return run


def count_as_views(made: Any, source: Tensor) -> None:
    """Let wrappers of views be views of what the wrapper of their base is."""
    for item in made if type(made) in (list, tuple) else (made,):
        if isinstance(item, Tensor) and item is not source and item._base is None:
            item._base = source if source._base is None else source._base
            steps.Wrapped.note_source(item, source)


def written(layer: Batch, op: Operator, values: Any, result: Any, places: Any) -> Any:
    """The result of an operator that writes: the tensors that were given, where they are returned."""
    by_alias = {}
    for argument, value in zip(op.schema.arguments, values):
        if argument.is_write:
            for alias in argument.type.aliases:
                by_alias[alias.before] = value
            if layer.owns(value):
                follow(value)
    several = isinstance(result, (tuple, list))
    items = list(result) if several else [result]
    each = list(places) if isinstance(places, (list, tuple)) else [places] * len(items)
    returns = op.schema.returns
    if len(returns) == len(items):
        found = []
        for one, item, dim in zip(returns, items, each):
            aliases = [alias.before for alias in one.type.aliases]
            if aliases and aliases[0] in by_alias:
                found.append(by_alias[aliases[0]])
            else:
                found.append(layer.closed(item, dim))
        return tuple(found) if several else found[0]
    return layer.closed(result, places)


def follow(wrapper: Tensor) -> None:
    """Give a wrapper the shape of its value, which may have been changed in place."""
    meaning = wrappers.meaning_of(wrapper)
    value, dim = meaning.value, meaning.dim
    assert dim is not None
    size = value._size_[:dim] + value._size_[dim + 1 :]
    stride = value._stride_[:dim] + value._stride_[dim + 1 :]
    if wrapper._size_ != size or wrapper._stride_ != stride:
        steps.Unrepeatable.note()
        tensors.set_geometry(wrapper, size, stride, value._offset_)

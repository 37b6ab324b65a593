"""Calls of functions with first-class dimensions: each runs for all of their indices at once.

Whatever dimensions its tensors have, a function sees one element along them: for each dimension a layer of
`vmap` is around the call. Where a first-class dimension stands for one that the function is told of, it is
positional while the function runs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.engine.dispatch import layers
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.transforms.batch import Batch
from rushlight.functorch.dim import _products, _subscripts
from rushlight.functorch.dim._lists import DimList
from rushlight.functorch.dim._tensors import (
    Dim,
    Tensor,
    _Tensor,
    arranged,
    dims_of,
    has,
    index,
    levels_of,
    place_of,
    split,
    union,
)
from rushlight.utils import _pytree as pytree

# Functions that make products.
_PRODUCTS = frozenset(("mul", "multiply", "__mul__", "__rmul__"))
# How arguments are called that name dimensions.
_DIMS = frozenset(("dim", "dims", "dim0", "dim1", "axis", "axis0", "axis1"))


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function of tensors is for tensors with first-class dimensions."""
    name = getattr(function, "__name__", "")
    if name == "__getitem__":
        return _subscripts.get(*args)
    if name == "__setitem__":
        return _subscripts.put(*args)
    if name in ("split", "split_with_sizes") and _names_any(args[1]):
        return split(*args, **kwargs)
    if name == "permute" and isinstance(args[0], _Tensor):
        return args[0].permute(*args[1:], **kwargs)
    if name == "index" and len(args) == 3:
        return index(*args)
    if name in _PRODUCTS and len(args) == 2 and not kwargs and _products.can_wait(*args):
        return Tensor.product(*args, lambda: batched(function, args, kwargs))
    named = _named(function, name, args, kwargs)
    if named:
        return along(function, name, args, kwargs, named)
    return batched(function, args, kwargs)


# -- implicit batches --


def batched(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Run a function for all indices of all first-class dimensions of its arguments."""
    leaves, spec = pytree.tree_flatten((args, kwargs))
    dims = union(x for x in leaves if isinstance(x, _Tensor))
    ours = [Batch(d.size, "different") for d in dims]
    for layer in ours:
        layers.push(layer)
    open_ = len(ours)
    try:
        given = [_wrapped(x, dims, ours) if isinstance(x, _Tensor) else x for x in leaves]
        own_args, own_kwargs = pytree.tree_unflatten(given, spec)
        result = function(*own_args, **own_kwargs)
        found, shape = pytree.tree_flatten(result)
        levels: list[list[Dim]] = [[] for _ in found]
        while open_:
            layer = ours[open_ - 1]
            pairs = [layer.opened(x) for x in found]
            open_ -= 1
            layers.pop()
            for place, (value, dim) in enumerate(pairs):
                found[place] = value
                if dim is not None:
                    found[place] = value.movedim(dim, 0)
                    levels[place].insert(0, dims[open_])
    finally:
        while open_:
            open_ -= 1
            layers.pop()
    made = [
        Tensor.from_positional(x, [*own, *[0] * (x.dim() - len(own))])
        if isinstance(x, torch.Tensor)
        else x
        for x, own in zip(found, levels)
    ]
    return pytree.tree_unflatten(made, shape)


def _wrapped(x: _Tensor, dims: list[Dim], ours: list[Batch]) -> torch.Tensor:
    """A tensor as one element of it, for each dimension that it has."""
    own = [d for d in dims if has(x._get_levels(), d)]
    value = arranged(x, own)
    for d, layer in zip(dims, ours):
        if has(own, d):
            value = layer.wrap(value, 0)
    return value


# -- dimensions that a function is told of --


def _names_any(value: Any) -> bool:
    """Whether an argument names first-class dimensions."""
    if isinstance(value, (tuple, list)):
        return any(isinstance(d, Dim) for d in value)
    return isinstance(value, (Dim, DimList))


@functools.cache
def _told(name: str, function: Any) -> tuple[frozenset[int], frozenset[str], dict[str, int]]:
    """The places and names of a function's arguments that name dimensions, and the places of all others."""
    places: set[int] = set()
    keywords: set[str] = set()
    others: dict[str, int] = {}
    overloads = list(operators.overloads(name))
    for op in overloads:
        for place, argument in enumerate(op.schema.arguments):
            others.setdefault(argument.name, place)
            if argument.name in _DIMS and argument.type.leaf in ("int", "SymInt"):
                places.add(place)
                keywords.add(argument.name)
    if not overloads:
        try:
            parameters = list(inspect.signature(function).parameters)
        except (TypeError, ValueError):
            parameters = []
        for place, parameter in enumerate(parameters):
            others.setdefault(parameter, place)
            if parameter in _DIMS:
                places.add(place)
                keywords.add(parameter)
    return frozenset(places), frozenset(keywords), others


def _named(function: Any, name: str, args: Any, kwargs: Any) -> list[Dim]:
    """The first-class dimensions among those that a function is told of."""
    if not any(map(_names_any, (*args[1:], *kwargs.values()))):
        return []
    places, keywords, _ = _told(name, function)
    given = [args[k] for k in sorted(places) if 0 < k < len(args)]
    # Dimensions may follow one another without a list around them.
    last = max(places, default=0)
    if last and len(args) > last + 1 and all(isinstance(d, (Dim, int)) for d in args[last:]):
        given += args[last + 1 :]
    given += [value for key, value in kwargs.items() if key in keywords]
    found: list[Dim] = []
    for value in given:
        for d in value if isinstance(value, (tuple, list, DimList)) else (value,):
            if isinstance(d, Dim) and not has(found, d):
                found.append(d)
    return found


def along(function: Any, name: str, args: Any, kwargs: Any, named: list[Dim]) -> Any:
    """Run a function that is told of first-class dimensions: they are positional meanwhile."""
    if name == "sum":
        product = _products.of_sum(args, kwargs, named)
        if product is not None:
            return product
    places, keywords, others = _told(name, function)
    first = args[0]
    for d in named:
        place_of(first._get_levels() if isinstance(first, _Tensor) else [], d)
    keeps = kwargs.get("keepdim", False)
    place = others.get("keepdim", len(args))
    if place < len(args) and isinstance(args[place], bool) and "correction" not in others:
        keeps = keeps or args[place]
    if keeps:
        raise ValueError("cannot preserve first-class dimensions with keepdim=True")

    last = max(places, default=0)
    own_args = [
        _told_places(x, named)
        if k in places or (k > last and isinstance(x, Dim) and has(named, x))
        else x
        for k, x in enumerate(args)
    ]
    own_kwargs = {
        key: _told_places(x, named) if key in keywords else x for key, x in kwargs.items()
    }
    own_args, own_kwargs = pytree.tree_map(
        lambda x: _positional(x, named) if isinstance(x, _Tensor) else x, (own_args, own_kwargs)
    )
    whole, levels = own_args[0].dim(), levels_of(first)
    if any(isinstance(x, _Tensor) for x in pytree.tree_leaves((own_args, own_kwargs))):
        result = batched(function, own_args, own_kwargs)
    else:
        result = function(*own_args, **own_kwargs)
    return pytree.tree_map(
        lambda x: (
            _first_class(x, named, whole, levels) if isinstance(x, (_Tensor, torch.Tensor)) else x
        ),
        result,
    )


def _told_places(value: Any, named: list[Dim]) -> Any:
    """An argument that names dimensions, when some first-class ones are the first positional ones."""
    if isinstance(value, (tuple, list, DimList)):
        return [_told_places(d, named) for d in value]
    if isinstance(value, Dim):
        return place_of(named, value)
    return value + len(named) if isinstance(value, int) and value >= 0 else value


def _positional(x: _Tensor, named: list[Dim]) -> Any:
    """A tensor with some of its dimensions positional, in front of the others."""
    if not any(has(dims_of(x), d) for d in named):
        return x
    return x.order(*(d for d in named if has(dims_of(x), d)))


def _first_class(x: Any, named: list[Dim], whole: int, levels: list[Any]) -> Any:
    """A result whose first positional dimensions are first-class again, if they are still there.

    They are then in the order of these levels.
    """
    if x.dim() != whole:
        return x
    dims = dims_of(x)
    value = arranged(x, dims)
    sizes = value.shape[len(dims) :]
    for d, size in zip(named, sizes):
        if d.size != size:
            raise ValueError(
                f"the result has {size} elements along dimension {d} of size {d.size}: make the dimension "
                "positional with order(), and bind a new one"
            )
    made = Tensor.from_positional(value, [*dims, *named, *[0] * (whole - len(named))])
    first = [d for d in levels if isinstance(d, Dim)]
    ordered = [*first, *(d for d in dims if not has(first, d))]
    return Tensor.from_positional(arranged(made, ordered), [*ordered, *[0] * (whole - len(named))])

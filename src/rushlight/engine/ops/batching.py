"""What operators do with a batch: rules from a call on one element to a call on all of them.

A rule gets the values of a call, in the schema's order, with whole batches in place of single elements, and
for each of them the dimension that the batch lies in (None where all calls share one value; a list for a
list). It gives the result and the dimension of the batch in it. Most rules are derived
(`transforms/derived.py`); a family that knows better says so in its file `batching.py`, with the
decorator `batched` and the helpers here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rushlight.engine.calls import view
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import registry

# `rule(size, values, dims) -> (result, dims of the result)`
Rule = Callable[[int, Sequence[Any], Sequence[Any]], tuple[Any, Any]]

# Rules by the full name of the overload, and ways to derive one that a family knows of its operators.
rules: dict[str, Rule] = {}
derived_as: dict[str, str] = {}
_loaded: set[str] = set()


def batched(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for overloads."""

    def decorate(rule: Rule) -> Rule:
        for name in names:
            rules[registry.full_name(name)] = rule
        return rule

    return decorate


def derive(kind: str, names: Iterable[str]) -> None:
    """Say how the rules of some overloads follow from what they are: a name in `transforms/derived.py`."""
    for name in names:
        derived_as[registry.full_name(name)] = kind


def load(family: str) -> None:
    """Import the rules of a family, once."""
    if family:
        registry.load_once(("batching", family), _loaded, f"rushlight.engine.ops.{family}.batching")


# -- helpers --


def rank(x: Tensor, dim: int | None) -> int:
    """How many dimensions one element of the batch has."""
    return len(x._size_) - (dim is not None)


def front(x: Tensor, dim: int | None) -> Tensor:
    """The batch with its dimension first; what all share as it is."""
    return x if not dim else view.movedim_int(x, dim, 0)


def filled(x: Tensor, dim: int | None, size: int) -> Tensor:
    """The batch with its dimension first; what all share is repeated."""
    if dim is None:
        return view.expand(view.unsqueeze(x, 0), [size, *x._size_])
    return front(x, dim)


def padded(x: Tensor, dim: int | None, wanted: int) -> Tensor:
    """The batch first, its elements with dimensions of 1 put before theirs, up to a rank."""
    if dim is None:
        return x
    x = front(x, dim)
    missing = wanted - (len(x._size_) - 1)
    if missing <= 0:
        return x
    for _ in range(missing):
        x = view.unsqueeze(x, 1)
    return x


def rows(x: Tensor) -> Tensor:
    """A batch as a matrix with one row for each element."""
    size = x._size_[0]
    return view.reshape(x, [size, x._numel_ // size if size else 0])


def wrapped_dim(dim: int, count: int) -> int:
    """A dimension of an element as one of the batch, whose own comes first."""
    from rushlight.engine.ops.dims import wrap_dim

    return wrap_dim(dim, count) + 1


def joined(x: Tensor, dim: int) -> Tensor:
    """Two neighbouring dimensions as one."""
    size = x._size_
    return view.reshape(x, [*size[:dim], size[dim] * size[dim + 1], *size[dim + 2 :]])


def parted(x: Tensor, dim: int, size: int) -> Tensor:
    """One dimension as two, the first of a given size."""
    have = x._size_
    rest = have[dim] // size if size else 0
    return view.reshape(x, [*have[:dim], size, rest, *have[dim + 1 :]])

"""`unique` and `unique_consecutive`: their results depend on what is asked for."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import remembered
from rushlight.engine.dispatch.overrides_hook import asking
from rushlight.engine.generated import functions

__all__ = ["unique", "unique_consecutive"]

_distinct = remembered(functions._unique2)
_neighbours = remembered(functions.unique_consecutive)


def _asked(found: tuple[Tensor, Tensor, Tensor], inverse: bool, counts: bool) -> Any:
    values, places, number = found
    if inverse and counts:
        return values, places, number
    if inverse:
        return values, places
    return (values, number) if counts else values


@asking
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct elements, or slices along ``dim``, in order.

    With ``return_inverse`` also where each element is among them, with ``return_counts`` also how
    often each occurs.
    """
    if dim is None:
        found = _distinct(input, sorted, return_inverse, return_counts)
    else:
        found = functions.unique_dim(input, dim, sorted, return_inverse, return_counts)
    return _asked(found, return_inverse, return_counts)


@asking
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """One element, or slice along ``dim``, of every run of equal neighbours."""
    found = _neighbours(input, return_inverse, return_counts, dim)
    return _asked(found, return_inverse, return_counts)


def _unique_method(
    self: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """See `rushlight.unique`."""
    return unique(self, sorted, return_inverse, return_counts, dim)


def _unique_consecutive_method(
    self: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """See `rushlight.unique_consecutive`."""
    return unique_consecutive(self, return_inverse, return_counts, dim)


METHODS = {"unique": _unique_method, "unique_consecutive": _unique_consecutive_method}

"""Views undone: a base with the elements of a view of it replaced, without writing to either."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy, creation, indexing, view
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import registry

# `inverse(base, made, *arguments of the view after its first)` gives the new base.
Inverse = Callable[..., Tensor]
inverses: dict[str, Inverse] = {}


def undoes(*names: str) -> Callable[[Inverse], Inverse]:
    def decorate(function: Inverse) -> Inverse:
        for name in names:
            inverses[registry.full_name(name)] = function
        return function

    return decorate


def undo(name: str, base: Tensor, made: Tensor, place: int | None, args: tuple[Any, ...]) -> Tensor:
    """The base of a view after the view has become ``made``; ``place`` is its number among several."""
    inverse = inverses.get(name)
    if inverse is None:
        raise RuntimeError(f"functionalization: a change through the view {name} cannot be undone")
    return inverse(base, made, *args) if place is None else inverse(base, made, place, *args)


@undoes("alias", "detach", "lift_fresh", "positive")
def same(base: Tensor, made: Tensor) -> Tensor:
    return made


@undoes("view", "_unsafe_view", "_reshape_alias")
def reshaped(base: Tensor, made: Tensor, *args: Any) -> Tensor:
    return view.reshape(made, list(base._size_))


@undoes("squeeze", "squeeze.dim", "squeeze.dims", "unsqueeze")
def same_elements(base: Tensor, made: Tensor, *args: Any) -> Tensor:
    return view.reshape(made, list(base._size_))


@undoes("expand")
def unexpanded(base: Tensor, made: Tensor, *args: Any) -> Tensor:
    missing = len(made._size_) - len(base._size_)
    for _ in range(missing):
        made = view.select_int(made, 0, 0)
    for dim, (have, wanted) in enumerate(zip(made._size_, base._size_)):
        if have != wanted:
            made = view.narrow(made, dim, 0, 1)
    return made


@undoes("permute")
def unpermuted(base: Tensor, made: Tensor, dims: Any) -> Tensor:
    count = len(base._size_)
    order = [d % count for d in dims]
    return view.permute(made, [order.index(d) for d in range(count)])


@undoes("transpose.int")
def untransposed(base: Tensor, made: Tensor, dim0: int, dim1: int) -> Tensor:
    return view.transpose_int(made, dim0, dim1)


@undoes("t")
def untransposed_matrix(base: Tensor, made: Tensor) -> Tensor:
    return view.t(made)


@undoes("select.int")
def unselected(base: Tensor, made: Tensor, dim: int, index: Any) -> Tensor:
    return view.select_scatter(base, made, dim, index)


@undoes("slice.Tensor")
def unsliced(base: Tensor, made: Tensor, *args: Any) -> Tensor:
    return view.slice_scatter(base, made, *args)


@undoes("narrow")
def unnarrowed(base: Tensor, made: Tensor, dim: int, start: Any, length: Any) -> Tensor:
    start = start + base._size_[dim] if start < 0 else start
    return view.slice_scatter(base, made, dim, start, start + length, 1)


@undoes("diagonal")
def undiagonal(base: Tensor, made: Tensor, *args: Any) -> Tensor:
    return view.diagonal_scatter(base, made, *args)


@undoes("as_strided")
def unstrided(base: Tensor, made: Tensor, size: Any, stride: Any, offset: Any) -> Tensor:
    return view.as_strided_scatter(base, made, size, stride, offset)


@undoes("unbind.int")
def unbound(base: Tensor, made: Tensor, place: int, dim: int) -> Tensor:
    return view.select_scatter(base, made, dim, place)


@undoes("split.Tensor")
def unsplit(base: Tensor, made: Tensor, place: int, length: Any, dim: int) -> Tensor:
    start = place * length
    end = min(start + length, base._size_[dim])
    return view.slice_scatter(base, made, dim, start, end, 1)


@undoes("split_with_sizes")
def unsplit_with_sizes(base: Tensor, made: Tensor, place: int, lengths: Any, dim: int) -> Tensor:
    start = sum(lengths[:place])
    return view.slice_scatter(base, made, dim, start, start + lengths[place], 1)


@undoes("_conj")
def unconjugated(base: Tensor, made: Tensor) -> Tensor:
    return view._conj(made)


@undoes("_neg_view")
def unnegated(base: Tensor, made: Tensor) -> Tensor:
    return view._neg_view(made)


@undoes("view_as_real")
def as_complex(base: Tensor, made: Tensor) -> Tensor:
    return view.view_as_complex(copy.contiguous(made))


@undoes("view_as_complex")
def as_real(base: Tensor, made: Tensor) -> Tensor:
    return view.view_as_real(view.resolve_conj(made))


@undoes("view.dtype")
def other_type(base: Tensor, made: Tensor, dtype: Any) -> Tensor:
    return view.view_dtype(copy.contiguous(made), base._dtype_)


@undoes("unfold")
def unfolded(base: Tensor, made: Tensor, dim: int, size: int, step: int) -> Tensor:
    # Windows may share elements; the last window that has one decides.
    places = creation.arange(base._numel_, None, None, base._storage_.device, None)
    places = view.unfold(view.view(places, list(base._size_)), dim, size, step)
    flat = view.reshape(base, [-1])
    found = indexing.index_put(flat, [view.reshape(places, [-1])], view.reshape(made, [-1]), False)
    return view.view(found, list(base._size_))

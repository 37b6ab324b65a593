"""Largest and smallest elements and their places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import pointwise as maps
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import BOOLEAN, COMPLEX, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.loops import reductions as recipes
from rushlight.engine.loops.reduction import Reduction
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds.planned import planned
from rushlight.engine.ops.kinds.reduction import Ints, Reduce, reduced_dims
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.reduction.sums import WIDE_UNSIGNED


def ordered_type(kernel: str, kind: dtype) -> str:
    """The type in which elements are compared."""
    if kind.category == COMPLEX or kind in WIDE_UNSIGNED or kind in dtypes.FLOAT8:
        raise not_implemented(kernel, kind)
    return "u8" if kind is dtypes.bool_ else promotion.compute_type(kind)


def check_not_empty(name: str, self: Tensor, dims: Ints) -> None:
    """Extremes of nothing do not exist."""
    for d in dims:
        if self._size_[d] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


def _check_all(name: str, self: Tensor) -> None:
    if self._numel_ == 0:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify "
            f"the reduction dim with the 'dim' argument."
        )


def _extremes(name: str, recipe: Callable[[str], Reduction], kernel: str) -> None:
    """`amax` or `amin`."""

    def over(self: Tensor, dim: Any, keepdim: bool) -> Reduce:
        dims = reduced_dims(self, dim)
        if self._numel_ == 0:
            if not len(dim):
                _check_all(name, self)
            check_not_empty(name, self, dims)
        return Reduce(
            (self,), dims, keepdim, recipe(ordered_type(kernel, self._dtype_)), (self._dtype_,)
        )

    over.__name__ = name
    planned(name, exact=True)(over)


_extremes("amax", recipes.max_of, "max_values_cpu")
_extremes("amin", recipes.min_of, "min_values_cpu")


def _full(name: str, recipe: Callable[[str], Reduction]) -> None:
    """`max` or `min` of all elements."""

    def full(self: Tensor) -> Reduce:
        _check_all(name, self)
        element = ordered_type(f"{name}_all", self._dtype_)
        return Reduce((self,), reduced_dims(self, None), False, recipe(element), (self._dtype_,))

    full.__name__ = name
    planned(name, exact=True)(full)


_full("max", recipes.max_of)
_full("min", recipes.min_of)


def _with_place(name: str, recipe: Callable[[str], Reduction]) -> None:
    """`max` or `min` along a dimension, with the indices."""

    def along(self: Tensor, dim: int, keepdim: bool) -> Reduce:
        dims = reduced_dims(self, dim)
        check_not_empty(name, self, dims)
        if self._dtype_.category == COMPLEX:
            raise RuntimeError(f"{name}(): does not support complex input")
        element = ordered_type(f"{name}_cpu", self._dtype_)
        return Reduce((self,), dims, keepdim, recipe(element), (self._dtype_, dtypes.int64))

    along.__name__ = f"{name}_along"
    planned(f"{name}.dim", exact=True)(along)


_with_place("max", recipes.max_with_place)
_with_place("min", recipes.min_with_place)


def _place(name: str, recipe: Callable[[str], Reduction]) -> None:
    """`argmax` or `argmin`."""

    def place(self: Tensor, dim: int | None, keepdim: bool) -> Reduce:
        dims = reduced_dims(self, dim)
        if self._dtype_.category in (BOOLEAN, COMPLEX):
            kind = "bool" if self._dtype_ is dtypes.bool_ else "complex"
            raise RuntimeError(f"{name}(): does not support {kind} input")
        if dim is not None:
            check_not_empty(name, self, dims)
        elif self._numel_ == 0:
            raise IndexError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                f"Specify the reduction dim with the 'dim' argument."
            )
        element = ordered_type(f"{name}_cpu", self._dtype_)
        return Reduce((self,), dims, keepdim, recipe(element), (dtypes.int64,))

    place.__name__ = name
    planned(name, exact=True)(place)


_place("argmax", recipes.place_of_max)
_place("argmin", recipes.place_of_min)


@planned("aminmax", exact=True)
def aminmax(self: Tensor, dim: int | None, keepdim: bool) -> Reduce:
    dims = reduced_dims(self, dim)
    if dim is not None:
        check_not_empty("aminmax", self, dims)
    elif self._numel_ == 0:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
            "identity."
        )
    element = ordered_type("aminmax_cpu", self._dtype_)
    results = (self._dtype_, self._dtype_)
    return Reduce((self,), dims, keepdim, recipes.min_and_max_of(element), results)


@composite("max.other")
def max_other(self: Tensor, other: Tensor) -> Tensor:
    return maps.maximum(self, other)


@composite("max.out")
def max_other_out(self: Tensor, other: Tensor, out: Tensor) -> Tensor:
    return maps.maximum_out(self, other, out)


@composite("min.other")
def min_other(self: Tensor, other: Tensor) -> Tensor:
    return maps.minimum(self, other)


@composite("min.out")
def min_other_out(self: Tensor, other: Tensor, out: Tensor) -> Tensor:
    return maps.minimum_out(self, other, out)

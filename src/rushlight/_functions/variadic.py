"""Functions that programs call in ways no schema describes: varargs, and results by choice."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import indexing, joining, view
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core.symbolic import SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.invalid_arguments import wrong_type
from rushlight.engine.dispatch.overrides_hook import asking

__all__ = [
    "_segment_reduce", "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors", "cartesian_prod",
    "imag", "meshgrid", "nonzero", "numel", "real", "typename",
    "unravel_index",
]  # fmt: skip


def _listed(tensors: tuple[Any, ...]) -> Any:
    """Tensors given one by one or as one list."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        return tensors[0]
    return tensors


def _checked(name: str, tensors: Any) -> Any:
    for position, item in enumerate(tensors):
        if not isinstance(item, Tensor):
            raise TypeError(
                f"{name}(): expected Tensor as element {position} in argument 0, but got "
                f"{type(item).__name__}"
            )
    return tensors


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Views of the tensors that all have the shape they broadcast to."""
    return tuple(view.broadcast_tensors(_checked("broadcast_tensors", _listed(tensors))))


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Grids of coordinates over the one-dimensional tensors.

    Args:
        tensors: the values along each axis
        indexing: "ij" for the order of the tensors, "xy" with the first two axes exchanged
    """
    given = _checked("meshgrid", _listed(tensors))
    if indexing is None and state.may_warn("meshgrid"):
        steps.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
            "argument.",
            stacklevel=2,
        )
    return tuple(view.meshgrid_indexing(given, "ij" if indexing is None else indexing))


def block_diag(*tensors: Any) -> Tensor:
    """A matrix with the tensors along its diagonal."""
    return joining.block_diag(_checked("block_diag", _listed(tensors)))


def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of an element from each tensor, as rows."""
    return view.cartesian_prod(_checked("cartesian_prod", _listed(tensors)))


def _at_least(dimensions: int, one: Any, several: Any) -> Any:
    def function(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return one(tensors[0])
        return tuple(several(_checked(function.__name__, _listed(tensors))))

    function.__name__ = function.__qualname__ = f"atleast_{dimensions}d"
    function.__doc__ = (
        f"The tensors with as many leading dimensions of size 1 as make {dimensions}."
    )
    return function


atleast_1d = _at_least(1, view.atleast_1d, view.atleast_1d_Sequence)
atleast_2d = _at_least(2, view.atleast_2d, view.atleast_2d_Sequence)
atleast_3d = _at_least(3, view.atleast_3d, view.atleast_3d_Sequence)


def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Any:
    """Where the elements are not zero: rows of indices, or a tensor of indices per dimension."""
    if not isinstance(input, Tensor):
        raise wrong_type("nonzero", "input", 1, "Tensor", input)
    if as_tuple:
        if out is not None:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        return tuple(indexing.nonzero_numpy(input))
    return indexing.nonzero(input) if out is None else indexing.nonzero_out(input, out)


def _nonzero_method(self: Tensor, *, as_tuple: bool = False) -> Any:
    return nonzero(self, as_tuple=as_tuple)


METHODS = {"nonzero": _nonzero_method}


@asking
def numel(input: Tensor) -> int:
    """How many elements a tensor has."""
    if not isinstance(input, Tensor):
        raise wrong_type("numel", "input", 1, "Tensor", input)
    return input._numel_


@call_cache.remembered
def real(input: Tensor) -> Tensor:
    """The real parts, as a view; the tensor itself if it is real."""
    return view.real(input)


@call_cache.remembered
def imag(input: Tensor) -> Tensor:
    """The imaginary parts, as a view."""
    return view.imag(input)


def typename(obj: Any) -> str:
    """The name of an object's type, with its module."""
    if isinstance(obj, Tensor):
        return str(obj.type())  # type: ignore[attr-defined]
    kind = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(kind, "__module__", None) or ""
    name = getattr(kind, "__qualname__", "")
    return name if module in ("", "builtins") else f"{module}.{name}"


@call_cache.remembered
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """The coordinates that flat indices have in a tensor of the given shape."""
    if indices.dtype.category != dtypes.INTEGRAL:  # type: ignore[attr-defined]
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices._dtype_}")
    if not isinstance(shape, (int, SymInt, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes: tuple[Any, ...] = (shape,) if isinstance(shape, (int, SymInt)) else tuple(shape)
    other = next((n for n in sizes if not isinstance(n, (int, SymInt))), None)
    if other is not None:
        raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(other)}")
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    indices = indices.long()  # type: ignore[attr-defined]
    coordinates: list[Tensor] = []
    for place, size in enumerate(sizes):
        step = math.prod(sizes[place + 1 :])
        quotient = indices.div(step, rounding_mode="floor")  # type: ignore[attr-defined]
        coordinates.append(quotient % size)
    return tuple(coordinates)


@asking
def _segment_reduce(data: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """See `segment_reduce`."""
    from rushlight.engine.generated import functions

    return functions.segment_reduce(data, *args, **kwargs)


# Several steps that are repeated at once.
for _name in (
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors", "cartesian_prod",
    "meshgrid", "nonzero",
):  # fmt: skip
    # The public one is what `__torch_function__` is told of.
    globals()[_name] = call_cache.remembered(inspect.unwrap(globals()[_name]))

"""Marks that programs put on tensors, for the graphs that are captured with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.core.symbolic import SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.records import dataclass
from rushlight.nn import Module

__all__ = [
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "mark_unbacked",
    "maybe_mark_dynamic",
]


@dataclass(frozen=True)
class _DimRange:
    """Between which numbers a size lies that varies."""

    dim: int
    min: int | None
    max: int | None


def _each(index: Any) -> list[int]:
    """The dimensions that an argument names."""
    if isinstance(index, int):
        return [index]
    if not isinstance(index, (list, tuple)):
        raise AssertionError(f"Expected index to be int, list, or tuple, got {type(index)}")
    return list(index)


def _add(t: Any, name: str, items: Any) -> None:
    if not hasattr(t, name):
        setattr(t, name, set())
    getattr(t, name).update(items)
    t._has_dynamo_dim_marking = True


def _outside_of_graphs(function: Callable[..., Any]) -> Any:
    function._torchdynamo_disable = True  # type: ignore[attr-defined]
    return function


@_outside_of_graphs
def mark_dynamic(
    t: Any, index: int | list[Any] | tuple[Any, ...], *, hint_override: int | None = None,
    min: int | None = None, max: int | None = None, specialize_on: list[Any] | None = None,
) -> None:  # fmt: skip
    """Tell that dimensions will vary: graphs leave them open, and capture fails where they cannot.

    Args:
        t: the tensor
        index: the dimensions
        hint_override: accepted
        min: the least size
        max: the greatest size
        specialize_on: accepted
    """
    dims = _each(index)
    _add(t, "_dynamo_dynamic_indices", dims)
    _add(t, "_dynamo_dynamic_range", [_DimRange(dim, min, max) for dim in dims])


@_outside_of_graphs
def maybe_mark_dynamic(t: Any, index: int | list[Any] | tuple[Any, ...]) -> None:
    """Tell that dimensions will vary; a graph may nevertheless be for one size of them."""
    _add(t, "_dynamo_weak_dynamic_indices", _each(index))


@_outside_of_graphs
def mark_unbacked(
    t: Any, index: int | list[Any] | tuple[Any, ...], hint_override: int | None = None,
    strict: bool = False, specialize_on: list[Any] | None = None, shape_id: str | None = None,
    min: int | None = None, max: int | None = None,
) -> None:  # fmt: skip
    """Let dimensions be such of which nothing is known, as those that elements decide.

    Args:
        t: the tensor
        index: the dimensions
        hint_override: accepted
        strict: accepted
        specialize_on: accepted
        shape_id: not supported
        min: not supported
        max: not supported
    """
    if shape_id is not None or min is not None or max is not None:
        raise NotImplementedError("mark_unbacked: shape_id, min and max are not supported")
    _add(t, "_dynamo_unbacked_indices", _each(index))


def mark_static(t: Any, index: int | list[Any] | tuple[Any, ...] | None = None) -> Any:
    """Tell that dimensions do not vary: all of them, if none is named. Also of a class of modules."""
    if isinstance(t, type) and issubclass(t, Module):
        t._dynamo_marked_static = True  # type: ignore[attr-defined]
        return t
    if not isinstance(t, Tensor):
        raise TypeError(f"mark_static expects a tensor/nn.Module class but received {type(t)}")
    dims = list(range(len(t._size_))) if index is None else _each(index)
    symbols = [t._size_[dim] for dim in dims if type(t._size_[dim]) is SymInt]
    if symbols:
        # Within a graph.
        for size in symbols:
            int(size)
        return None
    _add(t, "_dynamo_static_indices", dims)
    return None


@_outside_of_graphs
def mark_static_address(t: Any, guard: bool = False) -> None:
    """Tell that a tensor stays where it is.

    Args:
        t: the tensor
        guard: whether graphs that were made with it hold only there
    """
    if not isinstance(t, Tensor):
        raise TypeError(f"mark_static_address expects a tensor but received {type(t)}")
    t._dynamo_static_input_type = "guarded" if guard else "unguarded"  # type: ignore[attr-defined]

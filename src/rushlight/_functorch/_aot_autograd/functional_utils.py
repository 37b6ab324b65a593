"""Functional tensors around the values of a trace, and views that are made again."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight._functions import functional_tensors as functional
from rushlight._functorch._aot_autograd.subclass_utils import is_taken_apart, transform_subclass
from rushlight._subclasses.functional_tensor import FunctionalTensor
from rushlight.engine.core.symbolic import has_symbols
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.transforms.functionalization import Cell, Functional, replayed

__all__ = [
    "from_fun",
    "gen_alias_from_base",
    "has_data_mutation",
    "has_metadata_mutation",
    "is_fun",
    "sync_functional_tensor",
    "to_fun",
]


def to_fun(value: Any) -> Any:
    """A value whose changes are followed, and which wants a gradient if the value does."""
    if is_taken_apart(value):
        made = transform_subclass(value, to_fun)
        functional._mirror_autograd_meta_to(value, made)
        return made
    if isinstance(value, Tensor) and not isinstance(value, FunctionalTensor):
        return FunctionalTensor.to_functional(value)
    return value


def from_fun(value: Any) -> Any:
    """What a value stands for."""
    if is_taken_apart(value):
        return transform_subclass(value, from_fun)
    return value.from_functional() if isinstance(value, FunctionalTensor) else value


def is_fun(value: Any) -> bool:
    """Whether a value's changes are followed."""
    if is_taken_apart(value):
        return all(is_fun(getattr(value, name)) for name in value.__tensor_flatten__()[0])
    return isinstance(value, FunctionalTensor)


def sync_functional_tensor(value: Any) -> None:
    """Let a value stand for what views of the same base have made of it."""
    for part in inner_of(value):
        functional._sync(part)


def inner_of(value: Any) -> list[Tensor]:
    """The functional tensors within a value."""
    if is_taken_apart(value):
        names = value.__tensor_flatten__()[0]
        return [part for name in names for part in inner_of(getattr(value, name))]
    return [value.elem] if isinstance(value, FunctionalTensor) else []


def meaning_of(inner: Tensor) -> Functional:
    """What a functional tensor stands for, and where in its cell that is."""
    found: Functional = inner._storage_._owner
    return found


def cells_of(value: Any) -> tuple[Cell, ...]:
    """What a value shares with views of it, part by part."""
    return tuple(meaning_of(part).cell for part in inner_of(value))


def has_data_mutation(value: Any) -> bool:
    """Whether the elements of a value were changed."""
    return any(cell.generation for cell in cells_of(value))


def has_metadata_mutation(value: Any, before: Any) -> bool:
    """Whether a value has become a view of what it was."""
    return any(meaning_of(part).steps for part in inner_of(value)) or (
        isinstance(value, Tensor)
        and (value._size_ != before._size_ or value._stride_ != before._stride_)
    )


def steps_between(base: Any, view: Any) -> tuple[Any, ...] | None:
    """The views that lead from one functional tensor to another; None if they do not simply."""
    if not isinstance(base, FunctionalTensor) or not isinstance(view, FunctionalTensor):
        return None
    start, end = meaning_of(base.elem), meaning_of(view.elem)
    if start.cell is not end.cell or end.steps[: len(start.steps)] != start.steps:
        return None
    return _without_symbols(end.steps[len(start.steps) :])


def steps_to(view: Any) -> tuple[Any, ...] | None:
    """The views that lead from its base to a functional tensor; None if they do not simply."""
    if not isinstance(view, FunctionalTensor):
        return None
    return _without_symbols(meaning_of(view.elem).steps)


def _without_symbols(steps: tuple[Any, ...]) -> tuple[Any, ...] | None:
    if any(has_symbols(_flat(step.args)) for step in steps):
        return None
    return steps


def _flat(value: Any) -> tuple[Any, ...]:
    if isinstance(value, (tuple, list)):
        return tuple(item for one in value for item in _flat(one))
    return (value,)


def gen_alias_from_base(
    base: Any, like: Any, requires_grad: bool, steps: tuple[Any, ...] | None = None
) -> Any:
    """A view of a base that is like what a graph has computed.

    Args:
        base: the tensor that the result shares elements with
        like: a tensor with its sizes, strides and type
        requires_grad: whether it has a history
        steps: the views that lead to it; None if sizes and strides do
    """
    made = _strided(base, like) if steps is None else replayed(base, steps)
    if requires_grad and not made.requires_grad:
        made.requires_grad_()
    elif not requires_grad and made.requires_grad:
        made = made.detach()
    return made


def _strided(base: Any, like: Any) -> Any:
    """A view with the sizes and strides of a tensor."""
    geometry = like.size(), like.stride(), like.storage_offset()
    if base.is_complex() and not like.is_complex():
        return rushlight.view_as_real(base).as_strided(*geometry)  # type: ignore[attr-defined]
    if not base.is_complex() and like.is_complex():
        base = rushlight.view_as_complex(base)  # type: ignore[attr-defined]
    made = base.as_strided(*geometry)
    return made if made.dtype is like.dtype else made.view(like.dtype)

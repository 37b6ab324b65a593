"""Tensors of classes, taken apart for a graph and put together behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight._functorch._aot_autograd.schemas import SubclassCreationMeta
from rushlight._subclasses.functional_tensor import FunctionalTensor
from rushlight.engine.core.symbolic import has_symbols
from rushlight.engine.core.tensor import Tensor
from rushlight.utils._python_dispatch import is_traceable_wrapper_subclass

__all__ = [
    "create_subclass_meta",
    "is_taken_apart",
    "requires_subclass_dispatch",
    "transform_subclass",
    "unwrap_tensor_subclasses",
    "wrap_tensor_subclasses",
]


def is_taken_apart(value: Any) -> bool:
    """Whether a graph has the parts of a value in its place."""
    return is_traceable_wrapper_subclass(value) and not isinstance(value, FunctionalTensor)


def requires_subclass_dispatch(values: Sequence[Any]) -> bool:
    """Whether any of some values is taken apart."""
    return any(map(is_taken_apart, values))


def parts_of(value: Any) -> list[Any]:
    """The tensors without parts that a value consists of."""
    if not is_taken_apart(value):
        return [value]
    names = value.__tensor_flatten__()[0]
    return [part for name in names for part in parts_of(getattr(value, name))]


def unwrap_tensor_subclasses(values: Sequence[Any]) -> list[Any]:
    """Values with their parts in the place of those that have any."""
    return [part for value in values for part in parts_of(value)]


def create_subclass_meta(values: Sequence[Any]) -> list[int | SubclassCreationMeta]:
    """For each value the place of its parts among all parts, and how it is put together of them."""
    made: list[int | SubclassCreationMeta] = []
    place = 0
    for value in values:
        made.append(_meta_of(value, place) if is_taken_apart(value) else place)
        place += len(parts_of(value))
    return made


def _meta_of(value: Any, place: int) -> SubclassCreationMeta:
    names, facts = value.__tensor_flatten__()
    attrs: dict[str, Any] = {}
    start = place
    for name in names:
        part = getattr(value, name)
        attrs[name] = _meta_of(part, place) if is_taken_apart(part) else place
        place += len(parts_of(part))
    return SubclassCreationMeta(
        start, place - start, attrs, facts, value.size(), value.stride(), type(value)
    )


def _put_together(meta: int | SubclassCreationMeta, parts: Sequence[Any]) -> Any:
    if isinstance(meta, int):
        return parts[meta]
    inner = {name: _put_together(part, parts) for name, part in meta.attrs.items()}
    size, stride = meta.outer_size, meta.outer_stride
    if has_symbols((*size, *stride)):
        # Of those that vary, what is put together has the sizes of its first part.
        first = next(iter(inner.values()))
        size, stride = first.size(), first.stride()
    return meta.original_subclass_type.__tensor_unflatten__(inner, meta.meta, size, stride)  # type: ignore[attr-defined]


def wrap_tensor_subclasses(
    parts: Sequence[Any], metas: Sequence[int | SubclassCreationMeta]
) -> list[Any]:
    """Values, put together of their parts."""
    return [_put_together(meta, parts) for meta in metas]


def transform_subclass(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same wrapping around something else in the place of the innermost parts."""
    if not is_taken_apart(value):
        return change(value) if isinstance(value, Tensor) else value
    names, facts = value.__tensor_flatten__()
    inner = {name: transform_subclass(getattr(value, name), change) for name in names}
    return type(value).__tensor_unflatten__(inner, facts, value.size(), value.stride())

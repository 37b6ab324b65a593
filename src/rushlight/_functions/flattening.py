"""Lists of tensors as one flat tensor and back, and in pieces of a limited size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rushlight.engine.core.tensor import Tensor


def flatten_dense(tensors: Iterable[Any]) -> Tensor:
    """All elements of some dense tensors of one type, in a row."""
    from rushlight import cat

    tensors = list(tensors)
    for place, item in enumerate(tensors):
        if not isinstance(item, Tensor):
            raise TypeError(
                f"expected Tensor as element {place} in argument 0, but got {type(item).__name__}"
            )
    return cat([tensor.contiguous().view(-1) for tensor in tensors])  # type: ignore[no-any-return]


def unflatten_dense(flat: Any, tensors: Iterable[Any]) -> tuple[Tensor, ...]:
    """Views of a flat tensor in the sizes of the given ones."""
    found, at = [], 0
    for tensor in tensors:
        found.append(flat.narrow(0, at, tensor.numel()).view_as(tensor))
        at += tensor.numel()
    return tuple(found)


def flatten_sparse(tensors: Iterable[Any]) -> tuple[Tensor, Tensor]:
    """The indices and the values of some sparse tensors, each in a row."""
    given = list(tensors)
    indices = flatten_dense([tensor._indices() for tensor in given])
    return indices, flatten_dense([tensor._values() for tensor in given])


def unflatten_sparse(flat: Any, tensors: Iterable[Any]) -> tuple[Tensor, ...]:
    """Sparse tensors like the given ones, of flat indices and values."""
    from rushlight import sparse_coo_tensor

    given = list(tensors)
    indices = unflatten_dense(flat[0], [tensor._indices() for tensor in given])
    values = unflatten_dense(flat[1], [tensor._values() for tensor in given])
    return tuple(
        sparse_coo_tensor(*parts, tensor.size()) for tensor, *parts in zip(given, indices, values)
    )


def take(tensors: Iterable[Any], size_limit: int) -> Iterator[list[Any]]:
    """Lists of tensors of one type each, which go on until they reach a number of bytes."""
    started: dict[str, tuple[list[Any], int]] = {}
    for tensor in tensors:
        kind = tensor.type()
        parts = (tensor._indices(), tensor._values()) if tensor.is_sparse else (tensor,)
        nbytes = sum(part.numel() * part.element_size() for part in parts)
        held, size = started.pop(kind, ([], 0))
        if held and size + nbytes > size_limit:
            yield held
            held, size = [], 0
        held.append(tensor)
        started[kind] = held, size + nbytes
    for held, _ in started.values():
        yield held


def reorder_as(tensors: Iterable[Any], ordered: Iterable[Any]) -> tuple[Any, ...]:
    """Tensors that are in order within their types, in the order of other tensors' types."""
    by_type: dict[str, list[Any]] = {}
    for tensor in tensors:
        by_type.setdefault(tensor.type(), []).append(tensor)
    found = {kind: iter(held) for kind, held in by_type.items()}
    return tuple(next(found[tensor.type()]) for tensor in ordered)

"""Nested tensors from dense ones, and back: the operators that autograd records.

All others become calls on dense tensors, before autograd sees them (`transforms/nested`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, joining
from rushlight.engine.calls import nested as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import nested
from rushlight.engine.core import size as geometry
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.nested import Blocks, Geometry, Jagged
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.registry import FALLTHROUGH
from rushlight.engine.dispatch.specialise import of_any_device
from rushlight.engine.ops.kinds.views import composite, explicit
from rushlight.engine.ops.nested.classes import over_blocks, over_jagged
from rushlight.engine.ops.nested.places import geometry_of, tables_of, whole_numbers

_NAMES = ("min_seqlen", "max_seqlen")


def recorded(*names: str) -> Any:
    """Register a function that is a step of its own to autograd, whatever is nested."""

    def decorate(function: Any) -> Any:
        for name in names:
            operators.register_kernel(name, "NestedTensor", FALLTHROUGH)
        return explicit(*names)(of_any_device(function))

    return decorate


@recorded("_nested_view_from_jagged")
def jagged(
    self: Tensor, offsets: Tensor, dummy: Tensor, lengths: Tensor | None = None, ragged_idx: int = 1,
    min_seqlen: Tensor | None = None, max_seqlen: Tensor | None = None,
) -> Tensor:  # fmt: skip
    steps.Unrepeatable.note()
    cache = {k: x for k, x in zip(_NAMES, (min_seqlen, max_seqlen)) if x is not None}
    parts = Jagged(tensors.same_elements(self), offsets, lengths, ragged_idx, cache)
    made: Tensor = over_jagged(parts)
    return made


@recorded("_nested_get_values")
def values(self: Tensor) -> Tensor:
    steps.Unrepeatable.note()
    parts = nested.parts_of(self)
    return tensors.same_elements(parts.values if isinstance(parts, Jagged) else parts.buffer)


@composite("_nested_get_offsets")
def offsets(self: Tensor) -> Tensor:
    found: Tensor = nested.parts_of(self).offsets
    return found


@composite("_nested_get_lengths")
def lengths(self: Tensor) -> Tensor | None:
    found: Tensor | None = nested.parts_of(self).lengths
    return found


@composite("_nested_get_ragged_idx")
def ragged_idx(self: Tensor) -> int:
    return int(nested.parts_of(self).ragged)


@composite("_nested_get_min_seqlen")
def min_seqlen(self: Tensor) -> Tensor | None:
    found: Tensor | None = nested.parts_of(self).cache.get("min_seqlen")
    return found


@composite("_nested_get_max_seqlen")
def max_seqlen(self: Tensor) -> Tensor | None:
    found: Tensor | None = nested.parts_of(self).cache.get("max_seqlen")
    return found


@explicit("_nested_get_jagged_dummy")
def dummy(any: Tensor) -> Tensor:
    steps.Unrepeatable.note()
    values = tensors.empty((3, 3), dtypes.float32)
    made: Tensor = over_jagged(Jagged(values, whole_numbers([0, 1, 3]), None, 1, {}))
    return made


# -- elements with a place each --


@recorded("_nested_view_from_buffer")
def from_buffer(
    self: Tensor, nested_size: Tensor, nested_strides: Tensor, offsets: Tensor
) -> Tensor:
    if len(self._size_) != 1:
        raise RuntimeError(
            f"given buffer must be one dimensional, but it has {len(self._size_)} dimensions"
        )
    known = geometry_of(nested_size, nested_strides, offsets)
    known.tables = nested_size, nested_strides, offsets
    return over_buffer(self, known)


@recorded("_nested_view_as")
def like(self: Tensor, like: Tensor) -> Tensor:
    return over_buffer(self, nested.parts_of(like).known)


def over_buffer(buffer: Tensor, known: Geometry) -> Tensor:
    """A nested tensor without a history over a buffer."""
    steps.Unrepeatable.note()
    if not geometry.is_contiguous(buffer._size_, buffer._stride_):
        raise RuntimeError("given buffer must be contiguous")
    made: Tensor = over_blocks(Blocks(tensors.same_elements(buffer), known))
    return made


@explicit("_nested_compute_contiguous_strides_offsets")
def contiguous_places(nested_size: Tensor) -> tuple[Tensor, Tensor]:
    steps.Unrepeatable.note()
    known = Geometry([tuple(row) for row in nested_size.tolist()])  # type: ignore[attr-defined]
    return whole_numbers(known.strides).reshape(nested_size._size_), whole_numbers(known.offsets)


def blocks(buffer: Tensor, known: Geometry) -> Any:
    """A nested tensor of layout ``strided`` over a buffer, with the buffer's history."""
    if buffer._keys_ & key_bits.AUTOGRAD:
        template = over_blocks(Blocks(tensors.same_elements(buffer), known))
        return calls._nested_view_as(buffer, template)
    return over_blocks(Blocks(buffer, known))


@composite("_nested_tensor_from_tensor_list")
def from_list(
    list: Sequence[Tensor], dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    return of_elements([to(x, dtype, device) for x in list], dtype, device)


def to(x: Tensor, dtype: Any, device: Any) -> Tensor:
    if dtype is not None and x._dtype_ is not dtype:
        x = copies.to_dtype(x, dtype)
    return x if device is None or x.device == device else x.to(device)  # type: ignore[attr-defined]


def of_elements(elements: Sequence[Tensor], dtype: Any = None, device: Any = None) -> Any:
    """A nested tensor of layout ``strided`` with copies of some tensors as elements."""
    if not elements:
        nothing = creation.empty_memory_format([0], dtype, layouts.strided, device, None, None)
        return blocks(nothing, Geometry([]))
    counts = {len(x._size_) for x in elements}
    if len(counts) != 1:
        other = next(len(x._size_) for x in elements if len(x._size_) != len(elements[0]._size_))
        raise RuntimeError(
            "All Tensors given to nested_tensor must have the same dimension. Found dimension "
            f"{other} for Tensor at index "
            f"{[len(x._size_) for x in elements].index(other)} and dimension "
            f"{len(elements[0]._size_)} for Tensor at index 0."
        )
    rows = [tuple(x._size_) for x in elements]
    if rows[0] and len({row[1:] for row in rows}) == 1:
        # They differ in the first dimension at most: they can be joined as they are.
        joined = joining.cat(list(elements), 0)
    else:
        joined = joining.cat([x.reshape(-1) for x in elements], 0)  # type: ignore[attr-defined]
    return blocks(views.reshape(joined, [joined._numel_]), Geometry(rows))


@composite("_nested_tensor_size")
def size_of(self: Tensor) -> Tensor:
    found: Tensor = tables_of(nested.parts_of(self).known)[0]
    return found


@composite("_nested_tensor_strides")
def strides_of(self: Tensor) -> Tensor:
    found: Tensor = tables_of(nested.parts_of(self).known)[1]
    return found


@composite("_nested_tensor_storage_offsets")
def places_of(self: Tensor) -> Tensor:
    found: Tensor = tables_of(nested.parts_of(self).known)[2]
    return found


def of_rows(rows: Tensor, sizes: Sequence[Any]) -> Any:
    """Rows one behind the other as elements of such sizes."""
    return blocks(views.reshape(rows, [-1]), Geometry(sizes))

"""Operators on rows: of the last dimensions of a nested tensor, which all elements share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import indexing
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import nested
from rushlight.engine.core.nested import is_nested
from rushlight.engine.core.nested_ints import is_nested as is_nested_int
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.nested import making, places
from rushlight.engine.transforms.nested import derived, padding, words
from rushlight.engine.transforms.nested.words import blocks, jagged, like, rank, values_of


def rows_of(x: Tensor, count: int, name: str) -> Tensor:
    """The rows of the last ``count`` dimensions of elements with places of their own."""
    known = nested.parts_of(x).known
    last = known.sizes[0][len(known.sizes[0]) - count :] if known.sizes else ()
    if any(size[len(size) - count :] != last for size in known.sizes):
        raise RuntimeError(f"{name}: expected all elements to have the same last dimensions")
    return views.reshape(derived.all_of(x), [-1, *last])


def of_rows(x: Tensor, made: Tensor, count: int) -> Any:
    """Rows with other last dimensions as elements again."""
    known = nested.parts_of(x).known.with_rows(count, tuple(made._size_[1:]))
    return making.blocks(views.reshape(made, [-1]), known)


@jagged("linear")
def linear(op: Any, x: Tensor, weight: Tensor, bias: Any) -> Any:
    if not is_nested(x) or nested.parts_of(x).ragged == rank(x) - 1:
        raise ValueError(
            "NestedTensor linear_default(input: jt, weight: t, bias: t?): expected input to be a "
            "contiguous jagged layout NestedTensor"
        )
    return like(x, op.call(values_of(x), weight, bias))


@blocks("linear")
def linear_blocks(op: Any, x: Tensor, weight: Tensor, bias: Any) -> Any:
    if rank(x) not in (3, 4) or rank(weight) != 2:
        raise RuntimeError(
            f"Linear requires nested_tensor.dim == 3 and dense_matrix.dim == 2. Nested tensor dim: "
            f"{rank(x)}. Dense tensor dim: {rank(weight)}"
        )
    last = [size[-1] for size in nested.parts_of(x).known.sizes]
    if len(set(last)) > 1:
        raise RuntimeError(
            "Expected all tensors in nested tensor to have the same trailing dimension, instead last "
            f"dimension equals: {last}"
        )
    if last and last[0] != weight._size_[1]:
        raise RuntimeError(
            "Shape mismatch for NestedTensor Linear: Expected input's (a nested tensor) 'last_dim' to "
            f"equal 'weight.size(1), but got: last_dim = {last[0]}, and weight.size(1) = "
            f"{weight._size_[1]}"
        )
    return of_rows(x, op.call(rows_of(x, 1, "linear"), weight, bias), 1)


@jagged("layer_norm", "native_layer_norm")
def layer_norm(op: Any, x: Tensor, shape: Sequence[Any], *rest: Any) -> Any:
    if rank(x) <= 2:
        raise RuntimeError(
            "layer_norm(): not supported for NestedTensor objects with 2 or fewer dimensions"
        )
    if len(shape) == rank(x):
        raise RuntimeError(
            "layer_norm(): not supported when normalizing over the batch dimension for NestedTensor"
        )
    parts = nested.parts_of(x)
    if any(is_nested_int(n) for n in shape):
        if parts.lengths is not None:
            raise RuntimeError(
                "layer_norm(): not supported where lengths is not None if operating on the ragged "
                "dimension for NestedTensor"
            )
        return normalized_elements(op, x, shape, rest)
    made = op.call(values_of(x), shape, *rest)
    return like(x, made) if isinstance(made, Tensor) else (like(x, made[0]), *made[1:])


def normalized_elements(op: Any, x: Tensor, shape: Sequence[Any], rest: Sequence[Any]) -> Any:
    """Layers that go over the ragged dimension: each element is one."""
    count = len(shape)
    found = [op.call(e, list(e._size_[rank(e) - count :]), *rest) for e in words.elements(x)]
    if isinstance(found[0], Tensor):
        return words.joined(x, found)
    first, *others = zip(*found)
    return (words.joined(x, first), *(derived.stacked(items) for items in others))


@blocks("layer_norm", "native_layer_norm")
def layer_norm_blocks(op: Any, x: Tensor, shape: Sequence[Any], *rest: Any) -> Any:
    count = len(shape)
    own = x._size_[rank(x) - count :]
    if any(map(is_nested_int, own)):
        raise RuntimeError(
            "normalized_shape extends into irregular dimensions for the nested tensor"
        )
    for k, (n, wanted) in enumerate(zip(own, shape)):
        if n != wanted:
            raise RuntimeError(
                f"The shape at dimension {k}of normalized_shape doesn't match the input"
            )
    made = op.call(rows_of(x, count, "layer_norm"), shape, *rest)
    if isinstance(made, Tensor):
        return of_rows(x, made, count)
    return (of_rows(x, made[0], count), *made[1:])


@jagged("rms_norm", "_fused_rms_norm")
def rms_norm(op: Any, x: Tensor, shape: Sequence[Any], *rest: Any) -> Any:
    if len(shape) > rank(x) - nested.parts_of(x).ragged - 1:
        raise ValueError(
            "rms_norm(): Normalization over the ragged dim not supported for nested tensors"
        )
    made = op.call(values_of(x), shape, *rest)
    return like(x, made) if isinstance(made, Tensor) else (like(x, made[0]), *made[1:])


@blocks("rms_norm", "_fused_rms_norm")
def rms_norm_blocks(op: Any, x: Tensor, shape: Sequence[Any], *rest: Any) -> Any:
    return layer_norm_blocks(op, x, shape, *rest)


@jagged("dropout", "native_dropout", "alpha_dropout", "feature_dropout", "dropout_")
def dropout(op: Any, x: Tensor, *rest: Any) -> Any:
    found = op.call(values_of(x), *rest)
    return x if op.schema.is_inplace else words.each(found, lambda r: like(x, r))


@blocks("dropout", "native_dropout", "dropout_")
def dropout_blocks(op: Any, x: Tensor, *rest: Any) -> Any:
    parts = nested.parts_of(x)
    if op.schema.is_inplace and not parts.fills:
        return derived.by_elements(op, (x, *rest), is_change=True)
    found = op.call(values_of(x), *rest)
    return x if op.schema.is_inplace else words.each(found, lambda r: words.over(r, parts))


@jagged("embedding")
def embedding(op: Any, weight: Tensor, indices: Tensor, *rest: Any) -> Any:
    return like(indices, op.call(weight, values_of(indices), *rest))


@blocks("embedding")
def embedding_blocks(op: Any, weight: Tensor, indices: Tensor, *rest: Any) -> Any:
    if rank(indices) != 2:
        raise RuntimeError("NestedTensor embedding: expected 2-D indices")
    return of_rows(indices, op.call(weight, derived.all_of(indices), *rest), 0)


@jagged("convolution", "conv1d", "conv2d", "conv3d")
def convolution(op: Any, x: Tensor, weight: Tensor, *rest: Any) -> Any:
    return like(x, op.call(values_of(x), weight, *rest))


@jagged("_softmax", "_log_softmax")
def softmax(op: Any, x: Tensor, dim: int, half_to_float: bool) -> Any:
    """Over the ragged dimension of many elements, rows of one length are quicker than one after the other."""
    parts = nested.parts_of(x)
    values = values_of(x)
    most = max(nested.bounds_of(parts)[0], default=0) if parts.lengths is None else 0
    is_padded = (
        words.wrapped(dim, x) == parts.ragged
        and values._dtype_.category == dtypes.FLOATING
        and 0 < most * x._size_[0] <= _MOST_PADDING * values._size_[parts.along]
    )
    if not is_padded:
        return derived.along_dims(op)(x, dim, half_to_float)
    made = op.call(padding.padded(x, most, -math.inf), parts.ragged, half_to_float)
    return like(x, words.packed(made, parts))


# How many times as many places may be computed as there are.
_MOST_PADDING = 4


@blocks("_softmax", "_log_softmax")
def softmax_blocks(op: Any, x: Tensor, dim: int, half_to_float: bool) -> Any:
    name = derived.title(op)
    at = words.wrapped(dim, x)
    if at == 0:
        raise RuntimeError("Cannot apply softmax across nested dimension 0")
    parts = nested.parts_of(x)
    last = {size[-1] for size in parts.known.sizes}
    if at == rank(x) - 1 and len(last) == 1:
        return of_rows(x, op.call(rows_of(x, 1, name), -1, half_to_float), 1)
    return words.of_elements([op.call(e, at - 1, half_to_float) for e in words.elements(x)])


@jagged("frexp.Tensor", "one_hot")
def of_each_number(op: Any, x: Tensor, *rest: Any) -> Any:
    return words.each(op.call(values_of(x), *rest), lambda r: like(x, r))


@jagged("index_put", "index_put_")
def index_put(op: Any, x: Tensor, indices: Sequence[Any], given: Tensor, accumulate: bool) -> Any:
    """Numbers put at places: of the batch alone, or of the ragged dimension too."""
    if len(indices) > rank(x):
        raise AssertionError(
            f"Too many indices: got {len(indices)} but tensor has {rank(x)} dimensions"
        )
    parts = nested.parts_of(x)
    ragged, values = parts.ragged, values_of(x)
    if op.schema.is_inplace:
        words.check_change(x)
    functional = indexing.index_put
    if len(indices) <= ragged:
        if not x.is_contiguous():  # type: ignore[attr-defined]
            raise RuntimeError(
                "index_put(): If ragged dimension is not part of indices, this only works on "
                "contiguous NJTs"
            )
        padded = padding.to_padded(None, x, 0.0, None)
        made = words.packed(functional(padded, indices, given, accumulate), parts)
    else:
        counts, starts = (places.whole_numbers(n) for n in nested.bounds_of(parts))
        batch, rows = indices[0], indices[ragged]
        if bool((rows >= counts[batch]).any()):
            raise RuntimeError("Some indices in the ragged dimension are out of bounds!")
        own = [*indices[1:ragged], starts[batch] + rows, *indices[ragged + 1 :]]
        made = functional(values, own, given, accumulate)
    changed = like(x, made)
    return words.change(x, changed) if op.schema.is_inplace else changed


@jagged("masked_select")
def masked_select(op: Any, x: Tensor, mask: Tensor) -> Any:
    """What a mask lets through: an element of which nothing is left has the length 0."""
    if rank(x) > 2:
        raise RuntimeError("masked_select only support 2-D selections currently")
    if x._size_ != mask._size_:
        raise RuntimeError(
            f"Mask with shape {mask._size_} is not compatible with input's shape {x._size_}"
        )
    chosen = values_of(mask)
    before = words.running([int(n) for n in chosen.tolist()])  # type: ignore[attr-defined]
    offsets = nested.parts_of(x).offsets.tolist()
    made = op.call(values_of(x), chosen)
    return words.with_lengths(made, places.whole_numbers([before[k] for k in offsets]))


def as_jagged(x: Tensor) -> Any:
    """A nested tensor whose elements are rows in the layout ``jagged``, over the same memory if it can be."""
    if nested.is_jagged(x):
        return x
    known = nested.parts_of(x).known
    lengths = [size[0] for size in known.sizes]
    offsets = places.whole_numbers(words.running(lengths))
    return words.with_lengths(rows_of(x, rank(x) - 2, "attention"), offsets)


def laid_out_like(x: Tensor, other: Tensor) -> Any:
    """Rows of the layout ``jagged`` in the layout of another nested tensor."""
    if nested.is_jagged(other):
        return x
    values = values_of(x)
    counts = nested.bounds_of(nested.parts_of(x))[0]
    return making.of_rows(values, [(n, *values._size_[1:]) for n in counts])

"""Rows of tables of eight-bit numbers: the operators ``quantized::embedding_byte`` and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing, pointwise
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.ops import answers, bridge
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.quantized.packed import EmbeddingPackedParamsBase
from rushlight.engine.ops.quantized.parts import for_quantized


@for_quantized("quantized::embedding_bag_prepack")
def prepack(weight: Tensor) -> EmbeddingPackedParamsBase:
    if weight._dtype_ is not dtypes.named("quint8"):
        raise RuntimeError(
            f"embedding_bag_prepack: expected a weight of type quint8, got {weight._dtype_}"
        )
    return EmbeddingPackedParamsBase(weight)


@composite("quantized::embedding_bag_unpack")
def unpack(packed: EmbeddingPackedParamsBase) -> Tensor:
    return packed.unpack()


def _rows(packed: EmbeddingPackedParamsBase, places: Tensor) -> Tensor:
    """Rows as real numbers, one for each place of a list."""
    if places._dtype_ not in (dtypes.int32, dtypes.int64):
        kind = promotion.title(places._dtype_)
        raise RuntimeError(f"Expect 32 or 64 bit indices, but found {kind} instead.")
    _check(places, packed.numbers._size_[0])
    numbers, scales, shifts = (
        indexing.index_select(part, 0, places)
        for part in (packed.numbers, packed.scales, packed.shifts)
    )
    real = pointwise.mul_Tensor(copies.to_dtype(numbers, dtypes.float32), scales)
    return pointwise.add_Tensor(real, shifts)


def _check(places: Tensor, count: int) -> None:
    if places._numel_ and not answers.are_within(places, 0, count - 1):
        given: list[int] = places.tolist()  # type: ignore[attr-defined]
        wrong = next(k for k, place in enumerate(given) if not 0 <= place < count)
        raise RuntimeError(f"Index {wrong} is out of bounds: {given[wrong]}, range 0 to {count}")


@composite("quantized::embedding_byte")
def embedding(packed: EmbeddingPackedParamsBase, indices: Tensor, pruned: bool) -> Tensor:
    flat = views.reshape(indices, [-1])
    return views.reshape(_rows(packed, flat), [*indices._size_, packed.numbers._size_[1]])


@composite("quantized::embedding_bag_byte")
def embedding_bag(
    packed: EmbeddingPackedParamsBase, indices: Tensor, offsets: Tensor | None, by_frequency: bool,
    mode: int, pruned: bool, weights: Tensor | None, mapping: Tensor | None, ends: bool,
) -> Tensor:  # fmt: skip
    """Sums of rows, whatever the mode, as in PyTorch."""
    if mapping is not None:
        raise NotImplementedError(
            "quantized::embedding_bag_byte: rows that were pruned are not there"
        )
    flat = views.reshape(indices, [-1])
    rows = _rows(packed, flat)
    if weights is not None:
        rows = pointwise.mul_Tensor(rows, views.reshape(weights, [-1, 1]))
    if len(indices._size_) == 2:
        from rushlight.engine.calls import reduction

        return reduction.sum_dim_IntList(views.reshape(rows, [*indices._size_, -1]), [1])
    if offsets is None:
        raise RuntimeError("embedding_bag_byte expects offsets to be set for 1D indices.")
    begins: Any = offsets.tolist()  # type: ignore[attr-defined]
    stops = begins if ends else [*begins, flat._numel_]
    lengths = np.diff(stops)
    bags = bridge.tensor_of(np.repeat(np.arange(len(lengths)), lengths))
    made = creation.zeros([len(lengths), packed.numbers._size_[1]], dtypes.float32)
    return indexing.index_add(made, 0, bags, rows, 1)

"""Elements that lie one behind the other as rows of one length, and back."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import creation, indexing
from rushlight.engine.calls import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.nested import making, places


def index_of(counts: Sequence[int], most: int, device: devices.device) -> Tensor:
    """Where each row of the elements is among rows of ``most`` places; longer ones are cut."""
    found: Tensor = places.whole_numbers(
        [k * most + place for k, count in enumerate(counts) for place in range(min(count, most))],
        device,
    )
    return found


def padded(
    values: Tensor, counts: Sequence[int], most: int, padding: Any, index: Tensor | None = None
) -> Tensor:
    """Rows one behind the other as [batch, most, ...]; the rest is filled."""
    rest = list(values._size_[1:])
    batch = len(counts)
    if max(counts, default=0) > most:
        kept: list[int] = []
        start = 0
        for count in counts:
            kept += range(start, start + min(count, most))
            start += count
        values = indexing.index_select(
            values, 0, places.whole_numbers(kept, values._storage_.device)
        )
    elif sum(counts) != values._size_[0]:
        values = views.narrow(values, 0, 0, sum(counts))
    device = values._storage_.device
    full = creation.full([batch * most, *rest], padding, dtype=values._dtype_, device=device)
    index = index_of(counts, most, device) if index is None else index
    made = indexing.index_copy(full, 0, index, values)
    return views.view(made, [batch, most, *rest])


def packed(rows: Tensor, index: Tensor) -> Tensor:
    """The rows of [batch, most, ...] that belong to elements, one behind the other."""
    batch, most = rows._size_[:2]
    flat = views.reshape(rows, [batch * most, *rows._size_[2:]])
    return indexing.index_select(flat, 0, index)


def counts_of(offsets: Tensor) -> list[int]:
    starts = offsets.tolist()  # type: ignore[attr-defined]
    return [b - a for a, b in itertools.pairwise(starts)]


@composite("_jagged_to_padded_dense_forward")
def to_padded(
    values: Tensor, offsets: Sequence[Tensor], max_lengths: Sequence[int], padding_value: float
) -> Tensor:
    steps.Unrepeatable.note()
    check_one(offsets)
    return padded(values, counts_of(offsets[0]), max_lengths[0], padding_value)


@composite("_padded_dense_to_jagged_forward")
def from_padded(dense: Tensor, offsets: Sequence[Tensor], total_L: int | None) -> Tensor:
    steps.Unrepeatable.note()
    check_one(offsets)
    return packed(dense, index_of(counts_of(offsets[0]), dense._size_[1], dense._storage_.device))


def check_one(offsets: Sequence[Tensor]) -> None:
    """Raise for elements that are ragged in several dimensions."""
    if len(offsets) != 1:
        raise RuntimeError("only a single ragged dimension is supported")


@composite("_nested_from_padded_tensor")
def nested_from_padded(
    padded: Tensor, offsets: Tensor, dummy: Tensor, ragged_idx: int, min_seqlen: Any,
    max_seqlen: Any, sum_S: Any,
) -> Tensor:  # fmt: skip
    from rushlight.engine.calls import nested as calls

    steps.Unrepeatable.note()
    rows = views.movedim_int(padded, ragged_idx, 1) if ragged_idx > 1 else padded
    values = packed(rows, index_of(counts_of(offsets), rows._size_[1], rows._storage_.device))
    if ragged_idx > 1:
        values = views.movedim_int(values, 0, ragged_idx - 1)
    made: Tensor = calls._nested_view_from_jagged(
        values, offsets, offsets, None, ragged_idx, min_seqlen, max_seqlen
    )
    return made


@composite("_nested_tensor_from_mask")
def from_mask(t: Tensor, mask: Tensor, mask_check: bool) -> Tensor:
    """Rows of a batch, each as long as its mask says: the true ones come first."""
    steps.Unrepeatable.note()
    if mask._dtype_ is not dtypes.bool_:
        raise RuntimeError(
            f"Expected mask to be of ScalarType Bool, but got {title(mask._dtype_)} instead."
        )
    if len(mask._size_) != 2:
        raise RuntimeError("Padding mask should be 2D")
    if len(t._size_) != 3:
        raise RuntimeError("Input should be a 3D tensor, N * L * D")
    if t._size_[:2] != mask._size_:
        raise RuntimeError("Mask size should match input size")
    if mask_check and not is_left_aligned(t, mask):
        raise RuntimeError("Mask must be left-aligned without gaps")
    counts = [sum(row) for row in mask.tolist()]  # type: ignore[attr-defined]
    made: Tensor = making.of_rows(
        packed(t, index_of(counts, t._size_[1], t._storage_.device)),
        [(n, t._size_[2]) for n in counts],
    )
    return made


@composite("_nested_tensor_from_mask_left_aligned")
def is_left_aligned(t: Tensor, mask: Tensor) -> bool:
    steps.Unrepeatable.note()
    return all(sorted(row, reverse=True) == row for row in mask.tolist())  # type: ignore[attr-defined]


@composite("_nested_from_padded")
def blocks_from_padded(padded: Tensor, shapes: Tensor, turns: bool) -> Tensor:
    """Elements of the given sizes out of the corners of a padded batch."""
    steps.Unrepeatable.note()
    if turns:
        padded = views.permute(padded, [0, 2, 1, 3])
    found = []
    for k, size in enumerate(shapes.tolist()):  # type: ignore[attr-defined]
        row = views.select_int(padded, 0, k)
        if turns:
            row = views.reshape(row, [row._size_[0], -1])
        for dim, length in enumerate(size):
            row = views.narrow(row, dim, 0, length)
        found.append(row)
    made: Tensor = making.of_elements(found)
    return made

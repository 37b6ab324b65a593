"""Where elements are, as numbers and as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.nested import Geometry
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.creation import from_data


def whole_numbers(numbers: Sequence[Any], device: devices.device = devices.cpu) -> Any:
    """Numbers as a tensor of int64."""
    rows = [list(x) if isinstance(x, tuple) else x for x in numbers]
    made = from_data.tensor_from_data(rows, dtypes.int64)
    return made if device is devices.cpu else copies._to_copy(made, None, None, device)


def geometry_of(sizes: Tensor, strides: Tensor, offsets: Tensor) -> Geometry:
    """Where elements are, as numbers."""
    size, stride = ([tuple(row) for row in x.tolist()] for x in (sizes, strides))  # type: ignore[attr-defined]
    return Geometry(size, stride, offsets.tolist())  # type: ignore[attr-defined]


def tables_of(known: Geometry) -> tuple[Tensor, Tensor, Tensor]:
    """Where elements are, as tensors."""
    if known.tables is None:
        table = (len(known.sizes), len(known.sizes[0]) if known.sizes else 0)
        sizes, strides = (whole_numbers(x).reshape(table) for x in (known.sizes, known.strides))
        known.tables = sizes, strides, whole_numbers(known.offsets)
    return known.tables

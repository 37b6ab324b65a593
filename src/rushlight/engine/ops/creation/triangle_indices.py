"""`tril_indices` and `triu_indices`: the coordinates of the elements of a triangle."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing, joining, pointwise, view
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.creation import constants
from rushlight.engine.ops.kinds.views import explicit


def _register(name: str, keep: Any) -> None:
    @explicit(name)
    def coordinates(
        row: int, col: int, offset: int, dtype: Any, layout: Any, device: Any, pin_memory: Any
    ) -> Tensor:
        if row < 0 or col < 0:
            which = f"row, got {row}" if row < 0 else f"col, got {col}"
            raise RuntimeError(f"{which.replace(',', ' must be non-negative,', 1)}")
        kind = dtype or dtypes.int64
        made = constants.remembered(lambda: found(row, col, offset, kind))
        if device is None or devices.place(device) is made._storage_.device:
            return made
        if device.type in devices.memories:
            return copies._to_copy(made, None, None, device, None, False, None)
        return tensors.empty(made._size_, kind, device) if device.type != "cpu" else made

    def found(row: int, col: int, offset: int, kind: Any) -> Tensor:
        rows = creation.arange(row, dtypes.int64, None, devices.cpu, None)
        columns = creation.arange(col, dtypes.int64, None, devices.cpu, None)
        distance = pointwise.sub_Tensor(view.unsqueeze(columns, 0), view.unsqueeze(rows, 1))
        places = indexing.nonzero(keep(distance, offset))
        return copies.to_dtype(joining.stack(view.unbind_int(places, 1), 0), kind)


_register("tril_indices", lambda distance, offset: pointwise.le_Scalar(distance, offset))
_register("triu_indices", lambda distance, offset: pointwise.ge_Scalar(distance, offset))

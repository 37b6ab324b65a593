"""Memory that programs ask for without its content, which deterministic mode fills."""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.sparse import is_sparse
from rushlight.engine.core.tensor import Tensor


def filled(made: Tensor) -> Tensor:
    """A new tensor; in deterministic mode its elements are the same at each run."""
    if state.fills_memory and made._keys_ & keys.CPU and not is_sparse(made):
        copies.fill__Scalar(made, _value(made._dtype_))
    return made


def fill_grown(tensor: Tensor, before: int) -> None:
    """Fill what a tensor's storage has got beyond the bytes that it had before."""
    first = -(-before // tensor._dtype_.itemsize)
    count = tensor._storage_._nbytes // tensor._dtype_.itemsize - first
    if count > 0:
        filled(tensors.from_storage(tensor._storage_, tensor._dtype_, (count,), (1,), first))


def _value(kind: dtypes.dtype) -> Any:
    """What shows when an element is used that was never written."""
    if kind.category >= dtypes.FLOATING:
        return math.nan
    return kind is dtypes.bool_ or dtypes.iinfo(kind).max

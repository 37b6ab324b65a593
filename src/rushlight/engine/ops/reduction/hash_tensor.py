"""`hash_tensor`: the exclusive or of the elements' bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rushlight.engine.calls import copy as copies
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import COMPLEX, FLOATING
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import bridge
from rushlight.engine.ops.dims import wrap_dims
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds.planned import Computed, contiguous_spec, planned


@planned("hash_tensor")
def hash_tensor(self: Tensor, dim: Sequence[int], keepdim: bool, mode: int) -> Computed:
    if mode != 0:
        raise RuntimeError(f"hash_tensor: unknown mode {mode}; only 0, exclusive or, is there")
    if self._dtype_.category == COMPLEX:
        raise not_implemented("hash_tensor", self._dtype_)
    if not self._numel_ and not dim:
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify "
            "the reduction dim with the 'dim' argument."
        )
    rank = len(self._size_)
    dims = wrap_dims(dim, rank) if dim else list(range(rank))
    size = [
        n if d not in dims else 1 for d, n in enumerate(self._size_) if keepdim or d not in dims
    ]

    def compute() -> Tensor:
        kind = dtypes.float64 if self._dtype_.category == FLOATING else dtypes.int64
        wide = self if self._dtype_ is dtypes.uint64 else copies._to_copy(self, kind)
        bits = bridge.array(wide).view(np.uint64)
        axes = tuple(dims) if rank else ()
        found = np.bitwise_xor.reduce(bits, axis=axes) if axes else bits
        return bridge.tensor_of(np.asarray(found).reshape(size), dtypes.uint64)

    return Computed([contiguous_spec(size, dtypes.uint64)], compute)

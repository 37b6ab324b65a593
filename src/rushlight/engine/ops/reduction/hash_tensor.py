"""`hash_tensor`: the exclusive or of the elements' bits."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import COMPLEX, FLOATING
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import reductions as recipes
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds.planned import planned
from rushlight.engine.ops.kinds.reduction import Reduce, reduced_dims


@planned("hash_tensor")
def hash_tensor(self: Tensor, dim: Sequence[int], keepdim: bool, mode: int) -> Reduce:
    if mode != 0:
        raise RuntimeError(f"hash_tensor: unknown mode {mode}; only 0, exclusive or, is there")
    if self._dtype_.category == COMPLEX:
        raise not_implemented("hash_tensor", self._dtype_)
    if not self._numel_ and not dim:
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify "
            "the reduction dim with the 'dim' argument."
        )
    if self._dtype_ is dtypes.uint64:
        type = "u64"
    else:
        type = "f64" if self._dtype_.category == FLOATING else "i64"
    recipe = recipes.exclusive_or_of(type)
    return Reduce((self,), reduced_dims(self, dim), keepdim, recipe, (dtypes.uint64,))

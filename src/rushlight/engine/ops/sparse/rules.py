"""What the gradient formulas of sparse tensors call."""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.calls import sparse as calls
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import state
from rushlight.engine.core.sparse import (
    Compressed,
    from_coordinates,
    is_coordinates,
    is_sparse,
)
from rushlight.engine.ops.gradients import scaled as scaled
from rushlight.engine.ops.sparse.parts import expanded, flat_places, indices_of
from rushlight.engine.ops.sparse.parts import with_values as with_values
from rushlight.engine.ops.sparse.products import matmul_masked as matmul_masked
from rushlight.engine.ops.sparse.products import sampled as sampled
from rushlight.engine.ops.sparse.sums import spread_back as spread_back


def values_at(grad: Any, indices: Any) -> Any:
    """The gradient of the values that were put at indices."""
    count = indices._size_[0]
    if is_sparse(grad):
        if state.thread.grad_enabled and grad._keys_ & key_bits.AUTOGRAD:
            raise NotImplementedError("second derivatives through sparse gradients")
        nothing = grad.new_zeros(
            (indices._size_[1], *grad._size_[count:]), layout=layouts.strided
        )  # fmt: skip
        return calls.sparse_mask(grad, from_coordinates(indices, nothing, grad._size_))._values()
    rows = grad.reshape(math.prod(grad._size_[:count]), *grad._size_[count:])
    return rows.index_select(0, flat_places(indices, tuple(grad._size_[:count])))


def dense_backward(grad: Any, self: Any, masked_grad: bool | None) -> Any:
    """The gradient of a tensor that was made dense; ``masked`` keeps it where the tensor had values."""
    if masked_grad is False:
        return grad if is_sparse(grad) else grad.to_sparse(indices_of(self)._size_[0])
    return calls.sparse_mask(grad, calls.coalesce(self) if is_coordinates(self) else self)


def in_kind(grad: Any, layout: Any, block: Any) -> Any:
    """A gradient in the layout of the tensor that it belongs to, with blocks of the given sizes."""
    if layout is layouts.strided:
        return grad.to_dense()
    return grad.to_sparse(layout=layout, blocksize=block if layout in layouts.BLOCKED else None)


def at_places_of(grad: Any, self: Any) -> Any:
    """A gradient where a sparse tensor has values: elsewhere, the result does not depend on anything."""
    return grad if is_sparse(grad) else calls.sparse_mask(grad, self)


def compressed_values(grad: Any, compressed: Any, plain: Any, values: Any, layout: Any) -> Any:
    """The gradient of the values of a compressed matrix."""
    found = values_at(grad, expanded(Compressed(compressed, plain, values, layout, False)))
    return found.reshape(values._size_)

"""Results put into tensors that are there: ``out=``, and other sizes in place."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.sparse import between, shapes
from rushlight.engine.ops.sparse.making import without_values
from rushlight.engine.ops.sparse.making_compressed import without_values as without_values_of_layout
from rushlight.engine.ops.sparse.parts import (
    alike,
    for_compressed,
    for_sparse,
    is_compressed,
    is_sparse,
    parts_of,
    sparse_dims,
    title_of_layout,
    values_of,
)


def put(made: Tensor, out: Tensor) -> Tensor:
    """A computed result in an ``out=`` tensor, which keeps its layout and element type."""
    outputs.check_cast(made._dtype_, out._dtype_)
    if is_sparse(made) != is_sparse(out):
        raise RuntimeError(
            f"expected the result and the tensor given as out to have one layout, but they are "
            f"{title_of_layout(made)} and {title_of_layout(out)}"
        )
    if not is_sparse(made):
        return outputs.copy_result(out, made)
    converted = alike(made, copies.to_dtype(values_of(made), out._dtype_))
    return sparse_tensors.replace(out, between.like(converted, out))


def _without_values_like(self: Tensor, size: Any) -> Tensor:
    """A tensor of another size that is zero everywhere, in the layout of this one."""
    device = self._storage_.device
    if is_compressed(self):
        parts = parts_of(self)
        return without_values_of_layout(
            size, self._dtype_, parts.layout, dense_dim=len(parts.dense),
            block=parts.block if parts.is_blocked else None, kind=parts.plain._dtype_,
            device=device,
        )  # fmt: skip
    return without_values(size, len(size), self._dtype_, device)


@for_sparse("zeros.out", "empty.out")
@for_compressed("zeros.out", "empty.out")
def zeros_out(size: Any, *given: Any) -> Tensor:
    out: Tensor = given[-1]
    return sparse_tensors.replace(out, _without_values_like(out, tuple(size)))


@for_sparse("resize_as_sparse_")
@for_compressed("resize_as_sparse_")
def resize_as(self: Tensor, the_template: Tensor) -> Tensor:
    """The size of another sparse tensor; values stay where they fit."""
    if not is_sparse(self) or not is_sparse(the_template):
        raise RuntimeError(
            f"resize_as_sparse_: expected sparse tensors, but got {title_of_layout(self)} and "
            f"{title_of_layout(the_template)}"
        )
    if is_compressed(self):
        if sparse_tensors.layout_of(self) is not sparse_tensors.layout_of(the_template):
            raise RuntimeError(
                "resize_as_sparse_compressed_tensor_: self and src must have the same layout, but got: "
                f"self ({title_of_layout(self)}) and source ({title_of_layout(the_template)})"
            )
        if self._size_ == the_template._size_:
            return self
        return sparse_tensors.replace(self, _without_values_like(self, the_template._size_))
    count = sparse_dims(the_template)
    return shapes.resize(self, the_template._size_, count, len(the_template._size_) - count)


@for_sparse("resize_as_")
@for_compressed("resize_as_")
def resize_as_any(self: Tensor, the_template: Tensor, memory_format: Any) -> Tensor:
    return resize_as(self, the_template)

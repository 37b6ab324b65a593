"""Sparse tensors from parts."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import sparse as calls
from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation, joining, pointwise, reduction
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core import state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import Sizes, public_function, steps
from rushlight.engine.loops import placement, promotion
from rushlight.engine.ops import answers, bridge
from rushlight.engine.ops.kinds.views import composite, explicit
from rushlight.engine.ops.sparse.parts import (
    flat_places,
    for_sparse,
    from_coordinates,
    is_sparse,
    title_of_layout,
)


def check_device(device: Any) -> None:
    """Raise for places where there are no sparse tensors."""
    where = device or state.default_device()
    # Whether a device is here is asked first: that is when it is made usable.
    if where.type not in ("cpu", "meta") and not (
        where.is_here and devices.place(where).type in placement.planners
    ):
        raise NotImplementedError(f"sparse tensors on the device {where} are not supported")


def without_values(size: Any, sparse_dims: int, dtype: Any, device: Any = None) -> Tensor:
    """A sparse tensor that is zero everywhere."""
    shape = tuple(size)
    sparse_tensors.check_countable(shape)
    where = device or state.default_device()
    indices = tensors.empty((sparse_dims, 0), dtypes.int64, where)
    values = tensors.empty((0, *shape[sparse_dims:]), dtype or state.default_dtype(), where)
    return from_coordinates(indices, values, shape, True)


@explicit("_sparse_coo_tensor_with_dims")
def with_dims(
    sparse_dim: int, dense_dim: int, size: Any, dtype: Any, layout: Any, device: Any, pin: Any
) -> Tensor:
    check_device(device)
    steps.Unrepeatable.note()
    _check_dims(size, sparse_dim, dense_dim)
    return without_values(size, sparse_dim, dtype, device)


def _check_dims(size: Any, sparse_dim: int, dense_dim: int) -> None:
    if len(size) != sparse_dim + dense_dim:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, "
            f"sparse_dim = {sparse_dim}, dense_dim = {dense_dim}"
        )


@explicit("_sparse_coo_tensor_with_dims_and_tensors")
def with_parts(
    sparse_dim: int, dense_dim: int, size: Any, indices: Tensor, values: Tensor, dtype: Any,
    layout: Any, device: Any, pin_memory: Any, is_coalesced: bool | None,
) -> Tensor:  # fmt: skip
    check_device(device or values._storage_.device)
    steps.Unrepeatable.note()
    _check_dims(size, sparse_dim, dense_dim)
    held = tensors.same_elements(values)
    places = tensors.same_elements(copies.to_dtype(indices, dtypes.int64))
    return from_coordinates(places, held, tuple(size), bool(is_coalesced))


@composite("_sparse_coo_tensor_unsafe")
def unsafe(
    indices: Tensor, values: Tensor, size: Any, dtype: Any, layout: Any, device: Any,
    pin_memory: Any, is_coalesced: bool | None,
) -> Tensor:  # fmt: skip
    sparse_dims, dense_dims = _dims(indices, values)
    return calls._sparse_coo_tensor_with_dims_and_tensors(
        sparse_dims, dense_dims, size, indices, values, values._dtype_, layout,
        values._storage_.device, pin_memory, is_coalesced,
    )  # fmt: skip


@composite("sparse_coo_tensor.size")
def of_size(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    return calls._sparse_coo_tensor_with_dims(
        len(size), 0, size, dtype, layouts.sparse_coo, device, pin_memory
    )


@composite("sparse_coo_tensor.indices")
def of_parts(
    indices: Tensor, values: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any,
    is_coalesced: bool | None,
) -> Tensor:  # fmt: skip
    size = size_from(indices, values)
    return unsafe(indices, values, size, dtype, layout, device, pin_memory, is_coalesced)


@composite("sparse_coo_tensor.indices_size")
def of_parts_and_size(
    indices: Tensor, values: Tensor, size: Any, dtype: Any, layout: Any, device: Any,
    pin_memory: Any, is_coalesced: bool | None,
) -> Tensor:  # fmt: skip
    check_shapes(indices, values, size)
    check_bounds(indices, size)
    return unsafe(indices, values, size, dtype, layout, device, pin_memory, is_coalesced)


def _check_diagonals(diagonals: Tensor, offsets: Tensor, shape: Any, layout: Any) -> None:
    rows = diagonals._size_[0] if len(diagonals._size_) == 2 else 1
    allowed = (layouts.sparse_coo, layouts.sparse_csc, layouts.sparse_csr)
    checks = {
        "Diagonals must be vector or matrix": 1 <= len(diagonals._size_) <= 2,
        "Output shape must be 2d": len(shape) == 2,
        "Offsets must be scalar or vector": len(offsets._size_) <= 1,
        f"Number of diagonals ({rows}) does not match the number of offsets ({offsets._numel_})": (
            rows == offsets._numel_
        ),
        f"Offset Tensor must have dtype Long but got {promotion.title(offsets._dtype_)}": (
            offsets._dtype_ is dtypes.int64
        ),
        "Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got "
        + layouts.title(layout): layout in allowed,
    }
    for message, holds in checks.items():
        if not holds:
            raise RuntimeError(message)


@composite("_spdiags")
def from_diagonals(diagonals: Tensor, offsets: Tensor, shape: Any, layout: Any) -> Tensor:
    """A matrix of which some diagonals have values: those of a row's element lie in its column."""
    wanted = layouts.sparse_coo if layout is None else layout
    _check_diagonals(diagonals, offsets, shape, wanted)
    starts = bridge.elements(offsets).reshape(-1).tolist()
    if len(set(starts)) != len(starts):
        raise RuntimeError("Offset tensor contains duplicate values")
    rows = views.reshape(diagonals, (len(starts), diagonals._size_[-1]))
    indices, values = [], []
    for k, offset in enumerate(starts):
        first = max(offset, 0)
        count = min(shape[0] + offset, shape[1], rows._size_[1]) - first
        if -offset >= shape[0] or offset >= shape[1]:
            raise RuntimeError(
                f"spdiags: diagonal {offset} is outside a matrix of size {list(shape)}"
            )
        where = diagonals._storage_.device
        columns = creation.arange_start(first, first + max(count, 0), dtypes.int64, None, where)
        lines = pointwise.sub_Scalar(columns, offset)
        indices.append(joining.stack([lines, columns], 0))
        values.append(views.narrow(views.select_int(rows, 0, k), 0, first, max(count, 0)))
    made = of_parts_and_size(
        joining.cat(indices, 1), joining.cat(values, 0), list(shape), None, None, None, None, None
    )
    return made if wanted is layouts.sparse_coo else calls.to_sparse(made, layout=wanted)


# -- checks --


def _dims(indices: Tensor, values: Tensor) -> tuple[int, int]:
    return indices._size_[0], len(values._size_) - 1


def check_parts(indices: Tensor, values: Tensor) -> None:
    """Raise for tensors that cannot be indices and values."""
    for name, given in (("indices", indices), ("values", values)):
        if is_sparse(given):
            raise RuntimeError(
                f"expected {name} to be a dense tensor, but got {name} of layout "
                f"{title_of_layout(given)}"
            )
    if len(indices._size_) != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(indices._size_)}")
    count = values._size_[0] if values._size_ else 1
    if not values._size_ or indices._size_[1] != count:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {indices._size_[1]}, "
            f"nnz from values: {count}"
        )


def check_shapes(indices: Tensor, values: Tensor, size: Any) -> None:
    """Raise for parts that do not fit together, whatever the indices are."""
    check_parts(indices, values)
    _check_dims(size, *_dims(indices, values))
    dense = tuple(size[indices._size_[0] :])
    if tuple(values._size_[1:]) != dense:
        raise RuntimeError(
            f"values has incorrect size, expected {[values._size_[0], *dense]}, got "
            f"{list(values._size_)}"
        )


def _bounds(indices: Tensor) -> tuple[list[int], list[int]]:
    """The least and the greatest index of each dimension."""
    whole = copies.to_dtype(indices, dtypes.int64)
    found = (reduction.amin(whole, [1]), reduction.amax(whole, [1]))
    least, most = (bridge.elements(x).tolist() for x in found)
    return least, most


def _are_inside(indices: Tensor, size: tuple[int, ...]) -> bool:
    """Whether no index is outside the sizes."""
    return all(
        answers.are_within(views.select_int(indices, 0, dim), 0, length - 1)
        for dim, length in enumerate(size)
    )


_repeated_are_inside = public_function(
    "bounds of sparse indices", _are_inside, sizes=lambda: Sizes(0b10)
)


def check_bounds(indices: Tensor, size: Any) -> None:
    """Raise for indices outside the sizes, if they are there to be looked at."""
    if not indices._numel_ or indices._storage_.device.type == "meta":
        return
    if _repeated_are_inside(indices, tuple(size[: indices._size_[0]])):
        return
    for dim, (least, most) in enumerate(zip(*_bounds(indices))):
        if least < 0:
            raise RuntimeError(f"found negative index {least} for dim {dim}")
        if most >= size[dim]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found "
                f"index {most}"
            )


def size_from(indices: Tensor, values: Tensor) -> tuple[int, ...]:
    """The smallest size that has all the indices."""
    check_parts(indices, values)
    if not indices._numel_:
        return (0,) * indices._size_[0] + tuple(values._size_[1:])
    least, most = _bounds(indices)
    for dim, index in enumerate(least):
        if index < 0:
            raise RuntimeError(f"found negative index {index} for dim {dim}")
    return tuple(index + 1 for index in most) + tuple(values._size_[1:])


@explicit("_validate_sparse_coo_tensor_args")
def validate(
    indices: Tensor, values: Tensor, size: Any, is_coalesced: bool | None, check_pinning: Any
) -> None:
    check_shapes(indices, values, size)
    check_bounds(indices, size)
    if is_coalesced and indices._size_[1] > 1:
        places = flat_places(indices, tuple(size[: indices._size_[0]]))
        count = places._numel_
        before, after = views.narrow(places, 0, 0, count - 1), views.narrow(places, 0, 1, count - 1)
        if not bridge.elements(pointwise.lt_Tensor(before, after)).all():
            raise RuntimeError(
                "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor"
            )


for_sparse("_validate_sparse_coo_tensor_args")(validate)

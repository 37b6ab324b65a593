"""Compressed matrices: rows (``sparse_csr``) or columns (``sparse_csc``) one after the other.

Most kernels are those of tensors with coordinates, which find the indices of every value through
`indices_of`; here is what makes such matrices, and what brings results back into their layout.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing, pointwise, reduction, searching
from rushlight.engine.calls import sparse as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.sparse import Compressed, from_compressed
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import promotion
from rushlight.engine.ops import bridge
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds.views import composite, cpu, explicit
from rushlight.engine.ops.sparse import (
    access,
    arithmetic,
    conversion,
    products,
    shapes,
    sums,
    unary,
)
from rushlight.engine.ops.sparse.making import check_device
from rushlight.engine.ops.sparse.parts import (
    alike,
    coalesced,
    copied,
    flat_places,
    for_compressed,
    for_sparse,
    from_coordinates,
    indices_of,
    is_compressed,
    is_sparse,
    new_zeros,
    parts_of,
    sparse_dims,
    title_of_layout,
    values_of,
)

LAYOUTS = (layouts.sparse_csr, layouts.sparse_csc)


# -- from one layout to another --


def coordinates(tensor: Tensor) -> Tensor:
    """A compressed matrix with coordinates."""
    indices = indices_of(tensor)
    return from_coordinates(indices, values_of(tensor), tensor._size, parts_of(tensor).coalesced)


def compress(sparse: Tensor, layout: Any) -> Tensor:
    """A sparse matrix, of any layout, in a compressed one."""
    if len(sparse._size) != 2 or sparse_dims(sparse) != 2:
        raise NotImplementedError(
            f"{layout}: only matrices can be compressed; batches of them and dense dimensions are "
            f"not supported (size {list(sparse._size)})"
        )
    by_rows = layout is layouts.sparse_csr
    whole = coalesced(sparse if by_rows else products.turned(sparse))
    outer, inner = views.unbind_int(indices_of(whole), 0)
    bounds = creation.arange(whole._size[0] + 1, dtypes.int64, None, None, None)
    starts = searching.searchsorted_Tensor(copies.contiguous(outer), bounds)
    parts = Compressed(starts, copies.clone(inner), copies.clone(values_of(whole)), layout, True)
    return from_compressed(parts, sparse._size)


def in_layout(sparse: Tensor, layout: Any) -> Tensor:
    """A sparse tensor in a given layout."""
    if sparse_tensors.layout_of(sparse) is layout:
        return sparse
    return coordinates(sparse) if layout is layouts.sparse_coo else compress(sparse, layout)


def _to_layout(self: Tensor, layout: Any, blocksize: Any, dense_dim: int | None) -> Tensor:
    steps.Unrepeatable.note()
    if blocksize is not None:
        raise NotImplementedError("to_sparse: blocks are not supported")
    if layout is layouts.strided:
        return conversion.dense_of(self, None, None)
    if layout not in (None, layouts.sparse_coo, *LAYOUTS):
        raise NotImplementedError(
            f"to_sparse: conversion from {title_of_layout(self)} to {layout} is not supported"
        )
    return in_layout(self, layout or layouts.sparse_coo)


for_sparse("_to_sparse")(_to_layout)
for_compressed("_to_sparse")(_to_layout)


@cpu("_to_sparse")
def sparse_of(self: Tensor, layout: Any, blocksize: Any, dense_dim: int | None) -> Tensor:
    if layout not in LAYOUTS:
        return conversion.sparse_of(self, layout, blocksize, dense_dim)
    if blocksize is not None or dense_dim:
        raise NotImplementedError(f"to_sparse: {layout} with blocks or dense dimensions")
    return compress(conversion.sparse_of_dims(self, len(self._size)), layout)


def _register_conversion(name: str, layout: Any) -> None:
    own = operators.operator(f"_{name}")

    @composite(name)
    def convert(self: Tensor, dense_dim: int | None) -> Tensor:
        return self if sparse_tensors.layout_of(self) is layout else own.call(self, dense_dim)

    @cpu(f"_{name}")
    def from_dense(self: Tensor, dense_dim: int | None) -> Tensor:
        return sparse_of(self, layout, None, dense_dim)

    @for_sparse(f"_{name}")
    @for_compressed(f"_{name}")
    def from_sparse(self: Tensor, dense_dim: int | None) -> Tensor:
        return _to_layout(self, layout, None, dense_dim)


_register_conversion("to_sparse_csr", layouts.sparse_csr)
_register_conversion("to_sparse_csc", layouts.sparse_csc)


@for_compressed("_to_sparse.sparse_dim")
def to_coordinates(self: Tensor, sparse_dim: int) -> Tensor:
    return coordinates(self)


# -- making --


def _words(layout: Any) -> tuple[str, str, str, str]:
    """What the indices of a layout, and the dimensions that they speak of, are called."""
    if layout is layouts.sparse_csr:
        return "crow_indices", "col_indices", "rows", "cols"
    return "ccol_indices", "row_indices", "columns", "rows"


def _check_layout(layout: Any, name: str = "sparse_compressed_tensor") -> None:
    if layout not in LAYOUTS:
        if layout in (layouts.sparse_bsr, layouts.sparse_bsc):
            raise NotImplementedError(f"tensors of layout {layout} are not supported")
        given = (
            "none" if layout is None else "Sparse" if layout is layouts.sparse_coo else "Strided"
        )
        raise RuntimeError(f"{name} expected sparse compressed tensor layout but got {given}")


def _check_shapes(
    compressed: Tensor, plain: Tensor, values: Tensor, size: Any, layout: Any
) -> None:
    outer, inner, lines, _ = _words(layout)
    if len(compressed._size) != 1 or len(values._size) != 1:
        raise NotImplementedError(
            f"{layout}: batches of matrices and dense dimensions are not supported"
        )
    if len(size) != 2:
        raise RuntimeError(
            "tensor dimensionality must be sum of batch, base, and dense dimensionalities (=0 + 2 + "
            f"0) but got {len(size)}"
        )
    kinds = compressed._dtype, plain._dtype
    if kinds[0] is not kinds[1]:
        raise RuntimeError(
            f"{outer} and {inner} must have the same dtype, bot got "
            f"{promotion.title(kinds[0])} and {promotion.title(kinds[1])}, respectively"
        )
    if kinds[0] not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            f"{outer} and {inner} must be an int32 or int64 type, but got "
            f"{promotion.title(kinds[0])}"
        )
    if plain._size != values._size:
        raise RuntimeError(
            f"{inner}.shape[-1] must be equal to nnz (={values._numel}) as defined by "
            f"values.shape[0], but got {plain._numel}"
        )
    count = size[0 if layout is layouts.sparse_csr else 1] + 1
    if compressed._numel != count:
        raise RuntimeError(
            f"{outer}.shape[-1] must be equal to the number of {lines} + 1 (={count}), but got "
            f"{compressed._numel}"
        )


def _check_bounds(compressed: Tensor, plain: Tensor, size: Any, layout: Any) -> None:
    """Raise for indices that lead outside the values or the sizes."""
    outer, inner, _, across = _words(layout)
    starts, places = bridge.array(compressed), bridge.array(plain)
    length = size[1 if layout is layouts.sparse_csr else 0]
    conditions = {
        f"{outer}[..., 0] == 0": starts[0] == 0,
        f"{outer}[..., -1] == nnz": starts[-1] == len(places),
        f"0 <= {outer}[..., 1:] - {outer}[..., :-1] <= n{across}": (
            starts[1:] >= starts[:-1]
        ).all(),
        f"0 <= {inner} < n{across}": not len(places) or 0 <= places.min() <= places.max() < length,
    }
    for text, holds in conditions.items():
        if not holds:
            raise RuntimeError(f"`{text}` is not satisfied.")


def _is_sorted(parts: Compressed, size: Any) -> bool:
    """Whether the values are in the order of the layout, and no two share a place."""
    indices = indices_of(from_compressed(parts, size))
    if not parts.by_rows:
        indices = shapes.rows_of(indices, (1, 0))
        size = (size[1], size[0])
    places = bridge.array(flat_places(indices, tuple(size)))
    return bool((places[1:] > places[:-1]).all())


@explicit("_validate_sparse_compressed_tensor_args")
def validate(
    compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, size: Any, layout: Any,
    check_pinning: Any,
) -> None:  # fmt: skip
    _check_layout(layout)
    _check_shapes(compressed_indices, plain_indices, values, size, layout)
    _check_bounds(compressed_indices, plain_indices, size, layout)


@explicit("_sparse_compressed_tensor_unsafe")
def unsafe(
    compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, size: Any, dtype: Any,
    layout: Any, device: Any, pin_memory: Any,
) -> Tensor:  # fmt: skip
    check_device(device or values._storage.device)
    steps.Unrepeatable.note()
    indices = tensors.same_elements(compressed_indices), tensors.same_elements(plain_indices)
    held = Compressed(*indices, tensors.same_elements(values), layout, False)
    return from_compressed(held, tuple(size))


@composite("sparse_compressed_tensor.comp_plain_value_size")
def of_parts_and_size(
    compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, size: Any, dtype: Any,
    layout: Any, device: Any, pin_memory: Any,
) -> Tensor:  # fmt: skip
    given = (compressed_indices, plain_indices, values, size)
    calls._validate_sparse_compressed_tensor_args(*given, layout)
    made = calls._sparse_compressed_tensor_unsafe(*given, values._dtype, layout, None, None)
    parts = parts_of(made)
    parts.is_sorted = _is_sorted(parts, tuple(size))
    return made


@composite("sparse_compressed_tensor.comp_plain_value")
def of_parts(
    compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, dtype: Any, layout: Any,
    device: Any, pin_memory: Any,
) -> Tensor:  # fmt: skip
    _check_layout(layout)
    across = int(bridge.array(plain_indices).max()) + 1 if plain_indices._numel else 0
    size = (compressed_indices._numel - 1, across)
    return of_parts_and_size(
        compressed_indices, plain_indices, values,
        size if layout is layouts.sparse_csr else size[::-1], dtype, layout, device, pin_memory,
    )  # fmt: skip


# -- parts --

_ROW, _COLUMN = "sparse row compressed tensor", "sparse column compressed tensor"
_PARTS = {
    "crow_indices": _ROW, "col_indices": _ROW, "ccol_indices": _COLUMN, "row_indices": _COLUMN,
}  # fmt: skip


def _register_part(name: str, expected: str) -> None:
    @cpu(name)
    @for_sparse(name)
    @for_compressed(name)
    def part(self: Tensor) -> Tensor:
        found = parts_of(self).named().get(name) if is_compressed(self) else None
        if found is None:
            raise RuntimeError(f"{name} expected {expected} layout but got {title_of_layout(self)}")
        return tensors.same_elements(found)


for _name, _expected in _PARTS.items():
    _register_part(_name, _expected)


def _refusing(name: str) -> Any:
    def refuse(self: Tensor) -> Any:
        raise RuntimeError(
            f"{name} expected sparse coordinate tensor layout but got {title_of_layout(self)}"
        )

    return refuse


for _name in ("indices", "is_coalesced"):
    for_compressed(_name)(_refusing(_name))


@for_compressed("values")
def values(self: Tensor) -> Tensor:
    return tensors.same_elements(values_of(self))


@for_compressed("_nnz")
def count(self: Tensor) -> int:
    return values_of(self)._size[0]


# -- what the kernels for coordinates do, brought back into the layout --


def _first_compressed(args: tuple[Any, ...]) -> Tensor:
    return next(t for t in args if isinstance(t, Tensor) and is_compressed(t))


def _keeping(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with a sparse result in the layout of its first compressed argument."""

    def run(*args: Any) -> Any:
        found = function(*args)
        if not isinstance(found, Tensor) or not is_sparse(found):
            return found
        return in_layout(found, sparse_tensors.layout_of(_first_compressed(args)))

    return run


def _changing(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """The in-place form of a function."""

    def change(self: Tensor, *args: Any) -> Tensor:
        made = _keeping(function)(self, *args)
        if not promotion.can_cast(made._dtype, self._dtype):
            raise RuntimeError(
                f"result type {promotion.title(made._dtype)} can't be cast to the desired output "
                f"type {promotion.title(self._dtype)}"
            )
        if not is_sparse(self):
            return copies.copy_(self, made, False)
        converted = alike(made, copies.to_dtype(values_of(made), self._dtype))
        return sparse_tensors.replace(self, in_layout(converted, sparse_tensors.layout_of(self)))

    return change


def add(self: Tensor, other: Tensor, alpha: Any) -> Tensor:
    """The sum; unlike tensors with coordinates, matrices take a dense one on either side."""
    if is_sparse(self) and not is_sparse(other) and other._size == self._size:
        return arithmetic.add(pointwise.mul_Scalar(other, alpha), self, 1)
    return arithmetic.add(self, other, alpha)


def sub(self: Tensor, other: Tensor, alpha: Any) -> Tensor:
    return add(self, other, -alpha)


_AS_THEY_ARE = {
    "sparse_dim": access.sparse_dim, "dense_dim": access.dense_dim, "_to_dense": conversion.dense_of,
    "clone": conversion.clone, "detach": conversion.alias, "alias": conversion.alias,
    "lift_fresh": conversion.alias, "detach_": conversion.detach_, "_to_copy": conversion.to_copy,
    "sparse_mask": conversion.sparse_mask, "sum": sums.total, "mv": products.mv,
    "positive": unary.itself, "_coalesce": access.in_order,
}  # fmt: skip
_KEPT = {
    "add.Tensor": add, "sub.Tensor": sub, "rsub.Tensor": arithmetic.rsub,
    "mul.Tensor": arithmetic.mul, "mul.Scalar": arithmetic.mul_number, "div.Tensor": arithmetic.div,
    "div.Scalar": arithmetic.div_number, "pow.Tensor_Scalar": unary.pow_number, "mm": products.mm,
    "addmm": products.addmm, "_sparse_addmm": products.addmm, "_linear_planned": products.linear,
    "_sparse_sparse_matmul": products.sparse_matmul, "_conj": unary.conjugate,
}  # fmt: skip
_CHANGED = {
    "add_.Tensor": arithmetic.add, "sub_.Tensor": arithmetic.sub, "mul_.Tensor": arithmetic.mul,
    "mul_.Scalar": arithmetic.mul_number, "div_.Tensor": arithmetic.div,
    "div_.Scalar": arithmetic.div_number, "addmm_": products.addmm,
}  # fmt: skip
for _name, _function in _AS_THEY_ARE.items():
    for_compressed(_name)(_function)
for _name, _function in _KEPT.items():
    for_compressed(_name)(_keeping(_function))
for _name, _function in _CHANGED.items():
    for_compressed(_name)(_changing(_function))
for _name in ("add.Scalar", "add_.Scalar", "sub.Scalar", "sub_.Scalar"):
    for_compressed(_name)(arithmetic.refuse_dense_addend)


def _register_unary(name: str) -> None:
    function = operators.operator(name).call

    def of_values(self: Tensor, *args: Any) -> Tensor:
        return alike(self, function(values_of(self), *args))

    for_compressed(name)(of_values)
    packet, _, overload = name.partition(".")
    inplace = operators.find(f"{packet}_.{overload}" if overload else f"{packet}_")
    if inplace is not None:
        for_compressed(inplace.full_name)(_changing(of_values))


for _name in sorted(unary.NAMES):
    _register_unary(_name)


@for_compressed("copy_")
def copy_(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    if sparse_tensors.layout_of(self) is not sparse_tensors.layout_of(src):
        raise RuntimeError(
            f"copy of sparse compressed tensors having different layouts is not supported. self "
            f"layout is {title_of_layout(self)} and src layout is {title_of_layout(src)}"
        )
    if self is src:
        return self
    made = copied(src)
    converted = alike(made, copies.to_dtype(values_of(made), self._dtype))
    return sparse_tensors.replace(self, converted)


@for_compressed("zero_")
def zero_(self: Tensor) -> Tensor:
    return sparse_tensors.replace(self, zeros_like(self, None, None, None, None, None))


@for_compressed("zeros_like")
def zeros_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    check_device(device)
    if layout is layouts.strided:
        made = tensors.empty(self._size, dtype or self._dtype, self._storage.device)
        return copies.zero_(made)
    wanted = layout or sparse_tensors.layout_of(self)
    return creation.zeros(list(self._size), dtype or self._dtype, wanted)


@for_compressed("empty_like")
def empty_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    if layout is not None and layout is not sparse_tensors.layout_of(self):
        return zeros_like(self, dtype, layout, device, pin_memory, memory_format)
    return conversion.to_copy(self, dtype, None, device, None, False, None)


@for_compressed("new_empty", "new_zeros")
def new_zeros_of_layout(
    self: Tensor, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    wanted = layout or sparse_tensors.layout_of(self)
    return creation.zeros(list(size), dtype or self._dtype, wanted)


for_compressed("new_full", "new_ones", "full_like")(conversion.refuse_full)


@for_compressed("is_same_size")
def is_same_size(self: Tensor, other: Tensor) -> bool:
    return self._size == other._size


@for_compressed("t")
def t(self: Tensor) -> Tensor:
    """The same parts read the other way: rows become columns."""
    parts = parts_of(copied(self))
    other = layouts.sparse_csc if parts.by_rows else layouts.sparse_csr
    made = Compressed(parts.compressed, parts.plain, parts.values, other, parts.is_sorted)
    return from_compressed(made, (self._size[1], self._size[0]))


@for_compressed("transpose.int")
def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    first, second = wrap_dim(dim0, 2), wrap_dim(dim1, 2)
    return copied(self) if first == second else t(self)


@for_compressed("permute")
def permute(self: Tensor, dims: Any) -> Tensor:
    order = [wrap_dim(d, 2) for d in dims]
    if sorted(order) != [0, 1]:
        raise RuntimeError(f"permute(): {list(dims)} is not an order of the two dimensions")
    return copied(self) if order == [0, 1] else t(self)


@for_compressed("select.int")
def select(self: Tensor, dim: int, index: int) -> Tensor:
    return shapes.select(coordinates(self), dim, index)


@for_compressed("unbind.int")
def unbind(self: Tensor, dim: int) -> tuple[Tensor, ...]:
    return shapes.unbind(coordinates(self), dim)


# -- products that only compute what is asked for, and other ways of putting rows together --


@for_compressed("sparse_sampled_addmm")
def sampled_addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    """``beta * self + alpha * (mat1 @ mat2)`` where ``self`` has values."""
    if not is_compressed(self) or is_sparse(mat1) or is_sparse(mat2):
        raise RuntimeError("sampled_addmm: expected a compressed matrix and two dense ones")
    shape = (mat1._size[0], mat2._size[-1])
    if len(mat1._size) != 2 or len(mat2._size) != 2 or shape != tuple(self._size):
        raise RuntimeError(
            f"sampled_addmm: sizes {list(self._size)}, {list(mat1._size)} and {list(mat2._size)} do "
            "not fit together"
        )
    if mat1._size[1] != mat2._size[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({mat1._size[0]}x{mat1._size[1]} and "
            f"{mat2._size[0]}x{mat2._size[1]})"
        )
    rows, columns = views.unbind_int(indices_of(self), 0)
    left = indexing.index_select(mat1, 0, rows)
    right = indexing.index_select(views.t(mat2), 0, columns)
    found = reduction.sum_dim_IntList(pointwise.mul_Tensor(left, right), [1])
    before = pointwise.mul_Scalar(values_of(self), beta)
    return alike(self, pointwise.add_Tensor(before, found, alpha=alpha))


_REDUCTIONS = ("sum", "mean", "amax", "amin", "prod")


@composite("_sparse_mm.reduce")
def mm_reduced(sparse: Tensor, dense: Tensor, reduce: str) -> Tensor:
    """A product in which the terms of an element are not summed but reduced otherwise."""
    if reduce not in _REDUCTIONS:
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    if not is_compressed(sparse) or is_sparse(dense):
        raise NotImplementedError("mm with a reduction needs a compressed matrix and a dense one")
    rows, columns = views.unbind_int(indices_of(sparse), 0)
    factors = views.unsqueeze(calls.values(sparse), 1)
    terms = pointwise.mul_Tensor(indexing.index_select(dense, 0, columns), factors)
    made = new_zeros((sparse._size[0], dense._size[1]), terms)
    if reduce == "sum":
        return indexing.index_add(made, 0, rows, terms)
    return indexing.index_reduce(made, 0, rows, terms, reduce, include_self=False)

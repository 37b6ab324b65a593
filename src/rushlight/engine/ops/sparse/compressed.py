"""Compressed tensors: matrices line by line, in batches, with blocks or dense dimensions for values.

Most kernels are those of tensors with coordinates, which find the indices of every value through
`indices_of`; here is what brings their results back into the layout, and what works on the parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import sparse as calls
from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation, indexing, pointwise, reduction, searching
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.sparse import Compressed, from_compressed
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.loops import promotion
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds.views import composite, cpu
from rushlight.engine.ops.sparse import (
    access,
    arithmetic,
    between,
    conversion,
    device_products,
    products,
    shapes,
    sums,
    unary,
)
from rushlight.engine.ops.sparse.making import check_device
from rushlight.engine.ops.sparse.making import without_values as without_places
from rushlight.engine.ops.sparse.making_compressed import without_values
from rushlight.engine.ops.sparse.parts import (
    alike,
    coalesced,
    copied,
    flat_places,
    for_compressed,
    for_sparse,
    from_coordinates,
    indices_of,
    indices_of_places,
    is_compressed,
    is_sparse,
    new_zeros,
    parts_of,
    title_of_layout,
    values_of,
)

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


@for_compressed("values", "_values")
def values(self: Tensor) -> Tensor:
    return tensors.same_elements(parts_of(self).values)


@for_compressed("_nnz")
def count(self: Tensor) -> int:
    """How many values, or blocks, each matrix has."""
    return int(parts_of(self).plain._size_[-1])


@for_compressed("sparse_dim")
def sparse_dim(self: Tensor) -> int:
    return 2


@for_compressed("dense_dim")
def dense_dim(self: Tensor) -> int:
    return len(parts_of(self).dense)


# -- what the kernels for coordinates do, brought back into the layout --


def _first_compressed(args: tuple[Any, ...]) -> Tensor:
    return next(t for t in args if isinstance(t, Tensor) and is_compressed(t))


def _keeping(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with a sparse result in the layout of its first compressed argument."""

    def run(*args: Any) -> Any:
        found = function(*args)
        if not isinstance(found, Tensor) or not is_sparse(found):
            return found
        return between.like(found, _first_compressed(args))

    return run


def _changing(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """The in-place form of a function."""

    def change(self: Tensor, *args: Any) -> Tensor:
        made = _keeping(function)(self, *args)
        if not promotion.can_cast(made._dtype_, self._dtype_):
            raise RuntimeError(
                f"result type {promotion.title(made._dtype_)} can't be cast to the desired output "
                f"type {promotion.title(self._dtype_)}"
            )
        if not is_sparse(self):
            return copies.copy_(self, made, False)
        converted = alike(made, copies.to_dtype(values_of(made), self._dtype_))
        return sparse_tensors.replace(self, between.like(converted, self))

    return change


def add(self: Tensor, other: Tensor, alpha: Any) -> Tensor:
    """The sum; unlike tensors with coordinates, matrices take a dense one on either side."""
    if is_sparse(self) and not is_sparse(other) and other._size_ == self._size_:
        return arithmetic.add(pointwise.mul_Scalar(other, alpha), self, 1)
    return arithmetic.add(self, other, alpha)


def sub(self: Tensor, other: Tensor, alpha: Any) -> Tensor:
    return add(self, other, -alpha)


def addmv(self: Tensor, mat: Tensor, vec: Tensor, beta: Any, alpha: Any) -> Tensor:
    """``beta * self + alpha * (mat @ vec)`` with a sparse matrix."""
    product = pointwise.mul_Scalar(products.mv(mat, vec), alpha)
    if beta == 0:
        return product
    return pointwise.add_Tensor(product, self, alpha=beta)


for_sparse("addmv")(addmv)

_AS_THEY_ARE: dict[str, Callable[..., Any]] = {
    "_to_dense": conversion.dense_of,
    "clone": conversion.clone, "detach": conversion.alias, "alias": conversion.alias,
    "lift_fresh": conversion.alias, "detach_": conversion.detach_, "_to_copy": conversion.to_copy,
    "sparse_mask": conversion.sparse_mask, "sum": sums.total, "mv": products.mv,
    "bmm": products.bmm, "addmv": addmv, "positive": unary.itself, "_coalesce": access.in_order,
}  # fmt: skip
_KEPT: dict[str, Callable[..., Any]] = {
    "add.Tensor": add, "sub.Tensor": sub, "rsub.Tensor": arithmetic.rsub,
    "mul.Tensor": arithmetic.mul, "mul.Scalar": arithmetic.mul_number, "div.Tensor": arithmetic.div,
    "div.Scalar": arithmetic.div_number, "pow.Tensor_Scalar": unary.pow_number, "mm": products.mm,
    "addmm": products.addmm, "_sparse_addmm": products.addmm, "_linear_planned": products.linear,
    "_sparse_sparse_matmul": products.sparse_matmul, "_conj": unary.conjugate,
}  # fmt: skip
_CHANGED: dict[str, Callable[..., Any]] = {
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
        return alike(self, function(parts_of(self).values, *args))

    for_compressed(name)(of_values)
    packet, _, overload = name.partition(".")
    inplace = operators.find(f"{packet}_.{overload}" if overload else f"{packet}_")
    if inplace is not None:
        for_compressed(inplace.full_name)(_changing(of_values))


for _name in sorted(unary.NAMES):
    _register_unary(_name)


def _check_copy(mine: Compressed, theirs: Compressed, self: Tensor, src: Tensor) -> None:
    """Raise where the parts of one tensor cannot be those of the other."""
    if sparse_tensors.count_of(mine) != sparse_tensors.count_of(theirs):
        raise RuntimeError(
            "copy_: only sparse compressed tensors with the same number of specified elements are "
            "supported."
        )
    at = len(mine.batch) + (0 if mine.by_rows else 1)
    if self._size_[at] != src._size_[at]:
        lines = "rows" if mine.by_rows else "columns"
        raise RuntimeError(
            f"copy_: expected shapes of self and src to match along dimension {at} for "
            f"{title_of_layout(self)} layout but the corresponding dimensions of self and src are "
            f"{self._size_[at]} and {src._size_[at]} {lines}, respectively."
        )
    if mine.block != theirs.block:
        raise RuntimeError(
            f"copy_: copy of sparse compressed tensors having different block sizes is not supported: "
            f"{list(mine.block)} and {list(theirs.block)}"
        )


@for_compressed("copy_")
def copy_(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    if sparse_tensors.layout_of(self) is not sparse_tensors.layout_of(src):
        raise RuntimeError(
            f"copy of sparse compressed tensors having different layouts is not supported. self "
            f"layout is {title_of_layout(self)} and src layout is {title_of_layout(src)}"
        )
    if self is src:
        return self
    _check_copy(parts_of(self), parts_of(src), self, src)
    made = copied(src)
    converted = alike(made, copies.to_dtype(values_of(made), self._dtype_))
    return sparse_tensors.replace(self, converted)


@for_compressed("zero_")
def zero_(self: Tensor) -> Tensor:
    return sparse_tensors.replace(self, zeros_like(self, None, None, None, None, None))


@for_compressed("zeros_like")
def zeros_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    check_device(device)
    kind, wanted = dtype or self._dtype_, layout or sparse_tensors.layout_of(self)
    if wanted is layouts.strided:
        return copies.zero_(tensors.empty(self._size_, kind, device or self._storage_.device))
    parts = parts_of(self)
    if wanted is layouts.sparse_coo:
        return without_places(
            self._size_, len(parts.batch) + 2, kind, device or self._storage_.device
        )
    if wanted in layouts.BLOCKED and not parts.is_blocked:
        return creation.zeros(list(self._size_), kind, wanted)
    return without_values(
        self._size_, kind, wanted, 0, len(parts.dense), parts.block if wanted in layouts.BLOCKED else None,
        parts.plain._dtype_, device or self._storage_.device,
    )  # fmt: skip


def _with_values_of(self: Tensor, made: Tensor) -> Tensor:
    """Other values, in the shape of the parts, at indices of their own."""
    return alike(copied(self), made)


def _check_same_layout(self: Tensor, layout: Any, name: str) -> None:
    own = sparse_tensors.layout_of(self)
    if layout not in (None, own):
        raise RuntimeError(
            f"{name} with different sparse layout is not supported (self is {layouts.title(own)} but "
            f"you requested {layouts.title(layout)})"
        )


@for_compressed("empty_like")
def empty_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    check_device(device)
    _check_same_layout(self, layout, "empty_like")
    parts = parts_of(self)
    if device is not None and device is not self._storage_.device:
        outer, inner, values = (
            creation.empty_like(x, device=device)
            for x in (
                parts.compressed,
                parts.plain,
                copies.to_dtype(parts.values, dtype or self._dtype_),
            )
        )
        return from_compressed(Compressed(outer, inner, values, parts.layout, False), self._size_)
    return _with_values_of(self, creation.empty_like(parts.values, dtype))


def _register_like(name: str) -> None:
    """A factory that takes a tensor fills the values of one that is compressed."""
    function = operators.operator(name).call

    def fill(self: Tensor, *args: Any) -> Tensor:
        layout_at = len(args) - 4
        _check_same_layout(self, args[layout_at], "empty_like")
        given = (*args[:layout_at], None, *args[layout_at + 1 :])
        return _with_values_of(self, function(parts_of(self).values, *given))

    for_compressed(name)(fill)


for _name in ("full_like", "ones_like", "rand_like", "randn_like"):
    _register_like(_name)


@for_compressed("new_empty", "new_zeros")
def new_zeros_of_layout(
    self: Tensor, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    wanted = layout or sparse_tensors.layout_of(self)
    return creation.zeros(list(size), dtype or self._dtype_, wanted, device)


for_compressed("new_full")(conversion.new_full)
for_compressed("new_ones")(conversion.new_ones)


@for_compressed("is_same_size")
def is_same_size(self: Tensor, other: Tensor) -> bool:
    return self._size_ == other._size_


# -- other orders --

_TURNED = {
    layouts.sparse_csr: layouts.sparse_csc, layouts.sparse_csc: layouts.sparse_csr,
    layouts.sparse_bsr: layouts.sparse_bsc, layouts.sparse_bsc: layouts.sparse_bsr,
}  # fmt: skip


def _turned(self: Tensor) -> Tensor:
    """The same parts read the other way: rows become columns, also inside blocks."""
    parts = parts_of(self)
    at = len(parts.batch)
    values = views.transpose_int(parts.values, at + 1, at + 2) if parts.is_blocked else parts.values
    made = Compressed(
        tensors.same_elements(parts.compressed), tensors.same_elements(parts.plain),
        tensors.same_elements(values), _TURNED[parts.layout], parts.is_sorted,
    )  # fmt: skip
    size = list(self._size_)
    size[at], size[at + 1] = size[at + 1], size[at]
    return from_compressed(made, tuple(size))


@for_compressed("t")
def t(self: Tensor) -> Tensor:
    if len(self._size_) != 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {len(self._size_)}D"
        )
    return _turned(self)


def _of_parts(self: Tensor, size: Any, compressed: Any, plain: Any, values: Any) -> Tensor:
    parts = parts_of(self)
    outer, inner, held = (tensors.same_elements(x) for x in (compressed, plain, values))
    made = Compressed(outer, inner, held, parts.layout, parts.is_sorted)
    return from_compressed(made, tuple(size))


@for_compressed("transpose.int")
def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    ndim = len(self._size_)
    first, second = sorted((wrap_dim(dim0, ndim), wrap_dim(dim1, ndim)))
    parts = parts_of(self)
    batch = len(parts.batch)
    if first == second:
        return conversion.alias(self)
    if (first, second) == (batch, batch + 1):
        return _turned(self)
    size = list(self._size_)
    size[first], size[second] = size[second], size[first]
    held = parts.compressed, parts.plain, parts.values
    if second < batch:
        return _of_parts(self, size, *(views.transpose_int(x, first, second) for x in held))
    if first >= batch + 2:
        shift = 1 if parts.is_blocked else -1
        moved = views.transpose_int(parts.values, first + shift, second + shift)
        return _of_parts(self, size, parts.compressed, parts.plain, moved)
    raise RuntimeError(
        f"transpose(): can only transpose within batch, matrix and dense dimensions, but got {dim0} "
        f"and {dim1} for a tensor of {batch} batch and {len(parts.dense)} dense dimensions"
    )


@for_compressed("permute")
def permute(self: Tensor, dims: Any) -> Tensor:
    ndim = len(self._size_)
    order = [wrap_dim(d, ndim) for d in dims]
    if sorted(order) != list(range(ndim)):
        raise RuntimeError(f"permute(): {list(dims)} is not an order of {ndim} dimensions")
    made, at = self, list(range(ndim))
    for place, wanted in enumerate(order):
        here = at.index(wanted)
        if here != place:
            made = transpose(made, place, here)
            at[place], at[here] = at[here], at[place]
    return conversion.alias(made) if made is self else made


# -- parts of a tensor --


@for_compressed("select.int", "select_copy.int")
def select(self: Tensor, dim: int, index: int) -> Tensor:
    d, parts = wrap_dim(dim, len(self._size_)), parts_of(self)
    batch, length = len(parts.batch), self._size_[d]
    if not -length <= index < length:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self._size_)} at dimension "
            f"{d}"
        )
    if batch <= d < batch + 2:
        if batch:
            raise RuntimeError(
                "selecting sparse dimensions is not supported for batched sparse compressed tensors."
            )
        return coalesced(shapes.select(between.coordinates(self), d, index))
    size = self._size_[:d] + self._size_[d + 1 :]
    if d < batch:
        held = (parts.compressed, parts.plain, parts.values)
        return _of_parts(self, size, *(views.select_int(x, d, index) for x in held))
    chosen = views.select_int(parts.values, d + (1 if parts.is_blocked else -1), index)
    return _of_parts(self, size, parts.compressed, parts.plain, chosen)


@for_compressed("unbind.int")
def unbind(self: Tensor, dim: int) -> tuple[Tensor, ...]:
    d = wrap_dim(dim, len(self._size_))
    return tuple(select(self, d, k) for k in range(self._size_[d]))


@for_compressed("sum.dim_IntList")
def sum_dims(self: Tensor, dim: Any, keepdim: bool, dtype: Any) -> Tensor:
    if sparse_tensors.layout_of(self) is not layouts.sparse_csr:
        raise RuntimeError(
            "Currently the only compressed sparse format supported for sum.dim_IntList is CSR, but "
            f"got layout {title_of_layout(self)}"
        )
    if not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    return between.like(sums.sum_dims(self, dim, True, dtype), self)


@composite("_sparse_csr_sum.dim_dtype")
def rows_summed(self: Tensor, dim: Any, keepdim: bool, dtype: Any) -> Tensor:
    return reduction.sum_dim_IntList(self, dim, keepdim, dtype=dtype)


@for_compressed("_sparse_csr_prod.dim_dtype")
def product_of_values(self: Tensor, dim: Any, keepdim: bool, dtype: Any) -> Tensor:
    """Products along dimensions, of what has a value."""
    if not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    dims = sums.wrapped_dims(dim, len(self._size_))
    whole = between.coordinates(self)
    values = values_of(whole) if dtype is None else copies.to_dtype(values_of(whole), dtype)
    size = tuple(1 if d in dims else n for d, n in enumerate(self._size_))
    rows = sums.without_rows(indices_of(whole), dims, True)
    distinct, place, _ = searching._unique2(flat_places(rows, size), True, True, False)
    made = new_zeros((distinct._numel_,), values)
    indexing.index_reduce_(made, 0, place, values, "prod", include_self=False)
    found = from_coordinates(indices_of_places(distinct, size), made, size, True)
    return between.like(found, self)


# -- products that only compute what is asked for, and other ways of putting rows together --


@for_compressed("sparse_sampled_addmm")
def sampled_addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    """``beta * self + alpha * (mat1 @ mat2)`` where ``self`` has values."""
    _check_sampled(self, mat1, mat2)
    *batch, rows, columns = views.unbind_int(indices_of(self), 0)
    values = None if batch else device_products.sampled(self, mat1, mat2, beta, alpha)
    if values is not None:
        return alike(self, values)
    if not batch:
        other = views.t(mat2)
        if other._dtype_.is_complex:
            other = views.conj(other)
        found = products.products_at(rows, columns, mat1, other)
        before = pointwise.mul_Scalar(values_of(self), beta)
        return alike(self, pointwise.add_Tensor(before, found, alpha=alpha))
    left = indexing.index_Tensor(mat1, [*batch, rows])
    right = indexing.index_Tensor(views.transpose_int(mat2, -2, -1), [*batch, columns])
    found = reduction.sum_dim_IntList(pointwise.mul_Tensor(left, right), [1])
    before = pointwise.mul_Scalar(values_of(self), beta)
    return alike(self, pointwise.add_Tensor(before, found, alpha=alpha))


def _check_sampled(self: Tensor, mat1: Tensor, mat2: Tensor) -> None:
    name = "sampled_addmm"
    if not is_compressed(self) or not parts_of(self).by_rows:
        raise RuntimeError(
            f"{name}: Expected self to have sparse csr layout, but got {title_of_layout(self)}"
        )
    for word, given in (("mat1", mat1), ("mat2", mat2)):
        if is_sparse(given):
            raise RuntimeError(
                f"{name}: Expected {word} to have strided layout, but got {title_of_layout(given)}"
            )
        if given._dtype_ is not self._dtype_:
            raise RuntimeError(f"{name}: Expected self and {word} to have the same dtype")
        if len(given._size_) < 2:
            raise RuntimeError(
                f"{name}: Expected {word} to be a matrix, got {len(given._size_)}-D tensor"
            )
    if not len(mat1._size_) == len(mat2._size_) == len(self._size_):
        raise RuntimeError(f"{name}: Expected self, mat1, and mat2 to have as many dimensions")
    if not mat1._size_[:-2] == mat2._size_[:-2] == self._size_[:-2]:
        raise RuntimeError(
            f"{name}: Expected mat1 and mat2 to have the same batch size, but got "
            f"{list(mat1._size_[:-2])} and {list(mat2._size_[:-2])}"
        )
    if mat1._size_[-1] != mat2._size_[-2]:
        raise RuntimeError(
            f"{name}: mat1 and mat2 shapes cannot be multiplied ({mat1._size_[-2]}x{mat1._size_[-1]} "
            f"and {mat2._size_[-2]}x{mat2._size_[-1]})"
        )
    for k, given in ((-2, mat1), (-1, mat2)):
        if given._size_[k] != self._size_[k]:
            raise RuntimeError(
                f"{name}: self.shape[{k}] must match mat{k + 3}.shape[{k}]: {self._size_[k]} and "
                f"{given._size_[k]}"
            )


_REDUCTIONS = ("sum", "mean", "amax", "amin", "prod")


@composite("_sparse_mm.reduce")
def mm_reduced(sparse: Tensor, dense: Tensor, reduce: str) -> Tensor:
    """A product in which the terms of an element are not summed but reduced otherwise."""
    reduce = {"max": "amax", "min": "amin"}.get(reduce, reduce)
    if reduce not in _REDUCTIONS:
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    if not is_compressed(sparse) or is_sparse(dense):
        raise NotImplementedError("mm with a reduction needs a compressed matrix and a dense one")
    rows, columns = views.unbind_int(indices_of(sparse), 0)
    factors = views.unsqueeze(calls.values(sparse), 1)
    terms = pointwise.mul_Tensor(indexing.index_select(dense, 0, columns), factors)
    made = new_zeros((sparse._size_[0], dense._size_[1]), terms)
    if reduce == "sum":
        return indexing.index_add(made, 0, rows, terms)
    return indexing.index_reduce(made, 0, rows, terms, reduce, include_self=False)

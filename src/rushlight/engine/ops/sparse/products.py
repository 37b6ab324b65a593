"""Products of matrices of which some are sparse."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import sparse as calls
from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import (
    creation,
    indexing,
    joining,
    matrix,
    pointwise,
    reduction,
    searching,
)
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.sparse import device_products, walks
from rushlight.engine.ops.sparse.access import in_order
from rushlight.engine.ops.sparse.conversion import dense_of
from rushlight.engine.ops.sparse.parts import (
    coalesced,
    for_sparse,
    from_coordinates,
    indices_of,
    indices_of_blocks,
    is_compressed,
    is_sparse,
    new_zeros,
    parts_of,
    sparse_dims,
    sparse_size,
    values_of,
    with_values,
)
from rushlight.engine.ops.sparse.shapes import places_in_runs


def _check_matrices(left: Tensor, right: Tensor) -> None:
    for t in (left, right):
        if is_sparse(t) and sparse_dims(t) != 2:
            raise RuntimeError(
                f"mm: sparse matrices expected, but got one of {sparse_dims(t)} sparse and "
                f"{len(t._size_) - sparse_dims(t)} dense dimensions"
            )
        if len(t._size_) != 2:
            raise RuntimeError(f"addmm: matrices expected, got {len(t._size_)}D tensor")
    if left._size_[1] != right._size_[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({left._size_[0]}x{left._size_[1]} and "
            f"{right._size_[0]}x{right._size_[1]})"
        )
    if left._dtype_ is not right._dtype_:
        raise RuntimeError(
            f"expected scalar type {title(left._dtype_)} but found {title(right._dtype_)}"
        )


# -- one sparse factor --


def lines_of(matrix_: Tensor) -> walks.Lines:
    """A sparse matrix row by row."""
    size = (matrix_._size_[0], matrix_._size_[1])
    parts = parts_of(matrix_)
    if sparse_tensors.layout_of(matrix_) is layouts.sparse_csr:
        starts, places = (
            copies.contiguous(copies.to_dtype(x, dtypes.int64))
            for x in (parts.compressed, parts.plain)
        )
        return walks.Lines(starts, places, copies.contiguous(parts.values), size)
    rows, columns = views.unbind_int(indices_of(matrix_), 0)
    return walks.in_lines(rows, columns, values_of(matrix_), size)


def rows_times(rows: Tensor, columns: Tensor, values: Tensor, dense: Tensor, count: int) -> Tensor:
    """The product of a sparse matrix, given by its parts, and a dense one, as ``count`` rows."""
    if walks.have_code_for(dense) and dense._numel_:
        lines = walks.in_lines(rows, columns, values, (count, dense._size_[0]))
        return walks.times_dense(lines, dense)
    made = new_zeros((count, dense._size_[1]), dense)
    if not values._numel_ or not made._numel_:
        return made
    if dense._dtype_.category == dtypes.BOOLEAN:
        raise NotImplementedError("\"addmm_sparse_dense\" not implemented for 'Bool'")
    taken = indexing.index_select(dense, 0, columns)
    pointwise.mul__Tensor(taken, views.unsqueeze(values, 1))
    return indexing.index_add_(made, 0, rows, taken, 1)


def _blocks_times_dense(parts: Any, size: Any, dense: Tensor) -> Tensor:
    """The product of a matrix of blocks: each block times the rows that it meets, summed by lines."""
    (height, across), width = parts.block, dense._size_[1]
    lines, places = views.unbind_int(indices_of_blocks(parts), 0)
    met = views.reshape(dense, (size[1] // across, across * width))
    taken = views.view(indexing.index_select(met, 0, places), (places._numel_, across, width))
    products = views.reshape(matrix.bmm(parts.values, taken), (places._numel_, height * width))
    made = new_zeros((size[0] // height, height * width), dense)
    return views.view(indexing.index_add_(made, 0, lines, products, 1), (size[0], width))


def sparse_times_dense(sparse: Tensor, dense: Tensor) -> Tensor:
    parts = parts_of(sparse)
    if is_compressed(sparse) and parts.is_blocked and not parts.batch and dense._numel_:
        return _blocks_times_dense(parts, sparse._size_, dense)
    if walks.have_code_for(dense) and dense._numel_:
        return walks.times_dense(lines_of(sparse), dense)
    if walks.is_elsewhere(dense):
        made = device_products.times_dense(sparse, dense)
        if made is not None:
            return made
    rows, columns = views.unbind_int(indices_of(sparse), 0)
    return rows_times(rows, columns, values_of(sparse), dense, sparse._size_[0])


def turned(matrix_: Tensor) -> Tensor:
    """A sparse matrix, or a batch of them, transposed, over the same values."""
    *batch, row, column = views.unbind_int(indices_of(matrix_), 0)
    indices = joining.stack([*batch, column, row], 0)
    *before, rows, columns = sparse_size(matrix_)
    size = (*before, columns, rows, *matrix_._size_[len(before) + 2 :])
    return from_coordinates(indices, values_of(matrix_), size)


@for_sparse("mm")
def mm(self: Tensor, mat2: Tensor) -> Tensor:
    _check_matrices(self, mat2)
    if is_sparse(self) and is_sparse(mat2):
        return sparse_times_sparse(self, mat2)
    if is_sparse(self):
        return sparse_times_dense(self, mat2)
    made = sparse_times_dense(turned(mat2), views.t(self))
    return copies.contiguous(views.t(made))


@for_sparse("mv")
def mv(self: Tensor, vec: Tensor) -> Tensor:
    if not is_sparse(self) or is_sparse(vec):
        raise RuntimeError("mv: expected a sparse matrix and a dense vector")
    if len(self._size_) != 2 or len(vec._size_) != 1 or self._size_[1] != vec._size_[0]:
        raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
    return views.select_int(mm(self, views.unsqueeze(vec, 1)), 1, 0)


@for_sparse("bmm")
def bmm(self: Tensor, mat2: Tensor) -> Tensor:
    """A product for each matrix of a batch: rows and columns of all matrices are numbered through."""
    if not is_sparse(self) or is_sparse(mat2):
        raise RuntimeError("bmm_sparse: Tensor 'mat2' must be dense")
    if len(mat2._size_) != 3:
        raise RuntimeError(
            f"bmm_sparse: Tensor 'mat2' must have 3 dims, but has {len(mat2._size_)}"
        )
    batch, count, inner = self._size_
    if mat2._size_[:2] != (batch, inner):
        raise RuntimeError(
            f"bmm_sparse: sizes {list(self._size_)} and {list(mat2._size_)} do not fit together"
        )
    which, rows, columns = views.unbind_int(indices_of(self), 0)
    made = rows_times(
        pointwise.add_Tensor(rows, which, alpha=count),
        pointwise.add_Tensor(columns, which, alpha=inner),
        values_of(self), views.reshape(mat2, (batch * inner, mat2._size_[2])), batch * count,
    )  # fmt: skip
    return views.view(made, (batch, count, mat2._size_[2]))


def _check_addend(self: Tensor, mat1: Tensor, mat2: Tensor) -> None:
    if is_sparse(self):
        if is_sparse(mat2):
            raise RuntimeError(
                "addmm_sparse_dense: expected strided result tensor, got tensor with layout Sparse"
            )
        raise RuntimeError("expand is unsupported for Sparse tensors")
    if not is_sparse(mat1) or is_sparse(mat2):
        shown = ["Sparse" if is_sparse(t) else "Strided" for t in (mat1, mat2)]
        raise RuntimeError(
            "addmm_sparse_dense: expected either 'mat1' to have sparse layout and 'mat2' to have "
            f"strided layout, got 'mat1' with layout {shown[0]} and 'mat2' with layout {shown[1]}"
        )


@for_sparse("addmm", "_sparse_addmm")
def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    _check_addend(self, mat1, mat2)
    made = mm(mat1, mat2)
    if alpha != 1:
        made = pointwise.mul_Scalar(made, alpha)
    if beta == 0:
        return made
    return pointwise.add_Tensor(made, views.expand(self, list(made._size_)), alpha=beta)


@for_sparse("addmm_")
def addmm_(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    return copies.copy_(self, addmm(self, mat1, mat2, beta, alpha), False)


@for_sparse("addmm.out")
def addmm_out(
    self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any, out: Tensor
) -> Tensor:
    return outputs.copy_result(out, addmm(self, mat1, mat2, beta, alpha))


@for_sparse("mm.out")
def mm_out(self: Tensor, mat2: Tensor, out: Tensor) -> Tensor:
    made = mm(self, mat2)
    if is_sparse(made) or is_sparse(out):
        return copies.copy_(out, made, False)
    return outputs.copy_result(out, made)


@for_sparse("_linear_planned")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    made = matrix.matmul(input, views.t(weight))
    return made if bias is None else pointwise.add_Tensor(made, bias, alpha=1)


# -- two sparse factors --


def sparse_times_sparse(self: Tensor, other: Tensor) -> Tensor:
    """Every value of the left matrix times each value in its row of the right one; those that come
    to lie on the same place are summed."""
    size = (self._size_[0], other._size_[1])
    if walks.have_code_for(self):
        starts, places, values = walks.times_lines(lines_of(self), lines_of(other))
        rows = walks.rows_of(starts, values._numel_)
        return from_coordinates(joining.stack([rows, places], 0), values, size, True)
    found = (
        device_products.times_sparse(self, other) if walks.is_elsewhere(values_of(self)) else None
    )
    if found is not None:
        starts, places, values = found
        counts = pointwise.sub_Tensor(
            views.narrow(starts, 0, 1, size[0]), views.narrow(starts, 0, 0, size[0]), alpha=1
        )
        rows = views.repeat_interleave_Tensor(counts)
        return in_order(from_coordinates(joining.stack([rows, places], 0), values, size))
    left, right = coalesced(self), coalesced(other)
    rows, inner = views.unbind_int(indices_of(left), 0)
    right_rows, columns = views.unbind_int(indices_of(right), 0)
    starts, counts = _runs(right_rows, inner)
    owner = views.repeat_interleave_Tensor(counts)
    within = places_in_runs(counts, owner)
    chosen = pointwise.add_Tensor(indexing.index_select(starts, 0, owner), within, alpha=1)
    values = pointwise.mul_Tensor(
        indexing.index_select(values_of(left), 0, owner),
        indexing.index_select(values_of(right), 0, chosen),
    )
    indices = joining.stack(
        [indexing.index_select(rows, 0, owner), indexing.index_select(columns, 0, chosen)], 0
    )
    return in_order(from_coordinates(indices, values, size))


def _runs(ordered: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """Where each wanted number begins among those in order, and how often it is there."""
    starts = searching.searchsorted_Tensor(ordered, wanted)
    ends = searching.searchsorted_Tensor(ordered, wanted, right=True)
    return starts, pointwise.sub_Tensor(ends, starts, alpha=1)


@for_sparse("_sparse_sparse_matmul")
def sparse_matmul(self: Tensor, other: Tensor) -> Tensor:
    _check_matrices(self, other)
    return sparse_times_sparse(self, other)


@composite("_sparse_mm")
def sparse_mm(sparse: Tensor, dense: Tensor) -> Tensor:
    if is_sparse(sparse) and is_sparse(dense):
        return calls._sparse_sparse_matmul(sparse, dense)
    if is_sparse(dense):
        return views.t(calls._sparse_mm(views.t(dense), views.t(sparse)))
    if not is_sparse(sparse):
        return matrix.mm(sparse, dense)
    nothing = new_zeros((sparse._size_[0], dense._size_[-1]), dense)
    return calls._sparse_addmm(nothing, sparse, dense, beta=0, alpha=1)


@for_sparse("sspaddmm")
def sparse_addmm_sparse(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    """``beta * self + alpha * (mat1 @ mat2)`` as a sparse tensor, with a value wherever a row has one."""
    if not is_sparse(self) or not is_sparse(mat1) or is_sparse(mat2):
        raise RuntimeError("sspaddmm: expected two sparse matrices and a dense one")
    if len(mat1._size_) != 2 or sparse_dims(mat1) != 2 or len(mat2._size_) != 2:
        raise RuntimeError(
            f"sspaddmm: Expected two matrices, got {len(mat1._size_)}D and {len(mat2._size_)}D tensors"
        )
    _check_matrices(mat1, mat2)
    size = (mat1._size_[0], mat2._size_[1])
    if tuple(self._size_) != size:
        raise RuntimeError(
            f"sspaddmm: Argument #1: Expected size {list(size)}, got {list(self._size_)}"
        )
    rows, columns = views.unbind_int(indices_of(mat1), 0)
    named, place = searching._unique(rows, True, True)
    product = rows_times(place, columns, values_of(mat1), mat2, named._numel_)
    shape = tuple(product._size_)
    every = creation.arange(shape[1], dtypes.int64, None, None, None)
    at = [
        views.reshape(views.expand(x, shape), (product._numel_,))
        for x in (views.unsqueeze(named, 1), views.unsqueeze(every, 0))
    ]
    indices = joining.cat([indices_of(self), joining.stack(at, 0)], 1)
    values = [
        pointwise.mul_Scalar(x, factor)
        for x, factor in ((values_of(self), beta), (views.reshape(product, (-1,)), alpha))
    ]
    return from_coordinates(indices, joining.cat(values, 0), size)


@composite("smm")
def sparse_mm_sparse(self: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse and a dense matrix as a sparse tensor."""
    start = creation.zeros(
        [self._size_[0], mat2._size_[-1]], self._dtype_, layouts.sparse_coo, self._storage_.device
    )
    return calls.sspaddmm(start, self, mat2)


@for_sparse("hspmm")
def hspmm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product with rows that have values only, as values of one sparse dimension."""
    _check_matrices(mat1, mat2)
    rows = views.unbind_int(indices_of(mat1), 0)[0]
    named, place = searching._unique(rows, True, True)
    columns = views.unbind_int(indices_of(mat1), 0)[1]
    values = rows_times(place, columns, values_of(mat1), mat2, named._numel_)
    size = (mat1._size_[0], mat2._size_[1])
    return from_coordinates(views.unsqueeze(named, 0), values, size, True)


# -- products at chosen places --


def products_at(rows: Tensor, columns: Tensor, left: Any, right: Any) -> Any:
    """What ``left @ right.mH`` has at the given rows and columns, which is all that is computed."""
    has_history = state.thread.grad_enabled and (left._keys_ | right._keys_) & key_bits.AUTOGRAD
    if walks.have_code_for(left) and right._dtype_ is left._dtype_ and not has_history:
        return walks.sampled(rows, columns, left, right)
    taken = indexing.index_select(left, 0, rows)
    factors = indexing.index_select(right, 0, columns)
    if factors._dtype_.is_complex:
        factors = views.conj(factors)
    return reduction.sum_dim_IntList(pointwise.mul_Tensor(taken, factors), [1])


# -- gradients --


def sampled(grad: Any, other: Any, like: Any, alpha: Any) -> Any:
    """What ``grad @ other.mH`` has at the indices of a sparse matrix, which is all that is computed."""
    whole = coalesced(like)
    rows, columns = views.unbind_int(indices_of(whole), 0)
    dense = dense_of(grad, None, None) if is_sparse(grad) else grad
    values = products_at(rows, columns, dense, other)
    if alpha != 1:
        values = pointwise.mul_Scalar(values, alpha)
    return with_values(values, whole)


def matmul_masked(left: Any, right: Any, like: Any) -> Any:
    """A product of sparse matrices, at the indices of another one."""
    return calls.sparse_mask(calls._sparse_sparse_matmul(left, right), calls.coalesce(like))

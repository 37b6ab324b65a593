"""Functions of matrices and vectors made of products: exponentials, cross products, tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rushlight.engine.calls import linalg as calls
from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation, indexing, joining, matrix, reduction
from rushlight.engine.calls.remembered import pointwise as maps
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import BOOLEAN
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry, promotion
from rushlight.engine.ops import bridge
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds.planned import Computed, contiguous_spec, planned
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.linalg.matrices import check_floating, check_square, with_outs

# -- the exponential --

# How large a matrix may be (in the 1-norm) for the Taylor polynomial of degree 18 to be as exact as
# the type, from Bader, Blanes and Casas, "Computing the matrix exponential with an optimized Taylor
# polynomial approximation" (2019).
_REACH = {dtypes.float32: 3.010066362817634, dtypes.float64: 1.090863719290036}
_DEGREE = 18
_POWERS = 5


def _identity(x: Tensor) -> Tensor:
    """The identity matrix of a matrix's size, type and device."""
    made: Tensor = creation.eye(x._size_[-1], dtype=x._dtype_, device=x._storage_.device)
    return made


def _taylor(x: Tensor) -> Tensor:
    """The polynomial, by Horner's rule over blocks of powers."""
    powers = [copies.copy_(creation.zeros_like(x), _identity(x)), x]
    while len(powers) < _POWERS + 1:
        powers.append(matrix.matmul(powers[-1], x))
    total: Tensor | None = None
    for first in range(_DEGREE - _DEGREE % _POWERS, -1, -_POWERS):
        if total is not None:
            total = matrix.matmul(total, powers[_POWERS])
        for k in range(first, min(first + _POWERS, _DEGREE + 1)):
            term = maps.mul_Scalar(powers[k - first], 1.0 / math.factorial(k))
            total = term if total is None else maps.add_Tensor(total, term)
    assert total is not None
    return total


def exponential(x: Tensor) -> Tensor:
    """The exponential of matrices: of a fraction small enough, squared again."""
    real = dtypes.float32 if x._dtype_ is dtypes.complex64 else x._dtype_
    reach = _REACH.get(real, _REACH[dtypes.float64])
    norms = bridge.elements(reduction.linalg_matrix_norm(x, 1.0, [-2, -1], False, None))
    with np.errstate(all="ignore"):
        halvings = np.ceil(np.log2(norms / reach))
    halvings = np.where(np.isfinite(halvings), np.maximum(halvings, 0), 0)
    scale = bridge.tensor_of(np.exp2(-halvings)[..., None, None], real)
    made = _taylor(maps.mul_Tensor(x, scale))
    most = int(halvings.max()) if halvings.size else 0
    least = int(halvings.min()) if halvings.size else 0
    for done in range(most):
        squared = matrix.matmul(made, made)
        if done >= least:
            going_on = bridge.tensor_of((halvings > done)[..., None, None])
            squared = indexing.where_self(going_on, squared, made)
        made = squared
    return made


@planned("linalg_matrix_exp")
def linalg_matrix_exp(self: Tensor) -> Computed:
    check_square("linalg.matrix_exp", self)
    check_floating("linalg.matrix_exp", self)
    kind = self._dtype_

    def compute() -> Tensor:
        if not self._numel_:
            return copies.clone(self)
        if kind in (dtypes.float16, dtypes.bfloat16):
            return copies.to_dtype(exponential(copies.to_dtype(self, dtypes.float32)), kind)
        return exponential(self)

    return Computed([contiguous_spec(self._size_, kind)], compute, (self,))


composite("matrix_exp")(lambda self: calls.linalg_matrix_exp(self))


# -- cross products --


@with_outs("linalg_cross", exact=True, is_step=True)
def linalg_cross(self: Tensor, other: Tensor, dim: int) -> Tensor:
    if len(self._size_) != len(other._size_):
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    d = wrap_dim(dim, len(self._size_))
    lengths = [x._size_[d] if x._size_ else 1 for x in (self, other)]
    if lengths != [3, 3]:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {lengths[0]} and "
            f"{lengths[1]}"
        )
    size = tuple(geometry.broadcast_sizes(tuple(self._size_), tuple(other._size_)))
    a, b = views.expand(self, size), views.expand(other, size)
    x, y = ([views.select_int(v, d, k) for k in range(3)] for v in (a, b))
    parts = []
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        ahead, behind = maps.mul_Tensor(x[i], y[j]), maps.mul_Tensor(x[j], y[i])
        parts.append(maps.sub_Tensor(ahead, behind, alpha=1))
    return joining.stack(parts, d)


@with_outs("cross", exact=True)
def cross(self: Tensor, other: Tensor, dim: int | None) -> Tensor:
    if dim is None:
        found = [d for d, n in enumerate(self._size_) if n == 3]
        if not found:
            raise RuntimeError("no dimension of size 3 in input")
        dim = found[0]
    return calls.linalg_cross(self, other, dim)


# -- tensors as matrices --


def _check_products(what: str, columns: int, rows: int) -> None:
    if columns != rows:
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[{what}:]) == "
            f"prod(self.shape[:{what}]), but got {columns} != {rows}"
        )


@with_outs("linalg_tensorinv")
def tensorinv(self: Tensor, ind: int) -> Tensor:
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > len(self._size_):
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {len(self._size_)}")
    front, back = tuple(self._size_[:ind]), tuple(self._size_[ind:])
    rows, columns = math.prod(front), math.prod(back)
    _check_products("ind", columns, rows)
    inverse, info = calls.linalg_inv_ex(views.reshape(self, (rows, columns)), False)
    calls._linalg_check_errors(info, "inv", True)
    return views.reshape(inverse, (*back, *front))


@with_outs("linalg_tensorsolve")
def tensorsolve(self: Tensor, other: Tensor, dims: Sequence[int] | None) -> Tensor:
    a, rank = self, len(self._size_)
    if dims is not None:
        moved = [wrap_dim(d, rank) for d in dims]
        a = views.permute(self, [d for d in range(rank) if d not in moved] + moved)
    back = tuple(a._size_[len(other._size_) :])
    columns, rows = math.prod(back), other._numel_
    _check_products("other.ndim", columns, rows)
    system = views.reshape(a, (columns, columns))
    return views.reshape(calls.linalg_solve(system, views.reshape(other, (-1,)), True), back)


# -- powers of a vector --


@composite("linalg_vander")
def linalg_vander(x: Tensor, N: int | None) -> Tensor:
    kind = x._dtype_
    if kind.category == BOOLEAN or kind in (dtypes.float16, dtypes.bfloat16):
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got "
            f"{promotion.title(kind)}"
        )
    if not x._size_:
        x = views.reshape(x, (1,))
    count = x._size_[-1] if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    column_of = views.unsqueeze(x, -1)
    powers = reduction.cumprod(views.expand(column_of, (*x._size_, count - 1)), -1, None)
    powers = copies.to_dtype(powers, kind)
    return joining.cat([creation.ones_like(column_of), powers], -1)


@composite("vander")
def vander(x: Tensor, N: int | None, increasing: bool) -> Tensor:
    if len(x._size_) != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x._size_[0] if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    kind = dtypes.int64 if x._dtype_.category <= dtypes.INTEGRAL else x._dtype_
    made = creation.ones((x._size_[0], count), dtype=kind, device=x._storage_.device)
    if count > 1:
        rest = views.expand(views.unsqueeze(x, 1), (x._size_[0], count - 1))
        powers = reduction.cumprod(copies.to_dtype(rest, kind), 1, None)
        made = joining.cat([views.narrow(made, 1, 0, 1), powers], 1)
    return made if increasing else views.flip(made, [1])


@with_outs("frobenius_norm.dim", "out")
def frobenius_norm(self: Tensor, dim: Sequence[int], keepdim: bool) -> Tensor:
    return reduction.linalg_vector_norm(self, 2.0, dim, keepdim, None)

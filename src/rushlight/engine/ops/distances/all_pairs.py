"""`cdist` and `pdist`: distances between all pairs of rows, of two matrices or of one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, distances, indexing, reduction
from rushlight.engine.calls import matrix as calls
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import FLOATING
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry, maths
from rushlight.engine.loops.expr import Value, const, copysign, select
from rushlight.engine.loops.reduction import Reduction, simple
from rushlight.engine.ops.kinds.planned import planned
from rushlight.engine.ops.kinds.reduction import Reduce
from rushlight.engine.ops.kinds.views import composite, explicit
from rushlight.engine.ops.reduction.norms import norm_of
from rushlight.engine.ops.reduction.sums import element_type

# From so many rows on, Euclidean distances go through a product of matrices unless forbidden.
_MANY = 25


@composite("cdist")
def cdist(x1: Tensor, x2: Tensor, p: float, compute_mode: int | None) -> Tensor:
    for name, x in (("X1", x1), ("X2", x2)):
        if x._dtype_.category != FLOATING:
            raise RuntimeError(
                f"cdist only supports floating-point dtypes, {name} got: {x._dtype_._name}"
            )
        if len(x._size_) < 2:
            raise RuntimeError(
                f"cdist only supports at least 2D tensors, {name} got: {len(x._size_)}D"
            )
    if x1._size_[-1] != x2._size_[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1._size_[-1]} X2: {x2._size_[-1]}"
        )
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    mode = compute_mode or 0
    if not 0 <= mode <= 2:
        raise RuntimeError(f"possible modes: 0, 1, 2, but was: {mode}")
    if not x1._size_[-1]:
        # No columns, no distance.
        return reduction.sum_dim_IntList(
            maps.sub_Tensor(views.unsqueeze(x1, -2), views.unsqueeze(x2, -3), alpha=1),
            [-1], False, None,
        )  # fmt: skip
    many = x1._size_[-2] > _MANY or x2._size_[-2] > _MANY
    if p == 2 and (mode == 1 or (mode == 0 and many)):
        return distances._euclidean_dist(x1, x2)  # type: ignore[no-any-return]
    return _pairs(x1, x2, p)


# Rows shorter than this are walked side by side, for which the columns of one matrix lie in memory.
_SHORT = 32


def _pairs(x1: Tensor, x2: Tensor, p: float) -> Tensor:
    batch = geometry.broadcast_sizes(x1._size_[:-2], x2._size_[:-2])
    x1, x2 = (views.expand(x, [*batch, *x._size_[-2:]]) for x in (x1, x2))
    if x1._size_[-1] < _SHORT:
        turned = views.transpose_int(x2, -1, -2)
        x2 = views.transpose_int(copies.contiguous(turned), -1, -2)
    a, b = views.unsqueeze(x1, -2), views.unsqueeze(x2, -3)
    return distances._distances(a, b, p)  # type: ignore[no-any-return]


@planned("_distances")
def norms_of_differences(a: Tensor, b: Tensor, p: float) -> Reduce:
    recipe = norm_of([element_type(a._dtype_, a._dtype_)] * 2, p, lambda xs: xs[0] - xs[1])
    dims = (max(len(a._size_), len(b._size_)) - 1,)
    return Reduce((a, b), dims, False, recipe, (a._dtype_,))


@planned("_distances_gradient")
def distances_gradient(
    grad: Tensor, distances: Tensor, a: Tensor, b: Tensor, p: float, dim: int
) -> Reduce:
    inputs = grad, distances, a, b
    recipe = sum_of_slopes(element_type(a._dtype_, a._dtype_), p)
    ndim = max(len(x._size_) for x in inputs)
    return Reduce(inputs, (ndim + dim,), True, recipe, (a._dtype_,))


def sum_of_slopes(kind: str, p: float) -> Reduction:
    """The sum of gradients, each times the change of a distance with an element of its first row.

    Where rows are at the same place, nothing moves.
    """

    def moved(xs: Sequence[Any]) -> Value:
        grad, distance, a, b = xs
        difference, zero = a - b, const(grad.type, 0)
        size = abs(difference)
        sign = select(difference == 0, zero, copysign(const(grad.type, 1), difference))
        if p == 1:
            return grad * sign
        if p == math.inf:
            return select(size >= distance, grad * sign, zero)
        if p == 2:
            return select(distance == 0, zero, grad * difference / distance)
        power = maths.pow(size / distance, const(grad.type, p - 1))
        return select((distance == 0) | (size == 0), zero, grad * sign * power)

    part = {"bf16": "f32", "f16": "f32"}.get(kind, kind)
    return simple(
        [kind] * 4, [part], [0],
        lambda accs, xs: [accs[0] + moved(xs)],
        lambda a, b: [a[0] + b[0]],
        lambda totals, count: totals[0],
    )  # fmt: skip


@explicit("_euclidean_dist")
def euclidean_dist(x1: Tensor, x2: Tensor) -> Tensor:
    """Euclidean distances from the squared lengths and the inner products."""
    squares = [reduction.sum_dim_IntList(maps.mul_Tensor(x, x), [-1], True, None) for x in (x1, x2)]
    products = calls.matmul(x1, views.transpose_int(x2, -1, -2))
    lengths = maps.add_Tensor(squares[0], views.transpose_int(squares[1], -1, -2), alpha=1)
    return maps.sqrt(maps.clamp_min(maps.add_Tensor(lengths, products, alpha=-2), 0))


@composite("pdist")
def pdist(self: Any, p: float) -> Any:
    """Distances between all pairs of rows."""
    if self.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {self.dim()}D")
    if self._dtype_.category != FLOATING:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    n = self.shape[0]
    pairs = _pairs(self, self, p).reshape(-1)
    where = self._storage_.device
    above = creation.triu_indices(n, n, 1, dtypes.int64, None, where, None)
    rows, columns = views.unbind_int(above, 0)
    return indexing.index_select(pairs, 0, maps.add_Tensor(columns, rows, alpha=n))

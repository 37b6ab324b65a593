"""`cdist` and `pdist`: distances between all pairs of rows, of two matrices or of one."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import matrix as calls
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import reduction
from rushlight.engine.calls import view as views
from rushlight.engine.core.dtype import FLOATING
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated import functions
from rushlight.engine.ops.kinds.views import composite

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
        return _by_product(x1, x2)
    difference = maps.sub_Tensor(views.unsqueeze(x1, -2), views.unsqueeze(x2, -3), alpha=1)
    return reduction.linalg_vector_norm(difference, p, [-1], False, None)


def _by_product(x1: Tensor, x2: Tensor) -> Tensor:
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
    first, second = functions.triu_indices(
        self.shape[0], self.shape[0], 1, device=self.device
    ).unbind(0)
    difference = self.index_select(0, first) - self.index_select(0, second)
    return reduction.linalg_vector_norm(difference, p, [1], False, None)

"""`cov` and `corrcoef`, made of other operators."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import matrix, pointwise, reduction
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops import answers
from rushlight.engine.ops.kinds.views import composite


def _check_weights(name: str, weights: Tensor, count: int, category: int, wanted: str) -> None:
    if len(weights._size_) > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
            f"{len(weights._size_)} dimensions"
        )
    if weights._dtype_.category != category:
        raise RuntimeError(
            f"cov(): expected {name} to have {wanted} dtype but got {name} with "
            f"{title(weights._dtype_)} dtype"
        )
    if weights._numel_ != count:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input "
            f"but got {weights._numel_} != {count}"
        )
    if count and answers.is_any(pointwise.lt_Scalar(weights, 0)):
        raise RuntimeError(f"cov(): {name} cannot be negative")


@composite("cov")
def cov(self: Tensor, correction: int, fweights: Tensor | None, aweights: Tensor | None) -> Tensor:
    if len(self._size_) > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{len(self._size_)} dimensions"
        )
    if self._dtype_ is dtypes.bool_:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = self if len(self._size_) == 2 else views.view(copies.contiguous(self), (1, self._numel_))
    count = rows._size_[1]
    weights: Tensor | None = None
    if fweights is not None:
        _check_weights("fweights", fweights, count, dtypes.INTEGRAL, "integral")
        weights = fweights
    if aweights is not None:
        _check_weights("aweights", aweights, count, dtypes.FLOATING, "floating point")
        weights = aweights if weights is None else pointwise.mul_Tensor(weights, aweights)
    total: Any = count
    if weights is not None:
        total = reduction.sum(weights)
        if count and answers.is_any(pointwise.eq_Scalar(total, 0)):
            raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    spread = _norm_factor(weights, total, aweights, correction)
    mean = (
        reduction.sum_dim_IntList(pointwise.mul_Tensor(rows, weights), [1], True)
        if weights is not None
        else reduction.sum_dim_IntList(rows, [1], True)
    )
    mean = _divided(mean, total)
    centred = pointwise.sub_Tensor(rows, mean)
    other = centred if weights is None else pointwise.mul_Tensor(centred, weights)
    product = matrix.mm(centred, views.t(views.conj(other)))
    return views.squeeze(_divided(product, spread))


def _norm_factor(
    weights: Tensor | None, total: Any, aweights: Tensor | None, correction: int
) -> Any:
    """What sums of products are divided by."""
    if weights is None:
        return max(total - correction, 0)
    if correction == 0:
        return total
    lost: Any = correction
    if aweights is not None:
        weighted = reduction.sum(pointwise.mul_Tensor(weights, aweights))
        lost = pointwise.mul_Scalar(pointwise.div_Tensor(weighted, total), correction)
    left = (
        pointwise.sub_Tensor(total, lost)
        if isinstance(lost, Tensor)
        else pointwise.sub_Scalar(total, lost)
    )
    return pointwise.clamp_min(left, 0)


def _divided(a: Tensor, b: Any) -> Tensor:
    return (
        pointwise.true_divide_Tensor(a, b)
        if isinstance(b, Tensor)
        else pointwise.true_divide_Scalar(a, b)
    )


@composite("corrcoef")
def corrcoef(self: Tensor) -> Tensor:
    if len(self._size_) > 2:
        raise RuntimeError(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with "
            f"{len(self._size_)} dimensions"
        )
    found = reduction.cov(self)
    if not found._size_:
        return pointwise.div_Tensor(found, found)
    variance = views.diagonal(found)
    if variance._dtype_.category == dtypes.COMPLEX:
        variance = views.real(variance)
    deviation = pointwise.sqrt(variance)
    found = pointwise.div_Tensor(found, views.unsqueeze(deviation, 1))
    found = pointwise.div_Tensor(found, views.unsqueeze(deviation, 0))
    if found._dtype_.category == dtypes.COMPLEX:
        parts = views.view_as_real(found)
        return views.view_as_complex(pointwise.clamp(parts, -1, 1))
    return pointwise.clamp(found, -1, 1)

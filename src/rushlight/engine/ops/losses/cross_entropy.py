"""Cross entropy: the negative log likelihood of a log softmax, or of given probabilities."""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.calls import indexing, pointwise, reduction, view
from rushlight.engine.calls import losses as calls
from rushlight.engine.calls import rows as row_calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.ops.kinds.views import composite

NONE, MEAN, SUM = 0, 1, 2


def _class_dim(self: Tensor) -> int:
    return 0 if len(self._size_) == 1 else 1


def _check_sizes(self: Tensor, target: Tensor) -> None:
    if not self._size_:
        raise ValueError(f"Expected 1 or more dimensions (got {len(self._size_)})")
    if len(self._size_) > 1 and self._size_[0] != (target._size_ or (1,))[0]:
        raise ValueError(
            f"Expected input batch_size ({self._size_[0]}) to match target batch_size "
            f"({(target._size_ or (1,))[0]})."
        )
    expected = (*self._size_[:1], *self._size_[2:]) if len(self._size_) > 1 else ()
    if target._size_ != expected:
        if len(self._size_) > 2:
            raise RuntimeError(f"Expected target size {list(expected)}, got {list(target._size_)}")
        if len(self._size_) == 1:
            raise ValueError(
                f"For 1D input, 1D target must have size 1, but got target size: {target._numel_}"
            )
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")


def _reduced(losses: Tensor, weights: Any, how: int) -> Tensor:
    """Losses as they are, their sum, or their mean weighted by ``weights``."""
    if how == NONE:
        return losses
    total = reduction.sum(losses)
    return total if how == SUM else pointwise.div_Tensor(total, reduction.sum(weights))


@composite("nll_loss_nd")
def nll_loss_nd(
    self: Tensor, target: Tensor, weight: Tensor | None, how: int, ignore_index: int
) -> Tensor:
    _check_sizes(self, target)
    if len(self._size_) < 3:
        return calls.nll_loss(self, target, weight, how, ignore_index)
    if len(self._size_) == 4:
        return calls.nll_loss2d(self, target, weight, how, ignore_index)
    # As images of one row.
    batch, classes, *inner = self._size_
    flat = view.reshape(self, (batch, classes, 1, math.prod(inner)))
    places = view.reshape(target, (batch, 1, math.prod(inner)))
    loss = calls.nll_loss2d(flat, places, weight, how, ignore_index)
    return view.view(loss, target._size_) if how == NONE else loss


@composite("cross_entropy_loss")
def cross_entropy_loss(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None,
    how: int,
    ignore_index: int,
    label_smoothing: float,
) -> Tensor:
    dim = _class_dim(self)
    if self._size_ == target._size_:
        return _of_probabilities(self, target, weight, how, ignore_index, label_smoothing)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    logs = row_calls._log_softmax(self, dim, False)
    loss = nll_loss_nd(logs, target, weight, how, ignore_index)
    if label_smoothing == 0.0:
        return loss
    return _smoothed(logs, loss, target, weight, how, ignore_index, label_smoothing)


def _per_class(weight: Tensor, ndim: int, dim: int) -> Tensor:
    """The classes' weights, as they broadcast to the input."""
    return view.reshape(weight, [-1 if d == dim else 1 for d in range(ndim)])


def _smoothed(
    logs: Tensor,
    loss: Tensor,
    target: Tensor,
    weight: Tensor | None,
    how: int,
    ignore_index: int,
    smoothing: float,
) -> Tensor:
    """Part of the loss spread evenly over all classes."""
    dim = _class_dim(logs)
    ignored: Any = target == ignore_index
    scaled = logs
    if weight is not None:
        scaled = pointwise.mul_Tensor(logs, _per_class(weight, len(logs._size_), dim))
    spread = pointwise.neg(reduction.sum_dim_IntList(scaled, [dim], False))
    spread = indexing.masked_fill_Scalar(spread, ignored, 0)
    if how != NONE:
        if weight is None:
            weights = pointwise.logical_not(ignored)
        else:
            places = indexing.masked_fill_Scalar(target, ignored, 0)
            weights = view.reshape(
                indexing.index_select(weight, 0, view.flatten_using_ints(places, 0, -1)),
                places._size_,
            )
            weights = indexing.masked_fill_Scalar(weights, ignored, 0)
        spread = _reduced(spread, weights, how)
    share = smoothing / logs._size_[dim]
    return loss * (1 - smoothing) + spread * share  # type: ignore[operator]


def _of_probabilities(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None,
    how: int,
    ignore_index: int,
    smoothing: float,
) -> Tensor:
    if target._dtype_.category < dtypes.FLOATING:
        raise RuntimeError(
            "Expected floating point type for target with class probabilities, got "
            f"{promotion.title(target._dtype_)}"
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    dim = _class_dim(self)
    classes = self._size_[dim]
    if weight is not None and (len(weight._size_) != 1 or weight._numel_ != classes):
        raise RuntimeError(
            "cross_entropy: weight tensor should be defined either for all "
            f"{classes} classes or no classes but got weight tensor of shape: {list(weight._size_)}"
        )
    logs = row_calls._log_softmax(self, dim, False)
    wanted: Any = target
    if smoothing > 0.0:
        wanted = wanted * (1 - smoothing) + smoothing / classes
    products = logs * wanted
    if weight is not None:
        products = products * _per_class(weight, len(self._size_), dim)
    if how == NONE:
        return pointwise.neg(reduction.sum_dim_IntList(products, [dim], False))
    total = pointwise.neg(reduction.sum(products))
    if how == SUM:
        return total
    return total / max(self._numel_ // max(classes, 1), 1) if self._numel_ else total / 0.0  # type: ignore[operator]

"""Losses of classes on a GPU, made of gathers, maps and sums."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing, pointwise, reduction
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.kinds.views import cuda
from rushlight.engine.ops.losses import nll_loss
from rushlight.engine.ops.losses.nll_loss_steps import NONE

MEAN = 1


class _Call:
    """What the forward and the backward pass have in common.

    Args:
        scores: of all classes
        target: the classes that are right
        weight: those of the classes, if there are any
        ignored: a target that does not count
    """

    def __init__(self, scores: Tensor, target: Tensor, weight: Tensor | None, ignored: int) -> None:
        self.dim = 0 if len(scores._size_) == 1 else 1
        self.counts = pointwise.ne_Scalar(target, ignored)
        places = copies.to_dtype(target, dtypes.int64)
        # A target that does not count may be no class at all.
        self.flat = pointwise.mul_Tensor(places, self.counts)
        self.places = (
            views.unsqueeze(self.flat, self.dim) if target._size_ else views.view(self.flat, (1,))
        )
        kind = scores._dtype_
        if weight is None:
            self.weights = copies.to_dtype(self.counts, kind)
        else:
            own = indexing.index_select(weight, 0, views.reshape(self.flat, (-1,)))
            own = views.reshape(own, self.flat._size_)
            self.weights = pointwise.mul_Tensor(own, copies.to_dtype(self.counts, kind))


def _forward(
    self: Tensor, target: Tensor, weight: Tensor | None, how: int, ignored: int
) -> tuple[Tensor, Tensor]:
    """The loss, or losses, and the sum of the weights of all targets."""
    call = _Call(self, target, weight, ignored)
    picked = views.reshape(indexing.gather(self, call.dim, call.places, False), target._size_)
    picked = indexing.where_self(call.counts, picked, creation.zeros_like(picked))
    losses = pointwise.neg(pointwise.mul_Tensor(picked, call.weights))
    if how == NONE:
        return losses, creation.zeros_like(reduction.sum(call.weights, None))
    total = reduction.sum(call.weights, None)
    loss = reduction.sum(losses, None)
    return (pointwise.div_Tensor(loss, total) if how == MEAN else loss), total


def _backward(
    grad: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, how: int, ignored: int,
    total: Tensor,
) -> Tensor:  # fmt: skip
    """The gradient of the scores: that of its own target's for each, and 0."""
    call = _Call(self, target, weight, ignored)
    share = pointwise.neg(pointwise.mul_Tensor(call.weights, grad))
    if how == MEAN:
        share = pointwise.div_Tensor(share, total)
    made = creation.zeros(self._size_, self._dtype_, None, self._storage_.device, None)
    values = views.reshape(share, call.places._size_)
    return indexing.scatter__src(made, call.dim, call.places, values)  # type: ignore[no-any-return]


def _register(name: str, check: Any) -> None:
    """The kernels of losses of one shape."""

    def forward(self: Tensor, target: Tensor, weight: Any, how: int, ignored: int) -> Any:
        check(self, target)
        nll_loss._check("nll_loss", self, target, weight)
        return _forward(self, target, weight, how, ignored)

    def backward(
        grad: Tensor,
        self: Tensor,
        target: Tensor,
        weight: Any,
        how: int,
        ignored: int,
        total: Tensor,
    ) -> Tensor:
        nll_loss._check("nll_loss_backward", self, target, weight)
        return _backward(grad, self, target, weight, how, ignored, total)

    cuda(f"{name}_forward")(forward)
    cuda(f"{name}_backward")(backward)


_register("nll_loss", nll_loss._check_vectors)
_register("nll_loss2d", nll_loss._check_images)

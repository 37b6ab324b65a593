"""What losses do with a batch: those of all elements first, and what is asked of them then."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import losses, pointwise, reduction, view
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.batching import batched, derive, filled, front, padded, rank
from rushlight.engine.ops.view.batching import Result, Values

_NONE, _MEAN, _SUM = 0, 1, 2

# How long targets are, elements say.
derive("loop", ["_ctc_loss", "_ctc_loss.Tensor", "ctc_loss.Tensor"])


def _reduced(found: Tensor, how: int) -> Tensor:
    """The losses of each element of the batch, their mean, or their sum."""
    if how == _NONE:
        return found
    behind = list(range(1, len(found._size_)))
    if not behind:
        return found
    function = reduction.mean_dim if how == _MEAN else reduction.sum_dim_IntList
    return function(found, behind, False)


def _elementwise(name: str, place: int) -> None:
    """Losses of single numbers."""
    function = getattr(losses, name)

    @batched(name)
    def rule(size: int, values: Values, dims: Values) -> Result:
        given = list(values)
        held = [k for k, value in enumerate(values) if isinstance(value, Tensor)]
        top = max(rank(values[k], dims[k]) for k in held)
        for k in held:
            given[k] = padded(values[k], dims[k], top)
        given[place] = _NONE
        found = function(*given)
        if len(found._size_) == top:
            found = view.expand(view.unsqueeze(found, 0), [size, *found._size_])
        return _reduced(found, values[place]), 0


for _name, _place in (
    ("binary_cross_entropy", 3),
    ("binary_cross_entropy_with_logits", 4),
    ("mse_loss", 2),
    ("smooth_l1_loss", 2),
    ("huber_loss", 2),
    ("soft_margin_loss", 2),
):
    _elementwise(_name, _place)


def _weights(target: Tensor, weight: Any, weight_dim: Any, ignored: int, like: Tensor) -> Tensor:
    """The weight of each target, of a batch whose dimension is the first: none for those that are ignored."""
    from rushlight.engine.calls import copy, indexing

    counts = copy.to_dtype(pointwise.ne_Scalar(target, ignored), like._dtype_)
    if weight is None:
        return counts
    known = pointwise.mul_Tensor(target, pointwise.ne_Scalar(target, ignored))
    if weight_dim is None:
        found = indexing.take(weight, known)
    else:
        rows = front(weight, weight_dim)
        found = indexing.gather(
            rows, 1, view.reshape(known, [known._size_[0], -1]), sparse_grad=False
        )
        found = view.view(found, list(known._size_))
    return pointwise.mul_Tensor(found, counts)


def _classes(x: Tensor, size: int, single: bool) -> Tensor:
    """A batch of rows of classes, with one row in an element that has but one."""
    return view.unsqueeze(x, 1) if single else x


def _forward(name: str, extra: int) -> None:
    """The negative likelihood of the target's class; ``extra`` dimensions lie behind the classes."""

    @batched(name)
    def rule(size: int, values: Values, dims: Values) -> Result:
        x, target, weight, how, ignored = values
        single = extra == 0 and rank(x, dims[0]) == 1
        x = _classes(filled(x, dims[0], size), size, single)
        target = _classes(filled(target, dims[1], size), size, single)
        from rushlight.engine.calls import indexing

        known = pointwise.mul_Tensor(target, pointwise.ne_Scalar(target, ignored))
        picked = view.squeeze_dim(
            indexing.gather(x, 2, view.unsqueeze(known, 2), sparse_grad=False), 2
        )
        weights = _weights(target, weight, dims[2], ignored, x)
        found = pointwise.neg(pointwise.mul_Tensor(picked, weights))
        zero = pointwise.mul_Scalar(_total(weights), 0)
        if how == _NONE:
            return (view.squeeze_dim(found, 1) if single else found, zero), 0
        total = _total(weights)
        sums = _total(found)
        return (pointwise.div_Tensor(sums, total) if how == _MEAN else sums, total), 0


def _total(x: Tensor) -> Tensor:
    return reduction.sum_dim_IntList(x, list(range(1, len(x._size_))), False)


def _backward(name: str, extra: int) -> None:
    """The gradient of that: minus the weight at the target's class."""

    @batched(name)
    def rule(size: int, values: Values, dims: Values) -> Result:
        grad, x, target, weight, how, ignored, total = values
        from rushlight.engine.calls import creation, indexing

        single = extra == 0 and rank(x, dims[1]) == 1
        x = _classes(filled(x, dims[1], size), size, single)
        target = _classes(filled(target, dims[2], size), size, single)
        weights = _weights(target, weight, dims[3], ignored, x)
        grad = filled(grad, dims[0], size)
        if how == _NONE:
            grad = _classes(grad, size, single)
        else:
            if how == _MEAN:
                grad = pointwise.div_Tensor(grad, filled(total, dims[6], size))
            while len(grad._size_) < len(target._size_):
                grad = view.unsqueeze(grad, len(grad._size_))
        each = pointwise.neg(pointwise.mul_Tensor(weights, grad))
        known = pointwise.mul_Tensor(target, pointwise.ne_Scalar(target, ignored))
        found = indexing.scatter_src(
            creation.zeros_like(x), 2, view.unsqueeze(known, 2), view.unsqueeze(each, 2)
        )
        return (view.squeeze_dim(found, 1) if single else found), 0


for _name, _extra in (("nll_loss", 0), ("nll_loss2d", 2)):
    _forward(f"{_name}_forward", _extra)
    _backward(f"{_name}_backward", _extra)

"""Losses of classifiers."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.overrides_hook import asking
from rushlight.engine.generated import nn_functions

__all__ = ["cross_entropy", "nll_loss"]

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def _reduction(size_average: Any, reduce: Any, reduction: str) -> int:
    if size_average is not None or reduce is not None:
        if reduce is False:
            reduction = "none"
        else:
            reduction = "sum" if size_average is False else "mean"
    if reduction not in _REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _REDUCTIONS[reduction]


@asking
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative of the log probability that the input gives to the target's class."""
    how = _reduction(size_average, reduce, reduction)
    return nn_functions.nll_loss_nd(input, target, weight, how, ignore_index)


@asking
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """`nll_loss` of the input's log softmax; or the cross entropy with given probabilities."""
    how = _reduction(size_average, reduce, reduction)
    return nn_functions.cross_entropy_loss(
        input, target, weight, how, ignore_index, label_smoothing
    )

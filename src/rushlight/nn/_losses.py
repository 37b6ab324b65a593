"""Losses of classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache
from rushlight.engine.generated import nn_functions
from rushlight.nn._reductions import meant_number

__all__ = ["cross_entropy", "nll_loss"]


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
    how = meant_number(size_average, reduce, reduction)
    return nn_functions.nll_loss_nd(input, target, weight, how, ignore_index)


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
    how = meant_number(size_average, reduce, reduction)
    return nn_functions.cross_entropy_loss(
        input, target, weight, how, ignore_index, label_smoothing
    )


if not TYPE_CHECKING:
    nll_loss = call_cache.overridable_function("nll_loss", nll_loss)
    cross_entropy = call_cache.overridable_function("cross_entropy", cross_entropy)

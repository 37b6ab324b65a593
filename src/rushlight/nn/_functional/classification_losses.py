"""`nll_loss` and `cross_entropy`."""

from __future__ import annotations

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import remembered
from rushlight.engine.generated import nn_functions
from rushlight.nn._functional.loss_reductions import meant_number

__all__ = ["cross_entropy", "nll_loss"]


@remembered
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


@remembered
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

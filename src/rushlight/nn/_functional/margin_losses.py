"""Losses of pairs, triplets and margins, and likelihoods of counts and normal values."""

from __future__ import annotations

import math
from typing import Any

import rushlight as torch
from rushlight.engine.dispatch.call_cache import remembered
from rushlight.engine.generated import functions, nn_functions
from rushlight.engine.ops import answers
from rushlight.nn._functional.loss_reductions import meant_number

__all__ = [
    "celu_", "cosine_embedding_loss", "gaussian_nll_loss", "hinge_embedding_loss",
    "margin_ranking_loss", "multi_margin_loss", "multilabel_soft_margin_loss", "poisson_nll_loss",
    "relu_", "selu_", "threshold_", "triplet_margin_loss", "triplet_margin_with_distance_loss",
]  # fmt: skip

relu_, selu_, celu_, threshold_ = torch.relu_, torch.selu_, torch.celu_, torch.threshold_


def _reduced(losses: Any, reduction: str) -> Any:
    how = meant_number(None, None, reduction)
    return losses if how == 0 else losses.mean() if how == 1 else losses.sum()


@remembered
def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0, size_average: Any = None,
    reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """How far pairs are from the same direction, or from being at most ``margin`` alike."""
    how = meant_number(size_average, reduce, reduction)
    return functions.cosine_embedding_loss(input1, input2, target, margin, how)


@remembered
def hinge_embedding_loss(
    input: Any, target: Any, margin: float = 1.0, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """Distances of pairs that belong together; how much others fall short of the margin."""
    how = meant_number(size_average, reduce, reduction)
    return functions.hinge_embedding_loss(input, target, margin, how)


@remembered
def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0, size_average: Any = None,
    reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """How much the one that should rank higher falls short of the other plus a margin."""
    how = meant_number(size_average, reduce, reduction)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            f"margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return functions.margin_ranking_loss(input1, input2, target, margin, how)


@remembered
def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2,
    eps: float = 1e-6, swap: bool = False, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """How much farther the negative should be from the anchor than the positive is."""
    how = meant_number(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return functions.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, how)


@remembered
def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *, distance_function: Any = None,
    margin: float = 1.0, swap: bool = False, reduction: str = "mean",
) -> Any:  # fmt: skip
    """`triplet_margin_loss` with a distance of one's own."""
    distance = distance_function or functions.pairwise_distance
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            f"The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative "
            f"{negative.ndim}D inputs"
        )
    near: Any = distance(anchor, positive)
    far: Any = distance(anchor, negative)
    if swap:
        far = functions.minimum(far, distance(positive, negative))
    return _reduced(functions.relu(margin + near - far), reduction)


@remembered
def poisson_nll_loss(
    input: Any, target: Any, log_input: bool = True, full: bool = False, size_average: Any = None,
    eps: float = 1e-8, reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """The negative log likelihood of counts."""
    how = meant_number(size_average, reduce, reduction)
    return functions.poisson_nll_loss(input, target, log_input, full, eps, how)


def _fitting_variance(input: Any, var: Any) -> Any:
    """Variances that broadcast to the input, where one may stand for the last dimension."""
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        return input.new_full(input.size(), var)
    if answers.is_any(var < 0):
        raise ValueError("var has negative entry/entries")
    if var.size() == input.size():
        return var
    if input.size()[:-1] == var.size():
        return var.unsqueeze(-1)
    alike = input.ndim == var.ndim and all(
        a == b or b == 1 for a, b in zip(input.size(), var.size())
    )
    if not alike:
        raise ValueError("var is of incorrect size")
    return var


@remembered
def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """The negative log likelihood of normal values with given variances."""
    var = _fitting_variance(input, var)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    # Variances are kept above zero without a gradient through the bound.
    var = var + (var.detach().clamp(min=eps) - var.detach())
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return _reduced(losses, reduction)


@remembered
def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """The mean logistic loss of several labels."""
    how = meant_number(size_average, reduce, reduction)
    log = nn_functions.log_sigmoid
    losses = -(target * log(input) + (1 - target) * log(-input))
    if weight is not None:
        losses = losses * weight
    losses = losses.sum(input.dim() - 1) / input.size(input.dim() - 1)
    return losses if how == 0 else losses.mean() if how == 1 else losses.sum()


@remembered
def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None,
    size_average: Any = None, reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """How much other classes come within a margin of the target's, or above it."""
    how = meant_number(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    _check_class_rows(input, target, weight)
    rows = input if input.dim() == 2 else input.reshape(1, -1)
    classes = rows.size(1)
    places = target.reshape(-1, 1)
    if places.numel() and not answers.are_within(places, 0, classes - 1):
        raise RuntimeError("target out of range")
    short = (margin - rows.gather(1, places) + rows).clamp_min(0)
    short = short if p == 1 else short * short
    if weight is not None:
        short = short * weight[places]
    losses = short.scatter(1, places, 0.0).sum(1) / classes
    if how == 0:
        return losses.reshape(target.shape)
    return losses.mean() if how == 1 else losses.sum()


def _check_class_rows(input: Any, target: Any, weight: Any) -> None:
    if (
        input.dim() > 2
        or (input.dim() == 2 and input.size(1) == 0)
        or input.numel() == 0 == input.dim()
    ):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(input.size())}"
        )
    rows = 1 if input.dim() < 2 else input.size(0)
    if target.dim() > 1 or target.numel() != rows:
        raise RuntimeError(
            f"inconsistent target size, expected {rows} but got {list(target.size())}"
        )
    if weight is not None and weight.numel() != input.size(-1):
        raise RuntimeError(
            f"inconsistent weight size, expected {input.size(-1)} but got {list(weight.size())}"
        )

"""Losses that are a scalar function of every element, and those made of such functions."""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.calls import creation, distances, indexing
from rushlight.engine.calls import pointwise as calls
from rushlight.engine.calls import reduction as reductions
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import COMPLEX, FLOATING, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import maths, promotion
from rushlight.engine.loops.expr import Complex, Value, const, maximum, select
from rushlight.engine.loops.maths import complex_functions as on_complex
from rushlight.engine.ops import answers
from rushlight.engine.ops.kinds.pointwise import Args
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.losses.reduced import loss, reduced
from rushlight.engine.ops.pointwise.arithmetic import check_neg, check_sub

FLOAT = "hf"


@loss("mse_loss", allowed=FLOAT, kernel="mse_cpu")
def mse_loss(x: Value, target: Value) -> Value:
    return (x - target) * (x - target)


def _check_beta(common: dtype, args: Args) -> None:
    if args[3] < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")


@loss("smooth_l1_loss", allowed=FLOAT, kernel="smooth_l1_cpu", inspect=_check_beta)
def smooth_l1_loss(x: Value, target: Value, beta: Value) -> Value:
    distance = abs(x - target)
    return select(distance < beta, distance * distance * 0.5 / beta, distance - beta * 0.5)


def _check_delta(common: dtype, args: Args) -> None:
    if args[3] <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")


@loss("huber_loss", allowed=FLOAT, kernel="huber_cpu", inspect=_check_delta)
def huber_loss(x: Value, target: Value, delta: Value) -> Value:
    distance = abs(x - target)
    linear = delta * (distance - delta * 0.5)
    return select(distance <= delta, distance * distance * 0.5, linear)


def _check_soft_margin(common: dtype, args: Args) -> None:
    check_neg(args[1]._dtype_, args)
    if common.category < FLOATING:
        name = promotion.title(common)
        raise RuntimeError(f"result type Float can't be cast to the desired output type {name}")


@loss("soft_margin_loss", allowed="hfc", kernel="neg_cpu", check=_check_soft_margin)
def soft_margin_loss(x: Any, target: Any) -> Any:
    functions = on_complex if isinstance(x, Complex) else maths
    return functions.log1p(functions.exp(-target * x))


def _check_equal_types(common: dtype, args: Args) -> None:
    for given in args[1:3]:
        if isinstance(given, Tensor) and given._dtype_ is not args[0]._dtype_:
            raise RuntimeError(
                f"Found dtype {promotion.title(given._dtype_)} but expected "
                f"{promotion.title(args[0]._dtype_)}"
            )


def _inspect_probabilities(common: dtype, args: Args) -> None:
    """The input must be between 0 and 1."""
    if not tensors.is_computed(args[0]) or not args[0]._numel_:
        return
    if not answers.are_within(steps.without_history(args[0]), 0, 1):
        raise RuntimeError("all elements of input should be between 0 and 1")


@loss(
    "binary_cross_entropy",
    allowed=FLOAT,
    kernel="binary_cross_entropy",
    check=_check_equal_types,
    inspect=_inspect_probabilities,
)
def binary_cross_entropy(x: Value, target: Value, weight: Any) -> Value:
    floor = const(x.type, -100)
    no, yes = maximum(maths.log1p(-x), floor), maximum(maths.log(x), floor)
    result = (target - 1) * no - target * yes
    return result if weight is None else result * weight


def _check_probabilities(common: dtype, args: Args) -> None:
    """The input and the targets are numbers with fractions, each by itself."""
    x, target = args[0]._dtype_, args[1]._dtype_
    if x.category < FLOATING:
        raise NotImplementedError(f"\"log_sigmoid_cpu\" not implemented for '{promotion.title(x)}'")
    if target.category < FLOATING:
        check_sub(common, (args[1], args[1], 1))
        name = promotion.title(target)
        raise RuntimeError(
            f"result type {promotion.title(common)} can't be cast to the desired output type {name}"
        )


@loss(
    "binary_cross_entropy_with_logits",
    allowed=FLOAT,
    kernel="log_sigmoid_cpu",
    check=_check_probabilities,
)
def binary_cross_entropy_with_logits(
    x: Value, target: Value, weight: Any, positive_weight: Any
) -> Value:
    log = maths.log_sigmoid(x)
    if positive_weight is not None:
        log = log * ((positive_weight - 1) * target + 1)
    result = (1 - target) * x - log
    return result if weight is None else result * weight


# -- losses made of other operators --


@composite("l1_loss")
def l1_loss(self: Tensor, target: Tensor, reduction: int) -> Tensor:
    return reduced(calls.abs(calls.sub_Tensor(self, target)), reduction)


@composite("hinge_embedding_loss")
def hinge_embedding_loss(self: Tensor, target: Tensor, margin: float, reduction: int) -> Tensor:
    zeros = creation.zeros_like(self)
    # The margin takes the input's type, so that integers stay integers.
    gap = calls.clamp_min(calls.sub_Tensor(creation.full_like(self, margin), self), 0)
    far = indexing.where_self(calls.ne_Scalar(target, 1), gap, zeros)
    near = indexing.where_self(calls.ne_Scalar(target, -1), self, zeros)
    return reduced(calls.add_Tensor(far, near), reduction)


@composite("margin_ranking_loss")
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float, reduction: int
) -> Tensor:
    difference = calls.sub_Tensor(input1, input2)
    product = calls.mul_Tensor(calls.neg(target), difference)
    return reduced(calls.clamp_min(calls.add_Scalar(product, margin), 0), reduction)


@composite("kl_div")
def kl_div(self: Tensor, target: Tensor, reduction: int, log_target: bool) -> Tensor:
    if self._dtype_.category == COMPLEX or target._dtype_.category == COMPLEX:
        raise RuntimeError("kl_div: Complex inputs not supported.")
    if self._dtype_.category < FLOATING or target._dtype_.category < FLOATING:
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        terms = calls.mul_Tensor(calls.exp(target), calls.sub_Tensor(target, self))
    else:
        terms = calls.sub_Tensor(calls.xlogy_Tensor(target, target), calls.mul_Tensor(target, self))
    return reduced(terms, reduction)


@composite("poisson_nll_loss")
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:
    if log_input:
        terms = calls.sub_Tensor(calls.exp(input), calls.mul_Tensor(target, input))
    else:
        log = calls.log(calls.add_Scalar(input, eps))
        terms = calls.sub_Tensor(input, calls.mul_Tensor(target, log))
    if full:
        stirling = calls.sub_Tensor(calls.mul_Tensor(target, calls.log(target)), target)
        half_log = calls.mul_Scalar(calls.log(calls.mul_Scalar(target, 2 * math.pi)), 0.5)
        stirling = calls.add_Tensor(stirling, half_log)
        terms = calls.add_Tensor(
            terms, indexing.masked_fill_Scalar(stirling, calls.le_Scalar(target, 1), 0)
        )
    return reduced(terms, reduction)


EPSILON = 1e-12


@composite("cosine_embedding_loss")
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float, reduction: int
) -> Tensor:
    rank = len(target._size_)
    if rank > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if {len(input1._size_), len(input2._size_)} != {rank + 1}:
        raise RuntimeError(
            f"{rank}D target tensor expects {rank + 1}D input tensors, but found inputs with "
            f"sizes {list(input1._size_)} and {list(input2._size_)}."
        )
    product = reductions.sum_dim_IntList(calls.mul_Tensor(input1, input2), [rank])
    lengths = [
        calls.add_Scalar(reductions.sum_dim_IntList(calls.mul_Tensor(x, x), [rank]), EPSILON)
        for x in (input1, input2)
    ]
    cosine = calls.div_Tensor(product, calls.sqrt(calls.mul_Tensor(*lengths)))
    zeros = creation.zeros_like(cosine)
    alike = calls.rsub_Scalar(cosine, 1)
    apart = calls.clamp_min(calls.sub_Scalar(cosine, margin), 0)
    terms = calls.add_Tensor(
        indexing.where_self(calls.eq_Scalar(target, 1), alike, zeros),
        indexing.where_self(calls.eq_Scalar(target, -1), apart, zeros),
    )
    return reduced(terms, reduction)


@composite("triplet_margin_loss")
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float,
    p: float,
    eps: float,
    swap: bool,
    reduction: int,
) -> Tensor:
    ranks = [len(t._size_) for t in (anchor, positive, negative)]
    if len(set(ranks)) != 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {ranks[0]}D, positive {ranks[1]}D, and negative "
            f"{ranks[2]}D inputs"
        )
    near, far = (distances.pairwise_distance(anchor, x, p, eps) for x in (positive, negative))
    if swap:
        far = calls.minimum(far, distances.pairwise_distance(positive, negative, p, eps))
    gap = calls.add_Scalar(calls.sub_Tensor(near, far), margin)
    return reduced(calls.clamp_min(gap, 0), reduction)

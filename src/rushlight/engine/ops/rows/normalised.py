"""What the gradients of all normalisations need: two sums, and a map with what they give."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.loops.expr import Value, fma
from rushlight.engine.loops.reduction import Reduction, Values, simple
from rushlight.engine.ops.kinds.planned import Request, planned
from rushlight.engine.ops.kinds.pointwise import pointwise
from rushlight.engine.ops.kinds.reduction import Reduce, reduced_dims


@cache
def _sums(type: str) -> Reduction:
    """The sums of the gradients, and of the gradients times the normalised values."""

    def step(accs: Values, xs: Sequence[Value]) -> Values:
        grad, x, mean, scale = xs
        return [accs[0] + grad, fma(grad, (x - mean) * scale, accs[1])]

    wide = ["f64" if type == "f32" else type] * 2
    return simple(
        [type] * 4, [type] * 2, [0, 0], step, lambda a, b: [a[0] + b[0], a[1] + b[1]],
        lambda totals, count: list(totals), wide,
    )  # fmt: skip


@planned("_normalised_sums")
def normalised_sums(
    grad: Tensor, input: Tensor, mean: Tensor, rstd: Tensor, dim: Sequence[int]
) -> Request:
    """The sums of ``grad`` and of ``grad * (input - mean) * rstd``, with sizes of 1 left."""
    kind = mean._dtype_
    reduction = _sums(promotion.compute_type(kind))
    dims = reduced_dims(input, dim)
    return Reduce((grad, input, mean, rstd), dims, True, reduction, (kind, kind))


@pointwise("_normalised_gradient", promote="float")
def normalised_gradient(
    grad: Value, input: Value, mean: Value, rstd: Value, mean_grad: Value, mean_product: Value
) -> Value:
    """From the gradient of normalised values to that of the values."""
    return (grad - mean_grad - (input - mean) * rstd * mean_product) * rstd


@pointwise("_weighted_normalised_gradient", promote="float")
def weighted_normalised_gradient(
    grad: Value, input: Value, weight: Value, mean: Value, rstd: Value, mean_grad: Value,
    mean_product: Value,
) -> Value:  # fmt: skip
    """The same, where the normalised values were multiplied by a weight."""
    return normalised_gradient(grad * weight, input, mean, rstd, mean_grad, mean_product)

"""How samples of the gamma and beta distributions move with a parameter.

A sample x with distribution function F is held at its probability: dx/da = -(dF/da) / (dF/dx). Both
are power series with positive terms, so that the quotient is a series as well, each of its terms
weighted by a difference of digammas.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import pointwise
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry
from rushlight.engine.ops import bridge
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds.views import cpu, meta

# Series end where a term no longer shows, or here.
MOST_TERMS = 1 << 17
PRECISION = 1e-17


def _digamma(x: Any) -> Any:
    found = pointwise.digamma(bridge.tensor_of(np.ascontiguousarray(x)))
    return bridge.array(found).copy()


def weighted_series(start: Any, ratio: Any, weight: Any, weight_step: Any) -> Any:
    """The sum of ``term * weight``: both begin as given, and a step k changes them.

    Args:
        ratio: k -> the next term over the k-th
        weight_step: k -> the next weight less the k-th
    """
    term, total = start.copy(), start * weight
    size = np.abs(total)
    for k in range(MOST_TERMS):
        step = ratio(k)
        term = term * step
        weight = weight + weight_step(k)
        change = term * weight
        total, size = total + change, size + np.abs(change)
        if not ((np.abs(change) > PRECISION * size) | (step >= 1)).any():
            break
    return total


def gamma_slope(shape: Any, x: Any) -> Any:
    """d x / d shape of gamma samples, in double precision."""
    return weighted_series(
        x / shape,
        lambda k: x / (shape + k + 1),
        _digamma(shape + 1) - np.log(x),
        lambda k: 1 / (shape + k + 1),
    )


def beta_slope(x: Any, a: Any, b: Any) -> Any:
    """d x / d a of beta samples: a series in x where that is small, or else in 1 - x."""
    y = 1 - x
    both = _digamma(a + b)
    low = weighted_series(
        y * x / a,
        lambda k: np.minimum(x, 0.5) * (a + b + k) / (a + 1 + k),
        _digamma(a + 1) - both - np.log(x),
        lambda k: 1 / (a + 1 + k) - 1 / (a + b + k),
    )
    high = weighted_series(
        y * x / b,
        lambda k: np.minimum(y, 0.5) * (a + b + k) / (b + 1 + k),
        np.log(x) - _digamma(a) + both,
        lambda k: 1 / (a + b + k),
    )
    return np.where(x <= 0.5, low, high)


def _elementwise(function: Any, name: str, *given: Tensor) -> Tensor:
    """A function of arrays of doubles over tensors, which are broadcast."""
    kind = given[0]._dtype_
    if kind not in (dtypes.float32, dtypes.float64):
        raise not_implemented(name, kind)
    size = geometry.broadcast_sizes(*(t._size_ for t in given))
    # The arrays are over the memory of these tensors, and do not keep it.
    wide = [copies._to_copy(views.expand(t, size, False), dtypes.float64) for t in given]
    with np.errstate(all="ignore"):
        made = np.asarray(function(*map(bridge.array, wide)))
    return copies._to_copy(bridge.tensor_of(made), kind)


@cpu("_standard_gamma_grad")
def standard_gamma_grad(self: Tensor, output: Tensor) -> Tensor:
    def slope(shape: Any, x: Any) -> Any:
        valid = shape > 0
        inside = valid & (x > 0)
        found = gamma_slope(np.where(inside, shape, 1), np.where(inside, x, 1))
        return np.where(inside, found, np.where(valid, 0, np.nan))

    return _elementwise(slope, "_standard_gamma_grad_cpu", self, output)


@cpu("_dirichlet_grad")
def dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """How fast a probability grows with its concentration, over what the others share."""

    def slope(x: Any, alpha: Any, total: Any) -> Any:
        inside = (x > 0) & (x < 1) & (alpha > 0) & (total > alpha)
        a, both = np.where(inside, alpha, 1), np.where(inside, total, 2)
        draw = np.where(inside, x, 0.5)
        found = beta_slope(draw, a, both - a) / (1 - draw)
        return np.where(inside, found, 0)

    return _elementwise(slope, "_dirichlet_grad_cpu", x, alpha, total)


@meta("_standard_gamma_grad", "_dirichlet_grad")
def like_parameters(*given: Tensor) -> Tensor:
    size = geometry.broadcast_sizes(*(t._size_ for t in given))
    return tensors.empty(size, given[0]._dtype_, given[0]._storage_.device)

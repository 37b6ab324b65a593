"""`gradient`: numerical derivatives of samples, made of other operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import joining, pointwise
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.ops.dims import wrap_dims
from rushlight.engine.ops.kinds.views import composite


def _part(self: Tensor, dim: int, start: int, end: int | None) -> Tensor:
    return views.slice_Tensor(self, dim, start, end, 1)


def _check_gradient(self: Tensor, spacings: int | None, dims: Any, edge_order: int) -> list[int]:
    """The dimensions to differentiate along."""
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    found = wrap_dims(dims, len(self._size_)) if dims is not None else list(range(len(self._size_)))
    if spacings is not None and spacings != len(found):
        what = "dim" if dims is not None else "the number of dimensions of self"
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
            f"equal to '{what}' = {len(found)}, but got a list of length {spacings}"
        )
    for d in found:
        if self._size_[d] < edge_order + 1:
            raise RuntimeError(
                "torch.gradient expected each dimension size to be at least edge_order+1"
            )
    return found


def _even(self: Tensor, d: int, step: Any, edge_order: int) -> Tensor:
    """The derivative for evenly spaced coordinates."""
    n = self._size_[d]

    def combine(*terms: tuple[float, int]) -> Tensor:
        parts = [
            pointwise.mul_Scalar(_part(self, d, k % n, k % n + 1), factor) for factor, k in terms
        ]
        total = parts[0]
        for other in parts[1:]:
            total = pointwise.add_Tensor(total, other)
        return pointwise.div_Scalar(total, step)

    if edge_order == 1:
        first, last = combine((-1, 0), (1, 1)), combine((1, -1), (-1, -2))
    else:
        first = combine((-1.5, 0), (2, 1), (-0.5, 2))
        last = combine((1.5, -1), (-2, -2), (0.5, -3))
    inner = pointwise.sub_Tensor(_part(self, d, 2, None), _part(self, d, 0, n - 2))
    return joining.cat([first, pointwise.div_Scalar(inner, 2 * step), last], d)


def _uneven(self: Tensor, d: int, points: Tensor, edge_order: int) -> Tensor:
    """The derivative for given coordinates, by the parabola through three neighbours."""
    n = self._size_[d]
    if len(points._size_) != 1 or points._numel_ != n:
        raise RuntimeError(
            f"torch.gradient expected each tensor to be one-dimensional and as long as its "
            f"dimension, but got a tensor of size {list(points._size_)} for a dimension of size {n}"
        )
    # Differences of neighbours are taken in the wider of both types.
    if points._dtype_.category >= dtypes.FLOATING:
        self = copies.to_dtype(self, promotion.promote_types(self._dtype_, points._dtype_))
    shape = [1] * len(self._size_)
    shape[d] = n - 1
    steps = views.reshape(
        pointwise.sub_Tensor(_part(points, 0, 1, None), _part(points, 0, 0, n - 1)), shape
    )
    slopes = pointwise.div_Tensor(
        pointwise.sub_Tensor(_part(self, d, 1, None), _part(self, d, 0, n - 1)), steps
    )
    before, after = _part(steps, d, 0, n - 2), _part(steps, d, 1, None)
    low, high = _part(slopes, d, 0, n - 2), _part(slopes, d, 1, None)
    both = pointwise.add_Tensor(before, after)

    def mixed(a: Tensor, x: Tensor, b: Tensor, y: Tensor, span: Tensor) -> Tensor:
        total = pointwise.add_Tensor(pointwise.mul_Tensor(a, x), pointwise.mul_Tensor(b, y))
        return pointwise.div_Tensor(total, span)

    inner = mixed(after, low, before, high, both)
    first, last = _part(slopes, d, 0, 1), _part(slopes, d, n - 2, None)
    if edge_order == 2:
        first, last = (
            _edge(
                _part(slopes, d, a, a + 1),
                _part(slopes, d, b, b + 1),
                _part(steps, d, a, a + 1),
                _part(steps, d, b, b + 1),
            )
            for a, b in ((0, 1), (n - 2, n - 3))
        )
    return joining.cat([first, inner, last], d)


def _edge(near: Tensor, next_: Tensor, step: Tensor, next_step: Tensor) -> Tensor:
    """The slope at an end: the nearest one, corrected by how it changes."""
    change = pointwise.div_Tensor(
        pointwise.sub_Tensor(near, next_), pointwise.add_Tensor(step, next_step)
    )
    return pointwise.add_Tensor(near, pointwise.mul_Tensor(change, step))


def _all_even(
    self: Tensor, dims: list[int], steps: Sequence[Any], order: int
) -> tuple[Tensor, ...]:
    return tuple(_even(self, d, step, order) for d, step in zip(dims, steps))


@composite("gradient.scalarint")
def gradient(self: Tensor, spacing: Any, dim: int | None, edge_order: int) -> tuple[Tensor, ...]:
    dims = _check_gradient(self, None, None if dim is None else [dim], edge_order)
    return _all_even(self, dims, [1 if spacing is None else spacing] * len(dims), edge_order)


@composite("gradient.scalararray")
def gradient_dims(
    self: Tensor, spacing: Any, dim: Sequence[int], edge_order: int
) -> tuple[Tensor, ...]:
    dims = _check_gradient(self, None, dim, edge_order)
    return _all_even(self, dims, [spacing] * len(dims), edge_order)


@composite("gradient.array")
def gradient_array(self: Tensor, dim: Sequence[int], edge_order: int) -> tuple[Tensor, ...]:
    dims = _check_gradient(self, None, dim, edge_order)
    return _all_even(self, dims, [1] * len(dims), edge_order)


@composite("gradient.scalarrayint")
def gradient_steps(
    self: Tensor, spacing: Sequence[Any], dim: int | None, edge_order: int
) -> tuple[Tensor, ...]:
    dims = _check_gradient(self, len(spacing), None if dim is None else [dim], edge_order)
    return _all_even(self, dims, spacing, edge_order)


@composite("gradient.scalarrayarray")
def gradient_steps_dims(
    self: Tensor, spacing: Sequence[Any], dim: Sequence[int], edge_order: int
) -> tuple[Tensor, ...]:
    dims = _check_gradient(self, len(spacing), dim, edge_order)
    return _all_even(self, dims, spacing, edge_order)


@composite("gradient.tensorarrayint")
def gradient_points(
    self: Tensor, spacing: Sequence[Tensor], dim: int | None, edge_order: int
) -> tuple[Tensor, ...]:
    dims = _check_gradient(self, len(spacing), None if dim is None else [dim], edge_order)
    return tuple(_uneven(self, d, x, edge_order) for d, x in zip(dims, spacing))


@composite("gradient.tensorarray")
def gradient_points_dims(
    self: Tensor, spacing: Sequence[Tensor], dim: Sequence[int], edge_order: int
) -> tuple[Tensor, ...]:
    dims = _check_gradient(self, len(spacing), dim, edge_order)
    return tuple(_uneven(self, d, x, edge_order) for d, x in zip(dims, spacing))

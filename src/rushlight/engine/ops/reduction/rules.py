"""What the gradient formulas of reductions and scans call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import creation, indexing, pointwise, reduction
from rushlight.engine.core.dtype import COMPLEX, FLOATING
from rushlight.engine.ops import answers
from rushlight.engine.ops.dims import wrap_dim

Ints = Sequence[int]


def _dims(dim: Any, ndim: int) -> list[int]:
    """The reduced dimensions; all of them for None and for an empty list."""
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return list(range(ndim))
    given = [dim] if isinstance(dim, int) else dim
    return sorted(wrap_dim(d, ndim) for d in given)


def restored(x: Any, ndim: int, dim: Any, keepdim: bool) -> Any:
    """A reduced tensor with the reduced dimensions back as ones."""
    if keepdim or ndim == 0:
        return x
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return x.reshape([1] * ndim)
    for d in _dims(dim, ndim):
        x = x.unsqueeze(d)
    return x


def expanded(grad: Any, size: Ints, dim: Any, keepdim: bool) -> Any:
    """The gradient of a sum, for each of the elements that were added."""
    return restored(grad, len(size), dim, keepdim).expand(size)


def count(size: Ints, dim: Any) -> int:
    """How many elements each result was made of."""
    if not size:
        return 1
    return math.prod(size[d] for d in _dims(dim, len(size)))


def evenly(grad: Any, self: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """The gradient of an extreme value, shared by all elements that are equal to it."""
    if self._dtype_.category < 2 or not self._size_:
        return grad
    whole = restored(result, len(self._size_), dim, keepdim)
    grad = restored(grad, len(self._size_), dim, keepdim)
    same = (self == whole) | (self.isnan() & whole.isnan())
    return same * (grad / same.sum(_dims(dim, len(self._size_)), True))


def aminmax_backward(
    grads: Sequence[Any], self: Any, low: Any, high: Any, dim: Any, keepdim: bool
) -> Any:
    parts = [evenly(g, self, r, dim, keepdim) for g, r in zip(grads, (low, high)) if g is not None]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def value_selecting_backward(grad: Any, dim: int, indices: Any, size: Ints, keepdim: bool) -> Any:
    """The gradient goes to the elements that were selected."""
    if not size:
        return grad
    if not keepdim:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return indexing.scatter_add_(creation.new_zeros(grad, list(size)), dim, indices, grad)


def cumulative_selection_backward(grad: Any, indices: Any, size: Ints, dim: int) -> Any:
    if not size or 0 in size:
        return grad
    return indexing.scatter_add_(creation.new_zeros(grad, list(size)), dim, indices, grad)


def cumsum_backward(grad: Any, dim: int) -> Any:
    """Sums from the other end."""
    if not grad._size_ or grad._size_[wrap_dim(dim, len(grad._size_))] <= 1:
        return grad
    return grad.flip([dim]).cumsum(dim).flip([dim])


def prod_backward(grad: Any, self: Any, dim: Any, keepdim: bool) -> Any:
    """Each element gets the product of all others, without dividing by it."""
    if not self._size_:
        return grad
    if dim is None:
        others = product_of_others(self.reshape(-1), 0).reshape(self._size_)
        return grad * others.conj()
    if not keepdim:
        grad = grad.unsqueeze(dim)
    return grad * product_of_others(self, dim).conj()


def product_of_others(x: Any, dim: int) -> Any:
    """For each element, the product of those before it and of those behind it."""
    length = x._size_[dim]
    ones = creation.ones_like(x.narrow(dim, 0, min(1, length)))
    if length <= 1:
        return ones
    before = cat([ones, x.narrow(dim, 0, length - 1)], dim).cumprod(dim)
    behind = cat([ones, x.flip([dim]).narrow(dim, 0, length - 1)], dim).cumprod(dim).flip([dim])
    return before * behind


def cat(parts: Sequence[Any], dim: int) -> Any:
    from rushlight.engine.calls import joining

    return joining.cat(list(parts), dim)


def cumprod_backward(grad: Any, self: Any, dim: int, result: Any) -> Any:
    """Without division: for each element, products of others, summed over later results."""
    length = self._size_[wrap_dim(dim, len(self._size_))] if self._size_ else 1
    if length == 1 or 0 in self._size_:
        return grad.real if self._dtype_.category < COMPLEX == grad._dtype_.category else grad
    if self._dtype_.category < FLOATING:
        self = self.to(grad._dtype_)
    if not answers.is_any(self == 0):
        # Results are products with the element in them: take it out again.
        return cumsum_backward(grad * result.conj(), dim) / self.conj()
    parts = []
    for place in range(length):
        rest = length - place - 1
        ones = creation.ones_like(self.narrow(dim, 0, 1))
        tail = ones if rest == 0 else cat([ones, self.narrow(dim, place + 1, rest)], dim)
        others = tail.cumprod(dim)
        if place:
            others = others * result.narrow(dim, place - 1, 1)
        wanted = grad.narrow(dim, place, length - place)
        parts.append((wanted * others.conj()).sum(dim, True))
    return cat(parts, dim)


def logcumsumexp_backward(grad: Any, self: Any, result: Any, dim: int) -> Any:
    if not self._size_ or self._numel_ == 0:
        return grad
    if grad._dtype_.category == 3:
        scaled = grad * (-result).exp().conj()
        return cumsum_backward(scaled, dim) * self.exp().conj()
    # What a result passes to the one before it; the last to the first, so no factor is above one.
    passed = (ahead(result, dim, 0, -1) - ahead(result, dim, 1, 0)).exp()
    nothing = self == -math.inf
    later = recurrence_from_end(grad, passed.masked_fill(ahead(nothing, dim, 0, -1), 0), dim)
    return later * (self - result).exp().masked_fill(nothing, 0)


def ahead(x: Any, dim: int, start: int, stop: int) -> Any:
    """A tensor without its first or its last element along a dimension."""
    return x.narrow(dim, start, x._size_[dim] + stop - start)


def recurrence_from_end(x: Any, decay: Any, dim: int) -> Any:
    """Each element, and the result behind it times the factor between the two."""
    decay = cat([creation.zeros_like(x.narrow(dim, 0, 1)), decay.flip([dim])], dim)
    return reduction._linear_recurrence(x.flip([dim]), decay, dim).flip([dim])


def linear_recurrence_backward(grad: Any, decay: Any, dim: int, result: Any) -> tuple[Any, Any]:
    total = recurrence_from_end(grad, ahead(decay, dim, 1, 0), dim)
    before = cat([creation.zeros_like(result.narrow(dim, 0, 1)), ahead(result, dim, 0, -1)], dim)
    return total, total * before


def logsumexp_backward(grad: Any, self: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    grad = restored(grad, len(self._size_), dim, keepdim)
    result = restored(result, len(self._size_), dim, keepdim)
    shares = (self - result).exp()
    return grad * (shares.conj() if shares._dtype_.category == 3 else shares)


def _freedom(size: Ints, dim: Any, correction: Any) -> float:
    return count(size, dim) - (1 if correction is None else correction)


def var_backward(grad: Any, self: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    dims = _dims(dim, len(self._size_))
    grad = restored(grad, len(self._size_), dim, keepdim)
    freedom = _freedom(self._size_, dim, correction)
    centred = self - self.mean(dims, True) if dims else self - self
    if freedom <= 0:
        return grad * math.nan * centred if freedom == 0 else grad * centred * (2.0 / freedom)
    return grad * centred * (2.0 / freedom)


def std_backward(
    grad: Any, self: Any, result: Any, dim: Any, correction: Any, keepdim: bool
) -> Any:
    of_var = (grad / (result * 2)).masked_fill(result == 0, 0)
    return var_backward(of_var, self, dim, correction, keepdim)


def mean_part(grad: Any, self: Any, dim: Any, keepdim: bool) -> Any:
    return expanded(grad, self._size_, dim, keepdim) / count(self._size_, dim)


def var_mean_backward(
    grads: Sequence[Any], self: Any, dim: Any, correction: Any, keepdim: bool
) -> Any:
    parts = []
    if grads[0] is not None:
        parts.append(var_backward(grads[0], self, dim, correction, keepdim))
    if grads[1] is not None:
        parts.append(mean_part(grads[1], self, dim, keepdim))
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def std_mean_backward(
    grads: Sequence[Any], self: Any, result: Any, dim: Any, correction: Any, keepdim: bool
) -> Any:
    parts = []
    if grads[0] is not None:
        parts.append(std_backward(grads[0], self, result, dim, correction, keepdim))
    if grads[1] is not None:
        parts.append(mean_part(grads[1], self, dim, keepdim))
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def norm_backward(grad: Any, self: Any, p: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """The gradient of a vector norm; where the norm is zero or has a corner, of the middle."""
    p = float(p)
    grad = restored(grad, len(self._size_), dim, keepdim)
    norm = restored(result, len(self._size_), dim, keepdim)
    if p == 0:
        return creation.zeros_like(self)
    if p == 1:
        return self.sgn() * grad
    if p == 2:
        return grad * (self / norm).masked_fill(norm == 0, 0)
    if math.isinf(p):
        size = self.abs()
        same = (size == norm) | (size.isnan() & norm.isnan())
        shared = same.sum(_dims(dim, len(self._size_)), True)
        return self.sgn() * (grad / shared) * same
    if p < 1:
        powers = self.abs().pow(p - 1)
        found = self.sgn() * powers.masked_fill(self == 0, 0) * norm.pow(1 - p) * grad
        return found
    if p < 2:
        powers = self.abs().pow(p - 1)
        scale = (grad / norm.pow(p - 1)).masked_fill(norm == 0, 0)
        return self.sgn() * powers * scale
    powers = self.abs().pow(p - 2)
    scale = (grad / norm.pow(p - 1)).masked_fill(norm == 0, 0)
    return self * powers * scale


def renorm_backward(grad: Any, self: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    dim = wrap_dim(dim, len(self._size_))
    dims = [d for d in range(len(self._size_)) if d != dim]
    norm = reduction.linalg_vector_norm(self, p, dims, True)
    real = (self.conj() * grad).sum(dims, True)
    real = real.real if real._dtype_.category == 3 else real
    of_norm = norm_backward(real, self, p, norm, dims, True)
    inverse = (norm + 1e-7).reciprocal()
    shrunk = maxnorm * inverse * (grad - inverse * of_norm)
    return pointwise.mul_Tensor(grad, (norm <= maxnorm)) + shrunk * (norm > maxnorm)


def nanmean_backward(grad: Any, self: Any, dim: Any, keepdim: bool) -> Any:
    """Every number gets its part; what is not a number gets nothing."""
    counted = ~self.isnan()
    shares = restored(grad, len(self._size_), dim, keepdim) / counted.sum(
        _dims(dim, len(self._size_)), True
    )
    return shares * counted

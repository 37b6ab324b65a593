"""`diff`, `trapezoid` and `cumulative_trapezoid`: neighbours subtracted, and areas below them."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, joining
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import reduction as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import composite

# -- differences --


def _ends(self: Tensor, n: int, dim: int, prepend: Any, append: Any) -> Tensor:
    """The tensor with what comes before and after it."""
    for given in (prepend, append):
        if given is not None and len(given._size_) != len(self._size_):
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
        if given is not None:
            for i, size in enumerate(given._size_):
                if i != dim and size != self._size_[i]:
                    raise RuntimeError(
                        f"diff expects the shape of tensor to prepend or append to match that of "
                        f"input except along the differencing dimension; input.size({i}) = "
                        f"{self._size_[i]}, but got tensor.size({i}) = {size}"
                    )
    parts = [t for t in (prepend, self, append) if t is not None]
    return joining.cat(parts, dim) if len(parts) > 1 else self


@composite("diff")
def diff(self: Tensor, n: int, dim: int, prepend: Any, append: Any) -> Tensor:
    if not self._size_:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    d = wrap_dim(dim, len(self._size_))
    found = _ends(self, n, d, prepend, append)
    if n == 0:
        return copies.clone(self)
    for _ in range(min(n, found._size_[d])):
        length = max(found._size_[d] - 1, 0)
        after = views.narrow(found, d, min(1, found._size_[d]), length)
        before = views.narrow(found, d, 0, length)
        if found._dtype_ is dtypes.bool_:
            found = maps.logical_xor(after, before)
        else:
            found = maps.sub_Tensor(after, before, 1)
    return found


@composite("diff.out")
def diff_out(self: Tensor, n: int, dim: int, prepend: Any, append: Any, out: Tensor) -> Tensor:
    return outputs.copy_result(out, diff(self, n, dim, prepend, append))


# -- trapezoids --


def _neighbours(y: Tensor, d: int) -> tuple[Tensor, Tensor]:
    length = y._size_[d] - 1
    return views.narrow(y, d, 1, length), views.narrow(y, d, 0, length)


def _widths(name: str, y: Tensor, x: Tensor, d: int) -> Tensor:
    """Distances of neighbouring ``x``, shaped to go along with ``y``."""
    length = y._size_[d]
    if len(x._size_) == 1:
        if x._size_[0] != length:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        size = [1] * len(y._size_)
        size[d] = length
        return diff(views.view(x, size), 1, d, None, None)
    if len(x._size_) < len(y._size_):
        x = views.view(x, [1] * (len(y._size_) - len(x._size_)) + list(x._size_))
    return diff(x, 1, d - len(y._size_), None, None)


def _check(name: str, y: Tensor, x: Tensor | None) -> None:
    for given in (y, x):
        if given is not None and given._dtype_ is dtypes.bool_:
            letter = "y" if given is y else "x"
            raise RuntimeError(
                f"{name}: received a bool input for `{letter}`, but bool is not supported"
            )


def _areas(name: str, y: Tensor, step: Any, dim: int) -> tuple[Tensor, int]:
    """Twice the area of each stretch."""
    d = wrap_dim(dim, len(y._size_))
    after, before = _neighbours(y, d)
    both = maps.add_Tensor(after, before, 1)
    if isinstance(step, Tensor):
        return maps.mul_Tensor(both, _widths(name, y, step, d)), d
    return maps.mul_Scalar(both, step), d


def _trapezoid(y: Tensor, step: Any, dim: int) -> Tensor:
    _check("trapezoid", y, step if isinstance(step, Tensor) else None)
    d = wrap_dim(dim, len(y._size_))
    if y._size_[d] == 0:
        size = [n for i, n in enumerate(y._size_) if i != d]
        return creation.zeros(size, y._dtype_, None, y._storage_.device)
    areas, d = _areas("trapezoid", y, step, dim)
    return maps.div_Scalar(calls.sum_dim_IntList(areas, [d], False, None), 2.0)


@composite("trapezoid.x", "trapz.x")
def trapezoid(y: Tensor, x: Tensor, dim: int) -> Tensor:
    return _trapezoid(y, x, dim)


@composite("trapezoid.dx", "trapz.dx")
def trapezoid_dx(y: Tensor, dx: Any, dim: int) -> Tensor:
    if isinstance(dx, (bool, complex)):
        raise RuntimeError("trapezoid: Currently, we only support dx as a real number.")
    return _trapezoid(y, dx, dim)


def _cumulative(y: Tensor, step: Any, dim: int) -> Tensor:
    _check("cumulative_trapezoid", y, step if isinstance(step, Tensor) else None)
    d = wrap_dim(dim, len(y._size_))
    if y._size_[d] == 0:
        return creation.zeros(y._size_, y._dtype_, None, y._storage_.device)
    areas, d = _areas("cumulative_trapezoid", y, step, dim)
    return maps.div_Scalar(calls.cumsum(areas, d, None), 2.0)


@composite("cumulative_trapezoid.x")
def cumulative_trapezoid(y: Tensor, x: Tensor, dim: int) -> Tensor:
    return _cumulative(y, x, dim)


@composite("cumulative_trapezoid.dx")
def cumulative_trapezoid_dx(y: Tensor, dx: Any, dim: int) -> Tensor:
    if isinstance(dx, (bool, complex)):
        raise RuntimeError("cumulative_trapezoid: Currently, we only support dx as a real number.")
    return _cumulative(y, dx, dim)


# -- bounded norms --

"""The functions of `rushlight.masked`: missing elements take the operation's neutral value."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Union

import rushlight
from rushlight.engine.calls import reduction as reductions
from rushlight.engine.core.dtype import BOOLEAN, COMPLEX, FLOATING, INTEGRAL, dtype
from rushlight.engine.core.sparse import is_sparse
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import answers
from rushlight.masked.maskedtensor.core import is_masked_tensor
from rushlight.masked.masks import input_mask

Dims = Union[int, Sequence[int], None]


def _dims(dim: Dims, rank: int) -> tuple[int, ...]:
    """The dimensions to reduce, all of them by default."""
    if dim is None or (not isinstance(dim, int) and not len(dim)):
        return tuple(range(rank))
    given = (dim,) if isinstance(dim, int) else tuple(dim)
    found: list[int] = []
    for d in given:
        if not -max(rank, 1) <= d < max(rank, 1):
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-max(rank, 1)}, "
                f"{max(rank, 1) - 1}], but got {d})"
            )
        wrapped = d % max(rank, 1)
        if wrapped in found:
            raise RuntimeError(f"dim={wrapped} appears multiple times in the list of dims")
        found.append(wrapped)
    return tuple(sorted(found)) if rank else ()


def _filled(input: Tensor, mask: Tensor | None, value: Any) -> Tensor:
    """The input with a value in place of what is missing."""
    if mask is None:
        return input
    return rushlight.where(input_mask(input, mask=mask), input, rushlight.full_like(input, value))


def _sparse(
    name: str, input: Tensor, dim: Dims, keepdim: bool | None, mask: Tensor | None, neutral: Any
) -> Tensor:
    from rushlight.masked.sparse_reductions import reduced

    return reduced(name, input, _dims(dim, input.dim()), bool(keepdim), mask, neutral)


def _typed(input: Tensor, kind: dtype | None, widen: bool = False) -> Tensor:
    """The input in the type that is computed in; small integers widen for sums and products."""
    if kind is None and widen and input.dtype.category <= INTEGRAL:
        kind = rushlight.int64
    return input if kind is None or kind is input.dtype else input.to(kind)


def _fractional(input: Tensor, kind: dtype | None, name: str) -> Tensor:
    """The input as a type with fractions."""
    wanted = kind or input.dtype
    if wanted.category not in (FLOATING, COMPLEX):
        raise ValueError(
            f"{name}(): Could not infer output dtype. Input dtype must be either a floating point "
            f"or complex dtype. Got: {input.dtype}"
        )
    return _typed(input, kind)


def _lowest(kind: dtype) -> Any:
    if kind.category == BOOLEAN:
        return False
    return -math.inf if kind.category >= FLOATING else rushlight.iinfo(kind).min


def _highest(kind: dtype) -> Any:
    if kind.category == BOOLEAN:
        return True
    return math.inf if kind.category == FLOATING else rushlight.iinfo(kind).max


def _count(input: Tensor, mask: Tensor | None, dims: tuple[int, ...], keepdim: bool) -> Tensor:
    """How many elements count, along the dimensions."""
    there = rushlight.ones(input.shape, dtype=rushlight.int64, device=input.device)
    if mask is not None:
        there = input_mask(input, mask=mask).to(rushlight.int64)
    return there.sum(dims, keepdim=keepdim) if dims else there


def sum(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The sum of the elements that count; zero if none does."""
    if is_sparse(input):
        return _sparse("sum", _typed(input, dtype, widen=True), dim, keepdim, mask, 0)
    x = _filled(_typed(input, dtype, widen=True), mask, 0)
    dims = _dims(dim, x.dim())
    return x.sum(dims, keepdim=bool(keepdim)) if dims else x.clone()


def prod(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The product of the elements that count; one if none does."""
    if is_sparse(input):
        return _sparse("prod", _typed(input, dtype, widen=True), dim, keepdim, mask, 1)
    x = _filled(_typed(input, dtype, widen=True), mask, 1)
    for d in reversed(_dims(dim, x.dim())):
        x = x.prod(d, keepdim=bool(keepdim))
    return x


def _extreme(name: str, neutral: Callable[[dtype], Any], what: str) -> Callable[..., Tensor]:
    def extreme(
        input: Tensor,
        dim: Dims = None,
        *,
        keepdim: bool | None = False,
        dtype: dtype | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        x = _typed(input, dtype)
        if is_sparse(x):
            return _sparse(name, x, dim, keepdim, mask, neutral(x.dtype))
        x = _filled(x, mask, neutral(x.dtype))
        dims = _dims(dim, x.dim())
        return getattr(x, name)(dims, keepdim=bool(keepdim)) if dims else x.clone()

    extreme.__name__ = extreme.__qualname__ = name
    extreme.__doc__ = f"The {what} of the elements that count."
    return extreme


amax = _extreme("amax", _lowest, "largest")
amin = _extreme("amin", _highest, "smallest")


def _place(name: str, neutral: Callable[[dtype], Any], what: str) -> Callable[..., Tensor]:
    def place(
        input: Tensor,
        dim: int | None = None,
        *,
        keepdim: bool | None = False,
        dtype: dtype | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        x = _typed(input, dtype)
        x = _filled(x, mask, neutral(x.dtype))
        return getattr(x, name)(dim, keepdim=bool(keepdim)).to(x.dtype)

    place.__name__ = place.__qualname__ = name
    place.__doc__ = f"Where the {what} element that counts is, in the input's type."
    return place


argmax = _place("argmax", _lowest, "largest")
argmin = _place("argmin", _highest, "smallest")


def mean(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The mean of the elements that count; NaN if none does."""
    x = _fractional(input, dtype, "mean")
    count = _count(x, mask, _dims(dim, x.dim()), bool(keepdim))
    return sum(x, dim, keepdim=keepdim, mask=mask) / count


def median(
    input: Tensor,
    dim: int = -1,
    *,
    keepdim: bool = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The median of the elements that count along a dimension."""
    x = _typed(input, dtype)
    (d,) = _dims(dim, x.dim()) or (0,)
    if mask is None or x.dtype.category != FLOATING:
        if mask is not None and not bool(input_mask(x, mask=mask).all()):
            x = _filled(x, mask, _highest(x.dtype))
        return x.median(d, keepdim)[0]
    if answers.is_any(x.isnan()):
        raise ValueError("masked median expected no NaN in the input")
    return _filled(x, mask, math.nan).nanmedian(d, keepdim)[0]


def logsumexp(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The logarithm of the sum of the exponentials of the elements that count."""
    x = _typed(input, dtype)
    x = _filled(x, mask, _lowest(x.dtype))
    dims = _dims(dim, x.dim())
    return rushlight.logsumexp(x, dims, keepdim=keepdim).to(x.dtype)


def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: dtype | None = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """`torch.logaddexp` of two tensors with masks of their own."""
    first, second = _typed(input, dtype), _typed(other, dtype)
    return rushlight.logaddexp(
        _filled(first, input_mask, -math.inf), _filled(second, other_mask, -math.inf)
    )


def norm(
    input: Tensor,
    ord: float | None = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The vector norm of the elements that count."""
    x = _typed(input, dtype)
    order = 2.0 if ord is None else float(ord)
    x = _filled(x, mask, math.inf if order < 0 else 0)
    dims = _dims(dim, x.dim())
    return reductions.linalg_vector_norm(x, order, dims or None, bool(keepdim), None)


def _variance(
    input: Tensor,
    dim: Dims,
    unbiased: bool | None,
    correction: float | None,
    keepdim: bool,
    kind: dtype | None,
    mask: Tensor | None,
) -> Tensor:
    if unbiased is not None and correction is not None:
        raise RuntimeError("Only one of unbiased and correction may be given")
    removed = correction if correction is not None else int(unbiased is None or unbiased)
    x = _typed(input, kind)
    if x.dtype.category not in (FLOATING, COMPLEX):
        x = x.to(rushlight.get_default_dtype())
    dims = _dims(dim, x.dim())
    count = _count(x, mask, dims, True)
    total = sum(x, dim, keepdim=True, mask=mask)
    distance = x - total / count
    if mask is not None:
        distance = _filled(distance, mask, 0)
    squares = (distance * distance.conj()).real if x.is_complex() else distance * distance
    made = squares.sum(dims, keepdim=keepdim) if dims else squares
    if not keepdim and dims:
        count = count.reshape(made.shape)
    degrees = count - removed
    return (made / rushlight.clamp_min(degrees, 0)).to(x.dtype)


def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The variance of the elements that count."""
    return _variance(input, dim, unbiased, correction, bool(keepdim), dtype, mask)


def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The standard deviation of the elements that count."""
    return _variance(input, dim, unbiased, correction, bool(keepdim), dtype, mask).sqrt()


def _scan(name: str, neutral: int, what: str) -> Callable[..., Tensor]:
    def scan(
        input: Tensor, dim: int, *, dtype: dtype | None = None, mask: Tensor | None = None
    ) -> Tensor:
        x = _filled(_typed(input, dtype), mask, neutral)
        return getattr(x, name)(dim).to(x.dtype)

    scan.__name__ = scan.__qualname__ = name
    scan.__doc__ = f"The running {what} of the elements that count."
    return scan


cumsum = _scan("cumsum", 0, "sum")
cumprod = _scan("cumprod", 1, "product")


def _soft(
    name: str, hidden: float, function: Callable[[Tensor, int], Tensor], what: str
) -> Callable[..., Tensor]:
    def soft(
        input: Tensor, dim: int, *, dtype: dtype | None = None, mask: Tensor | None = None
    ) -> Tensor:
        x = _typed(input, dtype)
        return function(_filled(x, mask, hidden), dim)

    soft.__name__ = soft.__qualname__ = name
    soft.__doc__ = f"{what} over the elements that count along a dimension."
    return soft


softmax = _soft("softmax", -math.inf, lambda x, d: x.softmax(d), "Softmax")
log_softmax = _soft(
    "log_softmax", -math.inf, lambda x, d: x.log_softmax(d), "The logarithm of softmax"
)
softmin = _soft("softmin", math.inf, lambda x, d: (-x).softmax(d), "Softmax of the negatives")


def normalize(
    input: Tensor,
    ord: float,
    dim: int,
    *,
    eps: float = 1e-12,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The elements that count, divided by their norm along a dimension."""
    x = _typed(input, dtype)
    length = norm(x, ord, dim, keepdim=True, mask=mask)
    return _filled(x, mask, 0) / rushlight.clamp_min(length, eps)


def _taking_masked(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function for tensors with a mask of their own, too; what it gives has none."""

    @functools.wraps(function)
    def run(input: Any, *args: Any, **kwargs: Any) -> Any:
        if is_masked_tensor(input):
            input, kwargs["mask"] = input.get_data(), input.get_mask()
        return function(input, *args, **kwargs)

    return run


for _name in (
    "sum", "prod", "amax", "amin", "argmax", "argmin", "mean", "median", "logsumexp", "norm", "var",
    "std", "cumsum", "cumprod", "softmax", "log_softmax", "softmin", "normalize",
):  # fmt: skip
    globals()[_name] = _taking_masked(globals()[_name])

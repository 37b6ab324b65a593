"""Primitives: the few operators, without broadcasting or promotion, that PyTorch's references are made of.

Those that are the operator of the same name are found there; the others are defined here. Operands
of several tensors must have one shape and one element type.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight import _prims_common as utils
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor

# Primitives that are the public function of the same name.
_SAME = {
    "abs", "acos", "acosh", "add", "as_strided", "as_strided_scatter", "asin", "asinh", "atan",
    "atan2", "atanh", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "cat", "ceil",
    "conj", "conj_physical", "cos", "cosh", "digamma", "eq", "erf", "erfc", "exp", "exp2",
    "expm1", "fill", "floor", "fmax", "fmin", "fmod", "frexp", "gcd", "ge", "gt", "hypot",
    "igamma", "igammac", "imag", "isfinite", "le", "lgamma", "log", "log10", "log1p", "log2",
    "lt", "maximum", "minimum", "mul", "ne", "neg", "nextafter", "pow", "real", "reciprocal",
    "remainder", "reshape", "round", "rsqrt", "sign", "signbit", "sin", "sinh", "sqrt", "sub",
    "tan", "tanh", "trunc", "where",
}  # fmt: skip
_FUNCTIONS = {
    **{name: name for name in _SAME},
    "shift_left": "bitwise_left_shift",
    "shift_right_arithmetic": "bitwise_right_shift",
}
_SPECIAL = {
    "bessel_i0": "i0", "bessel_i0e": "i0e", "bessel_i1": "i1", "bessel_i1e": "i1e",
    "bessel_j0": "bessel_j0", "bessel_j1": "bessel_j1", "erf_inv": "erfinv", "erfcx": "erfcx",
    "ndtri": "ndtri", "spherical_bessel_j0": "spherical_bessel_j0", "zeta": "zeta",
}  # fmt: skip


def _same_kind(name: str, tensors: Sequence[Any]) -> None:
    """Raise unless all tensors have one shape and one element type."""
    given = [t for t in tensors if isinstance(t, Tensor)]
    for other in given[1:]:
        if other.dtype is not given[0].dtype:
            raise RuntimeError(
                f"prims.{name}: tensors must have one element type, but found {given[0].dtype} and "
                f"{other.dtype}"
            )
        if other.ndim and given[0].ndim and other.shape != given[0].shape:
            raise RuntimeError(
                f"prims.{name}: tensors must have one shape, but found {tuple(given[0].shape)} and "
                f"{tuple(other.shape)}"
            )


def __getattr__(name: str) -> Any:
    where, known = (rushlight, _FUNCTIONS) if name in _FUNCTIONS else (rushlight.special, _SPECIAL)
    if name not in known:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    function = getattr(where, known[name])
    compared = name not in ("cat", "where", "pow", "fill")

    def primitive(*args: Any, **kwargs: Any) -> Any:
        if compared:
            _same_kind(name, args)
        return function(*args, **kwargs)

    primitive.__name__ = primitive.__qualname__ = name
    return primitive


# -- arithmetic --


def div(a: Tensor, b: Tensor) -> Tensor:
    """The quotient; of integers, rounded towards zero."""
    _same_kind("div", (a, b))
    whole = a.dtype.category < dtypes.FLOATING
    return rushlight.div(a, b, rounding_mode="trunc" if whole else None)


def cbrt(a: Tensor) -> Tensor:
    """The cube root."""
    return rushlight.copysign(a.abs().pow(1 / 3), a)


# -- views --


def broadcast_in_dim(
    a: Tensor, shape: Sequence[int], broadcast_dimensions: Sequence[int]
) -> Tensor:
    """A tensor of another shape, of which the dimensions of ``a`` are the named ones."""
    whole = a
    for dim in range(len(shape)):
        if dim not in broadcast_dimensions:
            whole = whole.unsqueeze(dim)
    return whole.expand(tuple(shape))


def collapse_view(a: Tensor, start: int, end: int) -> Tensor:
    """Dimensions ``start`` to ``end``, with both, as one."""
    if a.ndim == 0:
        return a.view(1)
    return a.view(*a.shape[:start], math.prod(a.shape[start : end + 1]), *a.shape[end + 1 :])


def collapse(a: Tensor, start: int, end: int) -> Tensor:
    """The same as a new tensor."""
    return a.clone(memory_format=rushlight.contiguous_format).flatten(start, end)


def expand_dims(a: Tensor, dimensions: Sequence[int], ndim: int | None = None) -> Tensor:
    """Insert dimensions of size 1."""
    ndim = a.ndim + len(dimensions) if ndim is None else ndim
    for dim in sorted(d % ndim for d in dimensions):
        a = a.unsqueeze(dim)
    return a


def slice(
    a: Tensor,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int] | None = None,
) -> Tensor:
    """A part of every dimension."""
    steps = strides or [1] * a.ndim
    for dim, (start, limit, step) in enumerate(zip(start_indices, limit_indices, steps)):
        a = rushlight.ops.aten.slice.Tensor(a, dim, start, limit, step)
    return a


def slice_in_dim(
    a: Tensor, start_index: int, limit_index: int, stride: int = 1, axis: int = 0
) -> Tensor:
    """A part of one dimension."""
    return rushlight.ops.aten.slice.Tensor(a, axis, start_index, limit_index, stride)  # type: ignore[no-any-return]


def split_dim(a: Tensor, dim: int, outer_length: int) -> Tensor:
    """One dimension as two, of which the outer one has a given length."""
    if outer_length == 0 or a.shape[dim] % outer_length:
        raise ValueError(
            f"Attempting to split dimension of length {a.shape[dim]}, but outer length of "
            f"{outer_length} divides it with a remainder!"
        )
    inner = a.shape[dim] // outer_length
    return a.view(*a.shape[:dim], outer_length, inner, *a.shape[dim + 1 :])


def squeeze(a: Tensor, dimensions: Sequence[int]) -> Tensor:
    """Drop dimensions of size 1."""
    for dim in sorted((d % max(a.ndim, 1) for d in dimensions), reverse=True):
        if a.shape[dim] != 1:
            raise RuntimeError(f"prims.squeeze: dimension {dim} has size {a.shape[dim]}, not 1")
        a = a.squeeze(dim)
    return a


def transpose(a: Tensor, permutation: Sequence[int]) -> Tensor:
    """The dimensions in another order."""
    return a.permute(tuple(permutation))


def view_of(a: Tensor) -> Tensor:
    """A view of the whole tensor."""
    return rushlight.ops.aten.alias(a)  # type: ignore[no-any-return]


def view_element_type(a: Tensor, dtype: Any) -> Tensor:
    """The same bytes as elements of another type."""
    return a.view(dtype)


# -- copies and shapes --


def rev(a: Tensor, dims: Sequence[int]) -> Tensor:
    """The elements in reverse along some dimensions."""
    return rushlight.flip(a, tuple(dims))


def clone(a: Tensor, *, memory_format: Any = rushlight.preserve_format) -> Tensor:
    """A copy."""
    return a.clone(memory_format=memory_format)


def convert_element_type(a: Tensor, dtype: Any) -> Tensor:
    """The elements as another type."""
    return a.to(dtype, copy=True)


def device_put(a: Tensor, device: Any, non_blocking: bool = False) -> Tensor:
    """A copy on a device."""
    return a.to(device, non_blocking=non_blocking, copy=True)


def item(a: Tensor) -> Any:
    """The only element as a number of Python."""
    return a.item()


def copy_to(a: Tensor, b: Tensor) -> Tensor:
    """Write the elements of ``b`` to ``a``."""
    return a.copy_(b)


def copy_strided(a: Tensor, stride: Sequence[int]) -> Tensor:
    """A copy with given strides."""
    made = rushlight.empty_strided(a.shape, tuple(stride), dtype=a.dtype, device=a.device)
    return made.copy_(a)


def resize(a: Tensor, shape: Sequence[int]) -> Tensor:
    """Give a tensor another shape in place."""
    return a.resize_(tuple(shape))


# -- reductions --


def amax(inp: Tensor, dims: Sequence[int]) -> Tensor:
    """The largest elements along dimensions."""
    return rushlight.amax(inp, tuple(dims)) if dims else inp.clone()


def amin(inp: Tensor, dims: Sequence[int]) -> Tensor:
    """The smallest elements along dimensions."""
    return rushlight.amin(inp, tuple(dims)) if dims else inp.clone()


def sum(inp: Tensor, dims: Sequence[int] | None, *, output_dtype: Any = None) -> Tensor:
    """Sums along dimensions."""
    dims = range(inp.ndim) if dims is None else dims
    kind = output_dtype or inp.dtype
    return rushlight.sum(inp, tuple(dims), dtype=kind) if dims else inp.to(kind, copy=True)


def prod(inp: Tensor, dims: Sequence[int] | None, *, output_dtype: Any = None) -> Tensor:
    """Products along dimensions."""
    kind = output_dtype or inp.dtype
    found = inp.to(kind, copy=True)
    for dim in sorted(range(inp.ndim) if dims is None else dims, reverse=True):
        found = rushlight.prod(found, dim, dtype=kind)
    return found


def xor_sum(inp: Tensor, dims: Sequence[int] | None, *, output_dtype: Any = None) -> Tensor:
    """Exclusive or along dimensions."""
    found = inp.to(output_dtype or inp.dtype, copy=True)
    for dim in sorted(range(inp.ndim) if dims is None else dims, reverse=True):
        total = rushlight.zeros_like(found.select(dim, 0)) if found.shape[dim] else None
        for part in found.unbind(dim):
            total = total ^ part
        found = found.sum(dim, dtype=found.dtype) if total is None else total
    return found


def var(inp: Tensor, dims: Sequence[int] | None, *, correction: float = 1) -> Tensor:
    """Variances along dimensions."""
    return rushlight.var(inp, None if dims is None else tuple(dims), correction=correction)


# -- new tensors and numbers --


def empty_strided(
    shape: Sequence[int], strides: Sequence[int], *, dtype: Any, device: Any, requires_grad: bool
) -> Tensor:
    """Memory with given strides."""
    return rushlight.empty_strided(
        tuple(shape), tuple(strides), dtype=dtype, device=device, requires_grad=requires_grad
    )


def empty_permuted(
    shape: Sequence[int],
    physical_layout: Sequence[int],
    *,
    dtype: Any,
    device: Any,
    requires_grad: bool,
) -> Tensor:
    """Memory whose dimensions lie in a given order."""
    return rushlight.empty_permuted(
        tuple(shape),
        tuple(physical_layout),
        dtype=dtype,
        device=device,
        requires_grad=requires_grad,
    )


def scalar_tensor(s: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor without dimensions."""
    return rushlight.scalar_tensor(s, dtype=dtype, device=device)


def iota(
    length: int, *, start: int, step: int, dtype: Any, device: Any, requires_grad: bool
) -> Tensor:
    """``start``, ``start + step``, ..."""
    places = rushlight.arange(length, dtype=dtype, device=device)
    return (places * step + start).requires_grad_(requires_grad)


def normal(
    shape: Sequence[int],
    *,
    mean: float,
    std: float,
    dtype: Any,
    device: Any,
    requires_grad: bool,
    generator: Any = None,
) -> Tensor:
    """Random numbers of a normal distribution."""
    made = rushlight.empty(tuple(shape), dtype=dtype, device=device)
    return made.normal_(mean, std, generator=generator).requires_grad_(requires_grad)


def maximum_value(dtype: Any) -> Any:
    """The largest value of an element type."""
    if dtype is dtypes.bool_:
        return True
    return math.inf if dtype.is_floating_point else rushlight.iinfo(dtype).max


def minimum_value(dtype: Any) -> Any:
    """The smallest value of an element type."""
    if dtype is dtypes.bool_:
        return False
    return -math.inf if dtype.is_floating_point else rushlight.iinfo(dtype).min


# -- linear algebra and transforms --


def svd(A: Tensor, *, full_matrices: bool) -> Any:
    """Singular values and vectors."""
    return tuple(rushlight.ops.aten.linalg_svd(A, full_matrices))


def fft_r2c(self: Tensor, *, dim: Sequence[int], onesided: bool) -> Tensor:
    """The transform of real numbers, not normalised."""
    return rushlight.ops.aten._fft_r2c(self, list(dim), 0, onesided)  # type: ignore[no-any-return]


def fft_c2c(self: Tensor, *, dim: Sequence[int], forward: bool) -> Tensor:
    """The transform of complex numbers, not normalised."""
    return rushlight.ops.aten._fft_c2c(self, list(dim), 0, forward)  # type: ignore[no-any-return]


def fft_c2r(self: Tensor, *, dim: Sequence[int], last_dim_size: int) -> Tensor:
    """The transform back to real numbers, not normalised."""
    return rushlight.ops.aten._fft_c2r(self, list(dim), 0, last_dim_size)  # type: ignore[no-any-return]

"""Discrete Fourier transforms: three operators that numpy computes, and the family made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, joining
from rushlight.engine.calls import fourier as calls
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import COMPLEX, FLOATING, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.ops.creation.factories import uninitialised
from rushlight.engine.ops.dims import wrap_dim, wrap_dims
from rushlight.engine.ops.fourier import rows
from rushlight.engine.ops.fourier.rows import BY_N, BY_ROOT, NONE
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.planned import Computed, contiguous_spec, planned
from rushlight.engine.ops.kinds.views import composite, explicit

COMPLEX_OF = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}
REAL_OF = {value: key for key, value in COMPLEX_OF.items()}
Ints = Sequence[int]


# -- the three operators --


def _transform(made: Tensor, given: Tensor, dims: Ints, mode: int, forward: bool) -> None:
    """Complex to complex over the dimensions, into a tensor that may be the given one."""
    for d in dims:
        rows.complex_to_complex(made, given, d, mode, forward)
        given = made


def _new(size: Ints, kind: dtype, like: Tensor) -> Tensor:
    return uninitialised(tuple(size), kind, None, like._storage_.device)


@planned("_fft_c2c")
def c2c(self: Tensor, dim: Ints, normalization: int, forward: bool) -> Computed:
    dims = wrap_dims(dim, len(self._size_))

    def compute() -> Tensor:
        if not dims:
            return copies.clone(self)
        made = _new(self._size_, self._dtype_, self)
        if self._numel_:
            _transform(made, self, dims, normalization, forward)
        return made

    return Computed([contiguous_spec(self._size_, self._dtype_)], compute, (self,))


@planned("_fft_r2c")
def r2c(self: Tensor, dim: Ints, normalization: int, onesided: bool) -> Computed:
    dims = wrap_dims(dim, len(self._size_))
    result = COMPLEX_OF[self._dtype_]
    size = list(self._size_)
    if onesided:
        size[dims[-1]] = size[dims[-1]] // 2 + 1

    def compute() -> Tensor:
        made = _new(size, result, self)
        if not made._numel_:
            return made
        if onesided:
            rows.real_to_complex(made, self, dims[-1], normalization)
            _transform(made, made, dims[:-1], normalization, True)
        else:
            copies.copy_(made, self, False)
            _transform(made, made, dims, normalization, True)
        return made

    return Computed([contiguous_spec(size, result)], compute, (self,))


@planned("_fft_c2r")
def c2r(self: Tensor, dim: Ints, normalization: int, last_dim_size: int) -> Computed:
    dims = wrap_dims(dim, len(self._size_))
    result = REAL_OF[self._dtype_]
    size = list(self._size_)
    size[dims[-1]] = last_dim_size

    def compute() -> Tensor:
        made, given = _new(size, result, self), self
        if not made._numel_:
            return made
        if len(dims) > 1:
            given = _new(self._size_, self._dtype_, self)
            _transform(given, self, dims[:-1], normalization, False)
        rows.complex_to_real(made, given, dims[-1], normalization)
        return made

    return Computed([contiguous_spec(size, result)], compute, (self,))


# -- arguments --


def mode_of(norm: str | None, forward: bool) -> int:
    """What a transform is divided by."""
    if norm is None or norm == "backward":
        return NONE if forward else BY_N
    if norm == "forward":
        return BY_N if forward else NONE
    if norm == "ortho":
        return BY_ROOT
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def fraction(x: Tensor, complex_wanted: bool = False) -> Tensor:
    """The tensor with elements that a transform takes: integers become the default type."""
    kind: dtype = x._dtype_
    if kind.category < FLOATING:
        kind = promotion.to_float(kind)
    if kind not in COMPLEX_OF and kind not in REAL_OF:
        raise RuntimeError(f"Unsupported dtype {promotion.title(kind)}")
    if complex_wanted:
        kind = COMPLEX_OF.get(kind, kind)
    return x if kind is x._dtype_ else copies.to_dtype(x, kind)


def resized(x: Tensor, dims: Ints, lengths: Ints) -> Tensor:
    """The tensor cut or filled with zeros at the end of dimensions."""
    for d, length in zip(dims, lengths):
        size = list(x._size_)
        if length < size[d]:
            x = views.slice_Tensor(x, d, 0, length, 1)
        elif length > size[d]:
            size[d] = length - size[d]
            x = joining.cat([x, creation.new_zeros(x, size)], d)
    return x


def check_length(n: int) -> None:
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def _one(x: Tensor, n: int | None, dim: int) -> tuple[Tensor, int]:
    """The tensor with ``n`` elements along a dimension, and the dimension."""
    d = wrap_dim(dim, len(x._size_), False) if x._size_ else wrap_dim(dim, 0, False)
    length = x._size_[d] if n is None else n
    check_length(length)
    return (x if n is None else resized(x, [d], [length])), d


def _several(x: Tensor, s: Ints | None, dim: Ints | None) -> tuple[list[int], list[int]]:
    """Lengths and dimensions of a transform over several."""
    rank = len(x._size_)
    dims = None if dim is None else [wrap_dim(d, rank, False) for d in dim]
    if dims is not None and len(set(dims)) < len(dims):
        raise RuntimeError("FFT dims must be unique")
    if s is not None:
        if dims is not None and len(dims) != len(s):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(s) > rank:
            raise RuntimeError(
                f"Got shape with {len(s)} values but input tensor only has {rank} dimensions."
            )
    if dims is None:
        dims = list(range(rank)) if s is None else list(range(rank - len(s), rank))
    lengths = [-1] * len(dims) if s is None else list(s)
    lengths = [x._size_[d] if n == -1 else n for n, d in zip(lengths, dims)]
    for n in lengths:
        check_length(n)
    return lengths, dims


def _check_real(name: str, x: Tensor, what: str = "real") -> None:
    if x._dtype_.category == COMPLEX:
        raise RuntimeError(
            f"{name} expects a {what} input tensor, but got {promotion.title(x._dtype_)}"
        )


# -- over one dimension --


def _real_transform(
    name: str, x: Tensor, n: int | None, dim: int, norm: str | None, forward: bool, onesided: bool
) -> Tensor:
    _check_real(name, x)
    x, d = _one(fraction(x), n, dim)
    made = calls._fft_r2c(x, [d], mode_of(norm, forward), onesided)
    return made if forward else views.conj(made)


def _complex_transform(
    x: Tensor, n: int | None, dim: int, norm: str | None, forward: bool
) -> Tensor:
    x, d = _one(fraction(x, True), n, dim)
    return calls._fft_c2c(x, [d], mode_of(norm, forward), forward)


def _to_real(x: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Tensor:
    x = fraction(x, True)
    d = wrap_dim(dim, len(x._size_), False)
    length = 2 * (x._size_[d] - 1) if n is None else n
    check_length(length)
    if n is not None:
        x = resized(x, [d], [length // 2 + 1])
    given = views.conj(x) if forward else x
    return calls._fft_c2r(given, [d], mode_of(norm, forward), length)


def fft(self: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    if self._dtype_.is_complex:
        return _complex_transform(self, n, dim, norm, True)
    return _real_transform("fft", self, n, dim, norm, True, False)


def ifft(self: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    if self._dtype_.is_complex:
        return _complex_transform(self, n, dim, norm, False)
    return _real_transform("ifft", self, n, dim, norm, False, False)


def rfft(self: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    return _real_transform("rfft", self, n, dim, norm, True, True)


def ihfft(self: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    return _real_transform("ihfft", self, n, dim, norm, False, True)


def irfft(self: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    return _to_real(self, n, dim, norm, False)


def hfft(self: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    return _to_real(self, n, dim, norm, True)


# -- over several --


def _over_several(
    x: Tensor, s: Ints | None, dim: Ints | None, norm: str | None, forward: bool
) -> Tensor:
    lengths, dims = _several(x, s, dim)
    x = resized(fraction(x, True), dims, lengths)
    return calls._fft_c2c(x, dims, mode_of(norm, forward), forward)


def fftn(self: Tensor, s: Ints | None, dim: Ints | None, norm: str | None) -> Tensor:
    return _over_several(self, s, dim, norm, True)


def ifftn(self: Tensor, s: Ints | None, dim: Ints | None, norm: str | None) -> Tensor:
    return _over_several(self, s, dim, norm, False)


def _real_lengths(
    name: str, x: Tensor, s: Ints | None, dim: Ints | None
) -> tuple[list[int], list[int]]:
    _check_real(name, x, "real-valued")
    lengths, dims = _several(x, s, dim)
    if not lengths:
        raise RuntimeError(f"{name} must transform at least one axis")
    return lengths, dims


def rfftn(self: Tensor, s: Ints | None, dim: Ints | None, norm: str | None) -> Tensor:
    lengths, dims = _real_lengths("rfftn", self, s, dim)
    x = resized(fraction(self), dims, lengths)
    return calls._fft_r2c(x, dims, mode_of(norm, True), True)


def ihfftn(self: Tensor, s: Ints | None, dim: Ints | None, norm: str | None) -> Tensor:
    lengths, dims = _real_lengths("ihfftn", self, s, dim)
    x = resized(fraction(self), dims, lengths)
    mode = mode_of(norm, False)
    made = views.conj(calls._fft_r2c(x, dims[-1:], mode, True))
    return calls._fft_c2c(made, dims[:-1], mode, False) if len(dims) > 1 else made


def _complex_lengths(
    name: str, x: Tensor, s: Ints | None, dim: Ints | None
) -> tuple[Tensor, list[int], int]:
    """The resized input of a transform to real numbers, its dimensions and the last one's length."""
    x = fraction(x, True)
    lengths, dims = _several(x, s, dim)
    if not lengths:
        raise RuntimeError(f"{name} must transform at least one axis")
    last = 2 * (x._size_[dims[-1]] - 1) if s is None or s[-1] == -1 else s[-1]
    check_length(last)
    lengths[-1] = last // 2 + 1
    return resized(x, dims, lengths), dims, last


def irfftn(self: Tensor, s: Ints | None, dim: Ints | None, norm: str | None) -> Tensor:
    x, dims, last = _complex_lengths("irfftn", self, s, dim)
    return calls._fft_c2r(x, dims, mode_of(norm, False), last)


def hfftn(self: Tensor, s: Ints | None, dim: Ints | None, norm: str | None) -> Tensor:
    x, dims, last = _complex_lengths("hfftn", self, s, dim)
    mode = mode_of(norm, True)
    if len(dims) > 1:
        x = calls._fft_c2c(x, dims[:-1], mode, True)
    return calls._fft_c2r(views.conj(x), dims[-1:], mode, last)


# -- registration --


def _check_out(name: str, result: Tensor, out: Tensor) -> None:
    """Transforms write complex numbers to complex tensors and real ones to real ones."""
    if result._dtype_.is_complex and not out._dtype_.is_complex:
        wanted = "complex"
    elif not result._dtype_.is_complex and out._dtype_.category != FLOATING:
        wanted = "floating point"
    else:
        return
    raise RuntimeError(
        f"{name} expects a {wanted} output tensor, but got {promotion.title(out._dtype_)}"
    )


def _register(name: str, function: Any) -> None:
    def written(*args: Any) -> Tensor:
        *given, out = args
        result = function(*given)
        _check_out(name, result, out)
        return outputs.copy_result(out, views.resolve_conj(result))

    composite(f"fft_{name}")(function)
    composite(f"fft_{name}.out")(written)


for _transform_of in (
    fft, ifft, rfft, irfft, hfft, ihfft, fftn, ifftn, rfftn, irfftn, hfftn, ihfftn
):  # fmt: skip
    _register(_transform_of.__name__, _transform_of)
for _plane_of in (fftn, ifftn, rfftn, irfftn, hfftn, ihfftn):
    _register(_plane_of.__name__.removesuffix("n") + "2", _plane_of)


# -- frequencies and shifts --


def _frequencies(name: str, n: int, count: int, d: float, options: tuple[Any, ...]) -> Tensor:
    """The first ``count`` whole numbers, divided by the length of the signal."""
    kind, layout, device, pin_memory = options
    kind = kind or promotion.to_float(dtypes.int64)
    if kind.category < FLOATING:
        raise RuntimeError(
            f"{name} requires a floating point or complex dtype, but got {promotion.title(kind)}"
        )
    return creation.arange(count, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)


@composite("fft_fftfreq")
def fftfreq(n: int, d: float, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    made = _frequencies("fftfreq", n, n, d, (dtype, layout, device, pin_memory))
    first = (n + 1) // 2
    negative = creation.arange_start(-(n // 2), 0, dtype=made._dtype_, device=device)
    made = joining.cat([views.narrow(made, 0, 0, first), negative], 0)
    return maps.mul_Scalar(made, _over(n, d))


@composite("fft_rfftfreq")
def rfftfreq(n: int, d: float, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    made = _frequencies("rfftfreq", n, n // 2 + 1, d, (dtype, layout, device, pin_memory))
    return maps.mul_Scalar(made, _over(n, d))


def _over(n: int, d: float) -> float:
    return 1.0 / (n * d) if n * d else math.inf


@explicit("fft_fftfreq.out")
def fftfreq_out(n: int, d: float, out: Tensor) -> Tensor:
    return outputs.copy_result(out, fftfreq(n, d, out._dtype_, None, out._storage_.device, None))


@explicit("fft_rfftfreq.out")
def rfftfreq_out(n: int, d: float, out: Tensor) -> Tensor:
    return outputs.copy_result(out, rfftfreq(n, d, out._dtype_, None, out._storage_.device, None))


def _rolled(x: Tensor, dim: Ints | None, back: int) -> Tensor:
    dims = list(range(len(x._size_))) if dim is None else list(dim)
    shifts = [(x._size_[wrap_dim(d, len(x._size_))] + back) // 2 for d in dims]
    return views.roll(x, shifts, dims)


@composite("fft_fftshift")
def fftshift(self: Tensor, dim: Ints | None) -> Tensor:
    return _rolled(self, dim, 0)


@composite("fft_ifftshift")
def ifftshift(self: Tensor, dim: Ints | None) -> Tensor:
    return _rolled(self, dim, 1)

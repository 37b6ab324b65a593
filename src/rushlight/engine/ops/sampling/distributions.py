"""In-place sampling from the distributions with parameters that are numbers."""

from __future__ import annotations

import functools
import math
import struct
from typing import Any

from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.expr import Value, convert, fma, select
from rushlight.engine.loops.promotion import title
from rushlight.engine.native import mersenne
from rushlight.engine.ops.kinds.views import cpu, meta
from rushlight.engine.ops.sampling import normal
from rushlight.engine.ops.sampling.parameters import PROBABILITIES, check, in_double
from rushlight.engine.ops.sampling.streams import (
    chosen,
    fill_from_words,
    fill_with,
    filling,
    reals,
    unit_f32,
    unit_f64,
)

FLOATS = (dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16)


def require(condition: bool, message: str) -> None:
    if not condition:
        raise RuntimeError(message)


def has_kernel(condition: bool, name: str, kind: dtypes.dtype) -> None:
    if not condition:
        raise NotImplementedError(f"\"{name}\" not implemented for '{title(kind)}'")


def short(number: float) -> str:
    """A number as C++ streams print it."""
    return f"{number:g}"


# -- uniform --


@functools.lru_cache(256)
def check_uniform(kind: dtypes.dtype, low: float, high: float) -> None:
    real = kind.to_real()
    has_kernel(real in FLOATS, "check_uniform_bounds", kind)
    limit = dtypes.finfo(real).max
    names = {
        dtypes.float32: "float",
        dtypes.float64: "double",
        dtypes.float16: "c10::Half",
        dtypes.bfloat16: "c10::BFloat16",
    }
    for name, bound in (("from", low), ("to", high)):
        require(-limit <= bound <= limit, f"{name} is out of bounds for {names[real]}")
    require(
        low <= high,
        f"uniform_ expects to return a [from, to) range, but found from={short(low)} > to={short(high)}",
    )
    require(
        high - low <= limit,
        f"uniform_ expects to-from <= std::numeric_limits<{title(real)}>::max(), but found "
        f"to={short(high)} and from={short(low)} which result in to-from to exceed the limit",
    )


def _uniform_f32(word: Value, low: Value, width: Value) -> Value:
    return fma(unit_f32(word), width, low)


def _uniform_f64(upper: Value, lower: Value, low: Value, width: Value) -> Value:
    return fma(unit_f64(upper, lower), width, low)


def _uniform_half(memory: str) -> Any:
    def body(word: Value, low: Value, width: Value, high: Value) -> Value:
        rounded = convert(convert(fma(unit_f32(word), width, low), memory), "f32")
        return select(rounded == convert(convert(high, memory), "f32"), low, rounded)

    return body


@cpu("uniform_")
def uniform_(self: Tensor, from_: float, to: float, generator: Any) -> Tensor:
    check_uniform(self._dtype_, from_, to)
    kind = self._dtype_.to_real()
    if kind is dtypes.float64:
        bounds = (("f64", from_), ("f64", to - from_))
        fill_from_words(self, generator, "uniform", _uniform_f64, 2, bounds)
    elif kind is dtypes.float32:
        low, high = single_precision(from_), single_precision(to)
        bounds = (("f32", low), ("f32", high - low))
        fill_from_words(self, generator, "uniform", _uniform_f32, 1, bounds)
    else:
        low, high = single_precision(from_), single_precision(to)
        ends = (("f32", low), ("f32", high - low), ("f32", high))
        fill_from_words(self, generator, "uniform", _uniform_half(kind.memory), 1, ends)
    return self


def single_precision(number: float) -> float:
    """A number rounded to single precision."""
    return struct.unpack("f", struct.pack("f", number))[0]


# -- normal --


def check_deviation(std: float) -> None:
    require(std >= 0.0, f"normal expects std >= 0.0, but found std {short(std)}")


@cpu("normal_")
def normal_(self: Tensor, mean: float, std: float, generator: Any) -> Tensor:
    check_deviation(std)
    kind = self._dtype_.to_real()
    has_kernel(kind in FLOATS, "normal_kernel_cpu", kind)
    count = self._numel_
    if self._dtype_.category == dtypes.COMPLEX:
        # The variance is shared between the two parts.
        std, count = std / math.sqrt(2), 2 * count
    if count < normal.BLOCK or not sizes.is_contiguous(self._size_, self._stride_):
        return fill_with(self, generator, mersenne.normals, mean, std)
    if kind is dtypes.float64:
        return fill_with(self, generator, mersenne.normal_blocks, mean, std)
    stream = chosen(generator)
    found = filling(
        ("normal", self._dtype_, self._size_), lambda: normal.block_filling(reals(self))
    )
    return found.fill(self, stream.address, mean, std)


# -- others --


def check_log_normal(kind: dtypes.dtype, std: float) -> None:
    require(std > 0.0, f"log_normal_ expects std > 0.0, but found std={short(std)}")
    has_kernel(kind in FLOATS, "log_normal_cpu", kind)


@cpu("log_normal_")
def log_normal_(self: Tensor, mean: float, std: float, generator: Any) -> Tensor:
    check_log_normal(self._dtype_, std)
    return fill_with(self, generator, mersenne.log_normals, mean, std)


def check_cauchy(kind: dtypes.dtype, sigma: float) -> None:
    require(sigma > 0.0, f"cauchy_ expects sigma > 0.0, but found sigma={short(sigma)}")
    require(
        kind in FLOATS,
        "Cauchy distribution is a continuous probability distribution. dtype must be a floating "
        f"point but you specified {title(kind)}",
    )


@cpu("cauchy_")
def cauchy_(self: Tensor, median: float, sigma: float, generator: Any) -> Tensor:
    check_cauchy(self._dtype_, sigma)
    return fill_with(self, generator, mersenne.cauchys, median, sigma)


def check_exponential(kind: dtypes.dtype, lambd: float) -> None:
    require(lambd > 0.0, f"exponential_ expects lambda > 0.0, but found lambda={short(lambd)}")
    require(
        kind in FLOATS,
        "Exponential distribution is a continuous probability distribution. dtype must be a "
        f"floating point but you specified {title(kind)}",
    )


@cpu("exponential_")
def exponential_(self: Tensor, lambd: float, generator: Any) -> Tensor:
    check_exponential(self._dtype_, lambd)
    return fill_with(self, generator, mersenne.exponentials, lambd)


def check_geometric(kind: dtypes.dtype, p: float) -> None:
    require(0 < p < 1, f"geometric_ expects p to be in (0, 1), but got p={short(p)}")
    known = kind in FLOATS or (
        kind.category == dtypes.INTEGRAL
        and kind not in (dtypes.uint16, dtypes.uint32, dtypes.uint64)
    )
    has_kernel(known, "geometric_cpu", kind)


@cpu("geometric_")
def geometric_(self: Tensor, p: float, generator: Any) -> Tensor:
    check_geometric(self._dtype_, p)
    return fill_with(self, generator, mersenne.geometrics, p)


@meta("uniform_", "normal_", "log_normal_", "cauchy_")
def on_meta(self: Tensor, first: float, second: float, generator: Any) -> Tensor:
    return self


@meta("exponential_", "geometric_")
def on_meta_one(self: Tensor, parameter: float, generator: Any) -> Tensor:
    return self


# -- bernoulli --


def _less_f64(upper: Value, lower: Value, p: Value) -> Value:
    return unit_f64(upper, lower) < p


def _less_f32(word: Value, p: Value) -> Value:
    return unit_f32(word) < p


def check_bernoulli(p: float) -> None:
    require(0 <= p <= 1, f"bernoulli_ expects p to be in [0, 1], but got p={short(p)}")


def takes_truth(kind: dtypes.dtype) -> bool:
    """Whether tensors of a type can be filled with zeros and ones at random."""
    wide_unsigned = kind in (dtypes.uint16, dtypes.uint32, dtypes.uint64)
    return kind.category != dtypes.COMPLEX and not wide_unsigned


@cpu("bernoulli_.float")
def bernoulli_(self: Tensor, p: float, generator: Any) -> Tensor:
    check_bernoulli(p)
    known = takes_truth(self._dtype_) or not self._numel_
    has_kernel(known, "bernoulli_scalar_cpu_", self._dtype_)
    return fill_from_words(self, generator, "bernoulli", _less_f64, 2, (("f64", p),))


def refuse_probabilities() -> None:
    raise RuntimeError(
        "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
        "improved?  If so, please report an enhancement request to PyTorch.)"
    )


@cpu("bernoulli_.Tensor")
def bernoulli_tensor_(self: Tensor, p: Tensor, generator: Any) -> Tensor:
    has_kernel(takes_truth(self._dtype_), "bernoulli_tensor_cpu_self_", self._dtype_)
    has_kernel(p._dtype_ in FLOATS, "bernoulli_tensor_cpu_p_", p._dtype_)
    check(in_double(p), PROBABILITIES, refuse_probabilities)
    spread = views.expand(p, self._size_, False)
    double = p._dtype_ is dtypes.float64
    operands = ((p._dtype_.memory, spread),)
    body, words = (_less_f64, 2) if double else (_less_f32, 1)
    return fill_from_words(self, generator, "bernoulli", body, words, operands)


@meta("bernoulli_.float", "bernoulli_.Tensor")
def bernoulli_on_meta(self: Tensor, p: Any, generator: Any) -> Tensor:
    return self

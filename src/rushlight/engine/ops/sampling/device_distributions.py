"""More distributions on a GPU, by PyTorch's recipes: what uniform and normal numbers become."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import maths
from rushlight.engine.loops.expr import Value, ceil, convert, fma, select
from rushlight.engine.loops.maths.philox import unit_doubles, unit_singles
from rushlight.engine.ops.kinds.views import cuda
from rushlight.engine.ops.sampling import distributions, integers
from rushlight.engine.ops.sampling.device_draws import bell, draw, is_wide

# The smallest distance from 1 that a type of computation knows.
_STEP = {"f32": 2.0**-23, "f64": 2.0**-52}


def _from_uniform(
    self: Tensor, generator: Any, name: str, body: Callable[..., Value], *parameters: float
) -> Tensor:
    """Fill with a function of a number in (0, 1], its type, and the parameters."""
    kind = "f64" if is_wide(self._dtype_) else "f32"

    def distribution(words: Sequence[Value], *given: Value) -> list[Value]:
        units = unit_doubles(words) if kind == "f64" else unit_singles(words)
        return [body(unit, kind, *given) for unit in units]

    return draw(self, generator, name, distribution, [(kind, p) for p in parameters])


def _exponential(unit: Value, kind: str, rate: Value) -> Value:
    half = _STEP[kind] / 2
    # The logarithm of what is next to 1 is not to be 0.
    logarithm = select(unit >= 1 - half, -half, maths.log(unit))
    return (-1 / rate) * logarithm


@cuda("exponential_")
def exponential_(self: Tensor, lambd: float, generator: Any) -> Tensor:
    distributions.check_exponential(self._dtype_, lambd)
    return _from_uniform(self, generator, "exponential_", _exponential, lambd)


def _cauchy(unit: Value, kind: str, median: Value, sigma: Value) -> Value:
    step = _STEP[kind]
    inside = select(unit > 1 - step, 1 - step, unit)
    inside = select(inside < step, step, inside)
    return median + sigma * maths.tan((inside - 0.5) * math.pi)


@cuda("cauchy_")
def cauchy_(self: Tensor, median: float, sigma: float, generator: Any) -> Tensor:
    distributions.check_cauchy(self._dtype_, sigma)
    return _from_uniform(self, generator, "cauchy_", _cauchy, median, sigma)


def _geometric(unit: Value, kind: str, p: Value) -> Value:
    return ceil(maths.log(unit) / maths.log1p(-p))


@cuda("geometric_")
def geometric_(self: Tensor, p: float, generator: Any) -> Tensor:
    distributions.check_geometric(self._dtype_, p)
    return _from_uniform(self, generator, "geometric_", _geometric, p)


@cuda("log_normal_")
def log_normal_(self: Tensor, mean: float, std: float, generator: Any) -> Tensor:
    distributions.check_log_normal(self._dtype_, std)
    kind = "f64" if is_wide(self._dtype_) else "f32"

    def powers(words: Sequence[Value], middle: Value, width: Value) -> list[Value]:
        return [maths.exp(fma(x, width, middle)) for x in bell(words, kind)]

    return draw(self, generator, "log_normal_", powers, ((kind, mean), (kind, std)))


@cuda("random_")
def random_(self: Tensor, generator: Any) -> Tensor:
    kind = integers.checked_kind(self, "random_kernel_cuda")
    length = integers.whole_range(kind)
    long = kind in (dtypes.int64, dtypes.float64)

    def numbers(words: Sequence[Value], count: Value) -> list[Value]:
        if not long:
            return [convert(w % count, "i64") for w in words]
        wide = [
            (convert(high, "u64") << 32) | convert(low, "u64")
            for high, low in zip(words[::2], words[1::2])
        ]
        return [convert(w % count, "i64") for w in wide]

    return draw(
        self, generator, "random_ of a whole type", numbers, (("u64" if long else "u32", length),)
    )

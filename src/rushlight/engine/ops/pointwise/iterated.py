"""Special functions that take as many steps as an element says: recurrences and series.

Kernels are straight lines, so these run over whole arrays in numpy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.generated.calls import copy as copies
from rushlight.engine.generated.calls import pointwise as calls
from rushlight.engine.ops import bridge
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.pointwise import Kernel, Pointwise

Array = Any
MOST_STEPS = 20000


def _array(x: Any, kind: dtype) -> Array:
    """The elements of a tensor, or a number, as an array of their own."""
    if not isinstance(x, Tensor):
        return np.asarray(x, bridge.NUMPY[kind])
    wide = copies._to_copy(x, kind)
    return bridge.array(wide).copy()


def iterated(
    *names: str, is_wide: bool = False, **facts: Any
) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Register a function of arrays as the kernel of the named overloads and their variants.

    The arrays have the common type, or double precision with ``is_wide``.
    """

    def decorate(function: Callable[..., Array]) -> Callable[..., Array]:
        for name in names:
            op = operators.operator(name)
            kernel = Kernel(op, Pointwise(name, function, **facts))

            def compute(*args: Any, kernel: Kernel = kernel) -> Tensor:
                common, specs = kernel.infer(args)
                shape, _, kind = specs[0]
                inner = dtypes.float64 if is_wide else common
                arrays = np.broadcast_arrays(*(_array(x, inner) for x in args))
                with np.errstate(all="ignore"):
                    values = function(*map(np.atleast_1d, arrays))
                result = bridge.tensor_over(np.ascontiguousarray(values).reshape(shape))
                return copies._to_copy(result, kind)

            def into(*args: Any, compute: Callable[..., Tensor] = compute) -> Tensor:
                return outputs.copy_result(args[-1], compute(*args[:-1]))

            def over(*args: Any, compute: Callable[..., Tensor] = compute) -> Tensor:
                result = compute(*args)
                outputs.check_inplace(args[0], result._size, result._dtype)
                return copies.copy_(args[0], result)

            operators.register_kernel(op.full_name, "CPU", compute)
            operators.register_kernel(op.full_name, "Meta", kernel.meta)
            inplaces, outs = outputs.variants(op)
            for variants, serve in ((outs, into), (inplaces, over)):
                for variant in variants:
                    operators.register_kernel(variant.full_name, "CPU", serve)
                    meta = Kernel(variant, kernel.rule)
                    method = meta.out if serve is into else meta.inplace
                    operators.register_kernel(variant.full_name, "Meta", method)
        return function

    return decorate


# -- orthogonal polynomials: two first members and a step to the next --

Step = Callable[[int, Array, Array, Array], Array]


def _recurrence(x: Array, n: Array, first: Array, step: Step) -> Array:
    """The ``n``-th member of a family that starts with one and ``first``; zero below."""
    n = np.trunc(n)
    result = np.where(n < 0, 0.0, np.where(n == 0, 1.0, first))
    before, now = np.ones_like(x), first
    highest = int(n[np.isfinite(n)].max(initial=0))
    for k in range(1, min(highest, MOST_STEPS)):
        before, now = now, step(k, x, now, before)
        result = np.where(n == k + 1, now, result)
    return result


def _chebyshev(k: int, x: Array, now: Array, before: Array) -> Array:
    return 2 * x * now - before


def _fused(x: Array, y: Array, z: Array) -> Array:
    """``x * y - z`` rounded once, in single precision: the difference may cancel."""
    return (x.astype(np.float64) * y - z).astype(x.dtype)


# the second member of each kind; all kinds share the step
_CHEBYSHEV: dict[str, Callable[[Array], Array]] = {
    "t": lambda x: x,
    "u": lambda x: 2 * x,
    "v": lambda x: 2 * x - 1,
    "w": lambda x: 2 * x + 1,
}
# names, whether the argument is shifted to between 0 and 1, second member, step
_POLYNOMIALS: list[tuple[str, bool, Callable[[Array], Array], Step]] = [
    *(
        (f"chebyshev_polynomial_{kind}", False, first, _chebyshev)
        for kind, first in _CHEBYSHEV.items()
    ),
    *(
        (f"shifted_chebyshev_polynomial_{kind}", True, first, _chebyshev)
        for kind, first in _CHEBYSHEV.items()
    ),
    ("hermite_polynomial_h", False, lambda x: 2 * x, lambda k, x, q, p: 2 * (x * q - k * p)),
    ("hermite_polynomial_he", False, lambda x: x, lambda k, x, q, p: _fused(x, q, k * p)),
    (
        "laguerre_polynomial_l",
        False,
        lambda x: 1 - x,
        lambda k, x, q, p: ((2 * k + 1 - x) * q - k * p) / (k + 1),
    ),
    (
        "legendre_polynomial_p",
        False,
        lambda x: x,
        lambda k, x, q, p: ((2 * k + 1) * x * q - k * p) / (k + 1),
    ),
]


def _polynomial(
    is_shifted: bool, first: Callable[[Array], Array], step: Step
) -> Callable[[Array, Array], Array]:
    def compute(x: Array, n: Array) -> Array:
        y = 2 * x - 1 if is_shifted else x
        return _recurrence(y, n, first(y), step)

    return compute


for _name, _is_shifted, _first, _step in _POLYNOMIALS:
    _full = f"special_{_name}"
    iterated(
        _full,
        f"{_full}.x_scalar",
        f"{_full}.n_scalar",
        promote="float",
        allowed="biuf",
        kernel=f"{_name}_cpu",
    )(_polynomial(_is_shifted, _first, _step))


# -- incomplete gamma functions --


def _lgamma(a: Array) -> Array:
    result = calls.lgamma(bridge.tensor_over(np.ascontiguousarray(a)))
    return bridge.array(result).copy()


def _series(a: Array, x: Array) -> Array:
    """The lower function's power series without its leading factor, for x up to about a."""
    term = 1 / a
    total = term
    for n in range(1, MOST_STEPS):
        term = term * x / (a + n)
        total = total + term
        if not (abs(term) > abs(total) * 1e-17).any():
            break
    return total


def _fraction(a: Array, x: Array) -> Array:
    """The upper function's continued fraction without its leading factor, for x above a."""
    tiny = 1e-300
    b = x + 1 - a
    c = np.full_like(x, 1 / tiny)
    d = 1 / np.where(b == 0, tiny, b)
    value = d
    for i in range(1, MOST_STEPS):
        factor = -i * (i - a)
        b = b + 2
        d = factor * d + b
        d = 1 / np.where(d == 0, tiny, d)
        c = b + factor / c
        c = np.where(c == 0, tiny, c)
        value = value * d * c
        if not (abs(d * c - 1) > 1e-16).any():
            break
    return value


def _incomplete(a: Array, x: Array) -> tuple[Array, Array]:
    """The regularised lower and upper incomplete gamma functions."""
    lower = np.full(a.shape, math.nan)
    upper = np.full(a.shape, math.nan)

    def put(where: Array, low: Any, high: Any) -> None:
        lower[where], upper[where] = low, high

    plain = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    for where, is_series in (
        (plain & ((x <= 1) | (x <= a)), True),
        (plain & (x > 1) & (x > a), False),
    ):
        if not where.any():
            continue
        one, two = a[where], x[where]
        leading = np.exp(one * np.log(two) - two - _lgamma(one))
        part = leading * (_series if is_series else _fraction)(one, two)
        put(where, part if is_series else 1 - part, 1 - part if is_series else part)
    put((a == 0) & (x > 0), 1, 0)
    put((a > 0) & (x == 0), 0, 1)
    put(np.isfinite(a) & (a >= 0) & (x == math.inf), 1, 0)
    put((a == math.inf) & np.isfinite(x) & (x >= 0), 0, 1)
    return lower, upper


@iterated("igamma", allowed="hf", is_wide=True)
def igamma(a: Array, x: Array) -> Array:
    return _incomplete(a, x)[0]


@iterated("igammac", allowed="hf", is_wide=True)
def igammac(a: Array, x: Array) -> Array:
    return _incomplete(a, x)[1]

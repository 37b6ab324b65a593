"""Special functions that take as many steps as an element says: recurrences and series.

The loop compiler's kernels are straight lines, so these are functions of the kernel language.
`walker` makes a kernel of one: a loop with the calling convention of `native.launch`.
"""

from __future__ import annotations

from rushlight.engine.native import c_maths
from rushlight.engine.native.c_maths import (
    acos,
    cos,
    exp,
    expm1,
    fabs,
    lgamma,
    log,
    log1p,
    sin,
    sqrt,
    trunc,
)
from rushlight.engine.native.lowlevel import (
    Function,
    Module,
    load,
    load_float,
    load_float32,
    store_float,
    store_float32,
)

module = Module("iterated")
kept = module.function(c_maths.kept)


INF = float("inf")
NAN = float("nan")
EPSILON = 2.0**-54
EPSILON_SINGLE = 2.0**-30
# No series needs more steps than about the square root of its argument.
MOST_STEPS = 67108864.0
# Above this order a Chebyshev polynomial between -1 and 1 is a wave.
WAVE_ORDER = 8.0


# -- orthogonal polynomials: the first member is one --


@module.function
def order_of(n: float) -> float:
    """The whole part of an order; -1 for what is no order."""
    whole = trunc(n)
    if whole >= 0.0 and whole < 9.2e18:
        return whole
    return -1.0


@module.function
def chebyshev(x: float, n: float, first: float, single: int) -> float:
    """The recurrence that all four kinds share, from the given second member."""
    before = 1.0
    now = first
    k = 1.0
    while k < n and now == now:
        after = kept(2.0 * x * now - before, single)
        before = now
        now = after
        k = k + 1.0
    return now


@module.function
def chebyshev_t(x: float, order: float, single: int) -> float:
    n = order_of(order)
    if n <= 0.0:
        return n + 1.0
    if n > WAVE_ORDER and fabs(x) < 1.0:
        return cos(n * acos(x))
    return chebyshev(x, n, x, single)


@module.function
def chebyshev_u(x: float, order: float, single: int) -> float:
    n = order_of(order)
    if n <= 0.0:
        return n + 1.0
    if n > WAVE_ORDER and fabs(x) < 1.0:
        return sin((n + 1.0) * acos(x)) / sin(acos(x))
    return chebyshev(x, n, 2.0 * x, single)


@module.function
def chebyshev_v(x: float, order: float, single: int) -> float:
    n = order_of(order)
    if n <= 0.0:
        return n + 1.0
    if n > WAVE_ORDER and fabs(x) < 1.0:
        return cos((n + 0.5) * acos(x)) / cos(acos(x) * 0.5)
    return chebyshev(x, n, kept(2.0 * x - 1.0, single), single)


@module.function
def chebyshev_w(x: float, order: float, single: int) -> float:
    n = order_of(order)
    if n <= 0.0:
        return n + 1.0
    if n > WAVE_ORDER and fabs(x) < 1.0:
        return sin((n + 0.5) * acos(x)) / sin(acos(x) * 0.5)
    return chebyshev(x, n, kept(2.0 * x + 1.0, single), single)


@module.function
def shifted_chebyshev_t(x: float, order: float, single: int) -> float:
    return chebyshev_t(kept(2.0 * x - 1.0, single), order, single)


@module.function
def shifted_chebyshev_u(x: float, order: float, single: int) -> float:
    return chebyshev_u(kept(2.0 * x - 1.0, single), order, single)


@module.function
def shifted_chebyshev_v(x: float, order: float, single: int) -> float:
    return chebyshev_v(kept(2.0 * x - 1.0, single), order, single)


@module.function
def shifted_chebyshev_w(x: float, order: float, single: int) -> float:
    return chebyshev_w(kept(2.0 * x - 1.0, single), order, single)


@module.function
def hermite_h(x: float, order: float, single: int) -> float:
    """The physicists' polynomials."""
    n = order_of(order)
    if n <= 0.0:
        return n + 1.0
    before = 1.0
    now = 2.0 * x
    k = 1.0
    while k < n and now == now:
        after = kept(2.0 * kept(kept(x * now, single) - kept(k * before, single), single), single)
        before = now
        now = after
        k = k + 1.0
    return now


@module.function
def hermite_he(x: float, order: float, single: int) -> float:
    """The probabilists' polynomials."""
    n = order_of(order)
    if n <= 0.0:
        return n + 1.0
    before = 1.0
    now = x
    k = 1.0
    while k < n and now == now:
        after = kept(x * now - kept(k * before, single), single)
        before = now
        now = after
        k = k + 1.0
    return now


@module.function
def laguerre_l(x: float, order: float, single: int) -> float:
    n = order_of(order)
    if n <= 0.0:
        return n + 1.0
    before = 1.0
    now = kept(1.0 - x, single)
    k = 1.0
    while k < n and now == now:
        factor = kept(2.0 * k + 1.0 - x, single)
        after = kept((factor * now - k * before) / (k + 1.0), single)
        before = now
        now = after
        k = k + 1.0
    return now


@module.function
def legendre_p(x: float, order: float, single: int) -> float:
    n = order_of(order)
    if n <= 0.0:
        return n + 1.0
    before = 1.0
    now = x
    k = 1.0
    while k < n and now == now:
        after = kept(((2.0 * k + 1.0) * x * now - k * before) / (k + 1.0), single)
        before = now
        now = after
        k = k + 1.0
    return now


# -- incomplete gamma functions, regularised --


@module.function
def enough(single: int) -> float:
    """The share of a sum that a term may be left out at."""
    return EPSILON if single == 0 else EPSILON_SINGLE


@module.function
def log1p_less(t: float) -> float:
    """log(1 + t) - t without cancellation."""
    if fabs(t) > 0.3:
        return log1p(t) - t
    # log(1 + t) is twice the area tangent of s = t / (2 + t)
    s = t / (2.0 + t)
    square = s * s
    power = square * s
    total = 0.0
    k = 3.0
    while fabs(power) > EPSILON * fabs(total) * k and k < 200.0:
        total = total + power / k
        power = power * square
        k = k + 2.0
    return 2.0 * total - s * t


@module.function
def stirling_rest(a: float) -> float:
    """What Stirling's formula leaves over of lgamma(a), from 15 on."""
    q = 1.0 / (a * a)
    tail = 1.0 / 1680.0 - q * (1.0 / 1188.0 - q * (691.0 / 360360.0 - q / 156.0))
    return (1.0 / 12.0 - q * (1.0 / 360.0 - q * (1.0 / 1260.0 - q * tail))) / a


@module.function
def leading(a: float, x: float) -> float:
    """x^a exp(-x) / gamma(a)."""
    if a < 15.0:
        return exp(a * log(x) - x - lgamma(a))
    size = sqrt(a / 6.283185307179586)
    return size * exp(a * log1p_less((x - a) / a) - stirling_rest(a))


@module.function
def lower_series(a: float, x: float, single: int) -> float:
    """The lower function by its power series, for x up to about a."""
    term = 1.0 / a
    total = term
    n = 1.0
    share = enough(single)
    while term > share * total and n < MOST_STEPS:
        term = term * x / (a + n)
        total = total + term
        n = n + 1.0
    return leading(a, x) * total


@module.function
def upper_fraction(a: float, x: float, single: int) -> float:
    """The upper function by its continued fraction, for x above a and one."""
    tiny = 1e-300
    share = enough(single) * 2.0
    b = x + 1.0 - a
    c = 1.0 / tiny
    d = 1.0 / b
    value = d
    k = 1.0
    factor_of_last = 0.0
    while fabs(factor_of_last - 1.0) > share and k < MOST_STEPS:
        step = k * (a - k)
        b = b + 2.0
        d = step * d + b
        d = 1.0 / (tiny if d == 0.0 else d)
        c = b + step / c
        c = tiny if c == 0.0 else c
        factor_of_last = d * c
        value = value * factor_of_last
        k = k + 1.0
    return leading(a, x) * value


@module.function
def lgamma_beside_one(a: float) -> float:
    """lgamma(1 + a) for a small positive number."""
    b = 1.0 + a
    lost = a - (b - 1.0)
    return lgamma(b) + lost * (1.6449340668482264 * (b - 1.0) - 0.5772156649015329)


@module.function
def upper_series(a: float, x: float) -> float:
    """The upper function for x and a up to about one, where the lower one may be near one."""
    term = 1.0
    total = 0.0
    n = 1.0
    while fabs(term) > EPSILON * fabs(total) and n < 100.0:
        term = 0.0 - term * x / n
        total = total + term / (a + n)
        n = n + 1.0
    exponent = a * log(x) - lgamma_beside_one(a)
    return 0.0 - expm1(exponent) - exp(exponent) * a * total


@module.function
def edge(a: float, x: float) -> float:
    """The lower function where one of the arguments is zero, infinite, negative or NaN; else -1."""
    if a != a or x != x or a < 0.0 or x < 0.0:
        return NAN
    if a == 0.0:
        return 1.0 if x > 0.0 else NAN
    if x == 0.0:
        return 0.0
    if a == INF:
        return NAN if x == INF else 0.0
    return 1.0 if x == INF else -1.0


@module.function
def lower_gamma(a: float, x: float, single: int) -> float:
    known = edge(a, x)
    if known != -1.0:
        return known
    if x <= 1.0 or x <= a:
        return lower_series(a, x, single)
    return 1.0 - upper_fraction(a, x, single)


@module.function
def upper_gamma(a: float, x: float, single: int) -> float:
    known = edge(a, x)
    if known != -1.0:
        return 1.0 - known
    if x > 1.0 and x > a:
        return upper_fraction(a, x, single)
    if a <= 1.0:
        return upper_series(a, x)
    return 1.0 - lower_series(a, x, single)


# -- how samples of the gamma and beta distributions move with a parameter --
#
# A sample x with distribution function F is held at its probability: dx/da = -(dF/da) / (dF/dx). Both
# are power series with positive terms, so that the quotient is a series as well, each of its terms
# weighted by a difference of digammas.

# Series end where a term no longer shows, or here.
MOST_TERMS = 131072.0
PRECISION = 1e-17


@module.function
def digamma(x: float) -> float:
    """The logarithmic derivative of gamma, of a positive number."""
    shift = 0.0
    while x < 10.0:
        shift = shift - 1.0 / x
        x = x + 1.0
    q = 1.0 / (x * x)
    tail = 1.0 / 240.0 - q * (1.0 / 132.0 - q * (691.0 / 32760.0 - q / 12.0))
    series = q * (1.0 / 12.0 - q * (1.0 / 120.0 - q * (1.0 / 252.0 - q * tail)))
    return shift + log(x) - 0.5 / x - series


@module.function
def gamma_slope(shape: float, x: float, single: int) -> float:
    """d x / d shape of gamma samples."""
    if shape <= 0.0 or shape != shape:
        return NAN
    if x <= 0.0 or x != x:
        return 0.0
    term = x / shape
    weight = digamma(shape + 1.0) - log(x)
    total = term * weight
    size = fabs(total)
    k = 0.0
    step = 1.0
    change = total
    while k < MOST_TERMS and (fabs(change) > PRECISION * size or step >= 1.0):
        step = x / (shape + k + 1.0)
        term = term * step
        weight = weight + 1.0 / (shape + k + 1.0)
        change = term * weight
        total = total + change
        size = size + fabs(change)
        k = k + 1.0
    return total


@module.function
def beta_series(
    start: float, x: float, a: float, both: float, start_weight: float, rest: float
) -> float:
    """The sum of the terms of the distribution function of beta samples, each by its weight.

    ``rest`` is taken from the steps of the weights; it is the other parameter's part of ``both``.
    """
    term = start
    weight = start_weight
    total = term * weight
    size = fabs(total)
    k = 0.0
    change = total
    step = 1.0
    while k < MOST_TERMS and (fabs(change) > PRECISION * size or step >= 1.0):
        step = x * (both + k) / (a + 1.0 + k)
        term = term * step
        grown = 1.0 / (both + k)
        if rest != 0.0:
            grown = 1.0 / (a + 1.0 + k) - grown
        weight = weight + grown
        change = term * weight
        total = total + change
        size = size + fabs(change)
        k = k + 1.0
    return total


@module.function
def beta_slope(x: float, a: float, b: float) -> float:
    """d x / d a of beta samples: a series in x where that is small, or else in 1 - x."""
    y = 1.0 - x
    if x <= 0.5:
        weight = digamma(a + 1.0) - digamma(a + b) - log(x)
        return beta_series(y * x / a, x, a, a + b, weight, 1.0)
    weight = log(x) - digamma(a) + digamma(a + b)
    return beta_series(y * x / b, y, b, a + b, weight, 0.0)


@module.function
def dirichlet_slope(x: float, alpha: float, total: float, single: int) -> float:
    """How fast a probability grows with its concentration, over what the others share."""
    if x > 0.0 and x < 1.0 and alpha > 0.0 and total > alpha:
        return beta_slope(x, alpha, total - alpha) / (1.0 - x)
    return 0.0


# -- kernels --


def walker(compute: Function, single: int) -> Function:
    """The kernel that gives a function's value for numbers of one type, which come in twos or threes."""
    three = len(compute.parameters) - 3

    def walk(pointers: int, sizes: int, strides: int) -> None:
        target = load(pointers)
        first = load(pointers + 8)
        second = load(pointers + 16)
        third = load(pointers + 16 + 8 * three)
        for _ in range(load(sizes)):
            x = load_float32(first) if single != 0 else load_float(first)
            y = load_float32(second) if single != 0 else load_float(second)
            if three != 0:
                z = load_float32(third) if single != 0 else load_float(third)
                found = compute(x, y, z, single)
            else:
                found = compute(x, y, single)
            if single != 0:
                store_float32(target, found)
            else:
                store_float(target, found)
            target += load(strides)
            first += load(strides + 8)
            second += load(strides + 16)
            third += load(strides + 16 + 8 * three)

    walk.__name__ = f"{compute.name}_{'f32' if single else 'f64'}"
    return module.function(walk)


KERNELS: dict[tuple[str, str], Function] = {
    (function.name, memory): walker(function, int(memory == "f32"))
    for function in (
        chebyshev_t, chebyshev_u, chebyshev_v, chebyshev_w,
        shifted_chebyshev_t, shifted_chebyshev_u, shifted_chebyshev_v, shifted_chebyshev_w,
        hermite_h, hermite_he, laguerre_l, legendre_p, lower_gamma, upper_gamma,
        gamma_slope, dirichlet_slope,
    )
    for memory in ("f32", "f64")
}  # fmt: skip

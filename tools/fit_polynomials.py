"""Computes the polynomials and tables of `rushlight.engine.loops.maths` and writes them as Python.

Each fit is a minimax polynomial by Remez's exchange on a dense grid, in high precision, with a
weight that turns the polynomial's error into the error of the function it serves. Run it with no
arguments to rewrite ``coefficients.py``, or with names to print those fits only.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
from mpmath import mp, mpf

mp.dps = 40
TARGET = Path(__file__).parents[1] / "src/rushlight/engine/loops/maths/coefficients.py"

FITS: dict[str, tuple[str, Any, Any, dict[str, int], Any, Any]] = {}


def fit(name: str, what: str, low: Any, high: Any, degrees: dict[str, int], f: Any, w: Any) -> None:
    """Register: approximate ``f`` on [low, high] so that ``|error * w|`` is least."""
    FITS[name] = (what, mpf(low), mpf(high), degrees, f, w)


def remez(
    f: Callable[[Any], Any], w: Callable[[Any], Any], low: Any, high: Any, degree: int
) -> tuple[list[Any], Any]:
    count = 40 * (degree + 2)
    grid = [
        (low + high) / 2 - (high - low) / 2 * mpmath.cos(mpmath.pi * i / (count - 1))
        for i in range(count)
    ]
    values = [f(x) for x in grid]
    weights = [abs(w(x)) for x in grid]
    n = degree + 2
    middle, half = (low + high) / 2, (high - low) / 2
    picks = [round((count - 1) * (i + 0.5) / n) for i in range(n)]
    best: tuple[Any, list[Any]] | None = None
    for _ in range(30):
        rows, right = [], []
        for k, i in enumerate(picks):
            u = (grid[i] - middle) / half
            scale = weights[i] if weights[i] else mpf(10) ** -30
            rows.append([mpmath.chebyt(j, u) for j in range(degree + 1)] + [(-1) ** k / scale])
            right.append(values[i])
        solution = mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix(right))
        cheb = [solution[j] for j in range(degree + 1)]
        errors = [
            (clenshaw(cheb, (x - middle) / half) - v) * wt
            for x, v, wt in zip(grid, values, weights, strict=True)
        ]
        largest = max(abs(e) for e in errors)
        if best is None or largest < best[0]:
            best = (largest, cheb)
        if largest < abs(solution[degree + 1]) * mpf("1.01"):
            break
        peaks: list[int] = []
        for i, e in enumerate(errors):
            if peaks and (errors[peaks[-1]] > 0) == (e > 0):
                if abs(e) > abs(errors[peaks[-1]]):
                    peaks[-1] = i
            else:
                peaks.append(i)
        while len(peaks) > n:
            drop = 0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1
            peaks.pop(drop)
        if len(peaks) < n:
            break
        picks = peaks
    assert best is not None
    return to_powers(best[1], middle, half), best[0]


def clenshaw(cheb: list[Any], u: Any) -> Any:
    b1 = b2 = mpf(0)
    for c in reversed(cheb[1:]):
        b1, b2 = 2 * u * b1 - b2 + c, b1
    return u * b1 - b2 + cheb[0]


def to_powers(cheb: list[Any], middle: Any, half: Any) -> list[Any]:
    """Chebyshev coefficients on an interval as coefficients of powers of the variable itself."""
    n = len(cheb)
    total, before, now = [mpf(0)] * n, [mpf(0)] * n, [mpf(1)] + [mpf(0)] * (n - 1)
    line = (-middle / half, 1 / half)
    for k, c in enumerate(cheb):
        total = [t + c * p for t, p in zip(total, now, strict=True)]
        factor = 1 if k == 0 else 2
        after = [
            factor * (line[0] * now[i] + (line[1] * now[i - 1] if i else 0))
            - (before[i] if k else 0)
            for i in range(n)
        ]
        before, now = now, after
    return total


def rounded(x: Any, type: str) -> str:
    value = float(x)
    if type == "f32":
        value = struct.unpack("f", struct.pack("f", value))[0]
    return repr(value)


# Coefficients whose last bits a random search has changed, so that a value comes out as its own
# rounding: atan(1) is a quarter of pi. The largest error stays what it was, 0.84 units.
SEARCHED = {
    "ATAN_F32": (
        -0.33333301544189453, 0.19998638331890106, -0.1426524519920349, 0.10957571119070053,
        -0.08419443666934967, 0.05823427811264992, -0.03145540878176689, 0.011064267717301846,
        -0.001827161991968751,
    ),
}  # fmt: skip


def layout(name: str, items: list[str]) -> str:
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > 99:
            lines.append(line)
            line = "   "
        line += f" {item},"
    return f"{name} = (\n" + "\n".join([*lines, line]) + "\n)\n"


# -- exponential: exp(r) on half a binade ----------------------------------------------------
LN2 = mpmath.log(2)


def series_or(direct: Callable[[Any], Any], taylor: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``direct`` away from zero, where it does not cancel, else a few terms of ``taylor``."""
    return lambda x: taylor(x) if abs(x) < mpf(10) ** -8 else direct(x)


half_ln2 = LN2 / 2 * mpf("1.001")
fit(
    "EXP", "(exp(r) - 1 - r) / r^2", -half_ln2, half_ln2, {"f32": 4, "f64": 9},
    series_or(lambda r: (mpmath.expm1(r) - r) / r**2, lambda r: mpf(1) / 2 + r / 6),
    lambda r: r**2,
)  # fmt: skip
fit(
    "EXPM1", "(exp(r) - 1 - r) / r^2, relative to r", -half_ln2, half_ln2, {"f32": 5, "f64": 10},
    series_or(lambda r: (mpmath.expm1(r) - r) / r**2, lambda r: mpf(1) / 2 + r / 6),
    lambda r: r,
)  # fmt: skip
fit(
    "SINH", "(sinh(r) - r) / r^3 of r^2", 0, half_ln2**2, {"f32": 2, "f64": 4},
    lambda s: mpmath.nsum(lambda n: s**n / mpmath.factorial(2 * n + 3), [0, 14]),
    lambda s: s,
)  # fmt: skip
fit(
    "COSH", "(cosh(r) - 1) / r^2 of r^2", 0, half_ln2**2, {"f32": 2, "f64": 4},
    lambda s: mpmath.nsum(lambda n: s**n / mpmath.factorial(2 * n + 2), [0, 14]),
    lambda s: s,
)  # fmt: skip
# -- logarithm -------------------------------------------------------------------------------


def log_rest(r: Any) -> Any:
    if abs(r) < mpf(10) ** -6:
        return sum((-r) ** n / (n + 3) for n in range(8))
    return (mpmath.log1p(r) - r + r * r / 2) / r**3


fit(
    "LOG", "(log(1+f) - f + f^2/2) / f^3, f from sqrt(1/2)-1 to sqrt(2)-1",
    "-0.2930", "0.4143", {"f32": 8}, log_rest, lambda f: f**2,
)  # fmt: skip
fit(
    "LOG_TABLE", "(log(1+r) - r + r^2/2) / r^3 beside the table",
    "-0.0085", "0.0085", {"f64": 6}, log_rest, lambda r: r**2,
)  # fmt: skip
# -- trigonometry ----------------------------------------------------------------------------
quarter = mpmath.pi / 4 * mpf("1.0001")


def alternating(offset: int) -> Callable[[Any], Any]:
    return lambda s: sum((-s) ** n / mpmath.factorial(2 * n + offset) for n in range(20))


fit(
    "SIN", "(r - sin(r)) / r^3 of r^2", 0, quarter**2, {"f32": 2, "f64": 5},
    alternating(3), lambda s: s,
)  # fmt: skip
fit(
    "COS", "(cos(r) - 1 + r^2/2) / r^4 of r^2", 0, quarter**2, {"f32": 2, "f64": 5},
    alternating(4), lambda s: s**2,
)  # fmt: skip


def inverse_rest(f: Callable[[Any], Any], first: list[Any]) -> Callable[[Any], Any]:
    """(f(t) - t) / t^3 of s = t^2, by its series near zero."""

    def rest(s: Any) -> Any:
        if s < mpf(10) ** -8:
            return sum(c * s**n for n, c in enumerate(first))
        t = mpmath.sqrt(s)
        return (f(t) - t) / t**3

    return rest


fit(
    "ASIN", "(asin(t) - t) / t^3 of t^2", 0, "0.2501", {"f32": 5, "f64": 12},
    inverse_rest(mpmath.asin, [mpf(1) / 6, mpf(3) / 40, mpf(15) / 336, mpf(105) / 3456]),
    lambda s: s,
)  # fmt: skip
fit(
    "ATAN", "(atan(t) - t) / t^3 of t^2, t to 1 (f32) or 7/16 (f64)", 0, 1, {"f32": 8},
    inverse_rest(mpmath.atan, [-mpf(1) / 3, mpf(1) / 5, -mpf(1) / 7, mpf(1) / 9]),
    lambda s: s,
)  # fmt: skip
fit(
    "ATAN_SHORT", "(atan(t) - t) / t^3 of t^2, t to 7/16", 0, mpf("0.4376") ** 2, {"f64": 10},
    inverse_rest(mpmath.atan, [-mpf(1) / 3, mpf(1) / 5, -mpf(1) / 7, mpf(1) / 9]),
    lambda s: s,
)  # fmt: skip
fit(
    "TANH", "(tanh(t) - t) / t^3 of t^2", 0, mpf("0.626") ** 2, {"f32": 4, "f64": 11},
    inverse_rest(mpmath.tanh, [-mpf(1) / 3, mpf(2) / 15, -mpf(17) / 315, mpf(62) / 2835]),
    lambda s: s,
)  # fmt: skip

# -- error function --------------------------------------------------------------------------


def erf_rest(s: Any) -> Any:
    x = mpmath.sqrt(s)
    return mpmath.erf(x) / x - 1 if s > 0 else 2 / mpmath.sqrt(mpmath.pi) - 1


def scaled_erfc(x: Any) -> Any:
    """exp(x^2) * erfc(x)."""
    if x > 60:
        return sum((-1) ** n * mpmath.fac2(2 * n - 1) / (2 * x * x) ** n for n in range(12)) / (
            x * mpmath.sqrt(mpmath.pi)
        )
    return mpmath.exp(x * x) * mpmath.erfc(x)


def erfcx_of_t(t: Any) -> Any:
    if t >= 1:
        return 2 / mpmath.sqrt(mpmath.pi)
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * scaled_erfc(x)


fit("ERF", "erf(x) / x - 1 of x^2", 0, 1, {"f32": 6, "f64": 11}, erf_rest, lambda s: 1)
fit(
    "ERF_TAIL", "log(erfc(x))", "0.9", 4, {"f32": 6},
    lambda x: mpmath.log(mpmath.erfc(x)), mpmath.erfc,
)  # fmt: skip
fit(
    "ERFCX", "(1 + 2x) exp(x^2) erfc(x) of t = (x - 4) / (x + 4), f32 in double", -1, 1,
    {"f32": 14, "f64": 26}, erfcx_of_t, lambda t: 1,
)  # fmt: skip


def erfinv_of_w(w: Any) -> Any:
    """erfinv(x) / x of w = -log(1 - x^2)."""
    if w == 0:
        return mpmath.sqrt(mpmath.pi) / 2
    return erfinv_exact(-mpmath.expm1(-w)) / mpmath.sqrt(-mpmath.expm1(-w))


def erfinv_exact(square: Any) -> Any:
    x = mpmath.sqrt(square)
    if x < mpf("0.5"):
        return mpmath.erfinv(x)
    rest = (1 - square) / (1 + x)  # 1 - x without cancellation
    y = mpmath.sqrt(-mpmath.log(rest))
    for _ in range(60):
        value = mpmath.erfc(y)
        # Newton on the logarithm converges from any side
        step = mpmath.log(value / rest) * value / (2 / mpmath.sqrt(mpmath.pi) * mpmath.exp(-y * y))
        y += step
        if abs(step) < mpf(10) ** -32:
            break
    return y


fit(
    "ERFINV", "erfinv(x) / x of w = -log(1 - x^2), f32 in double", 0, 5,
    {"f32": 11}, erfinv_of_w, lambda w: 1,
)  # fmt: skip
fit(
    "ERFINV_TAIL", "erfinv(x) / x of sqrt(w) - 3", mpmath.sqrt(5) - 3, "1.2",
    {"f32": 11}, lambda v: erfinv_of_w((v + 3) ** 2), lambda v: 1,
)  # fmt: skip
fit(
    "ERFINV_LOW", "erfinv(x) / x of w - 3.125", "-3.125", "3.125",
    {"f64": 24}, lambda v: erfinv_of_w(v + mpf("3.125")), lambda v: 1,
)  # fmt: skip
fit(
    "ERFINV_MIDDLE", "erfinv(x) / x of sqrt(w) - 3.25", "-0.75", "0.75",
    {"f64": 20}, lambda v: erfinv_of_w((v + mpf("3.25")) ** 2), lambda v: 1,
)  # fmt: skip
fit(
    "ERFINV_HIGH", "erfinv(x) / x of sqrt(w) - 5.05", "-1.05", "1.05",
    {"f64": 20}, lambda v: erfinv_of_w((v + mpf("5.05")) ** 2), lambda v: 1,
)  # fmt: skip

# -- gamma -----------------------------------------------------------------------------------


def lgamma_of_u(u: Any) -> Any:
    return mpmath.loggamma(2 + u) / u if u else mpmath.digamma(2)


def stirling_rest(z: Any) -> Any:
    """x * (lgamma(x) - Stirling's formula) of z = 1 / x^2."""
    if z < mpf("1e-4"):
        return sum(
            mpmath.bernoulli(2 * k) / (2 * k * (2 * k - 1)) * z ** (k - 1) for k in range(1, 10)
        )
    x = 1 / mpmath.sqrt(z)
    main = (x - mpf(1) / 2) * mpmath.log(x) - x + mpmath.log(2 * mpmath.pi) / 2
    return x * (mpmath.loggamma(x) - main)


def digamma_rest(z: Any) -> Any:
    """x^2 * (log(x) - 1 / (2x) - digamma(x)) of z = 1 / x^2."""
    if z < mpf("1e-4"):
        return sum(mpmath.bernoulli(2 * k) / (2 * k) * z ** (k - 1) for k in range(1, 10))
    x = 1 / mpmath.sqrt(z)
    return x * x * (mpmath.log(x) - 1 / (2 * x) - mpmath.digamma(x))


fit("LGAMMA", "lgamma(2 + u) / u", "-0.5", "0.5", {"f64": 19}, lgamma_of_u, lambda u: 1)
fit("STIRLING", "x * rest of Stirling's formula of 1 / x^2", 0, mpf(1) / 64, {"f64": 7},
    stirling_rest, lambda z: mpf(1) / 64)  # fmt: skip
fit("DIGAMMA", "rest of digamma's expansion of 1 / x^2", 0, mpf(1) / 64, {"f64": 8},
    digamma_rest, lambda z: z)  # fmt: skip

# -- Bessel and Airy functions ---------------------------------------------------------------


def scaled_bessel(kind: Any, order: int, sign: int, scale: int) -> Any:
    """sqrt(x) * exp(sign * x) * f(x) of t = scale / x - 1; at infinity by the first terms."""

    def value(t: Any) -> Any:
        if t + 1 < mpf("1e-3"):
            limit = mpmath.sqrt(mpmath.pi / 2) if sign > 0 else 1 / mpmath.sqrt(2 * mpmath.pi)
            total, term = mpf(0), mpf(1)
            for n in range(1, 14):
                total += term
                term *= (
                    mpf(4 * order * order - (2 * n - 1) ** 2)
                    * (1 if sign > 0 else -1) * (t + 1) / (8 * scale * n)
                )  # fmt: skip
            return limit * total
        x = scale / (t + 1)
        return mpmath.sqrt(x) * mpmath.exp(sign * x) * kind(order, x)

    return value


fit("I0", "exp(-x) i0(x) of t = x / 4 - 1", -1, 1, {"f64": 27},
    lambda t: mpmath.exp(-4 * (t + 1)) * mpmath.besseli(0, 4 * (t + 1)), lambda t: 3)  # fmt: skip
fit("I0_FAR", "sqrt(x) exp(-x) i0(x) of t = 16 / x - 1", -1, 1, {"f64": 24},
    scaled_bessel(mpmath.besseli, 0, -1, 16), lambda t: 2.5)  # fmt: skip
fit("I1", "exp(-x) i1(x) / x of t = x / 4 - 1", -1, 1, {"f64": 27},
    lambda t: mpmath.exp(-4 * (t + 1)) * mpmath.besseli(1, 4 * (t + 1)) / (4 * (t + 1))
    if t > -1 else mpf(1) / 2, lambda t: 8)  # fmt: skip
fit("I1_FAR", "sqrt(x) exp(-x) i1(x) of t = 16 / x - 1", -1, 1, {"f64": 24},
    scaled_bessel(mpmath.besseli, 1, -1, 16), lambda t: 2.5)  # fmt: skip


def k0_rest(s: Any) -> Any:
    if s == 0:
        return -mpmath.euler
    x = mpmath.sqrt(s)
    return mpmath.besselk(0, x) + mpmath.log(x / 2) * mpmath.besseli(0, x)


def k1_rest(s: Any) -> Any:
    """(x k1(x) - 1 - x log(x / 2) i1(x)) / x^2."""
    if s == 0:
        return (2 * mpmath.euler - 1) / 4
    x = mpmath.sqrt(s)
    return (x * mpmath.besselk(1, x) - 1 - x * mpmath.log(x / 2) * mpmath.besseli(1, x)) / s


def i_series(order: int) -> Any:
    return lambda s: sum(
        (s / 4) ** n / (mpmath.factorial(n) * mpmath.factorial(n + order)) for n in range(25)
    )


fit("K0", "k0(x) + log(x/2) i0(x) of x^2", 0, 4, {"f64": 10}, k0_rest, lambda s: 1)
fit("K1", "(x k1(x) - 1 - x log(x/2) i1(x)) / x^2 of x^2", 0, 4, {"f64": 10}, k1_rest, lambda s: 1)
fit("I0_NEAR", "i0(x) of x^2", 0, 4, {"f64": 10}, i_series(0), lambda s: 1)
fit("I1_NEAR", "2 i1(x) / x of x^2", 0, 4, {"f64": 10}, i_series(1), lambda s: 1)
fit("K0_FAR", "sqrt(x) exp(x) k0(x) of t = 4 / x - 1", -1, 1, {"f64": 24},
    scaled_bessel(mpmath.besselk, 0, 1, 4), lambda t: 0.8)  # fmt: skip
fit("K1_FAR", "sqrt(x) exp(x) k1(x) of t = 4 / x - 1", -1, 1, {"f64": 24},
    scaled_bessel(mpmath.besselk, 1, 1, 4), lambda t: 0.8)  # fmt: skip


def j_over_zeros(order: int) -> Any:
    zeros = [mpmath.besseljzero(order, k) for k in (1, 2)]

    def value(s: Any) -> Any:
        x = mpmath.sqrt(s)
        over = mpf(1) if order == 0 else (1 / x if x else mpf(0))
        j = mpmath.besselj(order, x) * over if x else mpf(1) / (1 + order)
        return j / ((s - zeros[0] ** 2) * (s - zeros[1] ** 2))

    return value


def y_rest(order: int) -> Any:
    """y(x) - 2/pi log(x) j(x), and for order 1 what 2/(pi x) leaves, over x."""

    def value(s: Any) -> Any:
        x = mpmath.sqrt(s) if s > mpf(10) ** -16 else mpf(10) ** -8
        rest = mpmath.bessely(order, x) - 2 / mpmath.pi * mpmath.log(x) * mpmath.besselj(order, x)
        return rest if order == 0 else (rest + 2 / (mpmath.pi * x)) / x

    return value


def hankel(order: int, part: int) -> Any:
    """P or Q of sqrt(2 / (pi x)) (P + i Q) exp(i (x - phase)) of w = (5 / x)^2; Q times x / 5."""

    def value(w: Any) -> Any:
        with mpmath.workdps(60):
            phase = mpmath.pi / 4 + order * mpmath.pi / 2
            if w < mpf("1e-4"):
                total, term = [mpf(0), mpf(0)], mpf(1)
                # powers of 1/x = sqrt(w) / 5: P takes the even ones, Q the odd ones over sqrt(w)/5
                for n in range(20):
                    sign = -1 if n % 4 >= 2 else 1
                    total[n % 2] += sign * term * (w / 25) ** (n // 2)
                    term *= mpf(4 * order * order - (2 * n + 1) ** 2) / (8 * (n + 1))
                return total[0] if part == 0 else total[1] / 5
            x = 5 / mpmath.sqrt(w)
            h = mpmath.besselj(order, x) + 1j * mpmath.bessely(order, x)
            h *= mpmath.sqrt(mpmath.pi * x / 2) * mpmath.expj(-(x - phase))
            return h.real if part == 0 else h.imag * x / 5

    return value


for _order in (0, 1):
    fit(f"J{_order}", "j(x) [/ x] over its first two zeros, of x^2", 0, 25, {"f64": 11},
        j_over_zeros(_order), lambda s: 500)  # fmt: skip
    fit(f"Y{_order}", "y(x) less its singular part, of x^2", 0, 25, {"f64": 14},
        y_rest(_order), lambda s: 1)  # fmt: skip
    fit(f"J{_order}_P", "Hankel's P of (5/x)^2", 0, 1, {"f64": 17}, hankel(_order, 0), lambda w: 1)
    fit(f"J{_order}_Q", "Hankel's Q of (5/x)^2", 0, 1, {"f64": 17}, hankel(_order, 1), lambda w: 1)


def airy_far(sign: int, part: int) -> Any:
    """Ai's amplitude far from zero, of v = c / zeta - 1 with zeta = 2/3 |x|^(3/2)."""

    def value(v: Any) -> Any:
        u = (v + 1) / 2  # u = 1 / zeta, times 2 in v
        if u < mpf("1e-3"):
            total = [mpf(0), mpf(0)]
            term = mpf(1)
            for k in range(14):
                if sign > 0:
                    total[0] += (-1) ** k * term * u**k
                else:
                    total[k % 2] += (-1) ** (k // 2) * term * u ** (k - k % 2)
                term *= mpf((6 * k + 5) * (6 * k + 3) * (6 * k + 1)) / (216 * (k + 1) * (2 * k + 1))
            return total[part]
        zeta = 1 / u
        x = (mpf(3) / 2 * zeta) ** (mpf(2) / 3)
        if sign > 0:
            return (
                2 * mpmath.sqrt(mpmath.pi) * x ** mpf("0.25") * mpmath.exp(zeta) * mpmath.airyai(x)
            )
        # Ai = (sin(a) P - cos(a) Q) / norm, Bi = (cos(a) P + sin(a) Q) / norm, a = zeta + pi/4
        norm = mpmath.sqrt(mpmath.pi) * x ** mpf("0.25")
        ai, bi = norm * mpmath.airyai(-x), norm * mpmath.airybi(-x)
        a = zeta + mpmath.pi / 4
        if part == 0:
            return mpmath.sin(a) * ai + mpmath.cos(a) * bi
        return (-mpmath.cos(a) * ai + mpmath.sin(a) * bi) * zeta

    return value


fit("AIRY", "Ai(x)", "-2.1", "2.1", {"f64": 26}, lambda x: mpmath.airyai(x), lambda x: 1)
fit("AIRY_RIGHT", "Ai's amplitude right of 2.08, of v = 2 / zeta - 1", -1, 0, {"f64": 24},
    airy_far(1, 0), lambda v: 1)  # fmt: skip
fit("AIRY_LEFT_P", "Ai's P left of -2.08, of v = 2 / zeta - 1", -1, 0, {"f64": 24},
    airy_far(-1, 0), lambda v: 1)  # fmt: skip
fit("AIRY_LEFT_Q", "Ai's Q left of -2.08, of v = 2 / zeta - 1", -1, 0, {"f64": 24},
    airy_far(-1, 1), lambda v: 1)  # fmt: skip

# -- quantiles of the normal distribution ----------------------------------------------------


def ndtri_tail(q: Any) -> Any:
    """-ndtri(p) / r with r = sqrt(-2 log(p)), of 1 / r."""
    r = 1 / q
    goal = -r * r / 2
    x = r
    for _ in range(60):
        log_p = mpmath.log(mpmath.erfc(x / mpmath.sqrt(2)) / 2)
        slope = -mpmath.exp(-x * x / 2 - log_p) / mpmath.sqrt(2 * mpmath.pi)
        step = (log_p - goal) / slope
        x -= step
        if abs(step) < mpf(10) ** -30:
            break
    return x / r


fit("NDTRI_MIDDLE", "-ndtri(p) / r of 1/r - 5/16, r = sqrt(-2 log(p)) from 2 to 8",
    -mpf(3) / 16, mpf(3) / 16, {"f64": 27},
    lambda v: ndtri_tail(v + mpf(5) / 16), lambda v: 1)  # fmt: skip
fit("NDTRI_FAR", "-ndtri(p) / r of 1/r - 3/40, r from 8 to 40", -mpf(1) / 20, mpf(1) / 20,
    {"f64": 26}, lambda v: ndtri_tail(v + mpf(3) / 40), lambda v: 1)  # fmt: skip


def log_table() -> tuple[list[str], list[str], list[str]]:
    """1/c, and log(c) in two parts, for the 128 intervals of a mantissa around sqrt(1/2)..sqrt(2).

    1/c is a multiple of 1/128, so that z/c - 1 is exact; the first part of log(c) is a multiple of
    2^-42, so that adding exponent * ln2 (in the same grain) is exact.
    """
    one = 0x3FF0 << 48
    start = one - 75 * 2**45 - 2**44
    inverse, high, low = [], [], []
    for i in range(128):
        ends = [struct.unpack("d", struct.pack("Q", start + (i + k) * 2**45))[0] for k in (0, 1)]
        c = round(128 / (sum(ends) / 2)) / 128
        if ends[0] <= 1 < ends[1]:
            c = 1.0
        exact = -mpmath.log(c)
        first = mpmath.nint(exact * 2**42) / 2**42
        inverse.append(repr(c))
        high.append(repr(float(first)))
        low.append(repr(float(exact - first)))
    return inverse, high, low


def two_over_pi(step: int, entries: int, parts: int) -> list[list[str]]:
    """2^(step * j) * 2/pi modulo 4 for each j, as a sum of ``parts`` doubles."""
    columns: list[list[str]] = [[] for _ in range(parts)]
    with mpmath.workprec(1600):
        for j in range(entries):
            exact = mpmath.ldexp(2 / mpmath.pi, step * j)
            exact -= 4 * mpmath.floor(exact / 4)
            for column in columns:
                column.append(repr(float(exact)))
                exact -= float(exact)
    return columns


def main(names: list[str]) -> None:
    parts = [
        '"""Polynomials and tables, written by ``tools/fit_polynomials.py``.\n\n'
        "Coefficients start with the lowest power. The error in a comment is that of the\n"
        "function served, in exact arithmetic.\n"
        '"""\n'
    ]
    for name, (what, low, high, degrees, f, w) in FITS.items():
        if names and name not in names:
            continue
        for type, degree in degrees.items():
            powers, error = remez(f, w, low, high, degree)
            bits = float(mpmath.log(error, 2))
            comment = f"# {what}: [{mpmath.nstr(low, 6)}, {mpmath.nstr(high, 6)}], 2^{bits:.1f}\n"
            own = f"{name}_{type.upper()}"
            text = comment + layout(own, [rounded(c, type) for c in SEARCHED.get(own, powers)])
            print(text if names else comment, end="")
            parts.append(text)
    if not names:
        for name, items in zip(("INVERSE", "HIGH", "LOW"), log_table(), strict=True):
            parts.append(layout(f"LOG_{name}", items))
        for type, step, entries, count in (("F32", 8, 14, 2), ("F64", 32, 31, 4)):
            for i, items in enumerate(two_over_pi(step, entries, count)):
                parts.append(layout(f"TWO_OVER_PI_{type}_{i}", items))
        TARGET.write_text("\n".join(parts))


if __name__ == "__main__":
    main(sys.argv[1:])

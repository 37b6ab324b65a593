"""exp, exp2, expm1, sigmoid and what is built from them.

exp(x) = 2^k * exp(r) with k the integer next to x / ln2, so that |r| <= ln2 / 2.
"""

from __future__ import annotations

import math

from rushlight.engine.loops.casts import power_of_two, scale
from rushlight.engine.loops.dual import elementary
from rushlight.engine.loops.expr import Value, const, fma, rarely, ratio, scaleb, select
from rushlight.engine.loops.maths import coefficients as c
from rushlight.engine.loops.maths.doubled import (
    Pair,
    clamp,
    fast_two_sum,
    nearest_integer,
    polynomial,
    two_sum,
)

LOG2E = 1.4426950408889634
# ln2 in two parts: the first has trailing zeros enough for k times it to be exact
LN2 = {
    "f32": (0.693145751953125, 1.4286068203094173e-06),
    "f64": (0.6931471803691238, 1.9082149292705877e-10),
}

Range = dict[str, tuple[float, float]]
# Beyond these the result is 0 or infinity whatever the argument.
EXP_RANGE: Range = {"f32": (-105.0, 89.0), "f64": (-750.0, 710.0)}
EXP2_RANGE: Range = {"f32": (-151.0, 129.0), "f64": (-1080.0, 1025.0)}
# Below these exp gives less than normal numbers.
LEAST_NORMAL = {"f32": -87.0, "f64": -708.0}
EXP_POLYNOMIAL = {"f32": c.EXP_F32, "f64": c.EXP_F64}
EXPM1_POLYNOMIAL = {"f32": c.EXPM1_F32, "f64": c.EXPM1_F64}


def reduce(x: Value) -> tuple[Value, Value, Value]:
    """k, and r in two parts, with x = k * ln2 + r."""
    high, low = LN2[x.type]
    kf, k = nearest_integer(x, LOG2E)
    first = fma(kf, -high, x)
    r = fma(kf, -low, first)
    return k, r, fma(kf, -low, first - r)


@elementary
def exp(x: Value) -> Value:
    return exp_within(clamp(x, *EXP_RANGE[x.type]))


def exp_within(x: Value) -> Value:
    """exp of an argument within `EXP_RANGE`."""
    high, low = LN2[x.type]
    kf, _ = nearest_integer(x, LOG2E)
    r = fma(kf, -low, fma(kf, -high, x))
    factor = fma(r * r, polynomial(r, EXP_POLYNOMIAL[x.type]), r) + 1
    return scaleb(_vanishing(factor, x, EXP_RANGE), kf)


def _vanishing(factor: Value, x: Value, range: Range) -> Value:
    """The factor of a power, 0 where the power is.

    Processors take long to round what is smaller than any number, and zeros are what masked scores
    and the like ask for.
    """
    return select(x <= range[x.type][0], 0.0, factor)


@elementary
def exp_quick(x: Value) -> Value:
    """exp of an f64 to 28 bits, for results that become f32."""
    x = clamp(x, -110, 100)
    high, low = LN2["f64"]
    kf, k = nearest_integer(x, LOG2E)
    r = fma(kf, -low, fma(kf, -high, x))
    return (fma(r * r, polynomial(r, c.EXP_F32), r) + 1) * power_of_two(k)


@elementary
def exp2(x: Value) -> Value:
    x = clamp(x, *EXP2_RANGE[x.type])
    kf, _ = nearest_integer(x)
    f = x - kf
    r = f * math.log(2)
    low = fma(f, math.log(2), -r)
    rest = fma(r * r, polynomial(r, EXP_POLYNOMIAL[x.type]), low)
    return scaleb(_vanishing((r + rest) + 1, x, EXP2_RANGE), kf)


def exp_pair(x: Pair) -> tuple[Value, Pair]:
    """exp of a sum as 2^k times a normalised pair, with a few bits more than the type has.

    The argument must be within `EXP_RANGE`.
    """
    k, r, low = reduce(x[0])
    r, low = fast_two_sum(r, low + x[1])
    rest = fma(r * r, polynomial(r, EXP_POLYNOMIAL[r.type]), fma(low, r, low))
    one = const(r.type, 1)
    high, tail = fast_two_sum(one, r)
    return k, fast_two_sum(high, tail + rest)


def exp_of_pair(x: Pair) -> Value:
    """exp of a sum, rounded once or nearly."""
    bounds = EXP_RANGE[x[0].type]
    clamped = clamp(x[0], *bounds)
    low = select((x[0] > bounds[0]) & (x[0] < bounds[1]), x[1], const(x[1].type, 0))
    k, (high, tail) = exp_pair((clamped, low))
    return scale(high + tail, k)


def expm1_pair(x: Value) -> Pair:
    """exp(x) - 1 as a normalised pair; infinite where exp is."""
    high_bound = EXP_RANGE[x.type][1]
    x = clamp(x, -40.0, high_bound)
    k, r, low = reduce(x)
    part = fma(r * r, polynomial(r, EXPM1_POLYNOMIAL[x.type]), fma(low, r, low))
    # halved powers, so that the largest k does not overflow before the last step
    power = power_of_two(k - 1)
    base, base_low = two_sum(power, -0.5)
    high, tail = fast_two_sum(base, r * power)
    high, tail = fast_two_sum(high, fma(part, power, tail + base_low))
    return high + high, tail + tail


@elementary
def expm1(x: Value) -> Value:
    high, low = expm1_pair(x)
    tiny = abs(x) < (2.0**-26 if x.type == "f32" else 2.0**-55)
    return select(tiny | (high == math.inf), select(tiny, x, high), high + low)


@elementary
def sigmoid(x: Value) -> Value:
    """1 / (1 + exp(-x)), with half of the power of two on either side: nothing overflows."""
    high, low = LN2[x.type]
    bound = -EXP_RANGE[x.type][0]
    x = clamp(-x, -bound, bound)
    kf, k = nearest_integer(x, LOG2E)
    first = fma(kf, -high, x)
    r = fma(kf, -low, first)
    rest = fma(r * r, polynomial(r, EXP_POLYNOMIAL[x.type]), fma(kf, -low, first - r))
    one, tail = fast_two_sum(const(x.type, 1), r)
    one, tail = fast_two_sum(one, tail + rest)
    half = k >> 1
    top, power = power_of_two(-half), power_of_two(k - half)
    return top / fma(one, power, fma(tail, power, top))


@elementary
def sigmoid_quick(x: Value) -> Value:
    """As PyTorch has it, to two and a half units: 1 / (1 + exp(-x)).

    Below the normal numbers, where that overflows, it is exp(x).
    """
    return rarely(x < LEAST_NORMAL[x.type], exp(x), ratio(1, exp(-x) + 1))

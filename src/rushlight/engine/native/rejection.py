"""Distributions that are sampled by trial: Poisson, binomial, gamma; and choice by weight.

The methods are the published ones: Hörmann's transformed rejection for Poisson (PTRS) and binomial
(BTRS) numbers, Marsaglia and Tsang's for gamma numbers. They draw from the same stream as
`native.mersenne`, of which they are a part.
"""

from __future__ import annotations

from rushlight.engine.native import c_maths
from rushlight.engine.native.c_maths import ceil, exp, fabs, floor, lgamma, log, log1p, power, sqrt
from rushlight.engine.native.lowlevel import (
    load,
    load_float,
    load_float32,
    stack,
    store,
    store8,
    store_float,
    store_float32,
)
from rushlight.engine.native.mersenne import module, normal, uniform

kept = module.function(c_maths.kept)


# One third and the constant of the gamma numbers' quick test, in single precision as in PyTorch.
_THIRD = 0.3333333432674408
_SQUEEZE = 0.03310000151395798


@module.function
def poisson(generator: int, rate: float) -> float:
    """The number of events in a time in which ``rate`` are expected."""
    if rate == 0.0:
        return 0.0
    count = 0.0
    if rate < 10.0:
        limit = exp(-rate)
        product = uniform(generator)
        while product > limit:
            count = count + 1.0
            product = product * uniform(generator)
        return count
    root = sqrt(rate)
    log_rate = log(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    ratio = 0.9277 - 3.6224 / (b - 2.0)
    while 1 == 1:
        u = uniform(generator) - 0.5
        v = uniform(generator)
        distance = 0.5 - fabs(u)
        count = floor((2.0 * a / distance + b) * u + rate + 0.43)
        if distance >= 0.07 and v <= ratio:
            return count
        if count < 0.0 or (distance < 0.013 and v > distance):
            continue
        given = log(v) + log(inverse_alpha) - log(a / (distance * distance) + b)
        if given <= -rate + count * log_rate - lgamma(count + 1.0):
            return count
    return count


@module.function
def poissons(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the target, the rates, the generator."""
    for j in range(load(sizes)):
        rate = load_float(load(pointers + 8) + j * 8)
        store_float(load(pointers) + j * 8, poisson(load(pointers + 16), rate))
    return 0


@module.function
def stirling_tail(k: float) -> float:
    """What Stirling's formula leaves over of the logarithm of a factorial."""
    if k == 0.0:
        return 0.0810614667953272
    if k == 1.0:
        return 0.0413406959554092
    if k == 2.0:
        return 0.0276779256849983
    if k == 3.0:
        return 0.02079067210376509
    if k == 4.0:
        return 0.0166446911898211
    if k == 5.0:
        return 0.0138761288230707
    if k == 6.0:
        return 0.0118967099458917
    if k == 7.0:
        return 0.0104112652619720
    if k == 8.0:
        return 0.00925546218271273
    if k == 9.0:
        return 0.00833056343336287
    square = (k + 1.0) * (k + 1.0)
    return (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / (k + 1.0)


@module.function
def few_successes(generator: int, trials: float, probability: float) -> float:
    """Binomial numbers by the gaps between successes, for few expected ones."""
    scale = log1p(-probability)
    passed = 0.0
    found = 0.0
    while 1 == 1:
        passed = passed + ceil(log(uniform(generator)) / scale)
        if passed > trials:
            return found
        found = found + 1.0
    return found


@module.function
def many_successes(generator: int, trials: float, probability: float) -> float:
    """Binomial numbers by transformed rejection."""
    deviation = sqrt(trials * probability * (1.0 - probability))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * probability
    c = trials * probability + 0.5
    limit = 0.92 - 4.2 / b
    odds = probability / (1.0 - probability)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = floor((trials + 1.0) * probability)
    k = 0.0
    while 1 == 1:
        u = uniform(generator) - 0.5
        v = uniform(generator)
        distance = 0.5 - fabs(u)
        k = floor((2.0 * a / distance + b) * u + c)
        if distance >= 0.07 and v <= limit:
            return k
        if k < 0.0 or k > trials:
            continue
        given = log(v * alpha / (a / (distance * distance) + b))
        bound = (
            (mode + 0.5) * log((mode + 1.0) / (odds * (trials - mode + 1.0)))
            + (trials + 1.0) * log((trials - mode + 1.0) / (trials - k + 1.0))
            + (k + 0.5) * log(odds * (trials - k + 1.0) / (k + 1.0))
            + stirling_tail(mode)
            + stirling_tail(trials - mode)
            - stirling_tail(k)
            - stirling_tail(trials - k)
        )
        if given <= bound:
            return k
    return k


@module.function
def successes(generator: int, trials: float, probability: float) -> float:
    if trials * probability >= 10.0:
        return many_successes(generator, trials, probability)
    return few_successes(generator, trials, probability)


@module.function
def binomial(generator: int, trials: float, probability: float) -> float:
    """The number of successes among so many trials."""
    if trials <= 0.0 or probability <= 0.0:
        return 0.0
    if probability >= 1.0:
        return trials
    if probability <= 0.5:
        return successes(generator, trials, probability)
    if probability > 0.5:
        return trials - successes(generator, trials, 1.0 - probability)
    return probability


@module.function
def binomials(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the target, numbers of trials, their chances, the generator."""
    for j in range(load(sizes)):
        trial = load_float(load(pointers + 8) + j * 8)
        chance = load_float(load(pointers + 16) + j * 8)
        store_float(load(pointers) + j * 8, binomial(load(pointers + 24), trial, chance))
    return 0


@module.function
def gamma(generator: int, shape: float, single: int) -> float:
    """Gamma numbers of scale 1; what is derived from the shape has the shape's precision."""
    scale = 1.0
    if shape < 1.0:
        if shape == 0.0:
            return 0.0
        scale = power(1.0 - uniform(generator), kept(1.0 / shape, single))
        shape = kept(shape + 1.0, single)
    d = kept(shape - _THIRD, single)
    c = 1.0 / sqrt(9.0 * d)
    while 1 == 1:
        x = normal(generator)
        y = 1.0 + c * x
        while y <= 0.0:
            x = normal(generator)
            y = 1.0 + c * x
        v = y * y * y
        u = 1.0 - uniform(generator)
        square = x * x
        if u < 1.0 - _SQUEEZE * square * square:
            return scale * d * v
        if log(u) < 0.5 * square + d * (1.0 - v + log(v)):
            return scale * d * v
    return scale


@module.function
def gammas(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the target, the shapes, the generator, whether these are in single precision."""
    single = load(load(pointers + 24))
    for j in range(load(sizes)):
        shape = load_float(load(pointers + 8) + j * 8)
        store_float(load(pointers) + j * 8, gamma(load(pointers + 16), shape, single))
    return 0


@module.function
def find_fault(pointers: int, sizes: int, strides: int) -> int:
    """Look for a parameter that a distribution does not take.

    Operands: a byte (written: whether there is one), rows of doubles, the least and the greatest of
    those that are taken, whether each row must have a positive number, and a report, of whose
    words the first is set. Sizes: of a row, and how many rows.
    """
    length = load(sizes)
    found = 0
    for row in range(load(sizes + 8)):
        positive = 1 - load(load(pointers + 32))
        for j in range(length):
            value = load_float(load(pointers + 8) + (row * length + j) * 8)
            # NaN is neither.
            inside = 0
            if value >= load_float(load(pointers + 16)) and value <= load_float(
                load(pointers + 24)
            ):
                inside = 1
            if inside == 0:
                found = 1
            if value > 0.0:
                positive = 1
        if positive == 0:
            found = 1
    store8(load(pointers), found)
    if found != 0:
        store(load(pointers + 40), 1)
    return 0


@module.function
def row_sum(row: int, length: int) -> float:
    """The sum of a row of doubles in PyTorch's order, on which the last bit of a share depends.

    Sixteen sums are kept, of every sixteenth element; every sixteenth time they are put aside.
    """
    sums = stack(32)
    for k in range(32):
        store_float(sums + k * 8, 0.0)
    whole = length // 16 * 16
    if length < 4:
        whole = 0
    for j in range(whole):
        place = sums + j % 16 * 8
        store_float(place, load_float(place) + load_float(row + j * 8))
        if j % 256 == 255:
            for k in range(16):
                aside = sums + 128 + k * 8
                store_float(aside, load_float(aside) + load_float(sums + k * 8))
                store_float(sums + k * 8, 0.0)
    fours = length // 4 * 4
    for j in range(whole, fours):
        place = sums + j % 4 * 8
        store_float(place, load_float(place) + load_float(row + j * 8))
    total = 0.0
    for j in range(fours, length):
        total = total + load_float(row + j * 8)
    for lane in range(4):
        group = 0.0
        for k in range(4):
            place = sums + (k * 4 + lane) * 8
            group = group + (load_float(place) + load_float(place + 128))
        total = total + group
    return total


@module.function
def gamma_shares(pointers: int, sizes: int, strides: int) -> int:
    """Rows of gamma numbers divided by their sums; operands: the target, the shapes, the generator."""
    target = load(pointers)
    length = load(sizes)
    for row in range(load(sizes + 8)):
        base = target + row * length * 8
        for j in range(length):
            shape = load_float(load(pointers + 8) + (row * length + j) * 8)
            store_float(base + j * 8, gamma(load(pointers + 16), shape, 0))
        total = row_sum(base, length)
        for j in range(length):
            store_float(base + j * 8, load_float(base + j * 8) / total)
    return 0


@module.function
def first_reaching(sums: int, count: int, value: float) -> int:
    """Where in a rising row of doubles a value is first reached."""
    low = 0
    high = count
    while low < high:
        middle = low + (high - low) // 2
        if load_float(sums + middle * 8) < value:
            low = middle + 1
        else:
            high = middle
    return low


@module.function
def choices(pointers: int, sizes: int, strides: int) -> int:
    """Draw places of each row by weight, with replacement.

    Operands: the places, room for a row's sums, the weights in doubles, the generator, and whether
    the sums are rounded to single precision, one by one. Sizes: of a row, how many rows, how many
    places of each.
    """
    sums = load(pointers + 8)
    generator = load(pointers + 24)
    single = load(load(pointers + 32))
    length = load(sizes)
    count = load(sizes + 16)
    for row in range(load(sizes + 8)):
        base = load(pointers + 16) + row * length * 8
        total = 0.0
        for j in range(length):
            total = total + load_float(base + j * 8)
            if single != 0:
                store_float32(sums, total)
                total = load_float32(sums)
            store_float(sums + j * 8 + 8, total)
        for j in range(length):
            share = load_float(sums + j * 8 + 8) / total
            if single != 0:
                store_float32(sums, share)
                share = load_float32(sums)
            store_float(sums + j * 8 + 8, share)
        store_float(sums + length * 8, 1.0)
        for j in range(count):
            found = first_reaching(sums + 8, length, uniform(generator))
            store(load(pointers) + (row * count + j) * 8, found)
    return 0

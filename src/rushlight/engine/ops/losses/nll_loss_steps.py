"""The negative log likelihood of classes in machine code: what is done for every target.

Sums are PyTorch's to the last bit: partial sums of 2^k terms are passed on to the next of a few
levels, so that rounding errors stay small.
"""

from __future__ import annotations

from rushlight.engine.native import c_maths
from rushlight.engine.native.lowlevel import (
    Function,
    Module,
    load,
    load8,
    load_float,
    load_float32,
    stack,
    store,
    store_float,
    store_float32,
    to_float,
)

module = Module("likelihood")
kept = module.function(c_maths.kept)

LEVELS = 8
NONE, MEAN = 0, 1


class FACTS:
    """Positions of the words that describe a call, in bytes. Steps are in bytes too."""

    batch = 0
    inner = 8  # how many targets each sample has
    classes = 16
    ignored = 24  # the class that is passed over
    reduction = 32
    single = 40  # whether numbers are of single precision
    level_bits = 48  # partial sums are passed on after 2^k terms
    sample_step = 56  # of the scores, and of their gradient
    class_step = 64
    inner_step = 72
    target_bytes = 80
    target_sample_step = 88
    target_inner_step = 96
    weight_step = 104
    losses_sample_step = 112  # of the losses, or of their gradient
    losses_inner_step = 120
    words = 16


class FAULT:
    """Positions of the words that report a target that is no class, in bytes."""

    found = 0
    value = 8
    words = 2


@module.function
def number(address: int, single: int) -> float:
    if single != 0:
        return load_float32(address)
    return load_float(address)


@module.function
def put(address: int, value: float, single: int) -> None:
    if single != 0:
        store_float32(address, value)
    else:
        store_float(address, value)


@module.function
def class_of(target: int, facts: int, fault: int) -> int:
    """The class at an address; -1 if it is passed over, which is reported if it is no class."""
    found = load8(target)
    if load(facts + FACTS.target_bytes) == 8:
        found = load(target)
    if found == load(facts + FACTS.ignored):
        return -1
    if found < 0 or found >= load(facts + FACTS.classes):
        store(fault + FAULT.found, 1)
        store(fault + FAULT.value, found)
        return -1
    return found


@module.function
def weight_of(weights: int, place: int, facts: int) -> float:
    """The weight of a class; 1 without weights."""
    if weights == 0:
        return 1.0
    return number(weights + place * load(facts + FACTS.weight_step), load(facts + FACTS.single))


@module.function
def pass_on(sums: int, k: int, bits: int, single: int) -> None:
    """Add partial sums to those of the next levels, as many levels as term ``k`` completes."""
    level = 0
    mask = (1 << bits) - 1
    while level < LEVELS - 1 and k & mask == 0:
        here = sums + level * 8
        store_float(here + 8, kept(load_float(here + 8) + load_float(here), single))
        store_float(here, 0.0)
        level += 1
        mask = mask << bits


@module.function
def total(sums: int, single: int) -> float:
    result = 0.0
    for level in range(LEVELS):
        result = kept(result + load_float(sums + level * 8), single)
    return result


@module.function
def losses_of_all(data: int, sizes: int, strides: int) -> None:
    """The loss of every target. Operands: losses, total weight, scores, targets, weights, ..."""
    facts = load(data + 40)
    fault = load(data + 48)
    single = load(facts + FACTS.single)
    put(load(data + 8), 0.0, single)
    for n in range(load(facts + FACTS.batch)):
        losses = load(data) + n * load(facts + FACTS.losses_sample_step)
        scores = load(data + 16) + n * load(facts + FACTS.sample_step)
        targets = load(data + 24) + n * load(facts + FACTS.target_sample_step)
        for s in range(load(facts + FACTS.inner)):
            place = class_of(targets + s * load(facts + FACTS.target_inner_step), facts, fault)
            loss = 0.0
            if place >= 0:
                at = place * load(facts + FACTS.class_step) + s * load(facts + FACTS.inner_step)
                weight = weight_of(load(data + 32), place, facts)
                loss = -number(scores + at, single) * weight
            put(losses + s * load(facts + FACTS.losses_inner_step), loss, single)


@module.function
def one_loss(data: int, sizes: int, strides: int) -> None:
    """The losses' sum or mean, and the sum of the weights. Operands as those of `losses_of_all`."""
    weights = load(data + 32)
    facts = load(data + 40)
    fault = load(data + 48)
    single = load(facts + FACTS.single)
    bits = load(facts + FACTS.level_bits)
    mask = (1 << bits) - 1
    losses = stack(LEVELS)
    shares = stack(LEVELS)
    for level in range(LEVELS):
        store_float(losses + level * 8, 0.0)
        store_float(shares + level * 8, 0.0)
    counted = 0
    k = 0
    loss = 0.0
    share = 0.0
    for n in range(load(facts + FACTS.batch)):
        scores = load(data + 16) + n * load(facts + FACTS.sample_step)
        targets = load(data + 24) + n * load(facts + FACTS.target_sample_step)
        for s in range(load(facts + FACTS.inner)):
            place = class_of(targets + s * load(facts + FACTS.target_inner_step), facts, fault)
            if place >= 0:
                counted += 1
                at = place * load(facts + FACTS.class_step) + s * load(facts + FACTS.inner_step)
                score = number(scores + at, single)
                if weights != 0:
                    weight = weight_of(weights, place, facts)
                    score = kept(score * weight, single)
                    share = kept(share + weight, single)
                loss = kept(loss - score, single)
                if k & mask == 0:
                    store_float(losses, loss)
                    store_float(shares, share)
                    pass_on(losses, k, bits, single)
                    pass_on(shares, k, bits, single)
                    loss = 0.0
                    share = 0.0
            k += 1
    store_float(losses, loss)
    store_float(shares, share)
    weight = to_float(counted)
    if weights != 0:
        weight = total(shares, single)
    result = total(losses, single)
    if load(facts + FACTS.reduction) == MEAN:
        result = kept(result / kept(weight, single), single)
    put(load(data), result, single)
    put(load(data + 8), weight, single)


@module.function
def gradients(data: int, sizes: int, strides: int) -> None:
    """Write the gradients of the targets' scores, among zeros.

    Operands: gradient of the scores, of the losses, targets, weights, total weight, facts, fault.
    """
    weights = load(data + 24)
    facts = load(data + 40)
    single = load(facts + FACTS.single)
    reduction = load(facts + FACTS.reduction)
    given = 0.0
    if reduction != NONE:
        given = number(load(data + 8), single)
    if reduction == MEAN:
        given = kept(given / number(load(data + 32), single), single)
    for n in range(load(facts + FACTS.batch)):
        grads = load(data) + n * load(facts + FACTS.sample_step)
        losses = load(data + 8) + n * load(facts + FACTS.losses_sample_step)
        targets = load(data + 16) + n * load(facts + FACTS.target_sample_step)
        for s in range(load(facts + FACTS.inner)):
            target = targets + s * load(facts + FACTS.target_inner_step)
            place = class_of(target, facts, load(data + 48))
            if place >= 0:
                if reduction == NONE:
                    given = number(losses + s * load(facts + FACTS.losses_inner_step), single)
                at = place * load(facts + FACTS.class_step) + s * load(facts + FACTS.inner_step)
                put(grads + at, -given * weight_of(weights, place, facts), single)


def address(function: Function) -> int:
    """Where the machine code of a function is."""
    return module.address(function)

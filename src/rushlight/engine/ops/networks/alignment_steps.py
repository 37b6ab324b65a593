"""The steps of `_ctc_loss` in machine code: probabilities of alignments, forwards and backwards.

An alignment walks over *states*: the labels of a sequence with a blank before, between and behind
them. From a state it may stay, go to the next, or leap over a blank between two different labels.
All probabilities are logarithms, rounded to the tensors' own type at every step.

Arguments travel in a block of words that all threads read; `CONTEXT` names them.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from rushlight.engine.native import c_maths, runtime, threads
from rushlight.engine.native.c_maths import exp, exp_single, log, log_single
from rushlight.engine.native.lowlevel import (
    Module,
    invoke,
    load,
    load_float,
    load_float32,
    store_float,
    store_float32,
)

module = Module("alignments")
kept = module.function(c_maths.kept)


INF = float("inf")
NOTHING = -INF

# What the context holds, in this order.
CONTEXT = (
    "logs", "labels", "starts", "given", "wanted", "losses", "states", "steps", "batch", "classes",
    "width", "blank", "single", "zero_infinity", "gradients", "shares", "room",
)  # fmt: skip
(
    LOGS, LABELS, STARTS, GIVEN, WANTED, LOSSES, STATES, STEPS, BATCH, CLASSES,
    WIDTH, BLANK, SINGLE, ZERO_INFINITY, GRADIENTS, SHARES, ROOM,
) = range(0, 8 * len(CONTEXT), 8)  # fmt: skip

# From so many steps of states on, threads share the batch.
SHARED = 1 << 14


@module.function
def read(address: int, place: int, single: int) -> float:
    if single != 0:
        return load_float32(address + place * 4)
    return load_float(address + place * 8)


@module.function
def write(address: int, place: int, value: float, single: int) -> None:
    if single != 0:
        store_float32(address + place * 4, value)
    else:
        store_float(address + place * 8, value)


@module.function
def larger(a: float, b: float) -> float:
    if b > a:
        return b
    return a


@module.function
def exponential(value: float, single: int) -> float:
    if single != 0:
        return exp_single(value)
    return exp(value)


@module.function
def below(a: float, largest: float, single: int) -> float:
    """What part of the largest probability another one is."""
    if a == largest:
        return 1.0
    if a == NOTHING:
        return 0.0
    return exponential(kept(a - largest, single), single)


@module.function
def either(a: float, b: float, c: float, single: int) -> float:
    """The logarithm of the sum of three probabilities."""
    largest = larger(larger(a, b), c)
    if largest == NOTHING:
        return NOTHING
    total = kept(below(a, largest, single) + below(b, largest, single), single)
    total = kept(total + below(c, largest, single), single)
    if total == 1.0:
        return largest
    if single != 0:
        return kept(log_single(total) + largest, single)
    return log(total) + largest


@module.function
def label_of(labels: int, state: int, blank: int) -> int:
    """Every second state is a label."""
    if state % 2 == 0:
        return blank
    return load(labels + (state // 2) * 8)


@module.function
def leaps(labels: int, state: int, blank: int) -> int:
    """Whether a state can be reached from the one before its predecessor."""
    if state < 2:
        return 0
    here = label_of(labels, state, blank)
    return 1 if here != label_of(labels, state - 2, blank) else 0


@module.function
def forget(address: int, count: int, single: int) -> None:
    """Fill with the logarithm of zero."""
    for k in range(count):
        write(address, k, NOTHING, single)


@module.function
def align_one(context: int, row: int) -> None:
    """The probability of every state after every step, and the loss, of one sequence."""
    single = load(context + SINGLE)
    itemsize = 4 if single != 0 else 8
    blank = load(context + BLANK)
    width = load(context + WIDTH)
    labels = load(context + LABELS) + load(load(context + STARTS) + row * 8) * 8
    given = load(load(context + GIVEN) + row * 8)
    wanted = load(load(context + WANTED) + row * 8)
    states = load(context + STATES) + row * load(context + STEPS) * width * itemsize
    losses = load(context + LOSSES)
    classes = load(context + CLASSES)
    stride = load(context + BATCH) * classes * itemsize
    logs = load(context + LOGS) + row * classes * itemsize
    forget(states, load(context + STEPS) * width, single)
    if given == 0:
        write(losses, row, 0.0 if wanted == 0 else INF, single)
        return
    count = 2 * wanted + 1
    write(states, 0, read(logs, blank, single), single)
    if wanted > 0:
        write(states, 1, read(logs, label_of(labels, 1, blank), single), single)
    for step in range(1, given):
        before = states + (step - 1) * width * itemsize
        here = before + width * itemsize
        scores = logs + step * stride
        for state in range(count):
            moved = NOTHING
            leapt = NOTHING
            if state > 0:
                moved = read(before, state - 1, single)
            if leaps(labels, state, blank) != 0:
                leapt = read(before, state - 2, single)
            reached = either(read(before, state, single), moved, leapt, single)
            score = read(scores, label_of(labels, state, blank), single)
            write(here, state, reached + score, single)
    last = states + (given - 1) * width * itemsize
    inside = NOTHING
    if wanted > 0:
        inside = read(last, count - 2, single)
    write(losses, row, 0.0 - either(read(last, count - 1, single), inside, NOTHING, single), single)


@module.function
def add_share(shares: int, place: int, share: float, single: int) -> None:
    """Add a probability to a sum of them."""
    write(shares, place, either(read(shares, place, single), share, NOTHING, single), single)


@module.function
def finish_step(
    scores: int, shares: int, target: int, classes: int, loss: float, scale: float, single: int
) -> None:
    """The gradients of one step's scores; ``shares`` are the classes' parts of all alignments."""
    for c in range(classes):
        score = read(scores, c, single)
        share = kept(kept(read(shares, c, single) + loss, single) - score, single)
        excess = exponential(score, single) - exponential(share, single)
        write(target, c, kept(excess, single) * scale, single)


@module.function
def fade(target: int, stride: int, first: int, last: int, classes: int, single: int) -> None:
    """Zero gradients for steps that take no part."""
    for step in range(first, last):
        for c in range(classes):
            write(target + step * stride, c, 0.0, single)


@module.function
def differentiate_one(context: int, row: int, room: int) -> None:
    """The gradient for the scores of one sequence. The room holds two rows of states and one of
    classes."""
    single = load(context + SINGLE)
    itemsize = 4 if single != 0 else 8
    blank = load(context + BLANK)
    width = load(context + WIDTH)
    steps = load(context + STEPS)
    labels = load(context + LABELS) + load(load(context + STARTS) + row * 8) * 8
    given = load(load(context + GIVEN) + row * 8)
    wanted = load(load(context + WANTED) + row * 8)
    states = load(context + STATES) + row * steps * width * itemsize
    loss = read(load(context + LOSSES), row, single)
    classes = load(context + CLASSES)
    stride = load(context + BATCH) * classes * itemsize
    logs = load(context + LOGS) + row * classes * itemsize
    target = load(context + GRADIENTS) + row * classes * itemsize
    scale = read(load(context + SHARES), row, single)
    if loss == INF and load(context + ZERO_INFINITY) != 0:
        given = 0
    fade(target, stride, given, steps, classes, single)
    count = 2 * wanted + 1
    here = room
    after = room + width * itemsize
    shares = after + width * itemsize
    step = given - 1
    while step >= 0:
        scores = logs + step * stride
        forget(shares, classes, single)
        for k in range(count):
            state = count - 1 - k
            label = label_of(labels, state, blank)
            onward = NOTHING
            if step == given - 1:
                if state >= count - 2:
                    onward = 0.0
            else:
                moved = NOTHING
                leapt = NOTHING
                if state + 1 < count:
                    moved = read(after, state + 1, single)
                if state + 2 < count and leaps(labels, state + 2, blank) != 0:
                    leapt = read(after, state + 2, single)
                onward = either(read(after, state, single), moved, leapt, single)
            rest = kept(onward + read(scores, label, single), single)
            write(here, state, rest, single)
            reached = read(states + step * width * itemsize, state, single)
            add_share(shares, label, kept(reached + rest, single), single)
        finish_step(scores, shares, target + step * stride, classes, loss, scale, single)
        swapped = here
        here = after
        after = swapped
        step = step - 1


@module.function
def align_share(context: int, part: int, parts: int) -> int:
    """One thread's sequences."""
    batch = load(context + BATCH)
    for row in range(batch * part // parts, batch * (part + 1) // parts):
        align_one(context, row)
    return 0


@module.function
def differentiate_share(context: int, part: int, parts: int) -> int:
    """One thread's sequences; each thread has a room of its own."""
    batch = load(context + BATCH)
    itemsize = 4 if load(context + SINGLE) != 0 else 8
    size = (2 * load(context + WIDTH) + load(context + CLASSES)) * itemsize
    room = load(context + ROOM) + part * size
    for row in range(batch * part // parts, batch * (part + 1) // parts):
        differentiate_one(context, row, room)
    return 0


@module.function
def align_together(region: int, context: int, parts: int) -> int:
    invoke(region, align_share, context, parts)
    return 0


@module.function
def differentiate_together(region: int, context: int, parts: int) -> int:
    invoke(region, differentiate_share, context, parts)
    return 0


@functools.cache
def _machine_code(which: str) -> Any:
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
    return prototype(module.address(module.functions[which]))


def parts_for(batch: int, steps: int, width: int) -> int:
    """Into how many parts a batch is cut."""
    return min(batch, threads.get_size()) if batch * steps * width >= SHARED else 1


def run(which: str, parts: int, **arguments: int) -> None:
    """Run `align_together` or `differentiate_together` over a batch; names as in `CONTEXT`."""
    if parts > 1:
        threads.ensure_started()
    context = (ctypes.c_int64 * len(CONTEXT))(*(arguments.get(name, 0) for name in CONTEXT))
    region = runtime.module.address(threads.run_region)
    _machine_code(which)(region, ctypes.addressof(context), parts)

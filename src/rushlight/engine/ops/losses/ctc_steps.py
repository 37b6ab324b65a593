"""The steps of `_ctc_loss` in machine code: probabilities of alignments, forwards and backwards.

An alignment walks over *states*: the labels of a sequence with a blank before, between and behind
them. From a state it may stay, go to the next, or leap over a blank between two different labels.
All probabilities are logarithms, rounded to the tensors' own type at every step.

Each thread has a block of words of its own that says where everything is; `CONTEXT` names them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import objects
from rushlight.engine.core.tensor import Template
from rushlight.engine.loops.function_loop import Nest, function_loop
from rushlight.engine.loops.plan import Loop, Plan
from rushlight.engine.native import c_maths
from rushlight.engine.native.c_maths import exp, exp_single, log, log_single
from rushlight.engine.native.lowlevel import (
    Function,
    Module,
    load,
    load_float,
    load_float32,
    stack,
    store,
    store_float,
    store_float32,
)

module = Module("alignments")
kept = module.function(c_maths.kept)


INF = float("inf")
NOTHING = -INF

# What the context holds, in this order: operands, then numbers that all calls with these sizes share.
OPERANDS = ("losses", "states", "logs", "labels", "starts", "given", "wanted")
FACTS = ("steps", "batch", "classes", "width", "blank", "single", "zero_infinity")
CONTEXT = (*OPERANDS, *FACTS, "gradients", "shares")
(
    LOSSES, STATES, LOGS, LABELS, STARTS, GIVEN, WANTED,
    STEPS, BATCH, CLASSES, WIDTH, BLANK, SINGLE, ZERO_INFINITY, GRADIENTS, SHARES,
) = range(0, 8 * len(CONTEXT), 8)  # fmt: skip
CONTEXT_WORDS = len(CONTEXT)


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
def describe(context: int, pointers: int, facts: int) -> None:
    """Fill in what both directions read: operands from the losses on, and `FACTS`."""
    for k in range(7):
        store(context + LOSSES + k * 8, load(pointers + k * 8))
    for k in range(7):
        store(context + STEPS + k * 8, load(facts + k * 8))


@module.function
def align(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the losses and the states (written), and all others up to the facts."""
    context = stack(CONTEXT_WORDS)
    describe(context, pointers, load(pointers + 56))
    for row in range(load(sizes)):
        align_one(context, row)
    return 0


@module.function
def differentiate(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the gradients and the room (written), the shares, and all others up to the facts.

    The room has two rows of states and one of classes for each sequence.
    """
    context = stack(CONTEXT_WORDS)
    describe(context, pointers + 24, load(pointers + 80))
    store(context + GRADIENTS, load(pointers))
    store(context + SHARES, load(pointers + 16))
    itemsize = 4 if load(context + SINGLE) != 0 else 8
    size = (2 * load(context + WIDTH) + load(context + CLASSES)) * itemsize
    for row in range(load(sizes)):
        differentiate_one(context, row, load(pointers + 8) + row * size)
    return 0


# What one step of a sequence's states costs, in bytes moved.
_STATE_WORK = 16


def _loop(
    kernel: Function, own: Sequence[tuple[int, int]], facts: dict[str, int], lists: Sequence[Any]
) -> Loop:
    """A loop over a batch, which threads may share.

    Args:
        kernel: what runs
        own: for each operand before the losses, how many bytes it has for a sequence, and for an element
        facts: the numbers of `FACTS`
        lists: where the sequences start among the labels, how many steps they have, and how many labels
    """
    item = 4 if facts["single"] else 8
    states, classes = facts["steps"] * facts["width"] * item, facts["classes"] * item
    held = [*lists, [facts[name] for name in FACTS]]
    tensors_ = [*own, (item, item), (states, item), (classes, item), (0, 8)]
    kinds = [(objects.TENSOR_OPERAND, size) for _, size in tensors_]
    kinds += [(objects.CONSTANT_OPERAND, 8)] * len(held)
    strides = [[stride] for stride, _ in tensors_] + [[8], [8], [8], [0]]
    tables = dict(enumerate(held, start=len(tensors_)))
    batch = facts["batch"]
    work = batch * facts["steps"] * facts["width"] * _STATE_WORK
    return function_loop(module, kernel, Nest([batch], strides, kinds, 1, [0], tables=tables), work)


def aligning(facts: dict[str, int], lists: Sequence[Any], outputs: Sequence[Template]) -> Plan:
    """The plan that takes scores and labels, and gives the losses and the states."""
    return Plan(_loop(align, (), facts, lists), outputs)


def differentiating(
    facts: dict[str, int], lists: Sequence[Any], gradients: Template, room: Template
) -> Plan:
    """The plan that takes gradients of losses, losses, states, scores and labels."""
    item = 4 if facts["single"] else 8
    width = (2 * facts["width"] + facts["classes"]) * item
    own = [(facts["classes"] * item, item), (width, item), (item, item)]
    return Plan(_loop(differentiate, own, facts, lists), [gradients, room], 1)

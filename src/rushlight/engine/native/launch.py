"""The launcher: runs a compiled loop over a nest of any depth, split over threads.

A plan is an array of words that describes one call: which kernel, how many operands, the sizes of
all dimensions and every operand's byte strides. The kernel handles the plan's first dimensions
itself; the launcher walks the others and cuts one dimension, or all the others as if they were one,
into parts for the threads.

Plan words: see `PLAN`; then ``sizes[ndim]``, ``strides[ndim][operands]``.
"""

from __future__ import annotations

from rushlight.engine.native import threads
from rushlight.engine.native.lowlevel import invoke, load, stack, store
from rushlight.engine.native.python_api import restore_thread, save_thread
from rushlight.engine.native.runtime import module

MOST_OPERANDS = 264
# Numbers among a loop's operands take two words each.
MOST_NUMBER_WORDS = 528
MOST_DIMS = 64


class PLAN:
    """Positions of a plan's words, in bytes."""

    kernel = 0
    operands = 8
    dims = 16
    kernel_dims = 24
    split_dim = 32  # the dimension that threads share; -1: none; the number of dims: all the outer
    parts = 40  # into how many parts it may be cut
    release = 48  # whether other Python threads may run meanwhile
    kinds = 56  # address of two bytes per operand: how its argument becomes a pointer, element size
    offsets = 64  # address of one word per operand: bytes added to its pointer; or 0
    shares = 72  # how many parts per thread are worth their start
    sizes = 80


@module.function
def copy_words(target: int, source: int, count: int) -> None:
    for k in range(count):
        store(target + k * 8, load(source + k * 8))


@module.function
def move_pointers(pointers: int, steps: int, operands: int, times: int) -> None:
    """Move every operand's pointer so many of its steps."""
    for k in range(operands):
        store(pointers + k * 8, load(pointers + k * 8) + load(steps + k * 8) * times)


@module.function
def cut_to_part(plan: int, pointers: int, local: int, part: int, parts: int) -> int:
    """Cut the split dimension down to a part; 0 if nothing of it is left."""
    operands = load(plan + PLAN.operands)
    split = load(plan + PLAN.split_dim)
    sizes = plan + PLAN.sizes
    size = load(sizes + split * 8)
    # Parts start on multiples of 64 elements where there are enough, for aligned stores.
    unit = 64 if size >= 64 * parts else 1
    chunk = (size + parts * unit - 1) // (parts * unit) * unit
    first = part * chunk
    if first >= size:
        return 0
    last = first + chunk
    if last > size:
        last = size
    store(local + split * 8, last - first)
    strides = sizes + load(plan + PLAN.dims) * 8
    move_pointers(pointers, strides + split * operands * 8, operands, first)
    return 1


# The outer dimensions, those from ``first`` on, have an index each among the counters. What a plan
# says about them is handed on: pointers are written between, so that it would be read again.


@module.function
def enter_nest(
    first: int, dims: int, operands: int, strides: int, pointers: int, local: int, counters: int,
    at: int,
) -> None:  # fmt: skip
    """Go to a place in the outer dimensions, counted as if they were one."""
    for d in range(first, dims):
        size = load(local + d * 8)
        count = at % size
        at = at // size
        store(counters + d * 8, count)
        move_pointers(pointers, strides + d * operands * 8, operands, count)


@module.function
def advance_in_nest(
    first: int, dims: int, operands: int, strides: int, pointers: int, local: int, counters: int
) -> None:
    """Go to the next place in the outer dimensions."""
    d = first
    while d < dims:
        count = load(counters + d * 8) + 1
        size = load(local + d * 8)
        row = strides + d * operands * 8
        if count < size:
            store(counters + d * 8, count)
            move_pointers(pointers, row, operands, 1)
            return
        store(counters + d * 8, 0)
        move_pointers(pointers, row, operands, 1 - size)
        d += 1


@module.function
def run_part(context: int, part: int, parts: int) -> int:
    """Run one thread's share: all dimensions, with the split one cut down to this part."""
    plan = load(context)
    operands = load(plan + PLAN.operands)
    dims = load(plan + PLAN.dims)
    outer = load(plan + PLAN.kernel_dims)
    split = load(plan + PLAN.split_dim)
    sizes = plan + PLAN.sizes
    strides = sizes + dims * 8
    pointers = stack(MOST_OPERANDS)
    copy_words(pointers, load(context + 8), operands)
    local = stack(MOST_DIMS)
    copy_words(local, sizes, dims)
    if parts > 1 and split < dims and cut_to_part(plan, pointers, local, part, parts) == 0:
        return 0
    # How often the kernel is called, and where in the outer dimensions this part begins.
    left = 1
    for d in range(outer, dims):
        left = left * load(local + d * 8)
    at = 0
    if parts > 1 and split == dims:
        at = left * part // parts
        left = left * (part + 1) // parts - at
    if left == 0:
        return 0
    kernel = load(plan + PLAN.kernel)
    counters = stack(MOST_DIMS)
    enter_nest(outer, dims, operands, strides, pointers, local, counters, at)
    while True:
        invoke(kernel, pointers, local, strides)
        left -= 1
        if left == 0:
            return 0
        advance_in_nest(outer, dims, operands, strides, pointers, local, counters)


@module.function
def part_count(plan: int) -> int:
    """Into how many parts the present threads cut a plan."""
    parts = load(plan + PLAN.parts)
    most = threads.words.size
    if most > 1:
        most = most * load(plan + PLAN.shares)
    if parts > most:
        parts = most
    return parts


@module.entry
def run_plan(plan: int, data: int) -> None:
    """Run a plan on operands at the given addresses; the interpreter lock is held on entry."""
    context = stack(2)
    store(context, plan)
    store(context + 8, data)
    parts = part_count(plan)
    if load(plan + PLAN.release) != 0:
        saved = save_thread()
        if parts > 1:
            threads.run_region(run_part, context, parts)
        else:
            run_part(context, 0, 1)
        restore_thread(saved)
    else:
        run_part(context, 0, 1)


class OUTER_LOOP:
    """Positions of the words of a table that `run_outer_loop` reads, in bytes.

    After them: for each operand, by how much it moves from index to index; then for each loop its
    plan, and the address of one word per operand of that plan: which operand it is, or -1.
    """

    operands = 0
    loops = 8
    inside = 16  # whether threads share each loop, since they do not share the indices
    moves = 24


@module.entry
def run_outer_loop(data: int, sizes: int, strides: int) -> int:
    """A kernel that runs several loops for each index of its dimension; operand 0 is its table."""
    table = load(data)
    operands = load(table + OUTER_LOOP.operands)
    moves = table + OUTER_LOOP.moves
    here = stack(MOST_OPERANDS)
    for k in range(operands):
        store(here + k * 8, load(data + k * 8))
    pointers = stack(MOST_OPERANDS)
    context = stack(2)
    store(context + 8, pointers)
    for _index in range(load(sizes)):
        link = moves + operands * 8
        for _loop in range(load(table + OUTER_LOOP.loops)):
            plan = load(link)
            places = load(link + 8)
            offsets = load(plan + PLAN.offsets)
            for k in range(load(plan + PLAN.operands)):
                place = load(places + k * 8)
                address = 0
                if place >= 0:
                    address = load(here + place * 8)
                if offsets != 0:
                    address += load(offsets + k * 8)
                store(pointers + k * 8, address)
            store(context, plan)
            parts = 1
            if load(table + OUTER_LOOP.inside) != 0:
                parts = part_count(plan)
            threads.run_region(run_part, context, parts)
            link += 16
        for k in range(operands):
            store(here + k * 8, load(here + k * 8) + load(moves + k * 8))
    return 0

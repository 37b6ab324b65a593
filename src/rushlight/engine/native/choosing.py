"""Kernels for what a small mask chooses: how many elements, which rows, where they are.

Each has one dimension, the mask's elements; masks are contiguous. The count is a word of memory that
the first kernel writes and the others read.
"""

from __future__ import annotations

from rushlight.engine.native.lowlevel import (
    Module,
    load,
    load8,
    load_float,
    load_float32,
    store,
    store32,
    store_float,
    store_float32,
)
from rushlight.engine.native.python_api import memcpy

module = Module("choosing")


@module.function
def count_where(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the count (written), the mask."""
    mask = load(pointers + 8)
    count = 0
    for k in range(load(sizes)):
        if load8(mask + k) != 0:
            count += 1
    store(load(pointers), count)
    return 0


@module.function
def rows_where(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the chosen rows (written), all rows, the mask, and two words.

    These are how many bytes a row has, and how many blocks of as many rows as the mask has elements there are.
    """
    to = load(pointers)
    source = load(pointers + 8)
    mask = load(pointers + 16)
    nbytes = load(load(pointers + 24))
    for block in range(load(load(pointers + 24) + 8)):
        for k in range(load(sizes)):
            if load8(mask + k) != 0:
                memcpy(to, source + (block * load(sizes) + k) * nbytes, nbytes)
                to += nbytes
    return 0


@module.function
def places_where(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the places (written, column by column), the mask, the count, the mask's shape.

    The shape is the number of dimensions, then their sizes.
    """
    target = load(pointers)
    mask = load(pointers + 8)
    count = load(load(pointers + 16))
    shape = load(pointers + 24)
    dims = load(shape)
    found = 0
    for k in range(load(sizes)):
        if load8(mask + k) != 0:
            rest = k
            for d in range(dims):
                column = dims - 1 - d
                size = load(shape + 8 + column * 8)
                store(target + (column * count + found) * 8, rest % size)
                rest = rest // size
            found += 1
    return 0


@module.function
def columns_where(pointers: int, sizes: int, strides: int) -> int:
    """The same with a tensor for each column; operands: the mask's shape, these, the mask."""
    shape = load(pointers)
    dims = load(shape)
    mask = load(pointers + (dims + 1) * 8)
    found = 0
    for k in range(load(sizes)):
        if load8(mask + k) != 0:
            rest = k
            for d in range(dims):
                column = dims - 1 - d
                size = load(shape + 8 + column * 8)
                store(load(pointers + (column + 1) * 8) + found * 8, rest % size)
                rest = rest // size
            found += 1
    return 0


@module.function
def first_places_where(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the first places (written, row by row), the mask, how many, what else rows hold, the mask's shape.

    The shape is the number of dimensions, then their sizes.
    """
    target = load(pointers)
    mask = load(pointers + 8)
    count = load(load(pointers + 16))
    shape = load(pointers + 32)
    dims = load(shape)
    found = 0
    k = 0
    while k < load(sizes) and found < count:
        if load8(mask + k) != 0:
            rest = k
            for d in range(dims):
                column = dims - 1 - d
                size = load(shape + 8 + column * 8)
                store(target + (found * dims + column) * 8, rest % size)
                rest = rest // size
            found += 1
        k += 1
    for place in range(found * dims, count * dims):
        store(target + place * 8, load(load(pointers + 24)))
    return 0


# -- runs of equal neighbours, told by where an element differs from the one before it --


@module.function
def count_runs(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the count (written), whether each element but the first begins a run."""
    begins = load(pointers + 8)
    count = 1
    for k in range(load(sizes)):
        if load8(begins + k) != 0:
            count += 1
    store(load(pointers), count)
    return 0


class RUNS:
    """What `runs` is told: the bytes of an element, whether places and lengths are wanted, and
    whether the elements were arranged, so that their places are in another order.
    """

    item, places, lengths, arranged = range(0, 32, 8)


@module.function
def runs(pointers: int, sizes: int, strides: int) -> int:
    """What runs consist of, where the elements' runs are, and how long they are.

    Operands: one element of each run, the number of each element's run, the runs' lengths (all
    written), the elements, where each of them goes among the numbers, whether each but the first
    begins a run, `RUNS`.
    """
    to = load(pointers)
    numbers = load(pointers + 8)
    lengths = load(pointers + 16)
    source = load(pointers + 24)
    order = load(pointers + 32)
    begins = load(pointers + 40)
    told = load(pointers + 48)
    item = load(told + RUNS.item)
    run = 0
    start = 0
    memcpy(to, source, item)
    for k in range(load(sizes) + 1):
        if k > 0 and load8(begins + k - 1) != 0:
            if load(told + RUNS.lengths) != 0:
                store(lengths + run * 8, k - start)
            start = k
            run += 1
            memcpy(to + run * item, source + k * item, item)
        if load(told + RUNS.places) != 0:
            at = k
            if load(told + RUNS.arranged) != 0:
                at = load(order + k * 8)
            store(numbers + at * 8, run)
    if load(told + RUNS.lengths) != 0:
        store(lengths + run * 8, load(sizes) + 1 - start)
    return 0


# -- numbers that say how often their places come --

# More than that are made elsewhere.
MOST_REPEATS = 1 << 16


@module.function
def count_repeats(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the sum (written), the numbers. It is beyond `MOST_REPEATS` if one is negative."""
    numbers = load(pointers + 8)
    count = 0
    for k in range(load(sizes)):
        item = load(numbers + k * 8)
        if item < 0 or item > MOST_REPEATS or count > MOST_REPEATS:
            count = MOST_REPEATS + 1
        else:
            count += item
    store(load(pointers), count)
    return 0


@module.function
def repeated_places(pointers: int, sizes: int, strides: int) -> int:
    """Operands: each place as often as its number says (written), the numbers."""
    to = load(pointers)
    numbers = load(pointers + 8)
    for k in range(load(sizes)):
        for _ in range(load(numbers + k * 8)):
            store(to, k)
            to += 8
    return 0


@module.function
def repeated_rows(pointers: int, sizes: int, strides: int) -> int:
    """Operands: rows, each as often as its number says (written), the numbers, the rows, and two words.

    These are how many bytes a row has, and how many blocks of as many rows as numbers there are.
    """
    to = load(pointers)
    numbers = load(pointers + 8)
    source = load(pointers + 16)
    words = load(pointers + 24)
    nbytes = load(words)
    count = load(sizes)
    for row in range(count * load(words + 8)):
        for _ in range(load(numbers + row % count * 8)):
            memcpy(to, source, nbytes)
            to += nbytes
        source += nbytes
    return 0


# -- classes: whole numbers from 0 on, of which the greatest decides how many there are --


@module.function
def classes_in(pointers: int, sizes: int, strides: int) -> int:
    """Operands: how many there are (written), the classes, and the least and most there may be.

    It is more than the most if one of them is negative or there would be too many.
    """
    classes = load(pointers + 8)
    count = load(load(pointers + 16))
    most = load(load(pointers + 16) + 8)
    for k in range(load(sizes)):
        item = load(classes + k * 8)
        if item < 0 or item >= most:
            store(load(pointers), most + 1)
            return 0
        if item >= count:
            count = item + 1
    store(load(pointers), count)
    return 0


@module.function
def rows_of_classes(pointers: int, sizes: int, strides: int) -> int:
    """Operands: a row for each class with a one at its place (written), the classes, their number."""
    to = load(pointers)
    classes = load(pointers + 8)
    count = load(load(pointers + 16))
    for k in range(load(sizes)):
        here = load(classes + k * 8)
        for place in range(count):
            store(to + place * 8, 1 if place == here else 0)
        to += count * 8
    return 0


@module.function
def counts_of_classes(pointers: int, sizes: int, strides: int) -> int:
    """Operands: how often each class comes (written), the classes, their number."""
    counts = load(pointers)
    classes = load(pointers + 8)
    for k in range(load(load(pointers + 16))):
        store(counts + k * 8, 0)
    for k in range(load(sizes)):
        place = counts + load(classes + k * 8) * 8
        store(place, load(place) + 1)
    return 0


@module.function
def sums_of_classes(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the weight of each class (written), the classes, what each weighs, their number,
    and how many bytes a weight has: 8, or 4 where sums are rounded to single precision.
    """
    sums = load(pointers)
    classes = load(pointers + 8)
    weights = load(pointers + 16)
    item = load(load(pointers + 32))
    for k in range(load(load(pointers + 24)) * item // 4):
        store32(sums + k * 4, 0)
    for k in range(load(sizes)):
        place = sums + load(classes + k * 8) * item
        if item == 4:
            store_float32(place, load_float32(place) + load_float32(weights + k * 4))
        else:
            store_float(place, load_float(place) + load_float(weights + k * 8))
    return 0

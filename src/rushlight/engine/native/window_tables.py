"""The tables of convolutions whose sizes vary, written by machine code before the product by tables.

What the tables say is regular: a few words describe it, so that one piece of code serves images of
all sizes.
"""

from __future__ import annotations

from rushlight.engine.native import machine
from rushlight.engine.native.lowlevel import Module, load, store

module = Module("window_tables", optimise=machine.TIDY)


class DIM:
    """Positions of the words about a dimension of a sum, in bytes."""

    count, in_a, in_b = 0, 8, 16
    bytes = 24


class STEPS:
    """Positions of the words that `write_steps` reads, in bytes: three dimensions, the outermost first.

    After them the taps: for each its offsets in both factors.
    """

    outer, middle, inner = 0, DIM.bytes, 2 * DIM.bytes
    repeats = 3 * DIM.bytes  # how often the last step is written once more
    taps = repeats + 8
    first = taps + 8


@module.function
def write_steps(pointers: int, sizes: int, strides: int) -> int:
    """A kernel that writes a table of steps: every tap for each index of three dimensions."""
    row = load(pointers)
    words = load(pointers + 8)
    outer = words + STEPS.outer
    middle = words + STEPS.middle
    inner = words + STEPS.inner
    taps = load(words + STEPS.taps)
    for i in range(load(outer)):
        for j in range(load(middle)):
            a = i * load(outer + DIM.in_a) + j * load(middle + DIM.in_a)
            b = i * load(outer + DIM.in_b) + j * load(middle + DIM.in_b)
            for _k in range(load(inner)):
                for t in range(taps):
                    tap = words + STEPS.first + t * 16
                    store(row, a + load(tap))
                    store(row + 8, b + load(tap + 8))
                    row += 16
                a += load(inner + DIM.in_a)
                b += load(inner + DIM.in_b)
    if row > load(pointers):
        for _again in range(load(words + STEPS.repeats)):
            store(row, load(row - 16))
            store(row + 8, load(row - 8))
            row += 16
    return 0


class ALONG:
    """Positions of the words about a dimension of an image, in bytes."""

    pitch = 0  # how many places there are, some of them in the border
    count = 8  # how many of them are results
    step = 16  # how many bytes lie from one result to the next
    bytes = 24


class VECTORS:
    """Positions of the words that `write_vectors` reads, in bytes; then three `ALONG`s, the innermost first."""

    count, lanes, item, start, target = range(0, 40, 8)
    first = 40


@module.function
def write_vectors(pointers: int, sizes: int, strides: int) -> int:
    """A kernel that writes a table of vectors: they cover the places of an image, one behind the other."""
    row = load(pointers)
    words = load(pointers + 8)
    lanes = load(words + VECTORS.lanes)
    item = load(words + VECTORS.item)
    target = load(words + VECTORS.target)
    inner = words + VECTORS.first
    middle = inner + ALONG.bytes
    outer = middle + ALONG.bytes
    x = 0
    y = 0
    z = 0
    for v in range(load(words + VECTORS.count)):
        store(row, load(words + VECTORS.start) + v * lanes * item)
        first = 0 - 1
        in_one_piece = 1
        for lane in range(lanes):
            place = 0 - 1
            inside = (x < load(inner + ALONG.count)) & (y < load(middle + ALONG.count))
            if inside & (z < load(outer + ALONG.count)):
                place = target + x * load(inner + ALONG.step)
                place += y * load(middle + ALONG.step) + z * load(outer + ALONG.step)
            store(row + 16 + lane * 8, place)
            if lane == 0:
                first = place
            if place != first + lane * item:
                in_one_piece = 0
            x += 1
            if x == load(inner + ALONG.pitch):
                x = 0
                y += 1
                if y == load(middle + ALONG.pitch):
                    y = 0
                    z += 1
        store(row + 8, first if in_one_piece != 0 else 0 - 1)
        row += 16 + lanes * 8
    return 0


class WINDOWS:
    """Positions of the words about a dimension of windows, in bytes."""

    count, stride, padding, dilation, flat = range(0, 40, 8)
    bytes = 40


@module.function
def first_of(dim: int, window: int) -> int:
    """Where a window begins, perhaps in the border, by how far places along the dimension lie apart."""
    at = window * load(dim + WINDOWS.stride) - load(dim + WINDOWS.padding)
    return at * load(dim + WINDOWS.flat)


@module.function
def first_inside(dim: int, window: int) -> int:
    """`first_of` for a window's first element that is not in the border before the image."""
    at = window * load(dim + WINDOWS.stride) - load(dim + WINDOWS.padding)
    while at < 0:
        at += load(dim + WINDOWS.dilation)
    return at * load(dim + WINDOWS.flat)


@module.function
def write_starts(pointers: int, sizes: int, strides: int) -> int:
    """A kernel that writes where windows begin in the flattened image.

    After those of all windows come the same for each one's first element inside the image, then by
    how much a step within a window moves, for three dimensions, the outermost first.
    """
    table = load(pointers)
    outer = load(pointers + 8)
    middle = outer + WINDOWS.bytes
    inner = middle + WINDOWS.bytes
    across = load(inner + WINDOWS.count)
    inside = table + load(outer + WINDOWS.count) * load(middle + WINDOWS.count) * across * 8
    steps = inside + (inside - table)
    for z in range(load(outer + WINDOWS.count)):
        for y in range(load(middle + WINDOWS.count)):
            row = first_of(outer, z) + first_of(middle, y)
            row_inside = first_inside(outer, z) + first_inside(middle, y)
            for x in range(across):
                store(table, row + first_of(inner, x))
                store(inside, row_inside + first_inside(inner, x))
                table += 8
                inside += 8
    for d in range(3):
        dim = outer + d * WINDOWS.bytes
        store(steps + d * 8, load(dim + WINDOWS.dilation) * load(dim + WINDOWS.flat))
    return 0

"""Moving rows of bytes from places that an index gives."""

from __future__ import annotations

from rushlight.engine.native.lowlevel import load, load8, load32, store, store8, store32
from rushlight.engine.native.python_api import memcpy
from rushlight.engine.native.runtime import module


@module.function
def first_outside(index: int, count: int, step: int, length: int) -> int:
    """Where in an int64 index the first position outside -length … length-1 is; -1 if nowhere."""
    for k in range(count):
        position = load(index + k * step)
        if position < -length or position >= length:
            return k
    return -1


@module.function
def copy_row(target: int, source: int, nbytes: int) -> None:
    if nbytes == 4:
        store32(target, load32(source))
    elif nbytes == 8:
        store(target, load(source))
    elif nbytes == 1:
        store8(target, load8(source))
    else:
        memcpy(target, source, nbytes)


@module.entry
def gather_rows(
    target: int,
    source: int,
    index: int,
    count: int,
    step: int,
    length: int,
    row_step: int,
    nbytes: int,
) -> int:
    """Copy the rows that an int64 index names, one after the other; -1, or the index of a bad position.

    Rows lie ``row_step`` bytes apart in the source and hold ``nbytes``; negative positions count
    from the end.
    """
    wrong = first_outside(index, count, step, length)
    if wrong >= 0:
        return wrong
    for k in range(count):
        position = load(index + k * step)
        if position < 0:
            position += length
        copy_row(target + k * nbytes, source + position * row_step, nbytes)
    return -1


@module.function
def join_pieces(pointers: int, sizes: int, strides: int) -> int:
    """A kernel that lays a piece of every source behind the last one's, so many times.

    Dimension 0 counts the times, dimension 1 the sources. A source's stride along dimension 0 is the
    size of its pieces; the target is operand 0, which they fill.
    """
    sources = load(sizes + 8)
    to = load(pointers)
    for turn in range(load(sizes)):
        for k in range(1, sources + 1):
            size = load(strides + k * 8)
            copy_row(to, load(pointers + k * 8) + turn * size, size)
            to += size
    return 0

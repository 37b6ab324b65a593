"""Sorting and selecting rows of (key, place) pairs in machine code.

Which of several equal elements comes first follows from the algorithm, and users see it in the
indices. These are the ones that PyTorch runs: introspective sort and selection with a median of
three, heaps for a few out of many, and Hoare's selection for `kthvalue`. Keys are integers in the
elements' order, so that one version serves all types.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from rushlight.engine.core import symbolic
from rushlight.engine.native import runtime, threads
from rushlight.engine.native.lowlevel import invoke, load, load32, stack, store, store32
from rushlight.engine.ops.sorting.keys import key_at, module, width_of, write_keys
from rushlight.engine.ops.sorting.radix_sort import (
    MOST_SHARES,
    ROW,
    sort_different,
    sort_row,
)

# A row is an array of pairs: key, place.
_SHORT = 16
# From this many elements on threads share the rows.
SHARED = 1 << 15


@module.function
def swap(a: int, b: int) -> None:
    """Exchange two pairs."""
    key = load(a)
    place = load(a + 8)
    store(a, load(b))
    store(a + 8, load(b + 8))
    store(b, key)
    store(b + 8, place)


@module.function
def move(target: int, source: int) -> None:
    store(target, load(source))
    store(target + 8, load(source + 8))


@module.function
def insertion_sort(first: int, last: int) -> None:
    at = first + 16
    while at < last:
        key = load(at)
        place = load(at + 8)
        hole = at
        while hole > first and key < load(hole - 16):
            move(hole, hole - 16)
            hole -= 16
        store(hole, key)
        store(hole + 8, place)
        at += 16


@module.function
def partition(first: int, last: int) -> int:
    """Split by the median of three, which is moved to the front; where the second part begins."""
    a = first + 16
    b = first + (last - first) // 32 * 16
    c = last - 16
    chosen = b
    if load(a) < load(b):
        if load(b) < load(c):
            chosen = b
        elif load(a) < load(c):
            chosen = c
        else:
            chosen = a
    elif load(a) < load(c):
        chosen = a
    elif load(b) < load(c):
        chosen = c
    swap(first, chosen)
    pivot = load(first)
    low = first + 16
    high = last
    while True:
        while load(low) < pivot:
            low += 16
        high -= 16
        while pivot < load(high):
            high -= 16
        if low >= high:
            return low
        swap(low, high)
        low += 16
    return low


@module.function
def adjust_heap(first: int, start: int, length: int, key: int, place: int) -> None:
    """Sink a hole to a leaf, and lift the pair from there."""
    hole = start
    child = start
    while child < (length - 1) // 2:
        child = 2 * (child + 1)
        if load(first + child * 16) < load(first + (child - 1) * 16):
            child -= 1
        move(first + hole * 16, first + child * 16)
        hole = child
    if (length & 1) == 0 and child == (length - 2) // 2:
        child = 2 * (child + 1)
        move(first + hole * 16, first + (child - 1) * 16)
        hole = child - 1
    parent = (hole - 1) // 2
    while hole > start and load(first + parent * 16) < key:
        move(first + hole * 16, first + parent * 16)
        hole = parent
        parent = (hole - 1) // 2
    store(first + hole * 16, key)
    store(first + hole * 16 + 8, place)


@module.function
def pop_to(first: int, length: int, target: int) -> None:
    """Move the largest of a heap to ``target``, whose pair joins the heap."""
    key = load(target)
    place = load(target + 8)
    move(target, first)
    adjust_heap(first, 0, length, key, place)


@module.function
def partial_sort(first: int, middle: int, last: int) -> None:
    """Sort the smallest pairs to the front, up to ``middle``."""
    length = (middle - first) // 16
    parent = (length - 2) // 2
    while length > 1 and parent >= 0:
        here = first + parent * 16
        adjust_heap(first, parent, length, load(here), load(here + 8))
        parent -= 1
    at = middle
    while at < last:
        if load(at) < load(first):
            pop_to(first, length, at)
        at += 16
    while length > 1:
        length -= 1
        pop_to(first, length, first + length * 16)


@module.function
def depth_of(count: int) -> int:
    depth = 0
    while count > 1:
        count = count // 2
        depth += 2
    return depth


@module.function
def split_all(first: int, last: int, depth: int) -> int:
    """Split until parts are short; they are left unsorted."""
    end = last
    left = depth
    while end - first > _SHORT * 16:
        if left == 0:
            partial_sort(first, end, end)
            return 0
        left -= 1
        cut = partition(first, end)
        split_all(cut, end, left)
        end = cut
    return 0


@module.function
def sort_pairs(first: int, last: int) -> None:
    if last > first:
        split_all(first, last, depth_of((last - first) // 16))
        insertion_sort(first, last)


@module.function
def select_pair(start: int, nth: int, stop: int) -> None:
    """Put the pair that sorting would put at ``nth`` there, smaller ones before it."""
    first = start
    last = stop
    while last - first > 48:
        cut = partition(first, last)
        if cut <= nth:
            first = cut
        else:
            last = cut
    insertion_sort(first, last)


@module.function
def order_pairs(a: int, b: int) -> None:
    if load(a) > load(b):
        swap(a, b)


@module.function
def hoare_select(first: int, length: int, k: int) -> None:
    """Like `select_pair`, by Hoare's method."""
    left = 0
    right = length - 1
    while right > left + 1:
        begin = first + left * 16
        swap(first + ((left + right) >> 1) * 16, begin + 16)
        order_pairs(begin + 16, first + right * 16)
        order_pairs(begin, first + right * 16)
        order_pairs(begin + 16, begin)
        i = left + 1
        j = right
        pivot = load(begin)
        while i <= j:
            i += 1
            while load(first + i * 16) < pivot:
                i += 1
            j -= 1
            while load(first + j * 16) > pivot:
                j -= 1
            if i <= j:
                swap(first + i * 16, first + j * 16)
        swap(begin, first + j * 16)
        if j <= k:
            left = i
        if j >= k:
            right = j - 1
    if right == left + 1:
        order_pairs(first + left * 16, first + right * 16)


# -- sorting by digits: stable, and the faster the longer the row --


@module.function
def varying_bits(first: int, length: int) -> int:
    """The bits in which the keys of a row differ."""
    start = load(first)
    found = 0
    for k in range(length):
        found = found | (load(first + k * 16) ^ start)
    return found


@module.function
def place_by_digit(source: int, target: int, length: int, shift: int, counts: int) -> None:
    """Move pairs in order of one byte of their keys, equal ones as they were."""
    flip = 128 if shift == 56 else 0
    for b in range(256):
        store(counts + b * 8, 0)
    for k in range(length):
        slot = counts + (((load(source + k * 16) >> shift) & 255) ^ flip) * 8
        store(slot, load(slot) + 1)
    at = 0
    for b in range(256):
        count = load(counts + b * 8)
        store(counts + b * 8, at)
        at += count
    for k in range(length):
        pair = source + k * 16
        slot = counts + (((load(pair) >> shift) & 255) ^ flip) * 8
        at = load(slot)
        store(slot, at + 1)
        move(target + at * 16, pair)


@module.function
def sort_by_digits(first: int, spare: int, length: int) -> int:
    """Sort a row; it ends up there or in the spare memory: where."""
    counts = stack(256)
    bits = varying_bits(first, length)
    source = first
    target = spare
    shift = 0
    while shift < 64:
        if ((bits >> shift) & 255) != 0:
            place_by_digit(source, target, length, shift, counts)
            other = source
            source = target
            target = other
        shift += 8
    return source


# -- rows of elements as they lie in memory --

# Without equal elements all sorts agree, and the one by digits is the fastest of rows from here on.
_MEDIUM = 1 << 10
# Up to here equal elements end up where they do in PyTorch; above, they stay in order.
LONG = 1 << 14
# Keys are compared with the least that is wanted in groups, and made in blocks of groups.
_GROUP = 32
_BLOCK = 1 << 10
# Up to here rows that must keep the order of equal elements are sorted by insertion.
_STEADY = 32


@module.function
def write_pairs(source: int, length: int, kind: int, flip: int, pairs: int) -> None:
    """Keys and places of a row; ``flip`` is -1 to turn the order around."""
    for k in range(length):
        store(pairs + k * 16, key_at(source, k, kind) ^ flip)
        store(pairs + k * 16 + 8, k)


@module.function
def take_pairs(source: int, kind: int, pairs: int, count: int, values: int, places: int) -> None:
    """Write the elements and the places that the first pairs name."""
    width = width_of(kind)
    for k in range(count):
        place = load(pairs + k * 16 + 8)
        store(places + k * 8, place)
        if width == 4:
            store32(values + k * 4, load32(source + place * 4))
        else:
            store(values + k * 8, load(source + place * 8))


@module.function
def none_below(keys: int, limit: int) -> int:
    """Whether no key of a group is below a limit."""
    found = 0
    for k in range(_GROUP):
        found = found | (load(keys + k * 8) < limit)
    return found == 0


@module.function
def few_from_top(source: int, length: int, kind: int, flip: int, pairs: int, count: int) -> None:
    """`partial_sort` of a row, of which only the heap is held in memory."""
    write_pairs(source, count, kind, flip, pairs)
    parent = (count - 2) // 2
    while count > 1 and parent >= 0:
        here = pairs + parent * 16
        adjust_heap(pairs, parent, count, load(here), load(here + 8))
        parent -= 1
    keys = stack(_BLOCK)
    limit = load(pairs)
    at = count
    while at < length:
        block = length - at
        if block > _BLOCK:
            block = _BLOCK
        write_keys(source + at * width_of(kind), block, kind, flip, keys)
        start = 0
        while start < block:
            stop = start + _GROUP
            if stop > block:
                stop = block
            elif none_below(keys + start * 8, limit) != 0:
                start = stop
                continue
            for k in range(start, stop):
                key = load(keys + k * 8)
                if key < limit:
                    adjust_heap(pairs, 0, count, key, at + k)
                    limit = load(pairs)
            start = stop
        at += block
    left = count
    while left > 1:
        left -= 1
        pop_to(pairs, left, pairs + left * 16)


SORT, TOP, SELECT, HOARE, DIGITS = range(5)


@module.function
def arrange_pairs(
    source: int, length: int, kind: int, flip: int, how: int, count: int, pairs: int
) -> int:
    """Arrange a row in pairs, in memory for two rows of them; where the first ones are."""
    last = pairs + length * 16
    if how == TOP and count * 64 <= length:
        few_from_top(source, length, kind, flip, pairs, count)
        return pairs
    write_pairs(source, length, kind, flip, pairs)
    if how == DIGITS and length <= _STEADY:
        insertion_sort(pairs, last)
    elif how == DIGITS or (how == SORT and length >= LONG):
        return sort_by_digits(pairs, last, length)
    elif how == SORT:
        sort_pairs(pairs, last)
    elif how == SELECT:
        select_pair(pairs, pairs + (count - 1) * 16, last)
    elif how == HOARE:
        hoare_select(pairs, length, count - 1)
    else:
        select_pair(pairs, pairs + (count - 1) * 16, last)
        sort_pairs(pairs, pairs + (count - 1) * 16)
    return pairs


@module.function
def arrange_elements(
    source: int,
    rows: int,
    length: int,
    kind: int,
    flip: int,
    how: int,
    count: int,
    room: int,
    values: int,
    places: int,
    region: int,
    shares: int,
) -> int:
    """Arrange dense rows of elements and write the first ``count`` elements of each, with places.

    ``room`` is memory for two rows of pairs. Threads share each row if there is a ``region``.
    """
    width = width_of(kind)
    row = stack(ROW.count)
    for r in range(rows):
        here = source + r * length * width
        there = values + r * count * width
        beyond = places + r * count * 8
        done = 0
        if (how == SORT and length >= _MEDIUM) or (how == DIGITS and length > _STEADY):
            store(row + ROW.source, here)
            store(row + ROW.length, length)
            store(row + ROW.kind, kind)
            store(row + ROW.flip, flip)
            store(row + ROW.words, room)
            store(row + ROW.spare, room + length * 8)
            store(row + ROW.values, there)
            store(row + ROW.places, beyond)
            if how == DIGITS or length >= LONG:
                done = sort_row(region, row, shares)
            else:
                done = sort_different(row)
        if done == 0:
            found = arrange_pairs(here, length, kind, flip, how, count, room)
            take_pairs(here, kind, found, count, there, beyond)
    return 0


@module.function
def arrange_share(context: int, part: int, parts: int) -> int:
    """One thread's rows of `arrange_elements`, whose arguments the context holds."""
    rows = load(context + 8)
    length = load(context + 16)
    kind = load(context + 24)
    count = load(context + 48)
    first = rows * part // parts
    last = rows * (part + 1) // parts
    width = width_of(kind)
    return arrange_elements(
        load(context) + first * length * width,
        last - first,
        length,
        kind,
        load(context + 32),
        load(context + 40),
        count,
        load(context + 56) + part * load(context + 80),
        load(context + 64) + first * count * width,
        load(context + 72) + first * count * 8,
        0,
        1,
    )


@module.function
def arrange_shared_rows(region: int, context: int, parts: int) -> int:
    """`arrange_elements` for a few long rows, each of them shared by threads."""
    return arrange_elements(
        load(context),
        load(context + 8),
        load(context + 16),
        load(context + 24),
        load(context + 32),
        load(context + 40),
        load(context + 48),
        load(context + 56),
        load(context + 64),
        load(context + 72),
        region,
        parts,
    )


@module.function
def arrange_together(region: int, context: int, parts: int) -> int:
    """`arrange_elements`, its rows shared by threads; ``region`` is how those are set to work."""
    invoke(region, arrange_share, context, parts)
    return 0


class ARRANGING:
    """Positions of the words that `arrange_kernel` reads, in bytes."""

    rows, share, length, kind, flip, how, count = range(0, 56, 8)


@module.function
def arrange_kernel(pointers: int, sizes: int, strides: int) -> int:
    """A kernel that arranges some of the rows.

    Operands: the elements and their places (written), memory, the rows, words (see `ARRANGING`), and
    as an address the number of the first row.
    """
    words = load(pointers + 32)
    rows = load(words + ARRANGING.rows) - load(pointers + 40)
    if rows > load(words + ARRANGING.share):
        rows = load(words + ARRANGING.share)
    arrange_elements(
        load(pointers + 24),
        rows,
        load(words + ARRANGING.length),
        load(words + ARRANGING.kind),
        load(words + ARRANGING.flip),
        load(words + ARRANGING.how),
        load(words + ARRANGING.count),
        load(pointers + 16),
        load(pointers),
        load(pointers + 8),
        0,
        1,
    )
    return 0


@module.function
def arrange(rows: int, count: int, length: int, how: int, k: int) -> int:
    """Arrange every row: sort it all, find its first ``k``, or put one pair in its place."""
    for row in range(count):
        first = rows + row * length * 16
        last = first + length * 16
        if how == SORT:
            sort_pairs(first, last)
        elif how == SELECT:
            select_pair(first, first + k * 16, last)
        elif how == HOARE:
            hoare_select(first, length, k)
        elif k * 64 <= length:
            partial_sort(first, first + k * 16, last)
        else:
            select_pair(first, first + (k - 1) * 16, last)
            sort_pairs(first, first + (k - 1) * 16)
    return 0


@functools.cache
def _machine_code() -> Any:
    """`arrange` as a function that lets other threads run."""
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 5)
    return prototype(module.address(arrange))


@functools.cache
def _code_for_elements(function: Any) -> Any:
    """`arrange_together` or `arrange_shared_rows`, as a function that lets other threads run."""
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
    return prototype(module.address(function))


def goes_by_digits(how: int, length: int) -> bool:
    """Whether rows of a length are sorted by digits, or at least tried to be."""
    return length > _STEADY if how == DIGITS else how == SORT and length >= _MEDIUM


def shares_of(rows: int, length: int, how: int) -> tuple[int, int]:
    """Into how many parts the rows are cut, and into how many each row is; one of them is 1."""
    most = threads.get_size()
    if most == 1 or rows * length < SHARED:
        return 1, 1
    if rows < most and goes_by_digits(how, length):
        return 1, min(2 * most, MOST_SHARES)
    return symbolic.minimum(rows, most), 1


def room_for(length: int, how: int, count: int) -> int:
    """The words of memory in which a thread arranges rows: whole cache lines, and one to the next."""
    if how == TOP and count * 64 <= length:
        words = 2 * count
    elif goes_by_digits(how, length):
        words = 4 * length
    else:
        words = 2 * length
    return (words + 31) // 16 * 16


def arrange_dense(parts: int, shares: int, room: int, *arguments: int) -> None:
    """`arrange_elements` in so many parts, each with so many words of memory, or with shared rows."""
    if parts > 1 or shares > 1:
        threads.ensure_started()
    context = (ctypes.c_int64 * 11)(*arguments, room * 8)
    region = runtime.module.address(threads.run_region)
    run = _code_for_elements(arrange_shared_rows if shares > 1 else arrange_together)
    run(region, ctypes.addressof(context), max(parts, shares))


def integer_keys(values: Any) -> Any:
    """Integers in the order of the elements: NaN is the largest, and both zeros are one."""
    if values.dtype == np.uint64:
        return (values ^ np.uint64(1 << 63)).view(np.int64)
    if not np.issubdtype(values.dtype, np.floating):
        return values.astype(np.int64)
    wide = values.astype(np.float64) + 0.0
    bits = wide.view(np.int64)
    keys = np.where(bits < 0, bits ^ np.int64(2**63 - 1), bits)
    return np.where(np.isnan(wide), np.int64(2**63 - 1), keys)


def arranged(values: Any, how: int, k: int = 0, descending: bool = False) -> Any:
    """The places of each row's elements after arranging; rows are along the last dimension."""
    keys = integer_keys(values)
    pairs = np.empty((*keys.shape, 2), np.int64)
    pairs[..., 0] = ~keys if descending else keys
    pairs[..., 1] = np.arange(keys.shape[-1])
    if pairs.size:
        length = keys.shape[-1]
        _machine_code()(pairs.ctypes.data, keys.size // length, length, how, k)
    return pairs[..., 1]

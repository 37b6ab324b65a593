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

from rushlight.engine.native.lowlevel import Module, load, store

# Compiled on its own, when something is first sorted.
module = Module("selection")

# A row is an array of pairs: key, place.
_SHORT = 16


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


SORT, TOP, SELECT, HOARE = range(4)


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

"""Machine code that walks over the indices of sparse matrices once, from line to line.

Indices are 64-bit and checked here: what lies outside gives `OUTSIDE`, and nothing is written there.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import indexing
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.chosen_rows_kernel import chosen_products_ir, chosen_rows_ir
from rushlight.engine.loops.kernels import kernel_address
from rushlight.engine.loops.plan import check_on_host
from rushlight.engine.native import runtime, threads
from rushlight.engine.native.lowlevel import (
    Function,
    Module,
    invoke,
    leading_zeros,
    load,
    load_float,
    load_float32,
    store,
    store_float,
    store_float32,
)
from rushlight.engine.ops.sparse import device_walks

module = Module("sparse_walks")

OUTSIDE = -1
# The element types that products have machine code of their own for.
KINDS = (dtypes.float32, dtypes.float64)


@module.function
def line_starts(lines: int, count: int, starts: int, height: int) -> int:
    """Where each line begins, given the line of every value; 1 if lines are in order, 0 if not.

    ``starts`` are zeros, one more than lines.
    """
    ordered = 1
    before = 0
    # Values of one line come in runs: a run is counted without the memory.
    run = 0
    for k in range(count):
        line = load(lines + k * 8)
        if line != before:
            if line < 0 or line >= height:
                return OUTSIDE
            if line < before:
                ordered = 0
            store(starts + before * 8 + 8, load(starts + before * 8 + 8) + run)
            before = line
            run = 0
        run = run + 1
    if run > 0:
        if height == 0:
            return OUTSIDE
        store(starts + before * 8 + 8, load(starts + before * 8 + 8) + run)
    for line in range(height):
        store(starts + line * 8 + 8, load(starts + line * 8 + 8) + load(starts + line * 8))
    return ordered


@module.function
def order_by_line(lines: int, count: int, places: int, order: int) -> int:
    """Which values come one after the other by lines; ``places`` says where each line begins, and is
    used up."""
    for k in range(count):
        line = load(lines + k * 8)
        place = load(places + line * 8)
        store(places + line * 8, place + 1)
        store(order + place * 8, k)
    return 0


@module.function
def lines_of(starts: int, height: int, lines: int) -> int:
    """The line of every value, given where lines begin."""
    for line in range(height):
        for k in range(load(starts + line * 8), load(starts + line * 8 + 8)):
            store(lines + k * 8, line)
    return 0


@module.function
def are_within(places: int, count: int, length: int) -> int:
    """1 if all places are."""
    signs = 0
    for k in range(count):
        place = load(places + k * 8)
        signs = signs | place | (length - 1 - place)
    return 0 if signs < 0 else 1


@module.function
def are_growing(starts: int, height: int, count: int) -> int:
    """1 if lines begin one behind the other, from 0 up to the count of the values."""
    if load(starts) != 0 or load(starts + height * 8) != count:
        return 0
    for line in range(height):
        if load(starts + line * 8 + 8) < load(starts + line * 8):
            return 0
    return 1


@module.function
def multiply_share(context: int, part: int, parts: int) -> int:
    """One thread's rows of a product with a dense matrix; the words are those of `times_dense`."""
    starts = load(context)
    places = load(context + 8)
    values = load(context + 16)
    dense = load(context + 24)
    out = load(context + 32)
    height = load(context + 40)
    width = load(context + 48)
    itemsize = load(context + 56)
    kernel = load(context + 64)
    stride = width * itemsize
    for row in range(height * part // parts, height * (part + 1) // parts):
        begin = load(starts + row * 8)
        count = load(starts + row * 8 + 8) - begin
        invoke(
            kernel, places + begin * 8, values + begin * itemsize, count, dense, stride,
            out + row * stride, width,
        )  # fmt: skip
    return 0


@module.function
def multiply_together(region: int, context: int, parts: int) -> int:
    invoke(region, multiply_share, context, parts)
    return 0


def _vector_product(name: str, single: int) -> Function:
    """A matrix times a vector, for one element type; sums are held in double precision."""
    item = 4 if single else 8

    def read(place: int) -> float:
        return load_float32(place) if single else load_float(place)

    value = module.function(_named(f"value_{name}", read))

    def product(starts: int, places: int, values: int, x: int, out: int, height: int) -> int:
        for row in range(height):
            begin = load(starts + row * 8)
            end = load(starts + row * 8 + 8)
            pairs = end - ((end - begin) & 1)
            total = 0.0
            other = 0.0
            for k in range(begin, pairs, 2):
                at = values + k * item
                place = places + k * 8
                total = total + value(at) * value(x + load(place) * item)
                other = other + value(at + item) * value(x + load(place + 8) * item)
            for k in range(pairs, end):
                total = total + value(values + k * item) * value(x + load(places + k * 8) * item)
            if single:
                store_float32(out + row * item, total + other)
            else:
                store_float(out + row * item, total + other)
        return 0

    return module.function(_named(f"vector_product_{name}", product))


def _triangle(name: str, single: int) -> Function:
    """A solution with a triangular matrix, for one element type; it lies where the right side has been."""
    item = 4 if single else 8
    value = module.functions[f"value_{name}"]

    def put(place: int, number: float) -> None:
        if single:
            store_float32(place, number)
        else:
            store_float(place, number)

    store_value = module.function(_named(f"put_{name}", put))

    def solve(
        starts: int, places: int, values: int, made: int, height: int, width: int, sign: int, unit: int
    ) -> int:  # fmt: skip
        for n in range(height):
            # A lower triangle, whose sign is 1, goes from above.
            row = n
            if sign < 0:
                row = height - 1 - n
            own = made + row * width * item
            diagonal = 0.0
            # The only element of a row, or the first one, is summed without the memory.
            total = value(own)
            for k in range(load(starts + row * 8), load(starts + row * 8 + 8)):
                place = load(places + k * 8)
                factor = value(values + k * item)
                if place == row:
                    diagonal = diagonal + factor
                if (row - place) * sign > 0:
                    other = made + place * width * item
                    total = total - factor * value(other)
                    for c in range(item, width * item, item):
                        store_value(own + c, value(own + c) - factor * value(other + c))
            if unit != 0:
                diagonal = 1.0
            store_value(own, total / diagonal)
            for c in range(item, width * item, item):
                store_value(own + c, value(own + c) / diagonal)
        return 0

    return module.function(_named(f"triangle_{name}", solve))


def _named(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    function.__name__ = name
    return function


for _kind in KINDS:
    _vector_product(_kind._name, int(_kind is dtypes.float32))
    _triangle(_kind._name, int(_kind is dtypes.float32))


@module.function
def count_terms(
    starts: int, places: int, others: int, other_places: int, height: int, seen: int, made: int
) -> int:
    """How many values each row of a product of two sparse matrices has; their sum.

    ``seen`` has a word of -1 for each column; ``made`` gets where the rows begin.
    """
    total = 0
    for row in range(height):
        store(made + row * 8, total)
        for k in range(load(starts + row * 8), load(starts + row * 8 + 8)):
            inner = load(places + k * 8)
            for j in range(load(others + inner * 8), load(others + inner * 8 + 8)):
                at = seen + load(other_places + j * 8) * 8
                if load(at) != row:
                    store(at, row)
                    total = total + 1
    store(made + height * 8, total)
    return total


@module.function
def next_bit(word: int) -> int:
    """The place of the lowest bit that is set."""
    return 63 - leading_zeros(word & -word)


@module.function
def add_terms(context: int, row: int, first: int, last: int, bits: int, marks: int) -> int:
    """Sum the terms of a row, and note the columns that they lie in."""
    places = load(context + 8)
    values = load(context + 16)
    others = load(context + 24)
    other_places = load(context + 32)
    other_values = load(context + 40)
    sums = load(context + 48)
    single = load(context + 56)
    for k in range(first, last):
        inner = load(places + k * 8)
        factor = load_float32(values + k * 4) if single else load_float(values + k * 8)
        for j in range(load(others + inner * 8), load(others + inner * 8 + 8)):
            column = load(other_places + j * 8)
            term = (
                load_float32(other_values + j * 4) if single else load_float(other_values + j * 8)
            )
            word = column >> 6
            store(bits + word * 8, load(bits + word * 8) | (1 << (column & 63)))
            store(marks + (word >> 6) * 8, load(marks + (word >> 6) * 8) | (1 << (word & 63)))
            store_float(sums + column * 8, load_float(sums + column * 8) + factor * term)
    return 0


@module.function
def product_of_two(context: int, height: int, made: int, out_places: int, out_values: int) -> int:
    """The rows of a product of two sparse matrices, columns in order.

    The sums of a row are put together in double precision, one for each column; two levels of bits say
    which there are.
    """
    starts = load(context)
    sums = load(context + 48)
    single = load(context + 56)
    bits = load(context + 64)
    marks = load(context + 72)
    most = load(context + 80)
    for row in range(height):
        add_terms(context, row, load(starts + row * 8), load(starts + row * 8 + 8), bits, marks)
        at = load(made + row * 8)
        for group in range(most):
            mark = load(marks + group * 8)
            while mark != 0:
                word = group * 64 + next_bit(mark)
                mark = mark & (mark - 1)
                held = load(bits + word * 8)
                store(bits + word * 8, 0)
                while held != 0:
                    column = word * 64 + next_bit(held)
                    held = held & (held - 1)
                    store(out_places + at * 8, column)
                    if single:
                        store_float32(out_values + at * 4, load_float(sums + column * 8))
                    else:
                        store_float(out_values + at * 8, load_float(sums + column * 8))
                    store_float(sums + column * 8, 0.0)
                    at = at + 1
            store(marks + group * 8, 0)
    return 0


@module.function
def common_places(
    first: int, first_count: int, second: int, second_count: int, at: int, other: int
) -> int:
    """Where the numbers that two growing lists share lie in each of them; how many there are."""
    i = 0
    j = 0
    found = 0
    while i < first_count and j < second_count:
        a = load(first + i * 8)
        b = load(second + j * 8)
        if a == b:
            store(at + found * 8, i)
            store(other + found * 8, j)
            found = found + 1
        i = i + (1 if a <= b else 0)
        j = j + (1 if b <= a else 0)
    return found


@module.function
def all_places(
    first: int, first_count: int, second: int, second_count: int, out: int, at: int, other: int
) -> int:
    """Two growing lists as one, and where the numbers of each of them are in it; how many there are."""
    i = 0
    j = 0
    found = 0
    while i < first_count or j < second_count:
        if j >= second_count or (i < first_count and load(first + i * 8) < load(second + j * 8)):
            store(out + found * 8, load(first + i * 8))
            store(at + i * 8, found)
            i = i + 1
        elif i >= first_count or load(second + j * 8) < load(first + i * 8):
            store(out + found * 8, load(second + j * 8))
            store(other + j * 8, found)
            j = j + 1
        else:
            store(out + found * 8, load(first + i * 8))
            store(at + i * 8, found)
            store(other + j * 8, found)
            i = i + 1
            j = j + 1
        found = found + 1
    return found


# -- for Python --


@functools.cache
def _code(name: str) -> Callable[..., int]:
    function = module.functions[name]
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * len(function.parameters))
    return prototype(module.address(function))


@functools.cache
def _kernel(address: int) -> Callable[..., None]:
    """A kernel of seven words."""
    return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 7)(address)


def have_code_for(matrix: Tensor) -> bool:
    """Whether products with such a matrix are made here: by machine code, of elements of the host."""
    return matrix._dtype_ in KINDS and not is_elsewhere(matrix)


def is_elsewhere(tensor: Tensor) -> bool:
    """Whether the elements are in the memory of a device."""
    return tensor._storage_.device.type in devices.memories


def run(name: str, *given: Tensor | int) -> int:
    """Call a walk with tensors, which are contiguous, or numbers."""
    steps.Unrepeatable.note()
    check_on_host(given)
    words = [tensors.data_pointer(x) if isinstance(x, Tensor) else x for x in given]
    return _code(name)(*words)


def words(count: int) -> Tensor:
    """Uninitialised 64-bit integers."""
    return tensors.empty((count,), dtypes.int64)


def _zeros(count: int, kind: Any = dtypes.int64) -> Tensor:
    return copies.zero_(tensors.empty((count,), kind))


class OutsideError(IndexError):
    """An index of a sparse matrix is outside its size."""

    def __init__(self) -> None:
        super().__init__("an index of the sparse matrix is outside its size")


class Lines:
    """A sparse matrix row by row: where rows begin, the columns, and the values in this order.

    Args:
        starts: where rows begin, and where the last one ends
        places: the columns
        values: the values
        size: rows and columns
    """

    def __init__(
        self, starts: Tensor, places: Tensor, values: Tensor, size: tuple[int, int]
    ) -> None:
        self.starts, self.places, self.values = starts, places, values
        self.height, self.across = size
        if not run("are_within", places, places._numel_, self.across):
            raise OutsideError
        if not run("are_growing", starts, self.height, places._numel_):
            raise OutsideError


def starts_of(rows: Tensor, height: int) -> tuple[Tensor, bool]:
    """Where rows begin, and whether the values are in the order of their rows."""
    if is_elsewhere(rows):
        return device_walks.starts_of(rows, height), True
    starts = _zeros(height + 1)
    found = run("line_starts", rows, rows._numel_, starts, height)
    if found == OUTSIDE:
        raise OutsideError
    return starts, bool(found)


def order_of(lines: Tensor, count: int) -> Tensor:
    """Which values come one after the other by lines; those of a line stay in order."""
    if is_elsewhere(lines):
        return device_walks.order_of(lines)
    starts, _ = starts_of(lines, count)
    order = words(lines._numel_)
    run("order_by_line", lines, lines._numel_, starts, order)
    return order


def in_lines(rows: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int]) -> Lines:
    """A matrix of coordinates, in any order, row by row."""
    rows, columns = copies.contiguous(rows), copies.contiguous(columns)
    starts, is_ordered = starts_of(rows, size[0])
    if not is_ordered:
        order = words(rows._numel_)
        run("order_by_line", rows, rows._numel_, copies.clone(starts), order)
        columns = indexing.index_select(columns, 0, order)
        values = indexing.index_select(values, 0, order)
    return Lines(starts, columns, copies.contiguous(values), size)


def times_dense(lines: Lines, dense: Tensor) -> Tensor:
    """The product with a dense matrix of the same element type, one of `KINDS`."""
    kind, width = dense._dtype_, dense._size_[1]
    out = tensors.empty((lines.height, width), kind)
    held = copies.contiguous(dense)
    if width == 1:
        run(
            f"vector_product_{kind._name}", lines.starts, lines.places, lines.values, held, out,
            lines.height,
        )  # fmt: skip
        return out
    steps.Unrepeatable.note()
    parts = 1
    if lines.places._numel_ * width >= 1 << 15:
        parts = max(1, min(threads.get_size(), lines.height))
    if parts > 1:
        threads.ensure_started()
    given = (lines.starts, lines.places, lines.values, held, out)
    context = (ctypes.c_int64 * 9)(
        *(tensors.data_pointer(x) for x in given), lines.height, width, kind.itemsize,
        kernel_address(chosen_rows_ir, kind.memory),
    )  # fmt: skip
    region = runtime.module.address(threads.run_region)
    _code("multiply_together")(region, ctypes.addressof(context), parts)
    return out


def solve_triangle(lines: Lines, side: Tensor, upper: bool, unit: bool) -> Tensor:
    """What a triangular matrix takes to a matrix of the same element type, one of `KINDS`."""
    made = copies.clone(side, layouts.contiguous_format)
    height, width = made._size_
    given = lines.starts, lines.places, lines.values, made
    run(f"triangle_{made._dtype_._name}", *given, height, width, -1 if upper else 1, int(unit))
    return made


def times_lines(left: Lines, right: Lines) -> tuple[Tensor, Tensor, Tensor]:
    """The product of two matrices: where its rows begin, its columns in order, its values."""
    kind = left.values._dtype_
    groups = (right.across + 4095) >> 12
    seen = copies.fill__Scalar(words(max(right.across, 1)), -1)
    made = words(left.height + 1)
    walked = (left.starts, left.places, right.starts, right.places, left.height, seen, made)
    count = run("count_terms", *walked)
    places, values = words(count), tensors.empty((count,), kind)
    sums, bits, marks = _zeros(right.across, dtypes.float64), _zeros(groups * 64), _zeros(groups)
    given = (left.starts, left.places, left.values, right.starts, right.places, right.values, sums)
    context = (ctypes.c_int64 * 11)(
        *(tensors.data_pointer(x) for x in given), int(kind is dtypes.float32),
        tensors.data_pointer(bits), tensors.data_pointer(marks), groups,
    )  # fmt: skip
    run("product_of_two", ctypes.addressof(context), left.height, made, places, values)
    return made, places, values


def sampled(rows: Tensor, columns: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """For every index, the product of a row of ``left`` and a row of ``right``."""
    held = [copies.contiguous(x) for x in (rows, columns, left, right)]
    for places, matrix in zip(held[:2], held[2:]):
        if not run("are_within", places, places._numel_, matrix._size_[0]):
            raise OutsideError
    out = tensors.empty((rows._numel_,), left._dtype_)
    kernel = _kernel(kernel_address(chosen_products_ir, left._dtype_.memory))
    given = [tensors.data_pointer(x) for x in held]
    kernel(*given[:2], rows._numel_, *given[2:], tensors.data_pointer(out), left._size_[1])
    return out


def intersect(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Where the numbers that two growing lists share lie in each of them."""
    if is_elsewhere(first):
        return device_walks.intersect(first, second)
    most = min(first._numel_, second._numel_)
    at, other = words(most), words(most)
    held = copies.contiguous(first), copies.contiguous(second)
    count = run("common_places", held[0], first._numel_, held[1], second._numel_, at, other)
    return _front(at, count), _front(other, count)


def unite(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Two growing lists as one, and where the numbers of each of them are in it."""
    if is_elsewhere(first):
        return device_walks.unite(first, second)
    out = words(first._numel_ + second._numel_)
    at, other = words(first._numel_), words(second._numel_)
    held = copies.contiguous(first), copies.contiguous(second)
    count = run("all_places", held[0], first._numel_, held[1], second._numel_, out, at, other)
    return _front(out, count), at, other


def rows_of(starts: Tensor, count: int) -> Tensor:
    """The row of every value, given where rows begin among so many."""
    if is_elsewhere(starts):
        return device_walks.rows_of(starts, count)
    height = starts._numel_ - 1
    held = copies.contiguous(starts)
    if not run("are_growing", held, height, count):
        raise OutsideError
    rows = words(count)
    run("lines_of", held, height, rows)
    return rows


def _front(numbers: Tensor, count: int) -> Tensor:
    return views.narrow(numbers, 0, 0, count)

"""Products by cuBLASLt from machine code: a kernel of the host's loops that calls the library."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from rushlight.engine.cuda import launcher, libraries
from rushlight.engine.cuda.cublaslt import (
    ALIGNED,
    BIAS_BATCH_STRIDE,
    BIAS_POINTER,
    FIRST_SCALE,
    KEY_WORDS,
    KNOWN_WORDS,
    MOST_KNOWN,
    NAME,
    ROWS,
    SIZES,
    Described,
    Operation,
    Product,
    factor_words,
)
from rushlight.engine.cuda.launcher import HEADER
from rushlight.engine.native.lowlevel import invoke, load, stack, store
from rushlight.engine.native.runtime import module


class PRODUCT(HEADER):
    """Positions of the words of a product, in bytes."""

    multiply = HEADER.first  # the library's `cublasLtMatmul`
    describe = 32  # its `cublasLtMatmulDescSetAttribute`
    handle = 40
    operation = 48
    alpha = 56  # both factors themselves, as the library reads them
    beta = 64
    layouts = 72  # of both factors, of what is added and of the result
    algorithm = 104  # for operands at multiples of 16 bytes; the next word: for any
    work = 120  # how many bytes it may work in
    # Which operands of the loop these are, as bytes from the first one.
    made = 128
    added = 136
    first = 144
    second = 152
    room = 160
    first_scale = 168
    second_scale = 176
    has_bias = 184  # whether a vector is added
    is_scaled = 192  # whether factors have scales
    # For products of any size: its `cublasLtMatrixLayoutSetAttribute` and `cublasLtMatmulAlgoGetHeuristic`, what is
    # preferred for operands at multiples of 16 bytes and for any, how large elements are, and algorithms that are known.
    tell = 200  # 0 if the layouts have their sizes
    choose = 208
    preferred = 216
    itemsize = 232
    known = 240
    bias_apart = 248  # how many elements there are between the batch's vectors
    sizes = 256  # five words for each layout


class Roles(NamedTuple):
    """Which operands of a loop, counted from 1, are what; the result for what is not there."""

    made: int
    added: int
    first: int
    second: int
    room: int
    first_scale: int = 1
    second_scale: int = 1


@module.function
def tell_sizes(table: int) -> int:
    """Tell the layouts their sizes; what the library reports."""
    tell = load(table + PRODUCT.tell)
    failed = 0
    for k in range(4):
        layout = load(table + PRODUCT.layouts + k * 8)
        for n in range(SIZES):
            # How many there are is half a word.
            width = 8
            if n == 3:
                width = 4
            place = table + PRODUCT.sizes + (k * SIZES + n) * 8
            failed = failed | invoke(tell, layout, ROWS + n, place, width)
    return failed & 0xFFFFFFFF


@module.function
def place_of_sizes(table: int) -> int:
    """Where an algorithm for the table's sizes would be among those that are known."""
    mixed = 0
    for k in range(KEY_WORDS - 1):
        mixed = (mixed ^ load(table + PRODUCT.bias_apart + k * 8)) * 0x9E3779B1
        mixed = mixed ^ ((mixed >> 29) & 0x7FFFFFFFF)
    return load(table + PRODUCT.known) + (mixed & (MOST_KNOWN - 1)) * KNOWN_WORDS * 8


@module.function
def is_known(entry: int, table: int, shift: int) -> int:
    """Whether an algorithm is for the table's sizes and for operands that lie so."""
    if load(entry) != shift + 1:
        return 0
    for k in range(KEY_WORDS - 1):
        if load(entry + 8 + k * 8) != load(table + PRODUCT.bias_apart + k * 8):
            return 0
    return 1


@module.function
def algorithm_for(table: int, shift: int) -> int:
    """The algorithm for the table's sizes; 0 if there is none. The library is asked if it has not been lately."""
    entry = place_of_sizes(table)
    if is_known(entry, table, shift) != 0:
        return entry + KEY_WORDS * 8
    operation = load(table + PRODUCT.operation)
    failed = 0
    if load(table + PRODUCT.has_bias) != 0:
        # Only how the address is aligned is looked at.
        alignment = ALIGNED
        if shift != 0:
            alignment = load(table + PRODUCT.itemsize)
        failed = set_bias(table, alignment)
    store(entry, 0)
    found = stack(1)
    store(found, 0)
    layouts = table + PRODUCT.layouts
    failed = failed | invoke(
        load(table + PRODUCT.choose), load(table + PRODUCT.handle), operation, load(layouts), load(layouts + 8),
        load(layouts + 16), load(layouts + 24), load(table + PRODUCT.preferred + shift), 1, entry + KEY_WORDS * 8, found,
    )  # fmt: skip
    # Behind the algorithm and its memory, half a word says whether it can be used.
    state = load(entry + (KEY_WORDS + 9) * 8)
    if (failed | state) & 0xFFFFFFFF != 0 or load(found) & 0xFFFFFFFF == 0:
        return 0
    store(entry, shift + 1)
    for k in range(KEY_WORDS - 1):
        store(entry + 8 + k * 8, load(table + PRODUCT.bias_apart + k * 8))
    return entry + KEY_WORDS * 8


@module.function
def set_bias(table: int, place: int) -> int:
    """Say where the vectors that are added lie; what the library reports."""
    described = stack(1)
    store(described, place)
    describe = load(table + PRODUCT.describe)
    operation = load(table + PRODUCT.operation)
    failed = invoke(describe, operation, BIAS_POINTER, described, 8)
    failed = failed | invoke(describe, operation, BIAS_BATCH_STRIDE, table + PRODUCT.bias_apart, 8)
    return failed & 0xFFFFFFFF


@module.function
def set_scales(table: int, data: int) -> int:
    """Say where the scales of both factors lie; what the library reports."""
    described = stack(1)
    failed = 0
    for k in range(2):
        store(described, load(data + load(table + PRODUCT.first_scale + k * 8)))
        operation = load(table + PRODUCT.operation)
        failed = failed | invoke(
            load(table + PRODUCT.describe), operation, FIRST_SCALE + k, described, 8
        )
    return failed & 0xFFFFFFFF


@module.entry
def queue_product(data: int, sizes: int, strides: int) -> int:
    """A kernel of the host's loops that queues a product on a device; operand 0 is its table.

    The interpreter's lock is held all the time: descriptions are told sizes and the address of a vector.
    """
    table = load(data)
    place = launcher.place_for(table)
    if place == 0:
        return 0
    made = load(data + load(table + PRODUCT.made))
    added = load(data + load(table + PRODUCT.added))
    first = load(data + load(table + PRODUCT.first))
    second = load(data + load(table + PRODUCT.second))
    shift = 0
    if (made | added | first | second) % ALIGNED != 0:
        shift = 8
    failed = 0
    if load(table + PRODUCT.is_scaled) != 0:
        failed = set_scales(table, data)
    algorithm = load(table + PRODUCT.algorithm + shift)
    if load(table + PRODUCT.tell) != 0:
        failed = failed | tell_sizes(table)
        algorithm = 0
        if failed == 0:
            algorithm = algorithm_for(table, shift)
        if algorithm == 0:
            return launcher.report(table, 1)
    if load(table + PRODUCT.has_bias) != 0:
        failed = failed | set_bias(table, added)
        added = made
    layouts = table + PRODUCT.layouts
    if failed == 0:
        failed = invoke(
            load(table + PRODUCT.multiply), load(table + PRODUCT.handle), load(table + PRODUCT.operation),
            table + PRODUCT.alpha, first, load(layouts), second, load(layouts + 8), table + PRODUCT.beta,
            added, load(layouts + 16), made, load(layouts + 24), algorithm, load(data + load(table + PRODUCT.room)),
            load(table + PRODUCT.work), launcher.stream_of(place, table),
        ) & 0xFFFFFFFF  # fmt: skip
    return launcher.report(table, failed)


def table_of(
    described: Described, label: str, roles: Roles, status: launcher.Status
) -> launcher.Table:
    """The words of a product."""
    product = described.product
    algorithms = map(ctypes.addressof, described.algorithms)
    content = [
        *_first_words(described.operation, product), *described.layouts, *algorithms,
        described.work, *_middle_words(product, roles), *[0] * 6, product.bias_apart or 0,
    ]  # fmt: skip
    return launcher.Table(described.device, label, content, status)


def table_of_any_size(
    operation: Operation, product: Product, label: str, roles: Roles, status: launcher.Status
) -> launcher.Table:  # fmt: skip
    """The words of a product whose sizes are symbols."""
    own = operation.of_any_size
    added = product.made if product.added is None else product.added
    matrices = product.first, product.second, added, product.made
    sizes = [(x.rows, x.columns, x.step, product.batch, x.apart) for x in matrices]
    functions = "cublasLtMatrixLayoutSetAttribute", "cublasLtMatmulAlgoGetHeuristic"
    content = [
        *_first_words(operation, product), *own.layouts, 0, 0, operation.most_work, *_middle_words(product, roles),
        *(libraries.entry_point(NAME, name) for name in functions), *operation.preferred, operation.alignments[1],
        ctypes.addressof(own.known), 0 if product.bias_apart is None else product.bias_apart,
        *(word for own in sizes for word in own),
    ]  # fmt: skip
    return launcher.Table(operation.device, label, content, status)


def _first_words(operation: Operation, product: Product) -> list[int]:
    """The words up to the layouts."""
    return [
        libraries.entry_point(NAME, "cublasLtMatmul"), libraries.entry_point(NAME, "cublasLtMatmulDescSetAttribute"),
        operation.handle, operation.for_machine, *factor_words(product),
    ]  # fmt: skip


def _middle_words(product: Product, roles: Roles) -> list[int]:
    """The words that say what operands are."""
    return [*(8 * k for k in roles), int(product.bias_apart is not None), int(product.scaled)]

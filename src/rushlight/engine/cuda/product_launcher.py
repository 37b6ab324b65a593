"""Products by cuBLASLt from machine code: a kernel of the host's loops that calls the library."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from rushlight.engine.cuda import launcher, libraries
from rushlight.engine.cuda.cublaslt import ALIGNED, BIAS_POINTER, NAME, Described
from rushlight.engine.cuda.launcher import HEADER, PLACE
from rushlight.engine.native.lowlevel import invoke, load, stack, store
from rushlight.engine.native.runtime import module


class PRODUCT(HEADER):
    """Positions of the words of a product, in bytes."""

    multiply = HEADER.first  # the library's `cublasLtMatmul`
    # Its `cublasLtMatmulDescSetAttribute`, for a product with a vector that is added; or 0.
    describe = 32
    handle = 40
    operation = 48
    alpha = 56
    beta = 64
    first_layout = 72
    second_layout = 80
    added_layout = 88
    made_layout = 96
    algorithm = 104  # for operands at multiples of 16 bytes; the next word: for any
    work = 120  # how many bytes it may work in
    # Which operands of the loop these are, as bytes from the first one.
    made = 128
    added = 136
    first = 144
    second = 152
    room = 160


class Roles(NamedTuple):
    """Which operands of a loop, counted from 1, are what; the result for what is not there."""

    made: int
    added: int
    first: int
    second: int
    room: int


@module.entry
def queue_product(data: int, sizes: int, strides: int) -> int:
    """A kernel of the host's loops that queues a product on a device; operand 0 is its table.

    The interpreter's lock is held all the time: the address of a vector is a part of the description.
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
    describe = load(table + PRODUCT.describe)
    operation = load(table + PRODUCT.operation)
    failed = 0
    if describe != 0:
        bias = stack(1)
        store(bias, added)
        failed = invoke(describe, operation, BIAS_POINTER, bias, 8) & 0xFFFFFFFF
        added = made
    if failed == 0:
        failed = invoke(
            load(table + PRODUCT.multiply), load(table + PRODUCT.handle), operation, load(table + PRODUCT.alpha),
            first, load(table + PRODUCT.first_layout), second, load(table + PRODUCT.second_layout),
            load(table + PRODUCT.beta), added, load(table + PRODUCT.added_layout), made,
            load(table + PRODUCT.made_layout), load(table + PRODUCT.algorithm + shift),
            load(data + load(table + PRODUCT.room)), load(table + PRODUCT.work), load(place + PLACE.stream),
        ) & 0xFFFFFFFF  # fmt: skip
    return launcher.report(table, failed)


def table_of(
    described: Described, label: str, roles: Roles, status: launcher.Status
) -> launcher.Table:
    """The words of a product."""
    has_bias = described.product.bias_apart is not None
    alpha = ctypes.addressof(described.factors)
    content = [
        libraries.entry_point(NAME, "cublasLtMatmul"),
        libraries.entry_point(NAME, "cublasLtMatmulDescSetAttribute") if has_bias else 0,
        described.handle, described.operation,
        alpha, alpha + ctypes.sizeof(described.factors) // 2, described.first, described.second, described.added,
        described.result, *map(ctypes.addressof, described.algorithms), described.work, *(8 * k for k in roles),
    ]  # fmt: skip
    return launcher.Table(described.device, label, content, status)

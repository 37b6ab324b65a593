"""Convolutions by cuDNN from machine code: a kernel of the host's loops that calls the library."""

from __future__ import annotations

import ctypes

from rushlight.engine.cuda import launcher, libraries
from rushlight.engine.cuda.cudnn import NAME, Described
from rushlight.engine.cuda.launcher import HEADER, PLACE
from rushlight.engine.native.lowlevel import invoke, load
from rushlight.engine.native.runtime import module


class CONVOLUTION(HEADER):
    """Positions of the words of a convolution, in bytes."""

    convolve = HEADER.first  # one of the library's three functions
    set_stream = 32  # its `cudnnSetStream`
    handle = 40
    alpha = 48
    beta = 56
    first = 64  # the descriptions of both operands, of the result and of the convolution
    second = 72
    made = 80
    settings = 88
    algorithm = 96
    work = 104  # how many bytes it may work in
    room = 112  # which operand of the loop these are, as bytes from the first one


@module.entry
def queue_convolution(data: int, sizes: int, strides: int) -> int:
    """A kernel of the host's loops that queues a convolution on a device.

    Operand 0 is its table, then come the result, both operands, and memory to work in if there is any. The
    interpreter's lock is held all the time: the stream is a part of the library's handle.
    """
    table = load(data)
    place = launcher.place_for(table)
    if place == 0:
        return 0
    handle = load(table + CONVOLUTION.handle)
    failed = (
        invoke(load(table + CONVOLUTION.set_stream), handle, load(place + PLACE.stream))
        & 0xFFFFFFFF
    )
    if failed == 0:
        failed = invoke(
            load(table + CONVOLUTION.convolve), handle, load(table + CONVOLUTION.alpha),
            load(table + CONVOLUTION.first), load(data + 16), load(table + CONVOLUTION.second), load(data + 24),
            load(table + CONVOLUTION.settings), load(table + CONVOLUTION.algorithm),
            load(data + load(table + CONVOLUTION.room)), load(table + CONVOLUTION.work),
            load(table + CONVOLUTION.beta), load(table + CONVOLUTION.made), load(data + 8),
        ) & 0xFFFFFFFF  # fmt: skip
    return launcher.report(table, failed)


def table_of(described: Described, label: str, status: launcher.Status) -> launcher.Table:
    """The words of a convolution."""
    alpha = ctypes.addressof(described.factors)
    content = [
        libraries.entry_point(NAME, f"cudnnConvolution{described.convolution.kind.name}"),
        libraries.entry_point(NAME, "cudnnSetStream"),
        described.handle, alpha,
        alpha + ctypes.sizeof(described.factors) // 2, *described.operands, described.settings, described.algorithm,
        described.work, 32 if described.work else 8,
    ]  # fmt: skip
    return launcher.Table(described.device, label, content, status)

"""Convolutions by cuDNN from machine code: a kernel of the host's loops that calls the library."""

from __future__ import annotations

import ctypes

from rushlight.engine.cuda import launcher, libraries
from rushlight.engine.cuda.cudnn import NAME, Described
from rushlight.engine.cuda.cudnn_launcher import CUDNN, first_words, handle_on_stream
from rushlight.engine.native.lowlevel import invoke, load
from rushlight.engine.native.runtime import module


class CONVOLUTION(CUDNN):
    """Positions of the words of a convolution, in bytes."""

    convolve = CUDNN.first  # one of the library's three functions
    alpha = 48
    beta = 56
    given = 64  # the descriptions of both operands, of the result and of the convolution
    second = 72
    made = 80
    settings = 88
    algorithm = 96
    work = 104  # how many bytes it may work in
    room = 112  # which operand of the loop these are, as bytes from the first one


@module.entry
def queue_convolution(data: int, sizes: int, strides: int) -> int:
    """A kernel of the host's loops that queues a convolution on a device.

    Operand 0 is its table, then come the result, both operands, and memory to work in if there is any.
    """
    table = load(data)
    handle = handle_on_stream(table)
    if handle == 0:
        return 0
    failed = invoke(
        load(table + CONVOLUTION.convolve), handle, load(table + CONVOLUTION.alpha), load(table + CONVOLUTION.given),
        load(data + 16), load(table + CONVOLUTION.second), load(data + 24), load(table + CONVOLUTION.settings),
        load(table + CONVOLUTION.algorithm), load(data + load(table + CONVOLUTION.room)),
        load(table + CONVOLUTION.work), load(table + CONVOLUTION.beta), load(table + CONVOLUTION.made), load(data + 8),
    )  # fmt: skip
    return launcher.report(table, failed)


def table_of(described: Described, label: str, status: launcher.Status) -> launcher.Table:
    """The words of a convolution."""
    alpha = ctypes.addressof(described.factors)
    content = [
        *first_words(described.handle),
        libraries.entry_point(NAME, f"cudnnConvolution{described.convolution.kind.name}"), alpha,
        alpha + ctypes.sizeof(described.factors) // 2, *described.operands, described.settings, described.algorithm,
        described.work, 32 if described.work else 8,
    ]  # fmt: skip
    return launcher.Table(described.device, label, content, status)

"""Attention by cuDNN from machine code: a kernel of the host's loops that calls the library."""

from __future__ import annotations

import ctypes

from rushlight.engine.cuda import launcher, libraries
from rushlight.engine.cuda.cudnn import NAME
from rushlight.engine.cuda.cudnn_graph import (
    ALIGNMENT,
    INT64,
    PACK_NUMBERS,
    PACK_PLACES,
    PACK_WORK,
    POINTER,
    VARIANT_PACK,
    Described,
)
from rushlight.engine.cuda.cudnn_launcher import CUDNN, first_words, handle_on_stream
from rushlight.engine.native.lowlevel import invoke, load, stack, store
from rushlight.engine.native.runtime import module

# More operands than either direction has.
_MOST = 16


class ATTENTION(CUDNN):
    """Positions of the words of an attention, in bytes."""

    # The library's functions.
    create = CUDNN.first
    set_attribute = 48
    finalize = 56
    execute = 64
    destroy = 72
    plan = 80
    given = 88  # how many tensors are the loop's operands
    count = 96  # how many there are with numbers in the host's memory
    numbers = 104  # address of their numbers
    factors = 112  # where the numbers in the host's memory lie, side by side
    room = 120  # which operand of the loop is memory to work in, as bytes from the first one


@module.function
def fill_pack(table: int, pack: int, data: int) -> int:
    """Tell a pack of addresses the operands of a loop; what the library reports."""
    places = stack(_MOST)
    count = load(table + ATTENTION.count)
    given = load(table + ATTENTION.given)
    together = 0
    for k in range(given):
        store(places + k * 8, load(data + 8 + k * 8))
        together = together | load(data + 8 + k * 8)
    if together % ALIGNMENT != 0:
        return 1
    for k in range(given, count):
        store(places + k * 8, load(table + ATTENTION.factors) + (k - given) * 4)
    tell = load(table + ATTENTION.set_attribute)
    failed = invoke(tell, pack, PACK_NUMBERS, INT64, count, load(table + ATTENTION.numbers))
    failed = failed | invoke(tell, pack, PACK_PLACES, POINTER, count, places)
    failed = failed | invoke(tell, pack, PACK_WORK, POINTER, 1, data + load(table + ATTENTION.room))
    return failed | invoke(load(table + ATTENTION.finalize), pack)


@module.entry
def queue_attention(data: int, sizes: int, strides: int) -> int:
    """A kernel of the host's loops that queues an attention on a device.

    Operand 0 is its table, then come its tensors, results first, and memory to work in if there is any.
    """
    table = load(data)
    handle = handle_on_stream(table)
    if handle == 0:
        return 0
    pack = stack(1)
    failed = invoke(load(table + ATTENTION.create), VARIANT_PACK, pack)
    if failed & 0xFFFFFFFF != 0:
        return launcher.report(table, failed)
    failed = fill_pack(table, load(pack), data)
    if failed & 0xFFFFFFFF == 0:
        failed = invoke(
            load(table + ATTENTION.execute), handle, load(table + ATTENTION.plan), load(pack)
        )
    failed = failed | invoke(load(table + ATTENTION.destroy), load(pack))
    return launcher.report(table, failed)


def table_of(described: Described, label: str, status: launcher.Status) -> launcher.Table:
    """The words of an attention."""
    functions = (
        "cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute", "cudnnBackendFinalize", "cudnnBackendExecute",
        "cudnnBackendDestroyDescriptor",
    )  # fmt: skip
    content = [
        *first_words(described.handle), *(libraries.entry_point(NAME, name) for name in functions), described.plan,
        described.given, described.count, ctypes.addressof(described.numbers), ctypes.addressof(described.factors),
        8 * (described.given + 1) if described.work else 8,
    ]  # fmt: skip
    return launcher.Table(described.device, label, content, status)

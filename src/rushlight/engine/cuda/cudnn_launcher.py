"""How calls of cuDNN from machine code begin."""

from __future__ import annotations

from rushlight.engine.cuda import launcher, libraries
from rushlight.engine.cuda.cudnn import NAME
from rushlight.engine.cuda.launcher import HEADER
from rushlight.engine.native.lowlevel import invoke, load
from rushlight.engine.native.runtime import module


class CUDNN(HEADER):
    """Positions of the first words of every table of a call of cuDNN, in bytes."""

    set_stream = HEADER.first  # its `cudnnSetStream`
    handle = 32
    first = 40


@module.function
def handle_on_stream(table: int) -> int:
    """The library's handle, which works on this thread's stream from now on; 0 if the loop has failed.

    The interpreter's lock is held until the call is made: the stream is a part of the handle.
    """
    place = launcher.place_for(table)
    if place == 0:
        return 0
    handle = load(table + CUDNN.handle)
    failed = invoke(load(table + CUDNN.set_stream), handle, launcher.stream_of(place, table))
    if failed & 0xFFFFFFFF != 0:
        return launcher.report(table, failed)
    return handle


def first_words(handle: int) -> list[int]:
    """The first words of a table."""
    return [libraries.entry_point(NAME, "cudnnSetStream"), handle]

"""Copies between the host and a device, and between devices, from machine code: kernels of the host's loops that queue one."""

from __future__ import annotations

import functools
from typing import Any

from rushlight.engine.cuda import driver, launcher, transfers
from rushlight.engine.cuda.launcher import HEADER
from rushlight.engine.cuda.streams import Event
from rushlight.engine.native.lowlevel import invoke, load
from rushlight.engine.native.python_api import (
    call_object,
    clear_error,
    decref,
    long_from_word,
    restore_thread,
    save_thread,
)
from rushlight.engine.native.runtime import module


class COPY(HEADER):
    """Positions of the words of a copy, in bytes."""

    copy = HEADER.first  # one of the driver's functions
    wait = 32  # its `cuStreamSynchronize`
    nbytes = 40
    host = 48  # which operand is the host's, as bytes from the first one
    may_go_on = (
        56  # the function of Python that says whether nobody need wait, or 0: somebody waits
    )
    yes = 64  # what it gives then


@module.function
def goes_on(table: int, host: int) -> int:
    """Whether nobody need wait for a copy of the host's memory; -1 if Python could not say."""
    function = load(table + COPY.may_go_on)
    if function == 0:
        return 0
    place = long_from_word(host)
    if place == 0:
        clear_error()
        return -1
    said = call_object(function, place, 0)
    decref(place)
    if said == 0:
        # The call is made again in Python, which raises what there is to raise.
        clear_error()
        return -1
    decref(said)
    return 1 if said == load(table + COPY.yes) else 0


@module.entry
def queue_copy(data: int, sizes: int, strides: int) -> int:
    """A kernel of the host's loops that copies bytes to a device, or from one: operand 2 to operand 1."""
    table = load(data)
    place = launcher.place_for(table)
    if place == 0:
        return 0
    nobody_waits = goes_on(table, load(data + load(table + COPY.host)))
    if nobody_waits < 0:
        return launcher.report(table, 1)
    stream = launcher.stream_of(place, table)
    saved = save_thread()
    code = invoke(
        load(table + COPY.copy), load(data + 8), load(data + 16), load(table + COPY.nbytes), stream
    )
    if nobody_waits == 0 and code & 0xFFFFFFFF == 0:
        code = invoke(load(table + COPY.wait), stream)
    restore_thread(saved)
    return launcher.report(table, code)


def table_of(
    device: int, label: str, nbytes: int, to_host: bool, non_blocking: bool, status: launcher.Status
) -> tuple[launcher.Table, Any]:
    """The words of a copy, and what they refer to."""
    function = functools.partial(transfers.may_go_on, device) if non_blocking else None
    content = [
        driver.entry_point("cuMemcpyDtoHAsync_v2" if to_host else "cuMemcpyHtoDAsync_v2"),
        driver.entry_point("cuStreamSynchronize"), nbytes, 8 if to_host else 16,
        0 if function is None else id(function), id(True),
    ]  # fmt: skip
    return launcher.Table(device, label, content, status), function


class PEER_COPY(HEADER):
    """Positions of the words of a copy from the table's device to another one, in bytes."""

    copy = HEADER.first  # the driver's functions
    record = 32
    wait = 40
    other = 48  # the other device's number
    nbytes = 56
    # Events of the other device and of this one.
    free = 64  # what is overwritten is in use no more
    done = 72


@module.function
def follow(table: int, place: int, first: int, second: int, event: int) -> int:
    """Let what a device's stream gets next begin after what another one's has now; what the driver reports, or 1."""
    code = launcher.go_to(place, first)
    if code == 0:
        stream = launcher.stream_on(place, first)
        code = invoke(load(table + PEER_COPY.record), event, stream) & 0xFFFFFFFF
    if code == 0:
        code = launcher.go_to(place, second)
    if code == 0:
        stream = launcher.stream_on(place, second)
        code = invoke(load(table + PEER_COPY.wait), stream, event, 0) & 0xFFFFFFFF
    return code


@module.entry
def queue_peer_copy(data: int, sizes: int, strides: int) -> int:
    """A kernel of the host's loops that copies bytes from one device to another: operand 2 to operand 1.

    The interpreter's lock is held all the time: the events are the table's.
    """
    table = load(data)
    place = launcher.place_for(table)
    if place == 0:
        return 0
    device = load(table + HEADER.device)
    other = load(table + PEER_COPY.other)
    code = follow(table, place, other, device, load(table + PEER_COPY.free))
    if code == 0:
        code = invoke(
            load(table + PEER_COPY.copy), load(data + 8), load(data + 16), load(table + PEER_COPY.nbytes),
            launcher.stream_on(place, device),
        ) & 0xFFFFFFFF  # fmt: skip
    if code == 0:
        code = follow(table, place, device, other, load(table + PEER_COPY.done))
    return launcher.report(table, code)


def table_between(
    device: int, other: int, label: str, nbytes: int, status: launcher.Status
) -> tuple[launcher.Table, Any]:
    """The words of a copy from one device to another, and what they refer to."""
    events = Event(), Event()
    for event, at in zip(events, (other, device)):
        event.make(at)
    functions = "cuMemcpyAsync", "cuEventRecord", "cuStreamWaitEvent"
    content = [*map(driver.entry_point, functions), other, nbytes, *(e.handle for e in events)]
    return launcher.Table(device, label, content, status), events

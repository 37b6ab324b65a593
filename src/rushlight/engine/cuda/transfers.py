"""Bytes on their way between the host and devices."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from typing import Any

from rushlight.engine.cuda import caching, context, driver, launcher, pinned, streams, timeline
from rushlight.engine.cuda.streams import Event


def constants_to_device(address: int, device: int, host: int, nbytes: int) -> None:
    """Copy what a kernel needs of the host, once for all its launches: no waiting of the program's."""
    stream = _entered(device)
    driver.copy_to_device(address, host, nbytes, stream.handle)
    stream.synchronize()


def to_device(
    address: int, device: int, host: int, nbytes: int, non_blocking: bool = False
) -> None:
    """Copy bytes of the host to a device, in the order of its current stream."""
    stream = _entered(device)
    with _copying("HtoD", f"{_memory_at(host)} -> Device", stream, "cuMemcpyHtoDAsync_v2", nbytes):
        driver.copy_to_device(address, host, nbytes, stream.handle)
    if not (non_blocking and may_go_on(device, host)):
        wait(stream)


def number_to_device(address: int, device: int, content: bytes) -> None:
    """Write a number of the host to a device, in the order of its current stream.

    Its bytes go along with what is asked for, so nobody waits, and a graph that is recorded keeps them.
    """
    stream = _entered(device)
    step = 4 if len(content) % 4 == 0 else 1
    fill, call = (
        (driver.fill_word, "cuMemsetD32Async") if step == 4 else (_fill_byte, "cuMemsetD8Async")
    )
    nbytes = len(content)
    with timeline.work(timeline.FILL, "Memset (Device)", stream, call, bytes=nbytes):
        for at in range(0, nbytes, step):
            word = int.from_bytes(content[at : at + step], "little")
            fill(address + at, word, stream.handle)


def _fill_byte(address: int, value: int, stream: int) -> None:
    driver.fill(address, value, 1, stream)


def to_host(host: int, device: int, address: int, nbytes: int, non_blocking: bool = False) -> None:
    """Copy bytes of a device to the host, in the order of its current stream."""
    stream = _entered(device)
    with _copying("DtoH", f"Device -> {_memory_at(host)}", stream, "cuMemcpyDtoHAsync_v2", nbytes):
        driver.copy_to_host(host, address, nbytes, stream.handle)
    if not (non_blocking and may_go_on(device, host)):
        wait(stream)


# What is done when a call waits for a device: 0 nothing, 1 a warning, 2 an error.
waiting_is_told = 0
_WAITS = "called a synchronizing CUDA operation"


def tell_of_waiting(how: int) -> None:
    """Choose what is done when a call waits for a device. Machine code tells nothing, so Python makes all calls then."""
    global waiting_is_told
    if bool(how) != bool(waiting_is_told):
        (launcher.hold if how else launcher.let_go)()
    waiting_is_told = how


def _forget() -> None:
    tell_of_waiting(0)


context.when_stopped.append(_forget)


def wait(stream: streams.Stream) -> None:
    """Wait for a stream, which nobody has asked for by itself."""
    if waiting_is_told == 2:
        raise RuntimeError(_WAITS)
    if waiting_is_told:
        warnings.warn(_WAITS, stacklevel=2)
    stream.synchronize()


def _memory_at(host: int) -> str:
    """What traces call memory of the host."""
    return "Pageable" if pinned.block_at(host) is None else "Pinned"


def _copying(
    way: str, ends: str, stream: streams.Stream, call: str, nbytes: int
) -> AbstractContextManager[None]:
    """A block that queues a copy, under the name that traces have for it."""
    return timeline.work(timeline.COPY, f"Memcpy {way} ({ends})", stream, call, bytes=nbytes)


def _entered(device: int) -> streams.Stream:
    """A device's current stream, for which machine code of this thread may queue work from now on."""
    context.enter(device)
    stream = streams.current(device)
    launcher.use_stream(device, stream.handle)
    return stream


def may_go_on(device: int, host: int) -> bool:
    """Whether nobody need wait for a copy that a device's current stream makes: the host's memory stays where it is."""
    stream = streams.current(device)
    block = pinned.block_at(host)
    if block is not None:
        pinned.record_use(block, stream)
        return True
    return stream.is_capturing()


def between(target: int, to: int, source: int, at: int, nbytes: int) -> None:
    """Copy bytes from one device to another, or within one."""
    stream = _entered(at)
    if to != at:
        launcher.use_stream(to, streams.current(to).handle)
        # What is overwritten may still be in use there, and what is there afterwards is waited for.
        _follow(streams.current(to), stream)
        context.reach(at, to)
    copy_within(target, source, nbytes, stream, "DtoD" if to == at else "PtoP")
    if to != at:
        _follow(stream, streams.current(to))


def copy_within(
    target: int, source: int, nbytes: int, stream: streams.Stream, way: str = "DtoD"
) -> None:
    """Queue a copy between places on devices; `way` is what traces call it."""
    with _copying(way, "Device -> Device", stream, "cuMemcpyAsync", nbytes):
        driver.copy_within(target, source, nbytes, stream.handle)


def _follow(first: streams.Stream, second: streams.Stream) -> None:
    """Let what a stream gets next begin after what another one has now."""
    event = Event()
    event.record(first)
    event.wait(second)


class DeviceMemory:
    """Where tensors on GPUs have their bytes; see `core.device.Memory`."""

    copies_tensors = True

    def block(self, nbytes: int, where: Any) -> caching.Allocation:
        device = context.current() if where.index is None else where.index
        return caching.memory_for(nbytes, device)

    def pinned_block(self, nbytes: int) -> pinned.Allocation:
        return pinned.Allocation(nbytes)

    def read(self, host: int, address: int, nbytes: int) -> None:
        """Copy to the host, from whatever device an address belongs to."""
        to_host(host, owner(address), address, nbytes)

    def write(self, address: int, host: int, nbytes: int) -> None:
        to_device(address, owner(address), host, nbytes)


def owner(address: int) -> int:
    """The device that an address belongs to; the current one where nobody knows it."""
    for allocator in caching.known():
        if allocator.has(address):
            return allocator.device
    return context.current()

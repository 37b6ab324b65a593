"""Bytes on their way between the host and devices."""

from __future__ import annotations

from typing import Any

from rushlight.engine.cuda import caching, context, driver, launcher, pinned, streams
from rushlight.engine.cuda.streams import Event


def to_device(
    address: int, device: int, host: int, nbytes: int, non_blocking: bool = False
) -> None:
    """Copy bytes of the host to a device, in the order of its current stream."""
    stream = _entered(device)
    driver.copy_to_device(address, host, nbytes, stream.handle)
    if not (non_blocking and may_go_on(device, host)):
        stream.synchronize()


def to_host(host: int, device: int, address: int, nbytes: int, non_blocking: bool = False) -> None:
    """Copy bytes of a device to the host, in the order of its current stream."""
    stream = _entered(device)
    driver.copy_to_host(host, address, nbytes, stream.handle)
    if not (non_blocking and may_go_on(device, host)):
        stream.synchronize()


def _entered(device: int) -> streams.Stream:
    """A device's current stream, for which machine code of this thread may queue work from now on."""
    context.enter(device)
    stream = streams.current(device)
    launcher.enter(device, stream.handle)
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
    context.enter(at)
    stream = streams.current(at)
    if to != at:
        # What is overwritten may still be in use there, and what is there afterwards is waited for.
        _follow(streams.current(to), stream)
        context.enter(at)
    driver.copy_within(target, source, nbytes, stream.handle)
    if to != at:
        _follow(stream, streams.current(to))


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

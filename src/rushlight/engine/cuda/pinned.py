"""Memory of the host that stays where it is, so that copies need nobody to wait for them.

Blocks are kept when they are free again; one that copies may still read or write is given out only when the
streams have come so far.
"""

from __future__ import annotations

import bisect
import sys
import threading
from collections import deque
from collections.abc import Callable

from rushlight.engine.cuda import context, driver
from rushlight.engine.cuda.statistics import Counter
from rushlight.engine.cuda.streams import Event, Stream
from rushlight.engine.native.forks import hold_over_fork

LEAST = 4096


class Block:
    """Memory of the host."""

    __slots__ = ("address", "in_use", "size", "users")

    def __init__(self, address: int, size: int) -> None:
        self.address, self.size = address, size
        self.in_use = True
        self.users: set[Stream] = set()


_lock = threading.Lock()
hold_over_fork(_lock)
_blocks: dict[int, Block] = {}
_addresses: list[int] = []
_free: dict[int, list[Block]] = {}
# What came back while the lock was taken: the collector may end a storage at any time.
_returned: deque[Block] = deque()
_pending: list[tuple[list[Event], Block]] = []


# What is counted: blocks that there are, those that are in use, and their bytes.
counters = {
    kind: Counter() for kind in ("allocations", "allocated_bytes", "active_requests", "active_bytes")
}  # fmt: skip


def _count(sign: int, size: int, made: bool) -> None:
    kinds = ("allocations", "allocated_bytes") if made else ("active_requests", "active_bytes")
    for kind, amount in zip(kinds, (sign, sign * size)):
        counters[kind].change(amount)


def forget() -> None:
    """Drop all blocks: the driver that has them is gone."""
    for counter in counters.values():
        counter.__init__()  # type: ignore[misc]
    for known in (_blocks, _addresses, _free, _pending, _returned):
        known.clear()  # type: ignore[attr-defined]


def block_at(address: int) -> Block | None:
    """The block that an address of the host is in, if it is in one."""
    place = bisect.bisect_right(_addresses, address) - 1
    if place < 0:
        return None
    block = _blocks[_addresses[place]]
    return block if address < block.address + block.size else None


def record_use(block: Block, stream: Stream) -> None:
    """Note that a stream reads or writes a block."""
    with _lock:
        block.users.add(stream)


def allocate(nbytes: int) -> Block:
    """A block of at least so many bytes."""
    size = max(LEAST, 1 << (max(nbytes, 1) - 1).bit_length())
    with _lock:
        _take_back()
        _process_events()
        waiting = _free.get(size)
        if waiting:
            block = waiting.pop()
            block.in_use = True
            _count(1, size, made=False)
            return block
        context.enter(context.current())
        block = Block(driver.allocate_host(size), size)
        _blocks[block.address] = block
        bisect.insort(_addresses, block.address)
        _count(1, size, made=True)
        _count(1, size, made=False)
        return block


def free(block: Block) -> None:
    """Take a block back."""
    _returned.append(block)
    # If somebody is at work here, perhaps this thread itself, the next one does it.
    if _lock.acquire(blocking=False):
        try:
            _take_back()
        finally:
            _lock.release()


def _take_back() -> None:
    """Make what has returned free, when the copies that use it are done."""
    while _returned:
        block = _returned.popleft()
        if _blocks.get(block.address) is not block:
            # Its driver is gone, and all memory with it.
            continue
        block.in_use = False
        _count(-1, block.size, made=False)
        users, block.users = block.users, set()
        events = []
        for stream in sorted(users):
            events.append(Event())
            events[-1].record(stream)
        if events:
            _pending.append((events, block))
        else:
            _free.setdefault(block.size, []).append(block)


def _process_events() -> None:
    """Make blocks free whose copies are done."""
    left = []
    for events, block in _pending:
        if all(event.is_done() for event in events):
            _free.setdefault(block.size, []).append(block)
        else:
            left.append((events, block))
    _pending[:] = left


def release_cached() -> None:
    """Give what is free back to the driver."""
    with _lock:
        _take_back()
        _process_events()
        for blocks in _free.values():
            for block in blocks:
                driver.free_host(block.address)
                _count(-1, block.size, made=True)
                del _blocks[block.address]
                _addresses.remove(block.address)
        _free.clear()


class Allocation:
    """A block that is a storage's; it goes back with the storage."""

    __slots__ = ("__weakref__", "block")
    is_pinned = True

    def __init__(self, nbytes: int) -> None:
        self.block = allocate(nbytes)

    @property
    def address(self) -> int:
        return self.block.address

    def __del__(self, is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        # A default, because modules may be gone when the interpreter ends.
        if is_over():
            return
        block = getattr(self, "block", None)
        if block is not None and not context.is_in_bad_fork():
            free(block)

"""The caching allocator: memory that is free again is kept for the next request on its stream.

The driver gives out *segments*; a request gets a *block*, which is a segment or a part of one. Blocks of a
segment know their neighbours, and free neighbours become one again. A block belongs to the stream that it was
asked for on, and what that stream does with it is in order anyway; streams that have used it besides
(`record_stream`) must have come so far before it is given out again.
"""

from __future__ import annotations

import bisect
import contextlib
import itertools
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from rushlight.engine.core.errors import OutOfMemoryError
from rushlight.engine.cuda import allocator_settings, context, driver, notices, streams
from rushlight.engine.cuda.history import History
from rushlight.engine.cuda.pages import Pages
from rushlight.engine.cuda.statistics import Statistics
from rushlight.engine.cuda.streams import Event, Stream
from rushlight.engine.native import heap_types, shelves

UNIT = 512  # every block is a multiple of this
SMALL = 1 << 20  # requests up to this come from small segments
SMALL_SEGMENT = 2 << 20
LARGE_SEGMENT = 20 << 20  # for requests up to half of it
LEAST_OWN_SEGMENT = 10 << 20  # requests from this on get a segment of their own
SEGMENT_UNIT = 2 << 20


class Block:
    """A run of a segment: one tensor's, or free."""

    __slots__ = (
        "address", "after", "before", "frames", "freed", "home", "in_use", "requested", "segment", "size", "stream",
        "users", "waiting",
    )  # fmt: skip

    def __init__(self, address: int, size: int, stream: int, home: Pool, segment: Segment) -> None:
        self.address, self.size, self.stream = address, size, stream
        self.home, self.segment = home, segment
        self.before: Block | None = None
        self.after: Block | None = None
        self.in_use = False
        # When it became free, in requests.
        self.freed = 0
        self.requested = 0
        self.frames: list[dict[str, Any]] = []
        # Other streams that have used it, and how many of their events it waits for.
        self.users: set[Stream] = set()
        self.waiting = 0

    @property
    def is_whole(self) -> bool:
        """Whether it is all of its segment."""
        return self.before is None and self.after is None

    @property
    def key(self) -> tuple[int, int, int]:
        return self.stream, self.size, self.address


class Segment:
    """Memory that the driver gave.

    Args:
        address: where it begins
        size: how large it is
        pages: what it grows by, if it does
        given_by: another library's allocator, if that has given it
    """

    __slots__ = ("address", "first", "given_by", "pages", "size")

    def __init__(
        self, address: int, size: int, pages: Pages | None = None, given_by: Functions | None = None
    ) -> None:
        self.address, self.size, self.pages, self.given_by = address, size, pages, given_by
        self.first: Block | None = None

    @property
    def last(self) -> Block | None:
        """The block at its end."""
        found = None
        for found in self.blocks():  # noqa: B007
            pass
        return found

    def blocks(self) -> Iterable[Block]:
        block = self.first
        while block is not None:
            yield block
            block = block.after


class Pool:
    """Free blocks of small or large segments, in the order of stream, size and address."""

    def __init__(self, is_small: bool, owner: MemoryPool | None = None) -> None:
        self.is_small = is_small
        self.name = "small_pool" if is_small else "large_pool"
        self.owner = owner
        self.keys: list[tuple[int, int, int]] = []
        self.blocks: dict[tuple[int, int, int], Block] = {}

    def add(self, block: Block) -> None:
        bisect.insort(self.keys, block.key)
        self.blocks[block.key] = block

    def remove(self, block: Block) -> None:
        del self.keys[bisect.bisect_left(self.keys, block.key)]
        del self.blocks[block.key]

    def smallest(self, stream: int, size: int) -> Block | None:
        """The smallest free block of a stream that is large enough, and not too large to be cut."""
        place = bisect.bisect_left(self.keys, (stream, size, 0))
        if place == len(self.keys) or self.keys[place][0] != stream:
            return None
        found = self.blocks[self.keys[place]]
        most = settings.max_split_size
        if most and found.segment.pages is None and found.size >= most:
            # What is never cut serves those that need nearly all of it.
            is_near = size >= most and found.size < size + LARGE_SEGMENT
            return found if is_near else None
        return found

    def may_split(self, block: Block, size: int) -> bool:
        """Whether what a request leaves of a block is worth keeping apart."""
        left = block.size - size
        if self.owner is not None and not self.owner.is_cut:
            return False
        if self.is_small or block.segment.pages is not None:
            return left >= UNIT
        return left > SMALL and not (settings.max_split_size and size >= settings.max_split_size)


# The pools apart that there are, by name.
pools: weakref.WeakValueDictionary[tuple[int, int], MemoryPool] = weakref.WeakValueDictionary()


class MemoryPool:
    """Segments apart from all others: those of a graph, or of a program's own pool.

    Args:
        name: what programs know it by
        given_by: another library's allocator, which gives its segments
        is_cut: whether blocks are cut
    """

    def __init__(
        self, name: tuple[int, int] = (0, 0), given_by: Functions | None = None, is_cut: bool = True
    ) -> None:
        self.name, self.given_by, self.is_cut = name, given_by, is_cut
        # Whether nobody will ask for more of it.
        self.is_over = False
        self.small, self.large = Pool(True, self), Pool(False, self)
        # Graphs, blocks of programs and objects that may ask for more of it.
        self.users = 0
        pools[name] = self

    def of(self, size: int) -> Pool:
        return self.small if size <= SMALL else self.large

    def leave(self) -> None:
        """Note that there is one user less; the last one lets the pool go."""
        self.users -= 1
        if not self.users:
            for allocator in known():
                allocator.retire(self)


_pool_numbers = itertools.count(1)


def new_pool_name() -> tuple[int, int]:
    """A name for a pool that no other one has."""
    return 0, next(_pool_numbers)


def rounded(nbytes: int) -> int:
    """The size of the block for a request."""
    return max(UNIT, -(-nbytes // UNIT) * UNIT)


def segment_size(size: int) -> int:
    """How much the driver is asked for, when a block of a size is not there."""
    if size <= SMALL:
        return SMALL_SEGMENT
    if size < LEAST_OWN_SEGMENT:
        return LARGE_SEGMENT
    return -(-size // SEGMENT_UNIT) * SEGMENT_UNIT


def page_size(pool: Pool) -> int:
    """By how much segments grow."""
    return SMALL_SEGMENT if pool.is_small else LARGE_SEGMENT


# How all allocators work, and whether somebody has said so. The environment is asked with the first of them.
settings = allocator_settings.Settings()
_is_said = False


def use_settings(text: str) -> None:
    """Work in another way from now on; see `allocator_settings.read`."""
    global settings, _is_said
    settings, _is_said = allocator_settings.read(text), True


class Allocator:
    """The memory of one device.

    Args:
        device: its number
    """

    def __init__(self, device: int) -> None:
        self.device = device
        self.statistics = Statistics()
        self.lock = threading.Lock()
        # What came back while the lock was taken: the collector may end a storage at any time.
        self.returned: deque[Block] = deque()
        self.retired: deque[MemoryPool] = deque()
        self.common = MemoryPool()
        self.segments: dict[int, Segment] = {}
        # Segments that grow, by the pool that they serve and the stream.
        self.growing: dict[tuple[Pool, int], Segment] = {}
        self.requests = 0
        # Pools that serve others when there is no memory for them.
        self.spare: list[MemoryPool] = []
        # Events of streams that have used a block which is free otherwise, in the order of each stream.
        self.pending: list[tuple[Event, Block]] = []
        self.fraction = 1.0
        # What it has done, if that is recorded; whether free blocks are kept for later requests.
        self.history: History | None = None
        self.keeps = True
        # Where requests go while a graph is captured, or in a block of a program: for which streams, to
        # which pool, and whether it is a capture.
        self.redirected: list[tuple[Callable[[Stream], bool], MemoryPool, bool]] = []
        # What was freed while a stream was captured: no event may be recorded for it then.
        self.postponed: list[Block] = []

    # -- requests --
    def allocate(self, nbytes: int, stream: Stream | None = None) -> Block:
        """A block for a request on a stream; the thread's current one, if none is said."""
        block = self._allocated(nbytes, stream)
        notices.tell("memory_allocation", block.address)
        return block

    def _allocated(self, nbytes: int, stream: Stream | None) -> Block:
        stream = streams.current(self.device) if stream is None else stream
        size = rounded(nbytes)
        if not _refills.are_on:
            settle()
        if not self.keeps:
            self.release_cached()
        with self.lock:
            context.enter(self.device)
            self._take_back()
            self.process_events()
            self.requests += 1
            pool = self._pool_for(stream).of(size)
            block = pool.smallest(stream.handle, size)
            if block is None and _refills.are_on:
                # Shelves may be full of memory of other sizes.
                settle()
                self._take_back()
                block = pool.smallest(stream.handle, size)
            if block is None:
                block = self._new_segment(pool, size, nbytes, stream)
            else:
                self._take(block)
            if block.home.may_split(block, size):
                self._split(block, size)
            block.in_use, block.requested = True, nbytes
            self._count(block, 1)
            block.frames = self._note("alloc", block)
            return block

    def _take(self, block: Block) -> None:
        """Note that a block is free no more."""
        block.home.remove(block)
        if not block.is_whole:
            change = {"inactive_split": -1, "inactive_split_bytes": -block.size}
            self.statistics.change(block.home.name, **change)

    def _note(self, action: str, block: Block, size: int | None = None) -> list[dict[str, Any]]:
        if self.history is None:
            return []
        if size is None:
            size = block.requested if action == "alloc" else block.size
        pool = self._owner(block).name
        return self.history.add(action, block.address, size, block.stream, pool)

    def _owner(self, block: Block) -> MemoryPool:
        return block.home.owner or self.common

    def _pool_for(self, stream: Stream) -> MemoryPool:
        for applies, pool, _ in reversed(self.redirected):
            if applies(stream):
                return pool
        return self.common

    def _count(self, block: Block, sign: int) -> None:
        """Note that a block is a tensor's, or is so no more."""
        self.statistics.change(
            block.home.name, allocation=sign, allocated_bytes=sign * block.size,
            requested_bytes=sign * block.requested,
        )  # fmt: skip
        if sign > 0:
            self.statistics.change(block.home.name, active=1, active_bytes=block.size)

    def _split(self, block: Block, size: int) -> None:
        """Cut a block; what is left of it is free."""
        rest = Block(
            block.address + size, block.size - size, block.stream, block.home, block.segment
        )
        rest.before, rest.after = block, block.after
        if block.after is not None:
            block.after.before = rest
        block.after, block.size = rest, size
        block.home.add(rest)
        self.statistics.change(block.home.name, inactive_split=1, inactive_split_bytes=rest.size)

    def _new_segment(self, pool: Pool, size: int, nbytes: int, stream: Stream) -> Block:
        """A block of new memory; what is cached goes back to the driver if there is no room."""
        if settings.garbage_collection_threshold and not self._is_capturing():
            self._collect_garbage()
        block = self._more(pool, size, stream)
        if block is None:
            self.statistics.retries += 1
            if not self._is_capturing():
                for step in when_short:
                    step()
                self._take_back()
                self._release_cached()
            block = self._more(pool, size, stream) or self._spared(size, stream)
        if block is None:
            self.statistics.failures += 1
            if self.history is not None:
                free, _ = driver.memory_info()
                self.history.add("oom", 0, nbytes, stream.handle, device_free=free)
            raise self._out_of_memory(nbytes)
        return block

    def _spared(self, size: int, stream: Stream) -> Block | None:
        """A block of a pool that serves others in need."""
        for pool in self.spare:
            block = pool.of(size).smallest(stream.handle, size)
            if block is not None:
                self._take(block)
                return block
        return None

    def _more(self, pool: Pool, size: int, stream: Stream) -> Block | None:
        """A block of memory that the driver gives, as a new segment or at the end of one; None if there is no room."""
        given_by = None if pool.owner is None else pool.owner.given_by
        if settings.expandable_segments and given_by is None:
            return self._grown(pool, size, stream)
        wanted = segment_size(size)

        def ask() -> int:
            if given_by is None:
                return driver.allocate(wanted)
            return given_by.allocate(wanted, self.device, stream.handle) or 0

        address = self._asked_for(wanted, ask)
        if not address:
            return None
        segment = Segment(address, wanted, given_by=given_by)
        block = segment.first = Block(address, wanted, stream.handle, pool, segment)
        self.segments[address] = segment
        self._note("segment_alloc", block)
        self.statistics.device_allocations += 1
        self.statistics.change(pool.name, segment=1, reserved_bytes=wanted)
        return block

    def _grown(self, pool: Pool, size: int, stream: Stream) -> Block | None:
        """A block at the end of the segment that grows for a pool and a stream; None if there is no room."""
        segment = self.growing.get((pool, stream.handle))
        pages = Pages(self.device, page_size(pool)) if segment is None else segment.pages
        assert pages is not None
        if segment is None:
            segment = Segment(pages.address, 0, pages)
        last = segment.last
        tail = last if last is not None and self._is_free(last) else None
        more = pages.rounded(size - (0 if tail is None else tail.size))
        if not self._asked_for(more, lambda: pages.grow(more)):
            if not segment.size:
                pages.close()
            return None
        if not segment.size:
            self.segments[segment.address] = self.growing[pool, stream.handle] = segment
            self.statistics.change(pool.name, segment=1)
        block = tail
        if block is None:
            place = segment.address + segment.size
            block = Block(place, 0, stream.handle, pool, segment)
            block.before = last
            if last is None:
                segment.first = block
            else:
                last.after = block
        else:
            self._take(block)
        block.size += more
        segment.size += more
        self._note("segment_map", block, more)
        self.statistics.device_allocations += 1
        self.statistics.change(pool.name, reserved_bytes=more)
        return block

    def has(self, address: int) -> bool:
        """Whether an address lies in one of the segments."""
        return any(s.address <= address < s.address + s.size for s in self.segments.values())

    def _asked_for(self, size: int, ask: Callable[[], int]) -> int:
        """What the driver gives if it is asked for so much; 0 if that is more than this process may have."""
        reserved = self.statistics.current("reserved_bytes")
        if self.fraction < 1 and reserved + size > self._most():
            return 0
        if self._is_capturing():
            with driver.relaxed():
                return ask()
        return ask()

    def _most(self) -> int:
        """How much memory this process may have."""
        return int(self.fraction * context.properties(self.device)["total_memory"])

    def _collect_garbage(self) -> None:
        """Give the segments back that have been free for longest, until less than a part of the memory is taken."""
        most = int(settings.garbage_collection_threshold * self._most())
        parts = self.common.small, self.common.large
        free = [b for part in parts for b in part.blocks.values() if b.is_whole]
        for block in sorted(free, key=lambda b: b.freed):
            if self.statistics.current("reserved_bytes") <= most:
                break
            self._release(block)

    def _out_of_memory(self, nbytes: int) -> OutOfMemoryError:
        free, total = driver.memory_info()
        used = self.statistics.current("allocated_bytes")
        kept = self.statistics.current("reserved_bytes") - used
        cap = (
            f" A cap of {readable(int(self.fraction * total))} is set." if self.fraction < 1 else ""
        )
        return OutOfMemoryError(
            f"CUDA out of memory. Tried to allocate {readable(nbytes)}. GPU {self.device} has a total "
            f"capacity of {readable(total)} of which {readable(free)} is free.{cap} Of the memory in use "
            f"here, {readable(used)} is allocated by PyTorch, and {readable(kept)} is reserved by PyTorch "
            "but unallocated."
        )

    # -- blocks that come back --
    def free(self, block: Block) -> None:
        """Take a block back; it waits for the other streams that have used it."""
        notices.tell("memory_deallocation", block.address, block.size)
        self.returned.append(block)
        self._take_back_if_possible()

    def _take_back_if_possible(self) -> None:
        """Take back what has returned, unless somebody is at work here: then it is done by the next one.

        That may be this thread itself, which the collector has interrupted.
        """
        if self.lock.acquire(blocking=False):
            try:
                self._take_back()
            finally:
                self.lock.release()

    def _take_back(self) -> None:
        while self.returned:
            block = self.returned.popleft()
            block.in_use = False
            self._count(block, -1)
            self._note("free_requested", block)
            if not block.users:
                self._make_free(block)
            elif self._is_capturing():
                self.postponed.append(block)
            else:
                self._record(block)
        # What goes back to the driver is waited for, which a capture forbids.
        while self.retired and not self._is_capturing():
            self._retire(self.retired.popleft())

    def _is_capturing(self) -> bool:
        return any(captures for _, _, captures in self.redirected)

    def _record(self, block: Block) -> None:
        users, block.users = block.users, set()
        for stream in sorted(users):
            event = Event()
            event.record(stream)
            block.waiting += 1
            self.pending.append((event, block))

    def process_events(self) -> None:
        """Make blocks free whose other users have come so far."""
        if self._is_capturing():
            return
        postponed, self.postponed = self.postponed, []
        for block in postponed:
            self._record(block)
        left = []
        for event, block in self.pending:
            if event.is_done():
                self._come(block)
            else:
                left.append((event, block))
        self.pending = left

    def _come(self, block: Block) -> None:
        block.waiting -= 1
        if not block.waiting:
            self._make_free(block)

    def wait_for_events(self) -> None:
        """Make all blocks free that wait for other streams."""
        if self.pending or self.postponed:
            self.statistics.syncs += 1
        pending, self.pending = self.pending, []
        for event, block in pending:
            event.synchronize()
            self._come(block)

    def _make_free(self, block: Block) -> None:
        """Add a block to the free ones, joined with its neighbours."""
        pool = block.home
        block.freed = self.requests
        self._note("free_completed", block)
        change = {"active": -1, "active_bytes": -block.size}
        for other in (block.before, block.after):
            if other is not None and self._is_free(other):
                pool.remove(other)
                change["inactive_split"] = change.get("inactive_split", 0) - 1
                change["inactive_split_bytes"] = change.get("inactive_split_bytes", 0) - other.size
                block = self._joined(other, block)
        pool.add(block)
        self.statistics.change(pool.name, **change)
        if not block.is_whole:
            self.statistics.change(pool.name, inactive_split=1, inactive_split_bytes=block.size)
        elif pool.owner is not None and pool.owner.is_over:
            self._release(block)

    def _is_free(self, block: Block) -> bool:
        return not block.in_use and block.key in block.home.blocks

    @staticmethod
    def _joined(one: Block, other: Block) -> Block:
        """The block that two neighbours become: the first of them, made longer."""
        first, second = (one, other) if one.after is other else (other, one)
        first.size += second.size
        first.freed = max(first.freed, second.freed)
        first.after = second.after
        if second.after is not None:
            second.after.before = first
        first.in_use = False
        return first

    def record_use(self, block: Block, stream: Stream) -> None:
        """Note that another stream uses a block: it is not given out before that has come so far."""
        with self.lock:
            if stream.handle != block.stream:
                block.users.add(stream)

    # -- memory that goes back to the driver --
    def release_cached(self) -> None:
        """Give segments that are free as a whole back to the driver."""
        settle()
        with self.lock:
            self._take_back()
            self._release_cached()

    def _release_cached(self) -> None:
        context.enter(self.device)
        self.process_events()
        self.wait_for_events()
        self.release_pool(self.common)

    def release_pool(self, pool: MemoryPool) -> None:
        """The same for one pool's segments."""
        for part in (pool.small, pool.large):
            for block in list(part.blocks.values()):
                if block.is_whole or (block.segment.pages is not None and block.after is None):
                    self._release(block)

    def _release(self, block: Block) -> None:
        """Give a free block's segment back to the driver; of one that grows, the pages at its end that are free."""
        segment, pool, pages = block.segment, block.home, block.segment.pages
        if pages is not None and not block.is_whole:
            self._shrink(block, pages)
            return
        pool.remove(block)
        self._note("segment_free", block)
        if segment.given_by is not None:
            segment.given_by.free(block.address, block.size, self.device, block.stream)
        elif pages is None:
            driver.free(block.address)
        else:
            # Unlike the call above, this one waits for nobody.
            driver.synchronize_context()
            pages.close()
            self.growing = {key: one for key, one in self.growing.items() if one is not segment}
        del self.segments[segment.address]
        self.statistics.device_frees += 1
        self.statistics.change(pool.name, segment=-1, reserved_bytes=-block.size)

    def _shrink(self, block: Block, pages: Pages) -> None:
        """Give the whole pages back that the last block of a segment has."""
        segment, pool = block.segment, block.home
        less = segment.size - pages.rounded(block.address - segment.address)
        if not less:
            return
        pool.remove(block)
        driver.synchronize_context()
        pages.shrink(less)
        change = {"inactive_split_bytes": -less, "reserved_bytes": -less}
        segment.size -= less
        block.size -= less
        self._note("segment_unmap", block, less)
        self.statistics.device_frees += 1
        if block.size:
            pool.add(block)
        else:
            assert block.before is not None
            block.before.after = None
            change["inactive_split"] = -1
        self.statistics.change(pool.name, **change)

    # -- pools apart --
    @contextlib.contextmanager
    def redirecting(
        self, applies: Callable[[Stream], bool], pool: MemoryPool, captures: bool = False
    ) -> Iterator[None]:
        """A block in which requests come from a pool, if they are made on streams of some kind."""
        entry = applies, pool, captures
        settle()
        with self.lock:
            self.redirected.append(entry)
            pool.users += 1
        choose_shelves()
        try:
            yield
        finally:
            with self.lock:
                self.redirected.remove(entry)
                pool.users -= 1
            choose_shelves()

    def retire(self, pool: MemoryPool) -> None:
        """Let a pool go: what is free of it goes back, the rest becomes everybody's."""
        self.retired.append(pool)
        self._take_back_if_possible()

    def _retire(self, pool: MemoryPool) -> None:
        context.enter(self.device)
        pool.is_over = True
        if pool in self.spare:
            self.spare.remove(pool)
        # Graphs that were replayed may still be at work in it.
        driver.synchronize_context()
        self.process_events()
        self.release_pool(pool)
        self.growing = {key: one for key, one in self.growing.items() if key[0].owner is not pool}
        if pool.given_by is not None:
            # What another library has given goes back there.
            return
        for segment in self.segments.values():
            for block in segment.blocks():
                if block.home.owner is pool:
                    self._adopt(block)

    def _adopt(self, block: Block) -> None:
        """Make a block one of the common pool."""
        home = self.common.small if block.home.is_small else self.common.large
        if self._is_free(block):
            block.home.remove(block)
            home.add(block)
        block.home = home

    # -- what it looks like --
    def snapshot(self, pool: tuple[int, int] | None = None) -> list[dict[str, Any]]:
        """Every segment and its blocks, as PyTorch's viewer of memory reads them.

        Args:
            pool: the name of the pool that is looked at; all of them if None
        """
        settle()
        with self.lock:
            found = [self._segment_facts(self.segments[a]) for a in sorted(self.segments)]
        return [facts for facts in found if pool in (None, facts["segment_pool_id"])]

    def grows_at(self, address: int) -> bool:
        """Whether an address lies in a segment that grows."""
        return any(
            s.pages is not None and s.address <= address < s.address + s.size
            for s in self.segments.values()
        )

    def block_at(self, address: int) -> Block | None:
        """The block that begins at an address, if it is given out."""
        for segment in self.segments.values():
            if segment.address <= address < segment.address + segment.size:
                return next(
                    (b for b in segment.blocks() if b.address == address and b.in_use), None
                )
        return None

    def _segment_facts(self, segment: Segment) -> dict[str, Any]:
        blocks = list(segment.blocks())
        first = blocks[0]
        states = [(b, self._state(b)) for b in blocks]
        return {
            "device": self.device,
            "address": segment.address,
            "total_size": segment.size,
            "allocated_size": sum(b.size for b in blocks if b.in_use),
            "active_size": sum(b.size for b, state in states if state != "inactive"),
            "requested_size": sum(b.requested for b in blocks if b.in_use),
            "stream": first.stream,
            "segment_type": "small" if first.home.is_small else "large",
            "segment_pool_id": self._owner(first).name,
            "is_expandable": segment.pages is not None,
            "frames": [],
            "blocks": [
                {"address": b.address, "size": b.size, "requested_size": b.requested,
                 "state": state, "frames": b.frames if b.in_use else []}
                for b, state in states
            ],
        }  # fmt: skip

    def _state(self, block: Block) -> str:
        if block.in_use:
            return "active_allocated"
        return "inactive" if self._is_free(block) else "active_pending_free"


def readable(nbytes: int) -> str:
    """A number of bytes for people."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if nbytes >= unit:
            return f"{nbytes / unit:.2f} {name}"
    return f"{nbytes} bytes"


class Functions(NamedTuple):
    """Another library's allocator.

    Args:
        allocate: from a size, a device and a stream to an address
        free: takes an address, a size, a device and a stream
    """

    allocate: Callable[[int, int, int], int | None]
    free: Callable[[int, int, int, int], None]


class OtherAllocator(Allocator):
    """Memory that another library gives: a segment for each request, and nothing is kept."""

    def __init__(self, device: int, functions: Functions) -> None:
        super().__init__(device)
        self.functions = functions

    def _allocated(self, nbytes: int, stream: Stream | None) -> Block:
        stream = streams.current(self.device) if stream is None else stream
        with self.lock:
            context.enter(self.device)
            self._take_back()
            self.process_events()
            # Every block has an address of its own.
            nbytes = max(nbytes, 1)
            address = self.functions.allocate(nbytes, self.device, stream.handle)
            if not address:
                raise self._out_of_memory(nbytes)
            segment = Segment(address, nbytes)
            block = Block(address, nbytes, stream.handle, self.common.large, segment)
            segment.first, block.in_use, block.requested = block, True, nbytes
            self.segments[address] = segment
            self._count(block, 1)
            self.statistics.change(block.home.name, segment=1, reserved_bytes=nbytes)
            return block

    def _make_free(self, block: Block) -> None:
        change = {
            "active": -1,
            "active_bytes": -block.size,
            "segment": -1,
            "reserved_bytes": -block.size,
        }
        self.statistics.change(block.home.name, **change)
        del self.segments[block.address]
        self.functions.free(block.address, block.size, self.device, block.stream)


# What is done for more memory before a request fails.
when_short: list[Callable[[], None]] = []
# Who gives memory; None is this allocator.
given_by: Functions | None = None
_allocators: dict[int, Allocator] = {}


def of(device: int) -> Allocator:
    """The allocator of a device."""
    found = _allocators.get(device)
    if found is None:
        context.check(device)
        if not _is_said:
            use_settings(allocator_settings.of_environment())
        made = Allocator(device) if given_by is None else OtherAllocator(device, given_by)
        found = _allocators.setdefault(device, made)
        choose_shelves()
    return found


def known() -> list[Allocator]:
    """The allocators of the devices that have been asked for memory."""
    return list(_allocators.values())


def forget() -> None:
    """Drop all memory: the driver that has it is gone."""
    global given_by
    _allocators.clear()
    given_by = None
    settle()
    choose_shelves()


# -- memory that machine code gives out again --
class _Refills(threading.local):
    """Whether this thread asks for what a shelf has not: then others stay full."""

    are_on = False


_refills = _Refills()


def choose_shelves() -> None:
    """Let blocks lie on shelves, unless somebody wants to know of each that comes and goes."""
    is_open = (
        given_by is None
        and not notices.are_heard()
        and not any(
            a.history is not None or not a.keeps or a.redirected for a in _allocators.values()
        )
    )
    if not is_open:
        settle()
    shelves.words.is_open = int(is_open and bool(_allocators))


def settle() -> None:
    """Take all blocks back that lie on shelves."""
    shelves.drain(_count_reuse)


def _count_reuse(device: int, size: int, times: int, asked: int) -> None:
    found = _allocators.get(device)
    if found is not None:
        statistics = found.statistics
        pool = found.common.of(size).name
        statistics.count_again(
            pool, times, allocation=1, active=1, allocated_bytes=size, active_bytes=size
        )
        statistics.count_again(pool, 1, requested_bytes=asked)


def settled(device: int) -> Allocator:
    """The allocator of a device, which has all back that nobody uses."""
    found = of(device)
    settle()
    return found


def memory_for(nbytes: int, device: int) -> Allocation:
    """Memory for a new storage: what a shelf has, or else what the allocator gives."""
    stream = streams.current(device).handle
    found = shelves.taken(shelves.of(device, rounded(nbytes)), stream, nbytes)
    return Allocation(nbytes, device) if found is None else found


def refill(nbytes: int, device: int) -> Allocation:
    """Memory for machine code that found an empty shelf."""
    _refills.are_on = True
    try:
        return Allocation(nbytes, device)
    finally:
        _refills.are_on = False


class Allocation:
    """A block that is a storage's; it goes back with the storage."""

    __slots__ = ("__weakref__", "allocator", "block", "place", "shelf")

    def __init__(self, nbytes: int, device: int) -> None:
        self.allocator = of(device)
        self.block = self.allocator.allocate(nbytes)
        # Where machine code finds its memory, and puts it when it is free: see `native.shelves`.
        self.place = self.block.address
        is_common = self.block.home.owner is self.allocator.common
        usual = type(self.allocator) is Allocator and is_common
        common = shelves.of(device, rounded(nbytes))
        self.shelf = common.of(self.block.stream).address if usual else 0

    @property
    def address(self) -> int:
        return self.block.address

    def record_stream(self, stream: Stream) -> None:
        # Other streams must have come so far before it is free.
        self.shelf = 0
        self.allocator.record_use(self.block, stream)

    def __del__(self, is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        # A default, because modules may be gone when the interpreter ends.
        if is_over() or not hasattr(self, "block") or context.is_in_bad_fork():
            return
        # If not, its driver is gone, and all memory with it.
        if _allocators.get(self.allocator.device) is self.allocator:
            self.allocator.free(self.block)


notices.when_heard.append(choose_shelves)
if heap_types.supported():
    shelves.keep(Allocation)

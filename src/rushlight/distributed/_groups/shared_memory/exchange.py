"""One rank's side of a group's segment: it joins, performs programs, and notices who is gone."""

from __future__ import annotations

import contextlib
import ctypes
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from rushlight.distributed._groups.machines import this_machine
from rushlight.distributed._groups.shared_memory import layout as layouts
from rushlight.distributed._groups.shared_memory import programs, running
from rushlight.distributed._groups.shared_memory.layout import Layout, Segment
from rushlight.distributed._groups.shared_memory.programs import Place, Program
from rushlight.distributed._stores.base import Store
from rushlight.engine.core.errors import DistBackendError
from rushlight.engine.core.shared_memory import SharedMemory
from rushlight.engine.native.digest import digest

__all__ = ["Exchange", "Waiting", "open_memory", "publish_memory", "unpublish_memory"]

_MOST_PROGRAMS = 128
_MOST_WORDS_KEPT = 1 << 16
# A rank that has left because another was gone says which one.
_LEFT, _LEFT_FOR = 1, 2


def publish_memory(store: Store, key: str, memory: SharedMemory) -> None:
    """Say in a store where a segment is. It has no name: nothing is left of it when its users are gone."""
    store.set(key, f"{os.getpid()} {memory.descriptor} {this_machine().kernel}")


def open_memory(store: Store, key: str, nbytes: int, whose: int) -> SharedMemory:
    """The segment that a rank has published."""
    process, descriptor, machine = store.get(key).decode().split(" ", 2)
    if machine != this_machine().kernel:
        raise DistBackendError(
            f"rank {whose} is on another machine, or in a container of its own: collectives between "
            "machines need MPI (pip install 'rushlight[mpi]', backend='mpi')"
        )
    path = f"/proc/{process}/fd/{descriptor}"
    try:
        opened = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        raise DistBackendError(
            f"cannot open the shared memory of rank {whose} ({path}): {error.strerror}"
        ) from None
    try:
        return SharedMemory.of_descriptor_once(opened, nbytes)
    finally:
        os.close(opened)


def unpublish_memory(store: Store, key: str) -> None:
    """Take a segment that all its users have out of a store, which would grow with every group otherwise."""
    # a program's own store may delete nothing
    with contextlib.suppress(NotImplementedError):
        store.delete_key(key)


class Waiting:
    """Runs programs; between long waits it looks who is gone.

    Args:
        blamed: called with the rank that is waited for and the value; raises if it will never come
    """

    def __init__(self, blamed: Callable[[int, int], None]) -> None:
        self._blamed = blamed

    def run(self, program: Prepared, registers: Any, timeout: timedelta, what: str) -> None:
        """Run a program to its end."""
        state = (ctypes.c_int64 * 2)()
        address, place = ctypes.addressof(registers), ctypes.addressof(state)
        end = 0.0
        while True:
            ended = running.run_unlocked(program.address, program.length, address, place)
            if ended == running.FINISHED:
                return
            rank = state[1]
            if ended == running.MISMATCH:
                raise DistBackendError(
                    f"{what}: rank {rank} makes another call, or one with other shapes or types; "
                    "TORCH_DISTRIBUTED_DEBUG=DETAIL says which"
                )
            instruction = program.words[6 * state[0] : 6 * state[0] + 6]
            self._blamed(rank, registers[instruction[3]] + instruction[4])
            now = time.monotonic()
            end = end or now + timeout.total_seconds()
            if now > end:
                raise DistBackendError(
                    f"{what}: Timed out waiting {timeout.total_seconds() * 1000:.0f}ms for rank {rank}"
                )


class Prepared(NamedTuple):
    """A program as machine code takes it."""

    words: Any
    address: int
    length: int
    rounds: int
    chunks: int
    signature: int
    # What the instructions point to.
    kept: Any

    @classmethod
    def of(cls, program: Program, key: Hashable) -> Prepared:
        """A program that is written."""
        words = program.words
        signature = int.from_bytes(digest(repr(key).encode())[:7], "little")
        address, length = words.buffer_info()
        return cls(
            words, address, length // 6, program.rounds, program.chunks, signature, program._tables
        )


class Exchange:
    """A group's segment and where this rank is in the order of programs.

    Args:
        store: where ranks find each other, with nothing else in it
        rank: this rank
        size: how many there are
        timeout: how long to wait for the others
    """

    def __init__(self, store: Store, rank: int, size: int, timeout: timedelta) -> None:
        self.rank, self.size, self._timeout = rank, size, timeout
        self.layout = Layout(size)
        if rank == 0:
            memory = SharedMemory.with_descriptor(self.layout.nbytes)
            publish_memory(store, "segment", memory)
        else:
            memory = open_memory(store, "segment", self.layout.nbytes, 0)
        self.segment = Segment(memory, self.layout)
        self._round = self._chunk = self._turn = 0
        self._error: str | None = None
        self._programs: OrderedDict[Hashable, Prepared] = OrderedDict()
        self._waiting = Waiting(self._blame)
        self.segment.enter(rank)
        self.perform(("barrier",), programs.barrier, (), timeout, "joining the group")
        if memory.descriptor is not None:
            unpublish_memory(store, "segment")
            os.close(memory.descriptor)
            memory.descriptor = None

    # -- programs --
    def perform(
        self,
        key: tuple[Any, ...],
        write: Callable[..., None],
        addresses: Sequence[int],
        timeout: timedelta,
        what: str,
        *facts: Any,
    ) -> None:
        """Do this rank's part of a collective.

        Args:
            key: what all ranks have to agree on
            write: writes the program, of which places and facts are the arguments
            addresses: where inputs and outputs are
            timeout: how long to wait for somebody
            what: the call, for errors
            facts: further arguments for the writer
        """
        if self._error is not None:
            raise DistBackendError(f"{what}: the group is broken: {self._error}")
        program = self._prepared(key, write, len(addresses), facts)
        base = self.segment.base
        slots = base + self.layout.slots
        odd = self._chunk & 1
        slot_bytes = self.layout.slot_bytes
        registers = (ctypes.c_int64 * (programs.FIRST_PLACE + len(addresses)))(
            0, base, self._round, slots + odd * slot_bytes, slots + (1 - odd) * slot_bytes,
            base + 8 * (self._turn & 1), program.signature, *addresses,
        )  # fmt: skip
        try:
            self._waiting.run(program, registers, timeout, what)
        except BaseException as error:
            self._give_up(error)
            raise
        self._round += program.rounds
        self._chunk += program.chunks
        self._turn += 1

    def largest(self, number: int, timeout: timedelta) -> int:
        """The largest of the numbers that the ranks have."""
        every = (ctypes.c_int64 * (self.size + 1))(number)
        own = ctypes.addressof(every)
        targets = [own + 8 * (1 + q) for q in range(self.size)]
        self.perform(("largest",), _gather_words, (own, *targets), timeout, "exchange of sizes")
        return max(every[1:])

    def _prepared(
        self, key: tuple[Any, ...], write: Callable[..., None], places: int, facts: Any
    ) -> Prepared:
        known = key, facts
        found = self._programs.get(known)
        if found is not None:
            self._programs.move_to_end(known)
            return found
        program = Program(self.rank, self.layout)
        write(program, *[Place(programs.FIRST_PLACE + k) for k in range(places)], *facts)
        made = Prepared.of(program, key)
        if len(made.words) <= _MOST_WORDS_KEPT:
            self._programs[known] = made
            if len(self._programs) > _MOST_PROGRAMS:
                self._programs.popitem(last=False)
        return made

    # -- who is gone --
    def _blame(self, waited_for: int, value: int) -> None:
        """Raise if some rank that should come never will."""
        segment = self.segment
        for rank in range(self.size):
            if rank == self.rank or segment.word(rank, layouts.POSTED).value >= value:
                continue
            self.check_present(rank)

    def check_present(self, rank: int) -> None:
        """Raise if a rank is gone."""
        left = self.segment.word(rank, layouts.LEFT).value
        if left >= _LEFT_FOR and left - _LEFT_FOR != self.rank:
            raise DistBackendError(f"rank {left - _LEFT_FOR} has failed, as rank {rank} found")
        if not self.segment.is_alive(rank):
            process = self.segment.word(rank, layouts.PROCESS).value
            raise DistBackendError(f"rank {rank} (process {process}) has ended")
        if left:
            raise DistBackendError(f"rank {rank} has left the group")

    def missing(self) -> list[int]:
        """The ranks that are gone, or never came."""
        segment = self.segment
        return [
            rank
            for rank in range(self.size)
            if segment.word(rank, layouts.PROCESS).value == 0 or not segment.is_alive(rank)
        ]

    def _give_up(self, error: BaseException) -> None:
        """After an error nobody knows what is in the slots: the group is of no use any more."""
        self._error = str(error) or type(error).__name__
        gone = self.missing()
        self.segment.word(self.rank, layouts.LEFT).value = _LEFT_FOR + gone[0] if gone else _LEFT

    def abort(self, reason: str) -> None:
        """Make all that follows fail."""
        self._error = reason
        self.segment.leave(self.rank)

    def close(self) -> None:
        """Leave the group."""
        self.abort("it has been destroyed")
        self._programs.clear()


def _gather_words(p: Program, source: Place, *targets: Place) -> None:
    programs.all_gather(p, source, targets, [8] * len(targets))

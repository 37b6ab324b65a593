"""The segment that the processes of a group share.

    | rank 0: flags, process | rank 1: ... | rank 0: slot A, slot B | rank 1: slot A, slot B | ...

A rank's flags have cache lines of their own: how many rounds it has posted and who sleeps on that; what call it
makes, for this program and the one before; whether it has left. A slot holds the part of a tensor that is on
its way.
"""

from __future__ import annotations

import ctypes
import os
from typing import NamedTuple

from rushlight.engine.core.shared_memory import SharedMemory

_PAGE = 4096
# A rank's lines: flags, signatures, the process.
_LINES = 256
POSTED, ASLEEP = 0, 8
SIGNATURES = 64  # two words, for programs with even and odd numbers
LEFT = 128
PROCESS, STARTED = 136, 144
SLOT_BYTES = 1 << 19


class Layout(NamedTuple):
    """Where things lie in the segment of a group.

    Args:
        size: how many ranks there are
        slot_bytes: how long a slot is
    """

    size: int
    slot_bytes: int = SLOT_BYTES

    @property
    def slots(self) -> int:
        """Where the slots begin."""
        return -(-self.size * _LINES // _PAGE) * _PAGE

    @property
    def nbytes(self) -> int:
        """How long the segment is."""
        return self.slots + 2 * self.size * self.slot_bytes

    def of_rank(self, rank: int, what: int) -> int:
        """Where something of a rank's lies."""
        return rank * _LINES + what

    def slot(self, rank: int) -> int:
        """How far behind the first rank's slot another rank's lies."""
        return 2 * rank * self.slot_bytes


def start_of(process: int) -> int:
    """When a process was started, in the system's ticks; 0 if there is no such process, or it has ended."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return 0 if fields[0] in (b"Z", b"X") else int(fields[19])


class Segment:
    """The shared memory of a group, as one rank sees it.

    Args:
        memory: the mapping
        layout: where things lie in it
    """

    def __init__(self, memory: SharedMemory, layout: Layout) -> None:
        self.memory, self.layout, self.base = memory, layout, memory.address

    def word(self, rank: int, what: int) -> ctypes.c_int64:
        """A word of a rank's lines."""
        return ctypes.c_int64.from_address(self.base + self.layout.of_rank(rank, what))

    def enter(self, rank: int) -> None:
        """Say which process a rank is."""
        self.word(rank, STARTED).value = start_of(os.getpid())
        self.word(rank, PROCESS).value = os.getpid()

    def is_alive(self, rank: int) -> bool:
        """Whether the process of a rank goes on; one that has not entered yet is thought to."""
        process = self.word(rank, PROCESS).value
        return process == 0 or start_of(process) == self.word(rank, STARTED).value

    def leave(self, rank: int) -> None:
        """Say that a rank takes part no more."""
        self.word(rank, LEFT).value = 1

    def has_left(self, rank: int) -> bool:
        """Whether a rank has said that it takes part no more."""
        return self.word(rank, LEFT).value != 0

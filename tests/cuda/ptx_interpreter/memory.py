"""Memory as a GPU's kernels see it: every access has to lie inside something that is there."""

from __future__ import annotations

import bisect

import numpy as np

# Addresses of the device are nobody's addresses on the host, so that a mix-up is found.
BASE = 0x7_0000_0000
GENERIC_SHARED = 0x10_0000_0000_0000
GENERIC_LOCAL = 0x20_0000_0000_0000


class BadAddress(RuntimeError):
    """A kernel or a copy has touched memory that is not there."""


class Memory:
    """The device's memory: ranges of one array, given out and taken back.

    Args:
        nbytes: how much there is
        place: what the bytes are in, if not in an array of their own
    """

    def __init__(self, nbytes: int = 1 << 26, place: object = None) -> None:
        self.bytes = np.zeros(nbytes, np.uint8) if place is None else np.frombuffer(place, np.uint8)  # type: ignore[call-overload]
        self.starts: list[int] = []
        self.lengths: dict[int, int] = {}
        self._bounds: tuple[np.ndarray, np.ndarray] | None = None

    def allocate(self, nbytes: int, align: int = 256) -> int:
        """The address of a new range; 0 if there is no room."""
        at = BASE
        for start in self.starts:
            if start - at >= nbytes:
                break
            at = -(-(start + self.lengths[start]) // align) * align
        if at + nbytes > BASE + len(self.bytes):
            return 0
        bisect.insort(self.starts, at)
        self.lengths[at] = nbytes
        self._bounds = None
        # Whoever reads what was never written should notice.
        self.bytes[at - BASE : at - BASE + nbytes] = 0xA5
        return at

    def extend(self, start: int, nbytes: int) -> None:
        """Make the range at a start longer, or shorter; it comes and goes with its bytes."""
        before = self.lengths.get(start, 0)
        if not before:
            bisect.insort(self.starts, start)
        self.lengths[start] = before + nbytes
        self._bounds = None
        self.bytes[start + before - BASE : start + before + nbytes - BASE] = 0xA5
        if not self.lengths[start]:
            self.free(start)

    def free(self, address: int) -> None:
        if address not in self.lengths:
            raise BadAddress(f"{address:#x} was never given out, or is free already")
        del self.lengths[address]
        self.starts.remove(address)
        self._bounds = None

    @property
    def used(self) -> int:
        return sum(self.lengths.values())

    def check(self, addresses: np.ndarray, width: int) -> None:
        """Raise unless each of the addresses begins so many bytes that are there."""
        if not addresses.size:
            return
        low, high = int(addresses.min()), int(addresses.max())
        at = bisect.bisect_right(self.starts, low) - 1
        if at < 0 or high + width > self.starts[at] + self.lengths[self.starts[at]]:
            self._check_each(np.atleast_1d(addresses), width)
        # Widths are powers of two.
        off = addresses & np.uint64(width - 1)
        if off.any():
            first = int(np.atleast_1d(addresses)[np.atleast_1d(off) != 0][0])
            raise BadAddress(f"{first:#x} is not aligned to {width} bytes")

    def _check_each(self, addresses: np.ndarray, width: int) -> None:
        if self._bounds is None:
            starts = np.array(self.starts, np.uint64)
            ends = np.array([s + self.lengths[s] for s in self.starts], np.uint64)
            self._bounds = starts, ends
        starts, ends = self._bounds
        which = np.searchsorted(starts, addresses, "right") - 1
        bad = which < 0
        if len(starts):
            bad |= addresses + np.uint64(width) > ends[which]
        if bad.any():
            first = int(addresses[bad][0])
            raise BadAddress(f"{width} bytes at {first:#x} are not in memory that was given out")

    def view(self, address: int, nbytes: int) -> np.ndarray:
        """The bytes of a range, which must be inside of one that was given out."""
        if nbytes:
            self.check(np.array([address], np.uint64), 1)
            self.check(np.array([address + nbytes - 1], np.uint64), 1)
            at = bisect.bisect_right(self.starts, address) - 1
            if address + nbytes > self.starts[at] + self.lengths[self.starts[at]]:
                raise BadAddress(f"{nbytes} bytes at {address:#x} are in several ranges")
        return self.bytes[address - BASE : address - BASE + nbytes]

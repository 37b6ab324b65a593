"""Fourier transforms of rows by cuFFT. Plans are kept, the last used ones, as many as `max_plans` says."""

from __future__ import annotations

import ctypes
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from rushlight.engine.cuda import libraries, streams

# `cudaDataType`, by the types of elements in memory.
_TYPES = {"f32": 0, "f64": 1, "c64": 4, "c128": 5}
FORWARD, INVERSE = -1, 1


class Rows(NamedTuple):
    """Transforms of rows that lie one behind the other.

    Args:
        device: the number of the device
        length: how many numbers a transform is over
        given: the type of what is transformed
        made: the type of the result
        rows: how many there are
    """

    device: int
    length: int
    given: str
    made: str
    rows: int


class Plans:
    """The plans of a device, by what they transform."""

    def __init__(self) -> None:
        self.most = 4096
        self.made: OrderedDict[Rows, tuple[int, int]] = OrderedDict()

    def get(self, rows: Rows) -> tuple[int, int]:
        """A plan's handle, and how much memory it works in."""
        found = self.made.get(rows)
        if found is None:
            found = self.made[rows] = _made(rows)
            self.shrink(self.most)
        self.made.move_to_end(rows)
        return found

    def shrink(self, most: int) -> None:
        """Let the plans go that were used longest ago."""
        while len(self.made) > most:
            _, (handle, _) = self.made.popitem(last=False)
            libraries.call("cufft", "cufftDestroy", ctypes.c_int(handle))


_plans: dict[int, Plans] = {}


def plans(device: int) -> Plans:
    return _plans.setdefault(device, Plans())


def forget() -> None:
    """Drop all plans: the library that has them is another one from now on."""
    _plans.clear()


def _made(rows: Rows) -> tuple[int, int]:
    handle, work = ctypes.c_int(), ctypes.c_size_t()
    libraries.call("cufft", "cufftCreate", ctypes.byref(handle))
    plan = ctypes.c_int(handle.value)
    libraries.call("cufft", "cufftSetAutoAllocation", plan, ctypes.c_int(0))
    own, other = (
        rows.length if kind[0] == "f" or rows.given[0] == rows.made[0] else rows.length // 2 + 1
        for kind in (rows.given, rows.made)
    )
    # A transform with more parts than one is told where its rows lie, also where they lie close.
    size = (ctypes.c_longlong * 1)(rows.length)
    execution = rows.made if rows.made[0] == "c" else rows.given
    libraries.call(
        "cufft", "cufftXtMakePlanMany", plan, ctypes.c_int(1), size,
        (ctypes.c_longlong * 1)(own), ctypes.c_longlong(1), ctypes.c_longlong(own), ctypes.c_int(_TYPES[rows.given]),
        (ctypes.c_longlong * 1)(other), ctypes.c_longlong(1), ctypes.c_longlong(other), ctypes.c_int(_TYPES[rows.made]),
        ctypes.c_longlong(rows.rows), ctypes.byref(work), ctypes.c_int(_TYPES[execution]),
    )  # fmt: skip
    return handle.value, work.value


def work_bytes(rows: Rows) -> int:
    """How much memory a transform works in."""
    return plans(rows.device).get(rows)[1]


def transform(rows: Rows, places: Sequence[int], forward: bool) -> None:
    """Queue a transform on the current stream; the places of what is given, of the result, and of memory to work in."""
    given, made, work = places
    plan = ctypes.c_int(plans(rows.device).get(rows)[0])
    stream = ctypes.c_void_p(streams.current(rows.device).handle)
    libraries.call("cufft", "cufftSetStream", plan, stream)
    libraries.call("cufft", "cufftSetWorkArea", plan, ctypes.c_void_p(work))
    direction = ctypes.c_int(FORWARD if forward else INVERSE)
    libraries.call(
        "cufft", "cufftXtExec", plan, ctypes.c_void_p(given), ctypes.c_void_p(made), direction
    )

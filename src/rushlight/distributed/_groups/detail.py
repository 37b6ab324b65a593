"""Comparing calls before they are made, as ``TORCH_DISTRIBUTED_DEBUG=DETAIL`` asks for."""

from __future__ import annotations

import ctypes
import enum
import os
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from rushlight.distributed._groups.transport import Transport

__all__ = ["DebugLevel", "Fingerprints", "get_debug_level", "set_debug_level"]

# What is told of a call; the rest of a longer text is cut.
_BYTES = 1024


class DebugLevel(enum.IntEnum):
    """How much is looked at."""

    OFF = 0
    INFO = 1
    DETAIL = 2


_level: DebugLevel | None = None


def set_debug_level(level: DebugLevel) -> None:
    """Say how much is looked at in groups that are made from now on."""
    global _level
    _level = DebugLevel(level)


def set_debug_level_from_env() -> None:
    """Let ``TORCH_DISTRIBUTED_DEBUG`` say it."""
    asked = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF")
    if asked.upper() not in DebugLevel.__members__:
        raise RuntimeError(
            "The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL. "
            f"The value provided is {asked!r}"
        )
    set_debug_level(DebugLevel[asked.upper()])


def get_debug_level() -> DebugLevel:
    """How much is looked at."""
    if _level is None:
        set_debug_level_from_env()
    assert _level is not None
    return _level


class Fingerprints:
    """Tells the other ranks of a call and compares it with theirs.

    Args:
        transport: the group's
        rank: this rank
        size: how many there are
        timeout: how long to wait for them
    """

    def __init__(self, transport: Transport, rank: int, size: int, timeout: timedelta) -> None:
        self._transport, self._rank, self._size, self._timeout = transport, rank, size, timeout

    def __call__(self, kind: str, tensors: Sequence[Any], number: int, facts: str) -> None:
        shapes = ", ".join(str(list(tensor.shape)) for tensor in tensors)
        types = ", ".join(dict.fromkeys(str(tensor.dtype) for tensor in tensors))
        said = f", {facts}" if facts else ""
        text = (
            f"CollectiveFingerPrint(SequenceNumber={number}, OpType={kind}{said}, "
            f"TensorShape=[{shapes}], TensorDtypes={types})"
        )
        every = self._told(text)
        for rank, other in enumerate(every):
            if other != every[self._rank]:
                raise RuntimeError(
                    "Detected mismatch between collectives on ranks. "
                    f"Rank {self._rank} is running collective: {every[self._rank]}, but "
                    f"Rank {rank} is running collective: {other}."
                )

    def _told(self, text: str) -> list[str]:
        own = ctypes.create_string_buffer(text.encode()[: _BYTES - 1], _BYTES)
        every = ctypes.create_string_buffer(_BYTES * self._size)
        place = ctypes.addressof(every)
        targets = [place + _BYTES * q for q in range(self._size)]
        self._transport.all_gather(
            ctypes.addressof(own), targets, [_BYTES] * self._size, self._timeout
        )
        raw = every.raw
        return [
            raw[_BYTES * q : _BYTES * (q + 1)].rstrip(b"\0").decode(errors="replace")
            for q in range(self._size)
        ]

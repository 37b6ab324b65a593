"""Objects put into memory and linked, so that a process that compiles nothing loads no LLVM.

Understood is what LLVM writes for kernels on x86-64 under Linux: ELF with a handful of sections and
three kinds of references. Of anything else `link` says so, and LLVM links the object itself.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import platform
import struct
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

_HEADER = struct.Struct("<4sBB10xHH20xQ10xHHH")
_SECTION = np.dtype([
    ("name", "<u4"), ("type", "<u4"), ("flags", "<u8"), ("address", "<u8"), ("offset", "<u8"),
    ("size", "<u8"), ("link", "<u4"), ("info", "<u4"), ("align", "<u8"), ("entry", "<u8"),
])  # fmt: skip
_SYMBOL = np.dtype([
    ("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"),
    ("size", "<u8"),
])  # fmt: skip
_REFERENCE = np.dtype([("at", "<u8"), ("type", "<u4"), ("symbol", "<u4"), ("more", "<i8")])

_64_BITS, _LITTLE, _RELOCATABLE, _X86_64 = 2, 1, 1, 62
# Kinds of sections, and their flags.
_BYTES, _SYMBOLS, _REFERENCES, _ZEROS, _NOTE, _UNWINDING = 1, 2, 4, 8, 7, 0x70000001
_WRITABLE, _IN_MEMORY = 1, 2
# Not for single threads, nor compressed, nor in groups.
_USUAL = 0x77
_UNDEFINED, _FIRST_SPECIAL, _GLOBAL = 0, 0xFF00, 1
# Kinds of references: the distance to a place, to a function, to a word that holds an address.
_PLACE, _FUNCTION = 2, 4
_HELD = (9, 41, 42)
# `mov word, register` becomes `lea place, register` where the place is near.
_MOV, _LEA = 0x8B, 0x8D
# A jump to the address in the eight bytes behind it.
_JUMP = struct.pack("<HiH", 0x25FF, 2, 0x0B0F)
_JUMP_SIZE = 16


class _NotUnderstood(Exception):
    """The object has something that only LLVM knows what to do with."""


def is_for_this_system() -> bool:
    """Whether the objects that LLVM writes here are usually understood."""
    return sys.platform == "linux" and platform.machine().lower() in ("x86_64", "amd64")


def link(
    code: bytes, elsewhere: Callable[[str], int | None] = lambda name: None
) -> dict[str, int] | None:
    """Load an object for good; the addresses of what it defines, None if it is not understood.

    Args:
        code: the object
        elsewhere: the address of what an object before this one defined under a name, if any did
    """
    try:
        return _Object(code, elsewhere).loaded()
    except _NotUnderstood:
        return None


class _Object:
    def __init__(self, code: bytes, elsewhere: Callable[[str], int | None]) -> None:
        self.code = code
        self.elsewhere = elsewhere
        magic, bits, order, kind, processor, table, _, count, _ = _HEADER.unpack_from(code)
        if (magic, bits, order, kind, processor) != (
            b"\x7fELF", _64_BITS, _LITTLE, _RELOCATABLE, _X86_64,
        ):  # fmt: skip
            raise _NotUnderstood
        self.sections = np.frombuffer(code, _SECTION, count, table)
        tables = [s for s in self.sections if s["type"] == _SYMBOLS]
        if len(tables) != 1:
            raise _NotUnderstood
        self.symbols = self.entries(tables[0], _SYMBOL)
        self.names = self.bytes_of(self.sections[tables[0]["link"]])
        self.base = np.zeros(count, np.int64)

    def entries(self, section: Any, kind: np.dtype[Any]) -> Any:
        count = int(section["size"]) // kind.itemsize
        return np.frombuffer(self.code, kind, count, int(section["offset"]))

    def bytes_of(self, section: Any) -> bytes:
        return self.code[section["offset"] : section["offset"] + section["size"]]

    def name(self, symbol: Any) -> str:
        start = int(symbol["name"])
        return self.names[start : self.names.index(b"\0", start)].decode()

    def loaded(self) -> dict[str, int]:
        placed = self.placed_sections()
        constant = [i for i in placed if not self.sections[i]["flags"] & _WRITABLE]
        changing = [i for i in placed if self.sections[i]["flags"] & _WRITABLE]
        references = [
            (int(s["info"]), self.entries(s, _REFERENCE))
            for s in self.sections
            if s["type"] == _REFERENCES and s["info"] in placed
        ]
        # Symbols that are reached by a jump, or through a word that holds their address.
        jumps = sorted({int(n) for _, table in references for n in table["symbol"][
            np.isin(table["type"], _HELD) | (self.symbols["section"][table["symbol"]] == _UNDEFINED)
        ]})  # fmt: skip
        end = self.lay_out(constant, 0)
        first_jump = -(-end // _JUMP_SIZE) * _JUMP_SIZE
        closed = -(-(first_jump + len(jumps) * _JUMP_SIZE) // mmap.PAGESIZE) * mmap.PAGESIZE
        end = self.lay_out(changing, closed)
        addresses = self.outside_addresses()

        memory = _memory(max(end, closed))
        self.base[placed] += memory
        room: Any = (ctypes.c_uint8 * max(end, closed)).from_address(memory)
        image = np.frombuffer(room, np.uint8)
        for i in placed:
            if self.sections[i]["type"] == _BYTES:
                start, content = self.base[i] - memory, self.bytes_of(self.sections[i])
                image[start : start + len(content)] = np.frombuffer(content, np.uint8)
        inside = self.symbols["section"] != _UNDEFINED
        home = np.where(self.symbols["section"] < _FIRST_SPECIAL, self.symbols["section"], 0)
        addresses[inside] = (self.base[home] + self.symbols["value"].astype(np.int64))[inside]

        jump_of = np.zeros(len(self.symbols), np.int64)
        for n, symbol in enumerate(jumps):
            jump_of[symbol] = memory + first_jump + n * _JUMP_SIZE
            text = _JUMP + struct.pack("<q", addresses[symbol])
            start = first_jump + n * _JUMP_SIZE
            image[start : start + _JUMP_SIZE] = np.frombuffer(text, np.uint8)
        for section, table in references:
            self.resolve(image, memory, section, table, addresses, jump_of)
        _close(memory, closed)
        exported = inside & (self.symbols["info"] >> 4 == _GLOBAL)
        return {self.name(self.symbols[i]): int(addresses[i]) for i in np.flatnonzero(exported)}

    def placed_sections(self) -> list[int]:
        """What belongs in memory, but for tables that only exceptions of C++ need."""
        placed = []
        for i, section in enumerate(self.sections):
            if section["flags"] & _IN_MEMORY and section["type"] not in (_UNWINDING, _NOTE):
                if (
                    section["type"] not in (_BYTES, _ZEROS)
                    or section["flags"] & ~np.uint64(_USUAL)
                    or section["align"] > mmap.PAGESIZE
                ):
                    raise _NotUnderstood
                placed.append(i)
        homes = {int(n) for n in self.symbols["section"]} - {_UNDEFINED}
        if any(n >= _FIRST_SPECIAL and n != 0xFFF1 for n in homes):
            raise _NotUnderstood
        return placed

    def lay_out(self, chosen: list[int], start: int) -> int:
        for i in chosen:
            align = max(int(self.sections[i]["align"]), 1)
            start = -(-start // align) * align
            self.base[i] = start
            start += int(self.sections[i]["size"])
        return start

    def outside_addresses(self) -> Any:
        """The addresses of what other objects and the process have, in an array for all symbols."""
        found = np.zeros(len(self.symbols), np.int64)
        for i in np.flatnonzero(self.symbols["section"] == _UNDEFINED):
            if self.symbols[i]["name"]:
                name = self.name(self.symbols[i])
                found[i] = self.elsewhere(name) or _address_in_process(name)
        return found

    def resolve(
        self, image: Any, memory: int, section: int, table: Any, addresses: Any, jump_of: Any
    ) -> None:
        """Write the distances that a section's instructions need."""
        held = np.isin(table["type"], _HELD)
        if not np.all(held | np.isin(table["type"], (_PLACE, _FUNCTION))):
            raise _NotUnderstood
        at = self.base[section] - memory + table["at"].astype(np.int64)
        outside = self.symbols["section"][table["symbol"]] == _UNDEFINED
        if np.any(outside & (table["type"] == _PLACE)):
            raise _NotUnderstood
        goal = np.where(outside, jump_of[table["symbol"]], addresses[table["symbol"]])
        near = held & ~outside & (image[at - 2] == _MOV)
        image[at[near] - 2] = _LEA
        goal = np.where(held & ~near, jump_of[table["symbol"]] + 8, goal)
        distance = (goal + table["more"] - memory - at).astype("<i4")
        image[at[:, None] + np.arange(4)] = distance.view(np.uint8).reshape(-1, 4)


@functools.cache
def _process() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _address_in_process(name: str) -> int:
    try:
        return int(ctypes.cast(getattr(_process(), name), ctypes.c_void_p).value or 0)
    except AttributeError:
        raise _NotUnderstood from None


def _memory(size: int) -> int:
    """Fresh memory. It stays to the very end: code may run when this module is gone."""
    request = _process().mmap
    request.restype, request.argtypes = (
        ctypes.c_void_p,
        [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long],
    )
    found = request(
        None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0
    )
    if found in (None, ctypes.c_void_p(-1).value):
        raise _NotUnderstood
    return int(found)


def _close(memory: int, size: int) -> None:
    """From now on this memory is run and read, and never written."""
    protect = _process().mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    if protect(memory, size, mmap.PROT_READ | mmap.PROT_EXEC):
        raise _NotUnderstood

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

_HEADER = struct.Struct("<4sBB10xHH20xQ10xHHH")
_SECTION = struct.Struct("<4xIQ8xQQIIQ8x")
_SYMBOL = struct.Struct("<IBxHQ8x")
# Where a reference is, its kind and symbol, and what is added.
_REFERENCE = struct.Struct("<QIIq")
_Reference = tuple[int, int, int, int]
_DISTANCE = struct.Struct("<I")

_64_BITS, _LITTLE, _RELOCATABLE, _X86_64 = 2, 1, 1, 62
# Kinds of sections, and their flags.
_BYTES, _SYMBOLS, _REFERENCES, _ZEROS, _NOTE, _UNWINDING = 1, 2, 4, 8, 7, 0x70000001
_WRITABLE, _IN_MEMORY = 1, 2
# Not for single threads, nor compressed, nor in groups.
_USUAL = 0x77
_UNDEFINED, _FIRST_SPECIAL, _ABSOLUTE, _GLOBAL = 0, 0xFF00, 0xFFF1, 1
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


class _Section:
    """A row of an object's table of sections, with the address that the section gets."""

    __slots__ = ("align", "base", "flags", "info", "link", "offset", "size", "type")

    def __init__(self, row: tuple[int, ...]) -> None:
        self.type, self.flags, self.offset, self.size, self.link, self.info, self.align = row
        self.base = 0

    def __contains__(self, flag: int) -> bool:
        return self.flags & flag != 0


class _Object:
    def __init__(self, code: bytes, elsewhere: Callable[[str], int | None]) -> None:
        self.code = code
        self.elsewhere = elsewhere
        magic, bits, order, kind, processor, table, _, count, _ = _HEADER.unpack_from(code)
        if (magic, bits, order, kind, processor) != (
            b"\x7fELF", _64_BITS, _LITTLE, _RELOCATABLE, _X86_64,
        ):  # fmt: skip
            raise _NotUnderstood
        rows = _SECTION.iter_unpack(code[table : table + count * _SECTION.size])
        self.sections = list(map(_Section, rows))
        tables = [section for section in self.sections if section.type == _SYMBOLS]
        if len(tables) != 1:
            raise _NotUnderstood
        # Tuples of where the name is, what the symbol is, its section and its value.
        self.symbols = list(_SYMBOL.iter_unpack(self.bytes_of(tables[0])))
        self.names = self.bytes_of(self.sections[tables[0].link])

    def bytes_of(self, section: _Section) -> bytes:
        return self.code[section.offset : section.offset + section.size]

    def name(self, start: int) -> str:
        return self.names[start : self.names.index(b"\0", start)].decode()

    def loaded(self) -> dict[str, int]:
        placed = self.placed_sections()
        references = [
            (self.sections[table.info], list(_REFERENCE.iter_unpack(self.bytes_of(table))))
            for table in self.sections
            if table.type == _REFERENCES and self.sections[table.info] in placed
        ]
        jumps = self.jumps(references)
        end = self.lay_out([section for section in placed if _WRITABLE not in section], 0)
        first_jump = -(-end // _JUMP_SIZE) * _JUMP_SIZE
        closed = -(-(first_jump + len(jumps) * _JUMP_SIZE) // mmap.PAGESIZE) * mmap.PAGESIZE
        end = self.lay_out([section for section in placed if _WRITABLE in section], closed)
        # Before memory is asked for: it is not given back if a name is unknown.
        outside = self.outside_addresses()

        memory = _memory(max(end, closed))
        for section in placed:
            section.base += memory
            if section.type == _BYTES:
                ctypes.memmove(section.base, self.bytes_of(section), section.size)
        addresses = [
            outside[n] if n in outside else value + self.base_of(home)
            for n, (_, _, home, value) in enumerate(self.symbols)
        ]
        jump_of = dict(zip(jumps, range(memory + first_jump, memory + closed, _JUMP_SIZE)))
        for symbol, place in jump_of.items():
            ctypes.memmove(place, _JUMP + struct.pack("<q", addresses[symbol]), _JUMP_SIZE)
        if references:
            self.resolve(references, memory, closed, addresses, jump_of)
        _close(memory, closed)
        return {
            self.name(name): addresses[n]
            for n, (name, info, home, _) in enumerate(self.symbols)
            if info >> 4 == _GLOBAL and home != _UNDEFINED
        }

    def placed_sections(self) -> list[_Section]:
        """What belongs in memory, but for tables that only exceptions of C++ need."""
        placed = []
        for section in self.sections:
            if _IN_MEMORY in section and section.type not in (_UNWINDING, _NOTE):
                if (
                    section.type not in (_BYTES, _ZEROS)
                    or section.flags & ~_USUAL
                    or section.align > mmap.PAGESIZE
                ):
                    raise _NotUnderstood
                placed.append(section)
        for _, _, home, _ in self.symbols:
            if home >= _FIRST_SPECIAL and home != _ABSOLUTE:
                raise _NotUnderstood
        return placed

    def lay_out(self, chosen: list[_Section], start: int) -> int:
        for section in chosen:
            align = max(section.align, 1)
            section.base = -(-start // align) * align
            start = section.base + section.size
        return start

    def base_of(self, home: int) -> int:
        return self.sections[home].base if home < _FIRST_SPECIAL else 0

    def jumps(self, references: list[tuple[_Section, list[_Reference]]]) -> list[int]:
        """Symbols that are reached by a jump, or through a word that holds their address."""
        return sorted(
            {
                symbol
                for _, table in references
                for _, kind, symbol, _ in table
                if kind in _HELD or self.symbols[symbol][2] == _UNDEFINED
            }
        )

    def outside_addresses(self) -> dict[int, int]:
        """The addresses of what other objects and the process have, by the symbols' numbers."""
        found = {}
        for n, (start, _, home, _) in enumerate(self.symbols):
            if home == _UNDEFINED:
                name = self.name(start)
                found[n] = (self.elsewhere(name) or _address_in_process(name)) if name else 0
        return found

    def resolve(
        self,
        references: list[tuple[_Section, list[_Reference]]],
        memory: int,
        size: int,
        addresses: list[int],
        jump_of: dict[int, int],
    ) -> None:
        """Write the distances that the instructions need."""
        end = max(size, *(section.base - memory + section.size for section, _ in references))
        image: Any = (ctypes.c_uint8 * end).from_address(memory)
        for section, table in references:
            start = section.base - memory
            for place, kind, symbol, more in table:
                at, goal = start + place, addresses[symbol]
                is_outside = self.symbols[symbol][2] == _UNDEFINED
                if kind in _HELD:
                    if not is_outside and image[at - 2] == _MOV:
                        image[at - 2] = _LEA
                    else:
                        goal = jump_of[symbol] + 8
                elif kind == _FUNCTION and is_outside:
                    goal = jump_of[symbol]
                elif is_outside or kind not in (_PLACE, _FUNCTION):
                    raise _NotUnderstood
                _DISTANCE.pack_into(image, at, (goal + more - memory - at) & 0xFFFFFFFF)


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

"""A place in memory that can be called before it is known what is to run there.

Python hashes a built-in function by the address of its code, so that address must stay while what
runs there changes from an entry of the interpreter to compiled code.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import struct
import sys

_READ_AND_RUN = 0x1 | 0x4
_pages: list[mmap.mmap] = []
# The code may be called until the very end of the process.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_pages))


def _code(cell: int) -> bytes | None:
    """Machine code that jumps to the address in a cell; None for a processor not known here."""
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64"):
        # endbr64; mov rax, cell; jmp [rax]
        return b"\xf3\x0f\x1e\xfa\x48\xb8" + struct.pack("<Q", cell) + b"\xff\x20"
    if machine in ("aarch64", "arm64"):
        # ldr x16, cell's address; ldr x16, [x16]; br x16
        instructions = struct.pack("<IIII", 0x58000090, 0xF9400210, 0xD61F0200, 0xD503201F)
        return instructions + struct.pack("<Q", cell)
    return None


class Springboard:
    """Code at a fixed address that goes on where `target` says.

    ``address`` is None where no such code can be made.
    """

    def __init__(self, target: int) -> None:
        self._cell = ctypes.c_uint64(target)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._cell))
        self.address = self._make()

    def _make(self) -> int | None:
        code = _code(ctypes.addressof(self._cell))
        if code is None or not sys.platform.startswith("linux"):
            return None
        page = mmap.mmap(-1, mmap.PAGESIZE)
        page.write(code)
        start = ctypes.addressof(ctypes.c_char.from_buffer(page))
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        _pages.append(page)
        return start if protect(start, mmap.PAGESIZE, _READ_AND_RUN) == 0 else None

    def redirect(self, target: int) -> None:
        """Go on somewhere else from now on."""
        self._cell.value = target

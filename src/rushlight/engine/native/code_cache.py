"""Code objects of texts that are written while a program runs, kept on disk: Python's compiler sees no text twice.

All of them are in one file, which is read when the first is asked for and written anew when Python ends, if texts came that
it had not. Of processes that write at the same time one has its way; the others' texts are kept by those that come later.
"""

from __future__ import annotations

import atexit
import functools
import marshal
import sys
from types import CodeType

from rushlight.engine.native import object_cache
from rushlight.engine.native.digest import digest

# Reading so much takes two milliseconds.
_MOST_BYTES = 1 << 21

# Digests of the texts that this process asked for, and the code of those that were not on disk.
_asked: set[bytes] = set()
_new: dict[bytes, bytes] = {}


def compiled(source: str, filename: str) -> CodeType:
    """The code object of a module's text."""
    key = digest(f"{filename}\n{source}".encode())
    _asked.add(key)
    kept = _kept().get(key) or _new.get(key)
    if kept is not None:
        code: CodeType = marshal.loads(kept)
        return code
    code = compile(source, filename, "exec", dont_inherit=True)
    _new[key] = marshal.dumps(code)
    return code


@functools.cache
def _kept() -> dict[bytes, bytes]:
    """What was on disk when the first text came."""
    return _read()


def _read() -> dict[bytes, bytes]:
    content = object_cache.load(_file())
    found: dict[bytes, bytes] = {} if content is None else marshal.loads(content)
    return found


def _file() -> str:
    # With -O there are no assertions.
    kind = f"{sys.implementation.cache_tag}|{sys.version}|{sys.flags.optimize}"
    return digest(f"code of texts|{kind}".encode()).hex()


def _write() -> None:
    """Add this process's texts to those on disk; if there are too many, the oldest of others go."""
    if not _new:
        return
    found = {**_read(), **_new}
    size = sum(map(len, found.values()))
    for key in list(found):
        if size > _MOST_BYTES and key not in _asked:
            size -= len(found.pop(key))
    object_cache.store(_file(), marshal.dumps(found))
    _new.clear()


atexit.register(_write)

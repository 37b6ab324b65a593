"""Compiled objects on disk, shared by processes.

A file is written under a temporary name and renamed, so readers see all of it or nothing; each
carries a checksum, so a damaged one is dropped and compiled again. A disk that is full or
read-only costs the time of compiling, never an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from pathlib import Path

FORMAT = "v1"
_MAGIC = b"rushlight-object\n"
_DIGEST_SIZE = 16


def folder() -> Path:
    """Where objects are kept: ``RUSHLIGHT_CACHE_DIR``, else the user's cache folder."""
    chosen = os.environ.get("RUSHLIGHT_CACHE_DIR")
    if chosen:
        return Path(chosen) / FORMAT
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "rushlight" / FORMAT


def load(digest: str) -> bytes | None:
    """The object stored under ``digest``, or None if there is no sound one."""
    path = folder() / f"{digest}.o"
    try:
        data = path.read_bytes()
    except OSError:
        return None
    header = len(_MAGIC) + _DIGEST_SIZE
    code = data[header:]
    if data[:header] == _MAGIC + _checksum(code) and code:
        return code
    with contextlib.suppress(OSError):
        path.unlink()
    return None


def store(digest: str, code: bytes) -> None:
    """Keep an object under ``digest``, if the disk takes it."""
    target = folder()
    temporary = None
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=target, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + _checksum(code) + code)
        os.replace(temporary, target / f"{digest}.o")
    except OSError:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def info() -> tuple[Path, int, int]:
    """The folder, how many objects it holds, and their bytes."""
    sizes = [size for _, size in _files()]
    return folder(), len(sizes), sum(sizes)


def clear() -> int:
    """Delete every stored object; the number of files that went."""
    gone = 0
    for path, _ in _files():
        with contextlib.suppress(OSError):
            path.unlink()
            gone += 1
    return gone


def _files() -> list[tuple[Path, int]]:
    try:
        return [
            (path, path.stat().st_size)
            for path in folder().iterdir()
            if path.suffix == ".o" or path.name.startswith(".new-")
        ]
    except OSError:
        return []


def _checksum(code: bytes) -> bytes:
    return hashlib.blake2b(code, digest_size=_DIGEST_SIZE).digest()

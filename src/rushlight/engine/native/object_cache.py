"""Compiled objects on disk, shared by processes.

A file is written under a temporary name and renamed, so readers see all of it or nothing; each
carries a checksum of its name and content, so one that is damaged, or another's, is dropped and
compiled again. A disk that is full or read-only costs the time of compiling, never an error.

Objects are run, so they are taken only from plain files in a folder that nobody but this user, or
the system's administrator, can write to. That is asked of descriptors which are open already.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
import warnings
from collections.abc import Iterator

from rushlight.engine.native import unfinished
from rushlight.engine.native.digest import SIZE, digest

FORMAT = "v2"
_FORMATS = re.compile(r"v[0-9]")
_MAGIC = b"rushlight-object\n"
_LARGEST = 1 << 28
_UNFINISHED = ".new-"
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
_refused: set[str] = set()


def folder() -> str:
    """Where objects are kept: ``RUSHLIGHT_CACHE_DIR``, else the user's cache folder."""
    chosen = os.environ.get("RUSHLIGHT_CACHE_DIR")
    if chosen:
        return os.path.join(chosen, FORMAT)
    if sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "rushlight", FORMAT)


def load(digest: str) -> bytes | None:
    """The object stored under ``digest``, or None if there is no sound one."""
    name = f"{digest}.o"
    with contextlib.suppress(OSError), _opened_folder() as place:
        data = _content(name, place) if place is not None else None
        if data is None:
            return None
        header = len(_MAGIC) + SIZE
        code = data[header:]
        if data[:header] == _MAGIC + _checksum(digest, code) and code:
            return code
        os.unlink(name, dir_fd=place)
    return None


def store(digest: str, code: bytes) -> None:
    """Keep an object under ``digest``, if the disk takes it."""
    with contextlib.suppress(OSError), _opened_folder(make=True) as place:
        claimed = None
        if place is not None:
            claimed = unfinished.claim(_UNFINISHED + digest, place, 0o600)
        if place is None or claimed is None:
            # Nobody may be believed here, or another process writes the same object.
            return
        handle, temporary = claimed
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + _checksum(digest, code) + code)
                file.flush()
                os.replace(temporary, f"{digest}.o", src_dir_fd=place, dst_dir_fd=place)
        except OSError:
            os.unlink(temporary, dir_fd=place)


@contextlib.contextmanager
def _opened_folder(make: bool = False) -> Iterator[int | None]:
    """A descriptor of the folder; None, after a warning, if others could have written to it."""
    place = folder()
    try:
        descriptor = os.open(place, _READ | os.O_DIRECTORY)
    except FileNotFoundError:
        if not make:
            raise
        os.makedirs(place, mode=0o700, exist_ok=True)
        descriptor = os.open(place, _READ | os.O_DIRECTORY)
    try:
        why = _distrust(os.fstat(descriptor))
        if why and place not in _refused:
            _refused.add(place)
            warnings.warn(
                f"the kernels in {place} are not used, because {why}: they are compiled again in "
                "every process. Give the folder to the user that runs this program, and write "
                "permission to nobody else, or choose another one by RUSHLIGHT_CACHE_DIR",
                UserWarning,
                stacklevel=2,
            )
        yield None if why else descriptor
    finally:
        os.close(descriptor)


def _distrust(facts: os.stat_result) -> str:
    """Why what is in a file or folder may come from another user; empty if it cannot."""
    if facts.st_uid not in (os.geteuid(), 0):
        return f"it belongs to user {facts.st_uid}"
    if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write to it (mode {stat.S_IMODE(facts.st_mode):03o})"
    return ""


def _content(name: str, place: int) -> bytes | None:
    """What a file says; None if it is no plain file, or one that others could have written."""
    # Opening a pipe would wait for a writer otherwise.
    descriptor = os.open(name, _READ | os.O_NONBLOCK, dir_fd=place)
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LARGEST or _distrust(facts):
            return None
        return file.read()


def info() -> tuple[str, int, int]:
    """The folder, how many objects it holds, and their bytes."""
    sizes = [size for _, size in _files(folder())]
    return folder(), len(sizes), sum(sizes)


def clear() -> int:
    """Delete every stored object, those of earlier formats too; the number of files that went."""
    gone = 0
    for place in _formats(os.path.dirname(folder())):
        for path, _ in _files(place):
            with contextlib.suppress(OSError):
                os.unlink(path)
                gone += 1
    return gone


def _formats(base: str) -> list[str]:
    """The folders of all formats."""
    with contextlib.suppress(OSError), os.scandir(base) as found:
        return [e.path for e in found if _FORMATS.match(e.name) and e.is_dir(follow_symlinks=False)]
    return []


def _files(place: str) -> list[tuple[str, int]]:
    """The objects in a folder, and what writers left there, with their sizes."""
    with contextlib.suppress(OSError), os.scandir(place) as found:
        return [
            (e.path, e.stat(follow_symlinks=False).st_size)
            for e in found
            if e.name.endswith(".o") or e.name.startswith(_UNFINISHED)
        ]
    return []


def _checksum(name: str, code: bytes) -> bytes:
    return digest(name.encode() + b"\n" + code)

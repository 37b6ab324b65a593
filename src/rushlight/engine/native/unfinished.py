"""Files that are not complete yet, under names that the next writer can take over.

A writer holds a lock on its file. A process that is killed loses it, and so whoever wants the name next
finds the file unlocked and begins it anew: nothing is left behind for good, and nobody has to guess
from ages or process numbers whether a file is still being written.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import threading

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# What opening says if the name belongs to a link, a folder, a socket or somebody else.
_TAKEN = (errno.ELOOP, errno.EMLINK, errno.EISDIR, errno.ENXIO, errno.EACCES, errno.EPERM)


def claim(name: str, folder: int, mode: int = 0o666) -> tuple[int, str] | None:
    """A descriptor of an empty file to write, and its name; None if the name is not to be had.

    The lock goes when the descriptor is closed, so rename the file before. Where the file system
    has no locks, the process's number is added to the name, and nobody takes it over.

    Args:
        name: the file's name
        folder: a descriptor of the folder that it is in
        mode: the permissions of a new file, less the process's mask
    """
    has_locks = _lock(folder, fcntl.LOCK_SH) is not None
    if not has_locks:
        name = f"{name}.{os.getpid()}.{threading.get_ident()}"
    try:
        descriptor = os.open(name, _FLAGS, mode, dir_fd=folder)
    except OSError as error:
        if error.errno in _TAKEN and _exists(name, folder):
            return None
        raise
    try:
        is_free = _is_ours(descriptor) and (not has_locks or _lock(descriptor, fcntl.LOCK_EX))
        if is_free and _is_named(descriptor, name, folder):
            os.ftruncate(descriptor, 0)
            return descriptor, name
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _is_ours(descriptor: int) -> bool:
    """Whether it is a plain file of this user's that has no second name."""
    facts = os.fstat(descriptor)
    return stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid() and facts.st_nlink == 1


def _lock(descriptor: int, kind: int) -> bool | None:
    """Whether a lock was to be had; None if the file system has none."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_named(descriptor: int, name: str, folder: int) -> bool:
    """Whether the file has the name still: before it was locked, its writer may have renamed it."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(descriptor))

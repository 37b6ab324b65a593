"""Memory that several processes can map: mapped files, and segments of the system's memory.

A segment has a descriptor, which is handed from process to process (`with_descriptor`), or a name
under ``/dev/shm`` (`with_name`). Descriptors need no care: the system frees the memory when the
last one is gone. Names stay until somebody removes them; `segment_names` sees to that. It is
imported when the first name is needed, because it brings sockets and processes with it.
"""

from __future__ import annotations

import ctypes
import errno
import itertools
import os
from typing import TYPE_CHECKING, Any

from rushlight.engine.core.errors import OutOfMemoryError
from rushlight.engine.native.memory import MACHINE_BYTES

if TYPE_CHECKING:
    from rushlight.engine.core.segment_names import HeldName

_FOLDER = "/dev/shm"
_READ_WRITE, _SHARED, _PRIVATE = 3, 1, 2
_FAILED = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [
    ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
]  # fmt: skip
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

_numbers = itertools.count()


def _map(descriptor: int, nbytes: int, way: int = _SHARED) -> int:
    """Map a file; mapping by hand keeps no second descriptor, as Python's `mmap` does."""
    if nbytes == 0:
        return 0
    address = _libc.mmap(None, nbytes, _READ_WRITE, way, descriptor, 0)
    if address == _FAILED:
        error = ctypes.get_errno()
        kind = OutOfMemoryError if error == errno.ENOMEM else RuntimeError
        raise kind(f"unable to mmap {nbytes} bytes: {os.strerror(error)} ({error})")
    return int(address)


def _take_space(descriptor: int, nbytes: int) -> None:
    """Give a new segment its size; running out of space here beats a bus error at first use.

    The system would take all memory before it gave up on more than there is.
    """
    if nbytes > MACHINE_BYTES:
        raise OutOfMemoryError(
            f"unable to allocate shared memory of {nbytes} bytes: this machine has {MACHINE_BYTES}"
        )
    try:
        if nbytes:
            os.posix_fallocate(descriptor, 0, nbytes)
    except OSError as error:
        raise OutOfMemoryError(
            f"unable to allocate shared memory of {nbytes} bytes: {error.strerror}"
        ) from None


def _lengthen(descriptor: int, filename: str, nbytes: int) -> None:
    try:
        os.ftruncate(descriptor, nbytes)
    except OSError as error:
        raise RuntimeError(
            f"unable to stretch file <{filename}> to {nbytes} bytes: {error.strerror}"
        ) from None


class SharedMemory:
    """A mapping that lasts as long as this object.

    Args:
        nbytes: its size
        address: where it is
        filename: the file that is mapped, if it is one
        descriptor: the segment's, which belongs to this object
        name: the segment's, which this object holds
    """

    def __init__(
        self,
        nbytes: int,
        address: int,
        filename: str | None = None,
        descriptor: int | None = None,
        name: HeldName | None = None,
    ) -> None:
        self.nbytes, self.address, self.filename = nbytes, address, filename
        self.descriptor, self.name = descriptor, name
        # What a storage was in before it moved here, if others still look at that.
        self.earlier: Any = None

    @classmethod
    def with_descriptor(cls, nbytes: int) -> SharedMemory:
        """A new segment that is handed on by its descriptor."""
        descriptor = os.memfd_create("rushlight", os.MFD_CLOEXEC)
        try:
            _take_space(descriptor, nbytes)
            return cls(nbytes, _map(descriptor, nbytes), descriptor=descriptor)
        except RuntimeError:
            os.close(descriptor)
            raise

    @classmethod
    def of_descriptor(cls, descriptor: int, nbytes: int) -> SharedMemory:
        """The segment of a descriptor, which now belongs to the result."""
        return cls(nbytes, _map(descriptor, nbytes), descriptor=descriptor)

    @classmethod
    def of_descriptor_once(cls, descriptor: int, nbytes: int) -> SharedMemory:
        """The segment of a descriptor, which is not kept: it cannot be handed on from here."""
        return cls(nbytes, _map(descriptor, nbytes))

    @classmethod
    def with_name(cls, nbytes: int) -> SharedMemory:
        """A new segment that is handed on by its name."""
        from rushlight.engine.core import segment_names

        label = f"rushlight_{os.getpid()}_{os.urandom(6).hex()}_{next(_numbers)}"
        name = segment_names.hold_new(f"{_FOLDER}/{label}")
        descriptor = os.open(name.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            _take_space(descriptor, nbytes)
            return cls(nbytes, _map(descriptor, nbytes), name=name)
        finally:
            os.close(descriptor)

    @classmethod
    def of_name(cls, keeper: bytes, path: str, nbytes: int) -> SharedMemory:
        """The segment of a name that was sent here."""
        from rushlight.engine.core import segment_names

        name = segment_names.hold_sent(keeper, path)
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            return cls(nbytes, _map(descriptor, nbytes), name=name)
        finally:
            os.close(descriptor)

    @classmethod
    def of_file(cls, filename: str, nbytes: int, shared: bool) -> SharedMemory:
        """A mapped file; one that is shared is made large enough."""
        flags = os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY
        try:
            descriptor = os.open(filename, flags, 0o600)
        except OSError as error:
            raise RuntimeError(f"unable to open file <{filename}>: {error.strerror}") from None
        try:
            present = os.fstat(descriptor).st_size
            if present < nbytes:
                if not shared:
                    raise RuntimeError(
                        f"file <{filename}> is too small: {present} bytes, {nbytes} needed"
                    )
                _lengthen(descriptor, filename, nbytes)
            address = _map(descriptor, nbytes, _SHARED if shared else _PRIVATE)
            return cls(nbytes, address, filename)
        finally:
            os.close(descriptor)

    def __del__(self, unmap: Any = _libc.munmap, close: Any = os.close) -> None:
        # The functions are defaults because the module may be gone when the interpreter ends.
        if self.address:
            unmap(self.address, self.nbytes)
        if self.descriptor is not None:
            close(self.descriptor)
        if self.name is not None:
            self.name.release()

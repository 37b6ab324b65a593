"""The zip archives that tensors are kept in: plain records, each at a multiple of 64 bytes."""

from __future__ import annotations

import ctypes
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

ALIGNMENT = 64
_LOCAL_HEADER = 30
_NAME_LENGTH_AT = 26
_EXTRA_HEADER = struct.Struct("<2sH")
# A file too long for the plain header's fields has one more field, which comes first.
_ZIP64_EXTRA = 20
_CHUNK = 1 << 20
_LONG = 1 << 16
# A packed record may grow to this size, or so many times its own, before it counts as an attack.
_HARMLESS, _MOST_PACKED = 1 << 26, 200
# What the zip module raises for directories and records that make no sense.
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    EOFError,
    struct.error,
    zlib.error,
    NotImplementedError,
    ValueError,
    RuntimeError,
)


def storage_view(held: Any) -> memoryview:
    """The bytes of a storage."""
    held = held.cpu()
    return memoryview(held._bytes()).cast("B") if held.nbytes() else memoryview(bytearray())


class ArchiveWriter:
    """Writes the records of one archive.

    Args:
        target: a file open for writing
        name: the folder that every record is in
    """

    def __init__(self, target: Any, name: str) -> None:
        self.zip = zipfile.ZipFile(target, "w", zipfile.ZIP_STORED, allowZip64=True)
        self.name = name

    def write(self, record: str, content: Any) -> None:
        """Add a record."""
        view = memoryview(content)
        info = zipfile.ZipInfo(f"{self.name}/{record}")
        info.file_size = view.nbytes
        is_long = view.nbytes * 1.05 > zipfile.ZIP64_LIMIT
        info.extra = self._padding(len(info.filename.encode()) + _ZIP64_EXTRA * is_long)
        with self.zip.open(info, "w", force_zip64=is_long) as record_file:
            record_file.write(view)

    def _padding(self, before: int) -> bytes:
        """An extra field that moves the content to a multiple of the alignment."""
        assert self.zip.fp is not None
        start = self.zip.fp.tell() + _LOCAL_HEADER + before + _EXTRA_HEADER.size
        missing = -start % ALIGNMENT
        return _EXTRA_HEADER.pack(b"FB", missing) + b"Z" * missing

    def __enter__(self) -> ArchiveWriter:
        return self

    def __exit__(self, kind: Any, *exception: Any) -> None:
        if kind is not None:
            # Without a file, closing writes no directory: the archive stays unreadable.
            self.zip.fp = None
        self.zip.close()


def _unreadable(why: object) -> RuntimeError:
    return RuntimeError(f"PytorchStreamReader failed reading zip archive: {why}")


class ArchiveReader:
    """Reads the records of an archive.

    Args:
        source: a seekable file open for reading
    """

    def __init__(self, source: Any) -> None:
        self.file = source
        try:
            self.zip = zipfile.ZipFile(source)
        except _ZIP_ERRORS as error:
            raise _unreadable(f"failed finding central directory ({error})") from None
        names = self.zip.namelist()
        if not names:
            raise _unreadable("it is empty")
        self.name = names[0].partition("/")[0]
        self._check_places()

    def _check_places(self) -> None:
        """Refuse a file in which records share a name or bytes: readers could disagree on them."""
        infos = sorted(self.zip.infolist(), key=lambda info: info.header_offset)
        seen: set[str] = set()
        end, before = 0, ""
        for info in infos:
            if info.filename in seen:
                raise _unreadable(f"two records are called {info.filename}")
            seen.add(info.filename)
            if info.compress_type == zipfile.ZIP_STORED and info.compress_size != info.file_size:
                raise _unreadable(f"{info.filename} has two sizes")
            if info.header_offset < end:
                raise _unreadable(f"{before} and {info.filename} overlap")
            end, before = info.header_offset + _LOCAL_HEADER + info.compress_size, info.filename
        if end > self.zip.start_dir:
            raise _unreadable(f"{before} is cut off")

    def has(self, record: str) -> bool:
        return f"{self.name}/{record}" in self.zip.NameToInfo

    def _info(self, record: str) -> zipfile.ZipInfo:
        try:
            return self.zip.getinfo(f"{self.name}/{record}")
        except KeyError:
            raise RuntimeError(
                f"PytorchStreamReader failed locating file {record}: file not found"
            ) from None

    def size(self, record: str) -> int:
        """The number of bytes of a record."""
        return self._info(record).file_size

    def read(self, record: str) -> bytes:
        """A record's bytes."""
        info = self._info(record)
        if info.file_size > max(_HARMLESS, _MOST_PACKED * info.compress_size):
            raise _unreadable(
                f"{record} would grow from {info.compress_size} bytes to {info.file_size}"
            )
        try:
            return self.zip.read(info)
        except _ZIP_ERRORS as error:
            raise _unreadable(f"{record}: {error}") from None

    def offset(self, record: str) -> int:
        """Where a record's bytes start in the file."""
        info = self._info(record)
        if info.compress_type != zipfile.ZIP_STORED:
            raise _unreadable(f"{record} is compressed, so it cannot be mapped")
        self.file.seek(info.header_offset + _NAME_LENGTH_AT)
        lengths = self.file.read(4)
        if len(lengths) < 4:
            raise _unreadable(f"{record} is cut off")
        return int(info.header_offset + _LOCAL_HEADER + sum(struct.unpack("<HH", lengths)))

    def read_into(self, record: str, target: memoryview) -> None:
        """Read a record to where it stays, and check its sum."""
        info = self._info(record)
        if info.compress_type != zipfile.ZIP_STORED:
            self._unpack_into(record, info, target)
            return
        self.file.seek(self.offset(record))
        total = 0
        for piece in _pieces(target):
            if not _fill(self.file, piece):
                raise _unreadable(f"{record} is cut off")
            total = _sum_of(piece, total)
        if total != info.CRC:
            raise _unreadable(f"{record} has a wrong check sum: the file is damaged")

    def _unpack_into(self, record: str, info: zipfile.ZipInfo, target: memoryview) -> None:
        try:
            with self.zip.open(info) as source:
                is_whole = all(_fill(source, piece) for piece in _pieces(target))
        except _ZIP_ERRORS as error:
            raise _unreadable(f"{record}: {error}") from None
        if not is_whole:
            raise _unreadable(f"{record} is cut off")

    def close(self) -> None:
        self.zip.close()


def _fill(source: Any, piece: memoryview) -> bool:
    """Read until a piece is full; False if the file ends before."""
    at = 0
    while at < len(piece):
        if hasattr(source, "readinto"):
            count = source.readinto(piece[at:])
        else:
            found = source.read(len(piece) - at)
            count = len(found)
            piece[at : at + count] = found
        if not count:
            return False
        at += count
    return True


def _sum_of(piece: memoryview, before: int) -> int:
    """The check sum of bytes that may be written, after those whose sum is ``before``."""
    if len(piece) < _LONG:
        return zlib.crc32(piece, before)
    # Imported, and compiled, for long records alone.
    from rushlight.engine.native import checksum

    return checksum.crc32(piece, before)


def _pieces(target: memoryview) -> Iterator[memoryview]:
    for start in range(0, len(target), _CHUNK):
        yield target[start : start + _CHUNK]


def is_archive(source: Any) -> bool:
    """Whether a file's next bytes are those that archives start with."""
    start = source.tell()
    found = source.read(4)
    source.seek(start)
    return bool(found == b"PK\x03\x04")


def copy_bytes(target: Any, content: bytes) -> None:
    """Put bytes into a storage of the same length."""
    ctypes.memmove(target._ptr, content, len(content))

"""The records of PyTorch's files, one by one."""

from __future__ import annotations

import os
from typing import Any

import rushlight
from rushlight import Tensor

__all__ = ["PyTorchFileReader"]


class PyTorchFileReader:
    """Reads an archive's records.

    Args:
        name_or_buffer: a file's path, or a file that is open for reading and can be searched
    """

    def __init__(self, name_or_buffer: Any) -> None:
        # `_C` has this class, and is imported by programs that never read a file.
        from rushlight._files.archive import ArchiveReader

        is_path = isinstance(name_or_buffer, (str, os.PathLike))
        # open as long as the reader is used
        self._file = open(name_or_buffer, "rb") if is_path else name_or_buffer  # noqa: SIM115
        self._archive = ArchiveReader(self._file)

    def get_record(self, name: str) -> bytes:
        """A record's bytes."""
        return self._archive.read(name)

    def has_record(self, name: str) -> bool:
        return self._archive.has(name)

    def get_all_records(self) -> list[str]:
        """The names of all records."""
        return [n.partition("/")[2] for n in self._archive.zip.namelist()]

    def get_record_offset(self, name: str) -> int:
        """Where a record's bytes start in the file."""
        return self._archive.offset(name)

    def get_storage_from_record(self, name: str, numel: int, dtype: Any) -> Tensor:
        """So many elements of a record, as a tensor that owns its memory.

        Args:
            name: the record's name
            numel: how many elements
            dtype: their type; `UntypedStorage` for bytes
        """
        if dtype is rushlight.UntypedStorage:
            dtype = rushlight.uint8
        data = bytearray(self._archive.read(name))
        if not numel:
            return rushlight.empty(0, dtype=dtype)
        return rushlight.frombuffer(data, dtype=dtype, count=numel)

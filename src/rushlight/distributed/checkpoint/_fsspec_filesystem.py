"""Checkpoints in whatever fsspec reaches: other machines, archives, memory. The package is only needed for these."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fsspec.core import url_to_fs  # type: ignore[import-untyped]

from rushlight.distributed.checkpoint.filesystem import (
    FileSystemBase,
    FileSystemReader,
    FileSystemWriter,
    SerializationFormat,
)

__all__ = ["FsspecReader", "FsspecWriter"]


class FileSystem(FileSystemBase):
    """A file system of fsspec: the one that the address of the first path names."""

    def __init__(self) -> None:
        self.fs: Any = None

    @contextlib.contextmanager
    def create_stream(self, path: Any, mode: str) -> Iterator[Any]:
        path = os.fspath(path)
        try:
            with self.fs.open(path, mode) as stream:
                yield stream
        except BaseException:
            if not mode.startswith("r"):
                # Half a file is worse than none; why it is half is what counts.
                with contextlib.suppress(Exception):
                    self.rm_file(path)
            raise

    def concat_path(self, path: Any, suffix: str) -> str:
        return os.path.join(path, suffix)

    def init_path(self, path: Any, **kwargs: Any) -> Any:
        self.fs, _ = url_to_fs(path, **kwargs)
        return path

    def rename(self, path: Any, new_path: Any) -> None:
        self.fs.rename(path, new_path)

    def mkdir(self, path: Any) -> None:
        self.fs.makedirs(path, exist_ok=True)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        if isinstance(checkpoint_id, Path):
            return False
        try:
            url_to_fs(checkpoint_id)
        except ValueError:
            return False
        return True

    def exists(self, path: Any) -> bool:
        return bool(self.fs.exists(path))

    def rm_file(self, path: Any) -> None:
        self.fs.rm(path)

    def ls(self, path: Any) -> list[str]:
        return list(self.fs.ls(path, detail=False))


class FsspecWriter(FileSystemWriter):
    """Writes a checkpoint to a folder of fsspec's.

    Args:
        path: its address, such as ``memory://here``
        single_file_per_rank: one file for each process and thread; False for one for each item
        sync_files: wait until the disk has them, where there is one
        thread_count: write so many files at once
        per_thread_copy_ahead: accepted
        overwrite: whether there may be a checkpoint already
        _extensions: change the bytes, such as by compressing them
        serialization_format: how chunks are written
        kwargs: for the file system
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        single_file_per_rank: bool = True,
        sync_files: bool = True,
        thread_count: int = 1,
        per_thread_copy_ahead: int = 10_000_000,
        overwrite: bool = True,
        _extensions: Sequence[Any] | None = None,
        serialization_format: SerializationFormat = SerializationFormat.TORCH_SAVE,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            path, single_file_per_rank, sync_files, thread_count, per_thread_copy_ahead,
            overwrite=overwrite, _extensions=_extensions, serialization_format=serialization_format,
        )  # fmt: skip
        files = self.fs = FileSystem()
        self.path = files.init_path(path, **kwargs)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        return FileSystem.validate_checkpoint_id(checkpoint_id)


class FsspecReader(FileSystemReader):
    """Reads a checkpoint from a folder of fsspec's.

    Args:
        path: its address
        kwargs: for the file system
    """

    def __init__(self, path: str | os.PathLike[str], **kwargs: Any) -> None:
        super().__init__(path)
        files = self.fs = FileSystem()
        self.path = files.init_path(path, **kwargs)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        return FileSystem.validate_checkpoint_id(checkpoint_id)

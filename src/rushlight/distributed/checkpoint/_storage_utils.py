"""The storage that a name means."""

from __future__ import annotations

import os
from typing import Any


def _storage_setup(
    storage: Any, checkpoint_id: str | os.PathLike[str] | None, reader: bool = False
) -> Any:
    """The storage to use: that which is given, or the folder that a name means."""
    from rushlight.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter

    if storage is not None:
        storage.reset(checkpoint_id)
        return storage
    if not checkpoint_id:
        raise RuntimeError(
            "`checkpoint_id` must be specified if storage_reader/storage_writer is None."
        )
    kind: Any = FileSystemReader if reader else FileSystemWriter
    if not kind.validate_checkpoint_id(checkpoint_id):
        raise RuntimeError(
            "Cannot detect which StorageReader or StorageWriter to use. Please specify the "
            f"storage_reader/storage_writer. The checkpoint is {checkpoint_id}"
        )
    return kind(checkpoint_id)

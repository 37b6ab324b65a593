"""Checkpoints of several processes: each writes what it has, any number of others reads it.

`planner` says what is asked of those who decide what goes where, `storage` what is asked of a place where it is kept;
`default_planner` and `filesystem` are the ones that are taken if none is given. `state_dict_saver` and
`state_dict_loader` lead the processes through it.
"""

from __future__ import annotations

from rushlight.distributed.checkpoint.api import CheckpointException
from rushlight.distributed.checkpoint.default_planner import DefaultLoadPlanner, DefaultSavePlanner
from rushlight.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from rushlight.distributed.checkpoint.hf_storage import (
    HuggingFaceStorageReader,
    HuggingFaceStorageWriter,
)
from rushlight.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    TensorStorageMetadata,
)
from rushlight.distributed.checkpoint.optimizer import load_sharded_optimizer_state_dict
from rushlight.distributed.checkpoint.planner import (
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    WriteItem,
)
from rushlight.distributed.checkpoint.state_dict_loader import load, load_state_dict
from rushlight.distributed.checkpoint.state_dict_saver import async_save, save, save_state_dict
from rushlight.distributed.checkpoint.storage import StorageReader, StorageWriter

__all__ = [
    "BytesStorageMetadata",
    "CheckpointException",
    "ChunkStorageMetadata",
    "DefaultLoadPlanner",
    "DefaultSavePlanner",
    "FileSystemReader",
    "FileSystemWriter",
    "HuggingFaceStorageReader",
    "HuggingFaceStorageWriter",
    "LoadPlan",
    "LoadPlanner",
    "Metadata",
    "ReadItem",
    "SavePlan",
    "SavePlanner",
    "StorageReader",
    "StorageWriter",
    "TensorStorageMetadata",
    "WriteItem",
    "async_save",
    "load",
    "load_sharded_optimizer_state_dict",
    "load_state_dict",
    "save",
    "save_state_dict",
]

"""Checkpoints of several processes, which are not there yet."""

from __future__ import annotations

from rushlight._names.absent import absent_class, absent_functions

_WHAT = "checkpoints of several processes"
_CLASSES = (
    "FileSystemReader", "FileSystemWriter", "LoadPlanner", "SavePlanner", "StorageReader", "StorageWriter",
    "DefaultLoadPlanner", "DefaultSavePlanner", "HuggingFaceStorageReader", "HuggingFaceStorageWriter",
)  # fmt: skip

globals().update({name: absent_class(__name__, name, _WHAT) for name in _CLASSES})
globals().update(
    absent_functions(
        __name__, ["async_save", "load", "load_state_dict", "save", "save_state_dict"], _WHAT
    )
)

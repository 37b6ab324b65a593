"""Checkpoints that several processes write and read, which are not there yet."""

from __future__ import annotations

from rushlight._names.absent import absent_class, absent_functions

_WHAT = "checkpoints of several processes"
for _name in ("FileSystemReader", "FileSystemWriter", "StorageReader", "StorageWriter"):
    globals()[_name] = absent_class(__name__, _name, _WHAT)

globals().update(absent_functions(__name__, ["async_save", "load", "save"], _WHAT))

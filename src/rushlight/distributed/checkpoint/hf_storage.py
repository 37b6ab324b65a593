"""Checkpoints in safetensors' files, which are not there yet."""

from __future__ import annotations

from typing import Any

from rushlight._names.absent import absent_class

_WHAT = "checkpoints of several processes"

HuggingFaceStorageReader: Any = absent_class(__name__, "HuggingFaceStorageReader", _WHAT)
HuggingFaceStorageWriter: Any = absent_class(__name__, "HuggingFaceStorageWriter", _WHAT)

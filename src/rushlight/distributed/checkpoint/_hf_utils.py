"""How checkpoints lie in safetensors' files: names of files, and what these say besides their tensors."""

from __future__ import annotations

import json
from typing import Any

import rushlight as torch
from rushlight._files.safetensors import Entry, Header
from rushlight.engine.native.records import dataclass

_metadata_fn: str = "model.safetensors.index.json"
SUFFIX = ".safetensors"
SHARDED_DIR_NAME = "sharded"
# Texts in files: where the tensors begin in those that they are parts of, and who wrote them.
CUSTOM_METADATA_KEY = "DCP_SHARDING_INFO"
SAVED_OFFSETS_KEY = "saved_offsets"
_WRITTEN_BY = {"DCP_VERSION": "1.0", "format": "pt"}


@dataclass
class _HFStorageInfo:
    """Where a chunk lies.

    Args:
        relative_path: the file
        shape: its size
        dtype: its type
        entry: where in the file
    """

    relative_path: str
    shape: Any
    dtype: torch.dtype
    entry: Entry | None = None


def _gen_file_name(index: int, largest_index: int, shard_index: int | None = None) -> str:
    """The name of a file: the number of one of several, and of the process that has written it."""
    shard = "" if shard_index is None else f"shard-{shard_index:05d}-"
    return f"{shard}model-{index:05d}-of-{largest_index:05d}{SUFFIX}"


def texts_of(offsets: dict[str, list[int]]) -> dict[str, str]:
    """What a file says of parts that begin at these places."""
    places = {name: {SAVED_OFFSETS_KEY: place} for name, place in offsets.items()}
    return {CUSTOM_METADATA_KEY: json.dumps(places), **_WRITTEN_BY}


def offsets_in(header: Header) -> dict[str, list[int]]:
    """Where the tensors of a file begin in those that they are parts of."""
    whole = {name: [0] * len(entry.shape) for name, entry in header.entries.items()}
    text = header.metadata.get(CUSTOM_METADATA_KEY)
    if not text:
        return whole
    try:
        found = {name: list(json.loads(text)[name][SAVED_OFFSETS_KEY]) for name in whole}
    except (KeyError, TypeError, ValueError):
        raise ValueError(
            f"a safetensors file says in {CUSTOM_METADATA_KEY}: {text[:200]}"
        ) from None
    for name, place in found.items():
        if len(place) != len(whole[name]) or not all(type(n) is int and n >= 0 for n in place):
            raise ValueError(f"{name}: a safetensors file has a part of it at {place}")
    return found

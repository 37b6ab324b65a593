"""What a checkpoint says of itself: which tensors it has, in which chunks, and where they lie."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import field
from enum import Enum
from typing import Any

import rushlight
from rushlight.distributed.checkpoint.stateful import StatefulT
from rushlight.engine.core.size import Size
from rushlight.engine.native.records import dataclass

__all__ = [
    "BytesStorageMetadata",
    "ChunkStorageMetadata",
    "Metadata",
    "MetadataIndex",
    "StorageMeta",
    "TensorProperties",
    "TensorStorageMetadata",
]


@dataclass
class ChunkStorageMetadata:
    """A box of a tensor's elements.

    Args:
        offsets: where it begins in each dimension
        sizes: how far it goes
    """

    offsets: Size
    sizes: Size


class _MEM_FORMAT_ENCODING(Enum):
    """Memory formats as files name them."""

    TORCH_CONTIGUOUS_FORMAT = 0
    TORCH_CHANNELS_LAST = 1
    TORCH_PRESERVE_FORMAT = 2


def _formats() -> dict[Any, _MEM_FORMAT_ENCODING]:
    return {
        rushlight.contiguous_format: _MEM_FORMAT_ENCODING.TORCH_CONTIGUOUS_FORMAT,
        rushlight.channels_last: _MEM_FORMAT_ENCODING.TORCH_CHANNELS_LAST,
        rushlight.preserve_format: _MEM_FORMAT_ENCODING.TORCH_PRESERVE_FORMAT,
    }


@dataclass
class TensorProperties:
    """What is needed to make a tensor, but its size."""

    dtype: Any = field(default_factory=lambda: rushlight.get_default_dtype())
    layout: Any = field(default_factory=lambda: rushlight.strided)
    requires_grad: bool = False
    memory_format: Any = field(default_factory=lambda: rushlight.contiguous_format)
    pin_memory: bool = False

    def __getstate__(self) -> tuple[Any, ...]:
        known = _formats()
        if self.memory_format not in known:
            raise RuntimeError(f"Invalid torch.memory_format: {self.memory_format}")
        return (
            self.dtype, self.layout, self.requires_grad, known[self.memory_format], self.pin_memory,
        )  # fmt: skip

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.dtype, self.layout, self.requires_grad, encoding, self.pin_memory = state
        for memory_format, known in _formats().items():
            if known == encoding:
                self.memory_format = memory_format
                return
        raise RuntimeError(f"Invalid torch.memory_format encoding: {encoding}")

    @staticmethod
    def create_from_tensor(tensor: Any) -> TensorProperties:
        """The properties of a tensor; chunks are written as contiguous ones."""
        return TensorProperties(
            dtype=tensor.dtype, layout=tensor.layout, requires_grad=tensor.requires_grad,
            pin_memory=tensor.is_pinned(),
        )  # fmt: skip


@dataclass
class TensorStorageMetadata:
    """A tensor: what it is like, its whole size, and the chunks that there are of it."""

    properties: TensorProperties
    size: Size
    chunks: list[ChunkStorageMetadata]


@dataclass
class BytesStorageMetadata:
    """Anything that is no tensor."""


STORAGE_TYPES = TensorStorageMetadata | BytesStorageMetadata
STATE_DICT_TYPE = dict[str, StatefulT | Any]


@dataclass
class StorageMeta:
    """Which checkpoint, and which saving or loading of it, a planner works for."""

    checkpoint_id: str | os.PathLike[str] | None = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = field(default_factory=list)


@dataclass
class Metadata:
    """What a checkpoint says of itself.

    Args:
        state_dict_metadata: what stands under each name
        planner_data: what the planner wants to know when loading, such as the path behind each name
        storage_data: where the storage has put each chunk
        storage_meta: which checkpoint it is
        version: of the format
    """

    state_dict_metadata: dict[str, STORAGE_TYPES]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None


@dataclass(frozen=True)
class MetadataIndex:
    """The name of a chunk.

    Args:
        fqn: the name of the tensor or object
        offset: where the chunk begins, for a tensor
        index: where it probably stands among the tensor's chunks; two names that differ in it alone are equal
    """

    fqn: str
    offset: Size | None = None
    index: int | None = field(hash=False, compare=False, default=None)

    def __init__(
        self, fqn: str, offset: Sequence[int] | None = None, index: int | None = None
    ) -> None:
        object.__setattr__(self, "fqn", fqn)
        object.__setattr__(self, "index", index)
        object.__setattr__(self, "offset", None if offset is None else Size(offset))

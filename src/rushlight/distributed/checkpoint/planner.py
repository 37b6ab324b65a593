"""Plans: which process writes or reads what. What planners are asked, in this order.

Saving: each process is set up and plans alone, one of them looks at all plans, each finishes its own, then the storage
asks for the data of one item after the other. Loading goes the same way.
"""

from __future__ import annotations

import abc
import io
import math
from enum import Enum, auto
from typing import Any

from rushlight.distributed.checkpoint.metadata import (
    STATE_DICT_TYPE,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
)
from rushlight.engine.core.size import Size
from rushlight.engine.native.records import dataclass

__all__ = [
    "BytesIOWriteData",
    "LoadItemType",
    "LoadPlan",
    "LoadPlanner",
    "ReadItem",
    "SavePlan",
    "SavePlanner",
    "TensorWriteData",
    "WriteItem",
    "WriteItemType",
]


class WriteItemType(Enum):
    """A whole tensor, one of its chunks, or bytes."""

    TENSOR = auto()
    SHARD = auto()
    BYTE_IO = auto()


class LoadItemType(Enum):
    """Elements of a tensor, or bytes."""

    TENSOR = auto()
    BYTE_IO = auto()


@dataclass(frozen=True)
class BytesIOWriteData:
    """How many bytes an object takes."""

    nbytes: int


@dataclass(frozen=True)
class TensorWriteData:
    """A chunk, and the tensor that it is of."""

    chunk: ChunkStorageMetadata
    properties: TensorProperties
    size: Size


@dataclass(frozen=True)
class WriteItem:
    """One thing to be written."""

    index: MetadataIndex
    type: WriteItemType
    bytes_io_data: BytesIOWriteData | None = None
    tensor_data: TensorWriteData | None = None

    def tensor_storage_size(self) -> int | None:
        """The bytes of the whole tensor's elements; None for what is no tensor."""
        if self.tensor_data is None:
            return None
        return math.prod(self.tensor_data.size) * self.tensor_data.properties.dtype.itemsize


@dataclass(frozen=True)
class ReadItem:
    """One box to be read from a stored chunk into one of a tensor here.

    Args:
        type: elements or bytes
        dest_index: the chunk here
        dest_offsets: where the box begins in it
        storage_index: the chunk in the checkpoint
        storage_offsets: where the box begins in that
        lengths: the size of the box
    """

    type: LoadItemType
    dest_index: MetadataIndex
    dest_offsets: Size
    storage_index: MetadataIndex
    storage_offsets: Size
    lengths: Size


@dataclass(frozen=True)
class SavePlan:
    """What one process writes.

    Args:
        items: one after the other
        storage_data: what the storage notes
        planner_data: what the planner notes
        usable: False where the plan of the time before holds
    """

    items: list[WriteItem]
    storage_data: Any = None
    planner_data: Any = None
    usable: bool = True


@dataclass
class LoadPlan:
    """What one process reads."""

    items: list[ReadItem]
    storage_data: Any = None
    planner_data: Any = None


class SavePlanner(abc.ABC):
    """Decides what is written. Classes of users change names, values, or who writes what."""

    @abc.abstractmethod
    def set_up_planner(
        self,
        state_dict: STATE_DICT_TYPE,
        storage_meta: StorageMeta | None = None,
        is_coordinator: bool = False,
    ) -> None:
        """Take what is to be saved.

        Args:
            state_dict: of this process
            storage_meta: which checkpoint it becomes
            is_coordinator: whether this process will look at all plans
        """

    @abc.abstractmethod
    def create_local_plan(self) -> SavePlan:
        """The plan of this process, as it would be alone."""

    @abc.abstractmethod
    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """The plans of all processes, and what the checkpoint says of itself; the coordinator is asked.

        Args:
            all_plans: what each process has planned alone
        """

    @abc.abstractmethod
    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """The plan that this process follows.

        Args:
            new_plan: its part of the common plan
        """

    @abc.abstractmethod
    def resolve_data(self, write_item: WriteItem) -> Any:
        """What is to be written for an item: a tensor, or an ``io.BytesIO``."""


class LoadPlanner(abc.ABC):
    """Decides what is read, and where it goes."""

    @abc.abstractmethod
    def set_up_planner(
        self,
        state_dict: STATE_DICT_TYPE,
        metadata: Metadata | None = None,
        is_coordinator: bool = False,
    ) -> None:
        """Take what is to be loaded into.

        Args:
            state_dict: of this process
            metadata: what the checkpoint says of itself
            is_coordinator: whether this process will look at all plans
        """

    @abc.abstractmethod
    def create_local_plan(self) -> LoadPlan:
        """What this process wants to read."""

    @abc.abstractmethod
    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """The plans of all processes; the coordinator is asked."""

    @abc.abstractmethod
    def finish_plan(self, central_plan: LoadPlan) -> LoadPlan:
        """The plan that this process follows."""

    @abc.abstractmethod
    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Take what was read for an item of bytes."""

    def resolve_bytes(self, read_item: ReadItem) -> io.BytesIO:
        """Where the bytes of an item go."""
        raise NotImplementedError("LoadPlanner.resolve_bytes is not implemented")

    @abc.abstractmethod
    def resolve_tensor(self, read_item: ReadItem) -> Any:
        """The tensor, of the size of the item's box, into which elements are read."""

    @abc.abstractmethod
    def commit_tensor(self, read_item: ReadItem, tensor: Any) -> None:
        """Be told that a tensor of :meth:`resolve_tensor` has its elements."""

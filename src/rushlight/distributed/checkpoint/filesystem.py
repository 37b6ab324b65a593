"""Checkpoints in a folder: ``__rank_number.distcp`` with the chunks of a process, ``.metadata`` with what they are.

A checkpoint is what ``.metadata`` says. It is replaced in one step when all processes have written; until then no file
that it names is touched, so whoever is stopped while saving over an older checkpoint loses nothing of that.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import re
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Any, Final

import rushlight
from rushlight._files.pickles import find_named, make_pickler
from rushlight.distributed.checkpoint.default_planner import _box
from rushlight.distributed.checkpoint.metadata import Metadata, MetadataIndex, StorageMeta
from rushlight.distributed.checkpoint.planner import (
    LoadItemType,
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    WriteItem,
    WriteItemType,
)
from rushlight.distributed.checkpoint.staging import BlockingAsyncStager
from rushlight.distributed.checkpoint.storage import StorageReader, StorageWriter, WriteResult
from rushlight.distributed.checkpoint.utils import _create_file_view
from rushlight.engine.native.records import dataclass
from rushlight.futures import Future

__all__ = [
    "FileSystem",
    "FileSystemBase",
    "FileSystemReader",
    "FileSystemWriter",
    "SerializationFormat",
]

_metadata_fn: str = ".metadata"
CURRENT_DCP_VERSION: Final[str] = "1.0.0"
DEFAULT_SUFFIX = ".distcp"


@dataclass
class _StorageInfo:
    """Where a chunk lies.

    Args:
        relative_path: the file in the folder
        offset: the first byte
        length: how many bytes
        transform_descriptors: what was done to the bytes, such as compressing them
    """

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Sequence[str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass
class _StoragePrefix:
    """How the names of a process's files begin."""

    prefix: str


class SerializationFormat(Enum):
    """How chunks are written."""

    TORCH_SAVE = "torch_save"
    SAFETENSORS = "safetensors"


class _StorageWriterTransforms:
    """What is done to bytes before they are written.

    Args:
        extensions: have ``transform_to(stream)`` and ``get_descriptor()``
    """

    def __init__(self, extensions: Sequence[Any] | None = None) -> None:
        self.extensions = () if extensions is None else extensions

    def transform_save_stream(
        self, write_item: WriteItem, raw_stream: Any
    ) -> tuple[Any, list[str]]:
        stream = raw_stream
        for extension in self.extensions:
            stream = extension.transform_to(stream)
        return stream, [extension.get_descriptor() for extension in reversed(self.extensions)]


def _write_item(
    transforms: _StorageWriterTransforms,
    stream: Any,
    data: Any,
    write_item: WriteItem,
    storage_key: str,
    serialization_format: SerializationFormat = SerializationFormat.TORCH_SAVE,
) -> WriteResult:
    """Write one item behind what is in a stream."""
    if serialization_format is not SerializationFormat.TORCH_SAVE:
        raise NotImplementedError(
            f"FileSystemWriter: chunks are not written as {serialization_format.value} yet"
        )
    offset = stream.tell()
    target, descriptors = transforms.transform_save_stream(write_item, stream)
    if write_item.type == WriteItemType.BYTE_IO:
        target.write(data.getbuffer())
    else:
        if data.device.type != "cpu":
            raise AssertionError(f"{write_item.index.fqn}: expected a tensor on the CPU")
        # Files within a file count from their own beginning.
        held = io.BytesIO()
        rushlight.save(data, held)
        target.write(held.getbuffer())
    if target is not stream:
        target.close() if hasattr(target, "close") else target.flush()
    length = stream.tell() - offset
    return WriteResult(
        index=write_item.index,
        size_in_bytes=length,
        storage_data=_StorageInfo(storage_key, offset, length, descriptors or None),
    )


def _item_size(item: WriteItem) -> int:
    return item.tensor_storage_size() or 0


def _split_by_size_and_type(bins: int, items: list[WriteItem]) -> list[list[WriteItem]]:
    """Items for several files of about the same size; what is no tensor comes first."""
    found: list[list[WriteItem]] = [[] for _ in range(bins)]
    loads = [0] * bins
    others = [item for item in items if item.type == WriteItemType.BYTE_IO]
    tensors = [item for item in items if item.type != WriteItemType.BYTE_IO]
    for number, item in enumerate(others):
        found[number % bins].append(item)
    for item in sorted(tensors, key=_item_size, reverse=True):
        lightest = loads.index(min(loads))
        found[lightest].append(item)
        loads[lightest] += _item_size(item)
    return found


class FileSystemBase(ABC):
    """What is needed of a file system."""

    @abstractmethod
    @contextlib.contextmanager
    def create_stream(self, path: Any, mode: str) -> Iterator[Any]:
        """Open a file, for a block."""

    @abstractmethod
    def concat_path(self, path: Any, suffix: str) -> Any:
        """A path within a folder."""

    @abstractmethod
    def rename(self, path: Any, new_path: Any) -> None:
        """Move a file, over another one if there is one."""

    @abstractmethod
    def init_path(self, path: Any) -> Any:
        """A path as the file system writes it."""

    @abstractmethod
    def mkdir(self, path: Any) -> None:
        """Make a folder, and those that it is in."""

    @classmethod
    @abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        """Whether a name could be a path here."""

    @abstractmethod
    def exists(self, path: Any) -> bool:
        """Whether there is a file or folder."""

    @abstractmethod
    def rm_file(self, path: Any) -> None:
        """Remove a file."""

    def ls(self, path: Any) -> list[str]:
        """The paths of what is in a folder."""
        raise NotImplementedError(f"{type(self).__name__}.ls")


class FileSystem(FileSystemBase):
    """The machine's own files."""

    @contextlib.contextmanager
    def create_stream(self, path: Any, mode: str) -> Iterator[Any]:
        with Path(path).open(mode) as stream:
            yield stream

    def concat_path(self, path: Any, suffix: str) -> Path:
        return Path(path) / suffix

    def init_path(self, path: Any) -> Path:
        return Path(path)

    def rename(self, path: Any, new_path: Any) -> None:
        Path(path).replace(new_path)

    def mkdir(self, path: Any) -> None:
        Path(path).mkdir(parents=True, exist_ok=True)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        if isinstance(checkpoint_id, Path):
            return True
        if "://" in str(checkpoint_id):
            return False
        return any(
            parent.exists() and os.access(str(parent), os.W_OK)
            for parent in Path(checkpoint_id).parents
        )

    def exists(self, path: Any) -> bool:
        return Path(path).exists()

    def rm_file(self, path: Any) -> None:
        Path(path).unlink()

    def ls(self, path: Any) -> list[str]:
        return [str(found) for found in Path(path).iterdir()] if Path(path).is_dir() else []


class _FileSystemWriter(StorageWriter):
    """Writes to a folder, by any file system."""

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
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.fs: FileSystemBase = FileSystem()
        self.path = self.fs.init_path(path)
        self.single_file_per_rank = single_file_per_rank
        self.sync_files = sync_files
        self.thread_count = thread_count
        self.per_thread_copy_ahead = per_thread_copy_ahead
        self.overwrite = overwrite
        self.transforms = _StorageWriterTransforms(_extensions)
        self.serialization_format = serialization_format
        self.save_id = _generate_uuid()

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        if checkpoint_id:
            self.path = self.fs.init_path(checkpoint_id)
        self.save_id = _generate_uuid()

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        self.is_coordinator = is_coordinator

    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        self.fs.mkdir(self.path)
        if self._metadata_exists() and not self.overwrite:
            raise RuntimeError(
                f"There is a checkpoint in {self.path} already, and overwrite is False"
            )
        return plan

    def _metadata_exists(self) -> bool:
        return self.fs.exists(self._get_metadata_path())

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        return [
            replace(plan, storage_data=_StoragePrefix(f"__{rank}_"))
            for rank, plan in enumerate(plans)
        ]

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Any:
        names = self._new_names(plan.storage_data.prefix)
        if self.single_file_per_rank:
            parts = _split_by_size_and_type(max(1, self.thread_count), plan.items)
        else:
            parts = [[item] for item in plan.items]
        work = [(next(names), part) for part in parts if part]

        def write(given: tuple[str, list[WriteItem]]) -> list[WriteResult]:
            return self._write_file(*given, planner)

        if self.thread_count > 1 and len(work) > 1:
            with ThreadPoolExecutor(self.thread_count) as threads:
                written = list(threads.map(write, work))
        else:
            written = list(map(write, work))
        future: Future[Any] = Future()
        future.set_result([result for results in written for result in results])
        return future

    def _new_names(self, prefix: str) -> Iterator[str]:
        """Names of files that there are not yet: an older checkpoint stays whole until this one is."""
        number = 0
        while True:
            name = f"{prefix}{number}{DEFAULT_SUFFIX}"
            if not self.fs.exists(self.fs.concat_path(self.path, name)):
                yield name
            number += 1

    def _write_file(
        self, name: str, items: list[WriteItem], planner: SavePlanner
    ) -> list[WriteResult]:
        with self.fs.create_stream(self.fs.concat_path(self.path, name), "wb") as stream:
            found = []
            for item in items:
                data = planner.resolve_data(item)
                if item.type != WriteItemType.BYTE_IO:
                    data = _own_elements(data)
                found.append(
                    _write_item(
                        self.transforms, stream, data, item, name, self.serialization_format
                    )
                )
            if self.sync_files:
                _sync(stream)
        return found

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        places = {result.index: result.storage_data for found in results for result in found}
        metadata = replace(
            metadata, version=CURRENT_DCP_VERSION, storage_data=places,
            storage_meta=self.storage_meta(),
        )  # fmt: skip
        temporary = self.fs.concat_path(self.path, f"{_metadata_fn}.tmp")
        with self.fs.create_stream(temporary, "wb") as stream:
            make_pickler(stream, 2, lambda storage: None).dump(metadata)
            if self.sync_files:
                _sync(stream)
        self.fs.rename(temporary, self._get_metadata_path())
        self._remove_others({place.relative_path for place in places.values()})

    def _remove_others(self, kept: set[str]) -> None:
        """Remove the files of checkpoints that were here before."""
        try:
            found = self.fs.ls(self.path)
        except NotImplementedError:
            return
        for path in found:
            name = os.path.basename(str(path))
            if name not in kept and re.fullmatch(rf"__\d+_\d+{re.escape(DEFAULT_SUFFIX)}", name):
                self.fs.rm_file(path)

    def storage_meta(self) -> StorageMeta | None:
        return StorageMeta(checkpoint_id=self.checkpoint_id, save_id=self.save_id)

    def _get_metadata_path(self, rank: int | None = None) -> Any:
        name = _metadata_fn if rank is None else f"__{rank}{_metadata_fn}"
        return self.fs.concat_path(self.path, name)

    @property
    def checkpoint_id(self) -> str | os.PathLike[str]:
        """The folder."""
        return self.path  # type: ignore[no-any-return]

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        return FileSystem.validate_checkpoint_id(checkpoint_id)


def _generate_uuid() -> str:
    return str(uuid.uuid4())


def _own_elements(tensor: Any) -> Any:
    """A tensor on the CPU whose storage has nothing but its elements."""
    tensor = tensor.detach().cpu()
    if tensor.untyped_storage().nbytes() != tensor.numel() * tensor.element_size():
        return tensor.clone()
    return tensor


def _sync(stream: Any) -> None:
    """Have the system write what it holds of a file."""
    stream.flush()
    # Files of other systems may have none of the machine's.
    with contextlib.suppress(AttributeError, io.UnsupportedOperation):
        os.fsync(stream.fileno())


class FileSystemWriter(_FileSystemWriter, BlockingAsyncStager):
    """Writes a checkpoint to a folder.

    Args:
        path: the folder
        single_file_per_rank: one file for each process and thread; False for one for each item
        sync_files: wait until the disk has them
        thread_count: write so many files at once
        per_thread_copy_ahead: accepted
        cache_staged_state_dict: keep the copies of an asynchronous save, for the next one
        overwrite: whether there may be a checkpoint already
        _extensions: change the bytes, such as by compressing them
        serialization_format: how chunks are written
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        single_file_per_rank: bool = True,
        sync_files: bool = True,
        thread_count: int = 1,
        per_thread_copy_ahead: int = 10_000_000,
        cache_staged_state_dict: bool = False,
        overwrite: bool = True,
        _extensions: Sequence[Any] | None = None,
        serialization_format: SerializationFormat = SerializationFormat.TORCH_SAVE,
    ) -> None:
        _FileSystemWriter.__init__(
            self, path, single_file_per_rank, sync_files, thread_count, per_thread_copy_ahead,
            overwrite, _extensions, serialization_format,
        )  # fmt: skip
        BlockingAsyncStager.__init__(self, cache_staged_state_dict=cache_staged_state_dict)

    def stage(self, state_dict: Any) -> Any:
        """Copies of the tensors, which are on the CPU then."""
        self.per_thread_copy_ahead = 0
        return super().stage(state_dict)


class _StorageReaderTransforms:
    """Undoes what was done to bytes before they were written.

    Args:
        extension_registry: has ``from_descriptor_list``
    """

    def __init__(self, extension_registry: Any = None) -> None:
        self.extension_registry = extension_registry

    def transform_load_stream(
        self, read_item: ReadItem, transform_descriptors: Sequence[str], raw_stream: Any
    ) -> Any:
        if not transform_descriptors:
            return raw_stream
        if self.extension_registry is None:
            raise ValueError(
                f"{read_item.storage_index.fqn} was written with {list(transform_descriptors)}, which needs "
                "an _extension_registry to be read"
            )
        stream = raw_stream
        for extension in self.extension_registry.from_descriptor_list(transform_descriptors):
            stream = extension.transform_from(stream)
        return stream


_READABLE = {
    ("torch", "Size"), ("torch.serialization", "_get_layout"), ("collections", "OrderedDict"), ("builtins", "set"),
    ("__builtin__", "set"), ("copy_reg", "_reconstructor"), ("builtins", "object"), ("__builtin__", "object"),
    ("pathlib", "PosixPath"), ("pathlib", "WindowsPath"), ("pathlib", "Path"), ("pathlib._local", "PosixPath"),
    ("torch.distributed.checkpoint.filesystem", "_StorageInfo"),
    *(
        ("torch.distributed.checkpoint.metadata", name)
        for name in (
            "BytesStorageMetadata", "ChunkStorageMetadata", "Metadata", "MetadataIndex", "StorageMeta",
            "TensorProperties", "TensorStorageMetadata", "_MEM_FORMAT_ENCODING",
        )
    ),
}  # fmt: skip


class _MetadataUnpickler(pickle.Unpickler):
    """Reads what a checkpoint says of itself, which is data: anything else is refused."""

    def find_class(self, module: str, name: str) -> Any:
        is_type = module == "torch" and isinstance(getattr(rushlight, name, None), rushlight.dtype)
        if (module, name) not in _READABLE and not is_type:
            raise pickle.UnpicklingError(
                f"the metadata of a checkpoint has {module}.{name}, which is nothing that it needs"
            )
        if module.startswith("torch"):
            return find_named(module, name)
        if module.startswith("pathlib"):
            return Path
        return super().find_class(module, name)


class FileSystemReader(StorageReader):
    """Reads a checkpoint from a folder.

    Args:
        path: the folder
        _extension_registry: undoes what a writer's extensions did
    """

    def __init__(self, path: str | os.PathLike[str], _extension_registry: Any = None) -> None:
        super().__init__()
        self.fs: FileSystemBase = FileSystem()
        self.path = self.fs.init_path(path)
        self.storage_data: dict[MetadataIndex, _StorageInfo] = {}
        self.load_id = _generate_uuid()
        self.transforms = _StorageReaderTransforms(_extension_registry)

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        self.storage_data = {}
        if checkpoint_id:
            self.path = self.fs.init_path(checkpoint_id)
        self.load_id = _generate_uuid()

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Any:
        by_file: dict[str, list[ReadItem]] = {}
        for item in plan.items:
            place = self.storage_data[item.storage_index]
            by_file.setdefault(place.relative_path, []).append(item)
        for name, items in by_file.items():
            with self.fs.create_stream(self.fs.concat_path(self.path, name), "rb") as stream:
                self._read_file(stream, items, planner)
        future: Future[None] = Future()
        future.set_result(None)
        return future

    def _read_file(self, stream: Any, items: list[ReadItem], planner: LoadPlanner) -> None:
        held: tuple[Any, Any] = None, None
        for item in sorted(items, key=lambda item: self.storage_data[item.storage_index].offset):
            if held[0] != item.storage_index:
                held = item.storage_index, self._chunk(stream, item)
            found = held[1]
            if item.type == LoadItemType.BYTE_IO:
                planner.load_bytes(item, found)
                continue
            part = _box(found, item.storage_offsets, item.lengths)
            target = planner.resolve_tensor(item).detach()
            if target.size() != part.size():
                raise AssertionError(
                    f"{item.dest_index.fqn}: expected elements for a size of {tuple(target.size())}, got "
                    f"{tuple(part.size())}"
                )
            target.copy_(part)
            planner.commit_tensor(item, target)

    def _chunk(self, stream: Any, item: ReadItem) -> Any:
        """What was written for an item: a tensor, or a stream of bytes."""
        place = self.storage_data[item.storage_index]
        view = self.transforms.transform_load_stream(
            item, place.transform_descriptors or (), self._slice_file(stream, place)
        )
        if item.type == LoadItemType.BYTE_IO:
            return io.BytesIO(view.read())
        seekable = view if isinstance(view, io.BytesIO) else io.BytesIO(view.read())
        return rushlight.load(seekable, map_location="cpu", weights_only=True)

    def _slice_file(self, file: Any, sinfo: _StorageInfo) -> Any:
        return _create_file_view(file, sinfo.offset, sinfo.length)

    def _get_metadata_path(self, rank: int | None = None) -> Any:
        name = _metadata_fn if rank is None else f"__{rank}{_metadata_fn}"
        return self.fs.concat_path(self.path, name)

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        path = self._get_metadata_path(kwargs.get("rank"))
        with self.fs.create_stream(path, "rb") as stream:
            metadata: Metadata = _MetadataUnpickler(stream).load()
        if metadata.storage_meta is None:
            metadata.storage_meta = StorageMeta()
        metadata.storage_meta.load_id = self.load_id
        return metadata

    def set_up_storage_reader(
        self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any
    ) -> None:
        self.storage_data = metadata.storage_data

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        return plans

    @property
    def checkpoint_id(self) -> str | os.PathLike[str]:
        """The folder."""
        return self.path  # type: ignore[no-any-return]

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        return FileSystem.validate_checkpoint_id(checkpoint_id)

"""Checkpoints in safetensors' files, as others load them: tensors only."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import rushlight as torch
from rushlight._files import safetensors
from rushlight.distributed.checkpoint._consolidate_hf_safetensors import (
    consolidate_safetensors_files,
    write_index,
)
from rushlight.distributed.checkpoint._hf_utils import (
    SHARDED_DIR_NAME,
    SUFFIX,
    _gen_file_name,
    _HFStorageInfo,
    _metadata_fn,
    offsets_in,
    texts_of,
)
from rushlight.distributed.checkpoint.filesystem import (
    FileSystemReader,
    FileSystemWriter,
    SerializationFormat,
    _own_elements,
    _sync,
)
from rushlight.distributed.checkpoint.metadata import (
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
    TensorStorageMetadata,
)
from rushlight.distributed.checkpoint.planner import (
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    WriteItem,
    WriteItemType,
)
from rushlight.distributed.checkpoint.storage import WriteResult
from rushlight.futures import Future

__all__ = ["HuggingFaceStorageReader", "HuggingFaceStorageWriter"]


class HuggingFaceStorageWriter(FileSystemWriter):
    """Writes tensors to safetensors' files.

    Args:
        path: the folder
        fqn_to_index_mapping: for each tensor the number of its file, from 1 on; all in one, if not given
        thread_count: write so many files at once
        save_distributed: every process writes the parts that it has; otherwise one has all tensors
        enable_consolidation: write the parts to a folder within, and whole tensors to this one
        thread_count_consolidation: write so many files of whole tensors at once
    """

    def __init__(
        self,
        path: str,
        fqn_to_index_mapping: dict[str, int] | None = None,
        thread_count: int = 1,
        save_distributed: bool = False,
        enable_consolidation: bool = False,
        thread_count_consolidation: int = 1,
    ) -> None:
        super().__init__(
            path, thread_count=thread_count, serialization_format=SerializationFormat.SAFETENSORS
        )
        self.fqn_to_index_mapping = fqn_to_index_mapping
        self.save_distributed = save_distributed
        self.enable_consolidation = enable_consolidation
        self.consolidated_output_path: str | None = None
        if enable_consolidation:
            self.consolidated_output_path = str(self.path)
            self.path = self.fs.concat_path(self.path, SHARDED_DIR_NAME)
        self.thread_count_consolidation = thread_count_consolidation

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        return [
            replace(plan, storage_data=number if self.save_distributed else None)
            for number, plan in enumerate(plans, 1)
        ]

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Any:
        mapping = self.fqn_to_index_mapping
        by_file: dict[str, list[WriteItem]] = {}
        for item in plan.items:
            if item.type == WriteItemType.BYTE_IO:
                raise ValueError(
                    f"{item.index.fqn} is no tensor: safetensors' files have nothing else"
                )
            number = 1 if mapping is None else mapping[item.index.fqn]
            largest = 1 if mapping is None else max(mapping.values())
            name = _gen_file_name(number, largest, plan.storage_data)
            by_file.setdefault(name, []).append(item)
        with ThreadPoolExecutor(max(1, self.thread_count)) as threads:
            written = threads.map(
                lambda name: self._write_tensors(name, by_file[name], planner), by_file
            )
            found = [result for results in written for result in results]
        future: Future[Any] = Future()
        future.set_result(found)
        return future

    def _write_tensors(
        self, name: str, items: list[WriteItem], planner: SavePlanner
    ) -> list[WriteResult]:
        tensors, offsets = {}, {}
        for item in items:
            fqn = item.index.fqn
            if fqn in tensors:
                raise ValueError(
                    f"{fqn}: two parts of one process, and a file has one of each name"
                )
            tensors[fqn] = _own_elements(planner.resolve_data(item))
            offsets[fqn] = list(item.index.offset or [0] * tensors[fqn].dim())
        with self.fs.create_stream(self.fs.concat_path(self.path, name), "wb") as stream:
            safetensors.write(stream, tensors, texts_of(offsets))
            if self.sync_files:
                _sync(stream)
        return [
            WriteResult(
                item.index,
                tensor.numel() * tensor.element_size(),
                _HFStorageInfo(name, tensor.shape, tensor.dtype),
            )
            for item, tensor in zip(items, tensors.values())
        ]

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        if self.save_distributed:
            # Parts alone have no index: it says in which one file a tensor is.
            if self.consolidated_output_path is not None:
                names = metadata.state_dict_metadata
                consolidate_safetensors_files(
                    str(self.path),
                    self.consolidated_output_path,
                    self.fqn_to_index_mapping or dict.fromkeys(names, 1),
                    self.thread_count_consolidation,
                )
            return
        written = [result for found in results for result in found]
        with self.fs.create_stream(self._get_metadata_path(), "w") as stream:
            places = {result.index.fqn: result.storage_data.relative_path for result in written}
            write_index(stream, places, sum(result.size_in_bytes for result in written))

    def _get_metadata_path(self, rank: int | None = None) -> Any:
        return self.fs.concat_path(self.path, _metadata_fn)

    @property
    def metadata_path(self) -> str:
        """The name of the index."""
        return _metadata_fn


class HuggingFaceStorageReader(FileSystemReader):
    """Reads tensors from safetensors' files, whole ones or parts.

    Args:
        path: the folder
        thread_count: read so many files at once
    """

    def __init__(self, path: str, thread_count: int = 1) -> None:
        super().__init__(path)
        self.thread_count = thread_count

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Any:
        by_file: dict[str, list[ReadItem]] = {}
        for item in plan.items:
            place: Any = self.storage_data[item.storage_index]
            by_file.setdefault(place.relative_path, []).append(item)
        with ThreadPoolExecutor(max(1, self.thread_count)) as threads:
            list(
                threads.map(lambda path: self._read_tensors(path, by_file[path], planner), by_file)
            )
        future: Future[None] = Future()
        future.set_result(None)
        return future

    def _read_tensors(self, path: str, items: list[ReadItem], planner: LoadPlanner) -> None:
        with self.fs.create_stream(path, "rb") as stream:
            for item in items:
                place: Any = self.storage_data[item.storage_index]
                part = safetensors.read(stream, place.entry, item.storage_offsets, item.lengths)
                target = planner.resolve_tensor(item).detach()
                if target.size() != part.size():
                    raise AssertionError(
                        f"req {item.storage_index} mismatch sizes {target.size()} vs {part.size()}"
                    )
                target.copy_(part)
                planner.commit_tensor(item, target)

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        chunks: dict[str, list[ChunkStorageMetadata]] = {}
        types: dict[str, torch.dtype] = {}
        storage_data: dict[MetadataIndex, Any] = {}
        for path in sorted(self.fs.ls(self.path)):
            if not path.endswith(SUFFIX):
                continue
            with self.fs.create_stream(path, "rb") as stream:
                header = safetensors.read_header(stream)
            offsets = offsets_in(header)
            for name, entry in header.entries.items():
                offset, shape = torch.Size(offsets[name]), torch.Size(entry.shape)
                chunks.setdefault(name, []).append(ChunkStorageMetadata(offset, shape))
                types[name] = entry.dtype
                index = MetadataIndex(name, offset)
                storage_data[index] = _HFStorageInfo(path, shape, entry.dtype, entry)
        tensors: dict[str, Any] = {
            name: TensorStorageMetadata(TensorProperties(dtype=types[name]), _size(found), found)
            for name, found in chunks.items()
        }
        return Metadata(
            tensors, storage_data=storage_data, storage_meta=StorageMeta(load_id=self.load_id)
        )


def _size(chunks: list[ChunkStorageMetadata]) -> torch.Size:
    """The size of what chunks are parts of."""
    ends = [[o + n for o, n in zip(chunk.offsets, chunk.sizes)] for chunk in chunks]
    return torch.Size(map(max, zip(*ends)))

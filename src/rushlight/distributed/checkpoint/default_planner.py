"""The planners that are taken if none is given."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

import rushlight
from rushlight.distributed.checkpoint._dedup_save_plans import dedup_save_plans
from rushlight.distributed.checkpoint._nested_dict import (
    FLATTEN_MAPPING,
    flatten_state_dict,
)
from rushlight.distributed.checkpoint._traverse import set_element
from rushlight.distributed.checkpoint.metadata import (
    STATE_DICT_TYPE,
    STORAGE_TYPES,
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
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
from rushlight.distributed.checkpoint.planner_helpers import (
    _compare_save_plans,
    _create_default_metadata_only_plan,
    _create_read_items,
    _create_write_items,
    _init_state_dict,
    _merge_delta_local_plans,
)
from rushlight.distributed.checkpoint.resharding import _check_shard_metadata_pair_overlap
from rushlight.distributed.checkpoint.utils import find_state_dict_object

__all__ = [
    "DefaultLoadPlanner",
    "DefaultSavePlanner",
    "create_default_global_load_plan",
    "create_default_global_save_plan",
    "create_default_local_load_plan",
    "create_default_local_save_plan",
]


class DefaultSavePlanner(SavePlanner):
    """Writes nested state dicts flat, and what several processes have once.

    Args:
        flatten_state_dict: whether nested dicts are opened
        flatten_sharded_tensors: accepted
        dedup_replicated_tensors: accepted; it is always done
        dedup_save_to_lowest_rank: let the first process that has something write it, not the one with least to do
        enable_plan_caching: plan again only what differs from the time before
    """

    mappings: FLATTEN_MAPPING
    # What is known of the time before, by the class of the planner.
    _local_before: ClassVar[dict[str, SavePlan]] = {}
    _all_before: ClassVar[dict[str, list[SavePlan]]] = {}

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        dedup_replicated_tensors: bool | None = None,
        dedup_save_to_lowest_rank: bool = False,
        enable_plan_caching: bool = False,
    ) -> None:
        self.flatten_state_dict = flatten_state_dict
        self.flatten_sharded_tensors = flatten_sharded_tensors
        self.mappings = {}
        self.dedup_save_to_lowest_rank = dedup_save_to_lowest_rank
        self._enable_plan_caching = enable_plan_caching
        self._cached_plans_key = type(self).__name__

    def set_up_planner(
        self,
        state_dict: STATE_DICT_TYPE,
        storage_meta: StorageMeta | None = None,
        is_coordinator: bool = False,
    ) -> None:
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten_state_dict(state_dict)
        self.state_dict = state_dict
        self.is_coordinator = is_coordinator

    def create_local_plan(self) -> SavePlan:
        plan = create_default_local_save_plan(self.state_dict, self.is_coordinator)
        if self.flatten_state_dict:
            plan = replace(plan, planner_data=self.mappings)
        self.plan = plan
        if not self._enable_plan_caching:
            return plan
        before = self._local_before.get(self._cached_plans_key)
        if before is not None and _compare_save_plans(plan, before):
            return SavePlan([], usable=False)
        self._local_before[self._cached_plans_key] = plan
        return plan

    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        if self._enable_plan_caching:
            before = self._all_before.get(self._cached_plans_key)
            if before is not None:
                all_plans = _merge_delta_local_plans(before, all_plans)
            self._all_before[self._cached_plans_key] = all_plans
        all_plans = dedup_save_plans(all_plans, self.dedup_save_to_lowest_rank)
        plans, metadata = create_default_global_save_plan(all_plans)
        if self.flatten_state_dict:
            paths: FLATTEN_MAPPING = {}
            # The first process that knows a name says what is behind it.
            for plan in reversed(plans):
                paths.update(plan.planner_data)
            metadata = replace(metadata, planner_data=paths)
        found = _validate_global_plan(plans, metadata)
        if found:
            raise ValueError(f"Failed to validate global plan: {'; '.join(found)}")
        self.global_plan, self.metadata = plans, metadata
        return plans, metadata

    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        self.plan = new_plan
        return new_plan

    def resolve_data(self, write_item: WriteItem) -> Any:
        return self.transform_object(write_item, self.lookup_object(write_item.index))

    def lookup_object(self, index: MetadataIndex) -> Any:
        """What an item names; may be changed to take it from elsewhere."""
        return find_state_dict_object(self.state_dict, index)

    def transform_object(self, write_item: WriteItem, object: Any) -> Any:
        """What is written for it; may be changed to write another type, say."""
        if write_item.type == WriteItemType.BYTE_IO:
            stream = io.BytesIO()
            rushlight.save(object, stream)
            return stream
        return object


class DefaultLoadPlanner(LoadPlanner):
    """Reads into the tensors of a state dict, and replaces what is no tensor.

    Args:
        flatten_state_dict: whether nested dicts are opened
        flatten_sharded_tensors: accepted
        allow_partial_load: let what the checkpoint lacks stay as it is, instead of raising
    """

    original_state_dict: STATE_DICT_TYPE
    mappings: FLATTEN_MAPPING

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        allow_partial_load: bool = False,
    ) -> None:
        self.flatten_state_dict = flatten_state_dict
        self.flatten_sharded_tensors = flatten_sharded_tensors
        self.original_state_dict, self.mappings = {}, {}
        self.allow_partial_load = allow_partial_load

    def set_up_planner(
        self,
        state_dict: STATE_DICT_TYPE,
        metadata: Metadata | None = None,
        is_coordinator: bool = False,
    ) -> None:
        _init_state_dict(state_dict)
        self.original_state_dict = state_dict
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten_state_dict(state_dict)
        self.state_dict, self.metadata, self.is_coordinator = state_dict, metadata, is_coordinator

    def create_local_plan(self) -> LoadPlan:
        assert self.metadata is not None, "a checkpoint is loaded by its metadata"
        return create_default_local_load_plan(
            self.state_dict, self.metadata, not self.allow_partial_load
        )

    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        return create_default_global_load_plan(global_plan)

    def finish_plan(self, new_plan: LoadPlan) -> LoadPlan:
        return new_plan

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        name = read_item.dest_index.fqn
        # Files of others must not run code: classes of programs are named to `torch.serialization.add_safe_globals`.
        found = rushlight.load(value, weights_only=True)
        if self.flatten_state_dict:
            set_element(self.original_state_dict, self.mappings[name], found)
        self.state_dict[name] = found

    def resolve_tensor(self, read_item: ReadItem) -> Any:
        return self.transform_tensor(read_item, self.lookup_tensor(read_item.dest_index))

    def commit_tensor(self, read_item: ReadItem, tensor: Any) -> None:
        pass

    def lookup_tensor(self, index: MetadataIndex) -> Any:
        """The tensor that an item names; may be changed to load into another."""
        return find_state_dict_object(self.state_dict, index)

    def transform_tensor(self, read_item: ReadItem, tensor: Any) -> Any:
        """The part of it that an item is about."""
        return _box(tensor, read_item.dest_offsets, read_item.lengths)


def _box(tensor: Any, offsets: Iterable[int], lengths: Iterable[int]) -> Any:
    """Part of a tensor, as a view."""
    for dim, (offset, length) in enumerate(zip(offsets, lengths)):
        if (offset, length) != (0, tensor.size(dim)):
            tensor = tensor.narrow(dim, offset, length)
    return tensor


class _EmptyStateDictLoadPlanner(DefaultLoadPlanner):
    """Fills an empty state dict with what the checkpoint has.

    Args:
        keys: only these: names, or beginnings of the paths behind them; None for all
    """

    def __init__(self, keys: Any = None, *args: Any, **kwargs: Any) -> None:
        self.keys = keys
        super().__init__(*args, **kwargs)

    def _should_include_key(self, key: str, metadata: Metadata) -> bool:
        if self.keys is None or key in self.keys:
            return True
        beginnings = itertools.accumulate(
            map(str, (metadata.planner_data or {}).get(key, ())), lambda a, b: f"{a}.{b}"
        )
        return any(name in self.keys for name in beginnings)

    def set_up_planner(
        self,
        state_dict: STATE_DICT_TYPE,
        metadata: Metadata | None = None,
        is_coordinator: bool = False,
    ) -> None:
        assert not state_dict, "the state dict must be empty"
        assert metadata is not None, "a checkpoint is loaded by its metadata"
        for name, known in metadata.state_dict_metadata.items():
            if not self._should_include_key(name, metadata):
                continue
            value: Any = known
            if isinstance(known, TensorStorageMetadata):
                value = rushlight.empty(known.size, dtype=known.properties.dtype)
            path = (metadata.planner_data or {}).get(name)
            if path is not None:
                set_element(state_dict, path, value)
            else:
                state_dict[name] = value
        super().set_up_planner(state_dict, metadata, is_coordinator)


def create_default_local_load_plan(
    state_dict: dict[str, Any], metadata: Metadata, strict: bool = True
) -> LoadPlan:
    """What is read into a flat state dict.

    Args:
        state_dict: flat
        metadata: of the checkpoint
        strict: whether what the checkpoint lacks is an error
    """
    items = []
    for name, value in state_dict.items():
        known = metadata.state_dict_metadata.get(name)
        if known is None:
            if strict:
                raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
            continue
        if isinstance(known, TensorStorageMetadata):
            size = getattr(value, "size", None)
            if callable(size) and known.size != size():
                raise ValueError(
                    f"Size mismatch between saved {known.size} and current: {size()} for {name}"
                )
        items += _create_read_items(name, known, value)
    return LoadPlan(items)


def create_default_global_load_plan(all_plans: list[LoadPlan]) -> list[LoadPlan]:
    """The plans as they are: reading needs no agreement.

    Args:
        all_plans: of all processes
    """
    return all_plans


def create_default_local_save_plan(state_dict: dict[str, Any], is_coordinator: bool) -> SavePlan:
    """What one process would write of a flat state dict: all of what is here.

    Args:
        state_dict: flat
        is_coordinator: accepted; what several have is sorted out later
    """
    return SavePlan(
        [i for name, value in state_dict.items() for i in _create_write_items(name, value)]
    )


def create_default_global_save_plan(
    all_plans: list[SavePlan], rewrite_index_hints: bool = True
) -> tuple[list[SavePlan], Metadata]:
    """The plans of all processes with the places of chunks, and what the checkpoint says of itself.

    Args:
        all_plans: of all processes, nothing in two of them
        rewrite_index_hints: whether items say where their chunk stands among the tensor's
    """
    known: dict[str, STORAGE_TYPES] = {}
    found = []
    for plan in all_plans:
        items = []
        for item in plan.items:
            name, data = item.index.fqn, item.tensor_data
            if item.type != WriteItemType.SHARD and name in known:
                raise AssertionError(f"{name} would be written twice")
            if data is None:
                known[name] = BytesStorageMetadata()
                items.append(item)
                continue
            tensor = known.setdefault(
                name, TensorStorageMetadata(data.properties, data.size, chunks=[])
            )
            assert isinstance(tensor, TensorStorageMetadata), f"{name} is a tensor and none"
            if rewrite_index_hints:
                index = replace(item.index, index=len(tensor.chunks))
                item = replace(item, index=index)
            items.append(item)
            tensor.chunks.append(data.chunk)
        found.append(replace(plan, items=items))
    return found, Metadata(known)


def _create_default_local_metadata(state_dict: STATE_DICT_TYPE) -> Metadata:
    """What a checkpoint of this process alone would say of itself."""
    return create_default_global_save_plan([_create_default_metadata_only_plan(state_dict)])[1]


def _check_box_overlap(box0: ChunkStorageMetadata, box1: ChunkStorageMetadata) -> bool:
    return _check_shard_metadata_pair_overlap(box0, box1)


def _check_box_bounds(outer_box_size: Iterable[int], inner_box: ChunkStorageMetadata) -> bool:
    return all(
        offset >= 0 and size >= 0 and offset + size <= whole
        for whole, offset, size in zip(outer_box_size, inner_box.offsets, inner_box.sizes)
    )


def _validate_global_plan(global_plan: list[SavePlan], metadata: Metadata) -> list[str]:
    """What is wrong with a plan: chunks outside their tensor, over each other, or missing."""
    faults = []
    for name, known in metadata.state_dict_metadata.items():
        if not isinstance(known, TensorStorageMetadata):
            continue
        elements = sum(math.prod(chunk.sizes) for chunk in known.chunks)
        for chunk in known.chunks:
            if not _check_box_bounds(known.size, chunk):
                faults.append(f"{name}: {chunk} is not within {known.size}")
        for chunk, other in _overlaps(known.chunks):
            faults.append(f"{name}: {chunk} lies over {other}")
        if elements != math.prod(known.size):
            faults.append(f"{name}: chunks have {elements} of {math.prod(known.size)} elements")
    return faults


def _overlaps(
    chunks: list[ChunkStorageMetadata],
) -> Iterator[tuple[ChunkStorageMetadata, ChunkStorageMetadata]]:
    """Pairs of chunks that have elements in common."""
    if not chunks or not chunks[0].sizes:
        yield from itertools.combinations(chunks, 2)
        return
    # Those that begin behind the end of one in the dimension that is cut most often cannot meet it.
    rank = range(len(chunks[0].sizes))
    dim = max(rank, key=lambda d: len({chunk.offsets[d] for chunk in chunks}))
    ordered = sorted(chunks, key=lambda chunk: chunk.offsets[dim])
    for number, chunk in enumerate(ordered):
        for other in ordered[number + 1 :]:
            if other.offsets[dim] >= chunk.offsets[dim] + chunk.sizes[dim]:
                break
            if _check_box_overlap(chunk, other):
                yield chunk, other

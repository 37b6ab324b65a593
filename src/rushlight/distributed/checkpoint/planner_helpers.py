"""Items of plans, from what stands in state dicts."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import rushlight
from rushlight.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    MetadataIndex,
    TensorProperties,
    TensorStorageMetadata,
)
from rushlight.distributed.checkpoint.planner import (
    BytesIOWriteData,
    LoadItemType,
    ReadItem,
    SavePlan,
    TensorWriteData,
    WriteItem,
    WriteItemType,
)
from rushlight.distributed.checkpoint.resharding import (
    _check_shard_metadata_pair_overlap,
    _shards_get_overlap_region_wrt_saved_tensor,
)
from rushlight.engine.core.size import Size
from rushlight.engine.core.tensor import Tensor

__all__ = ["create_read_items_for_chunk_list"]


def _create_chunk_from_tensor(tensor: Any) -> ChunkStorageMetadata:
    """The box of a whole tensor."""
    size = tensor.size()
    return ChunkStorageMetadata(offsets=Size([0] * len(size)), sizes=size)


def _create_write_item_for_tensor(fqn: str, tensor: Any) -> WriteItem:
    chunk = _create_chunk_from_tensor(tensor)
    return _create_write_item_for_chunk(fqn, tensor, chunk, WriteItemType.TENSOR)


def _create_write_item_for_chunk(
    fqn: str,
    tensor: Any,
    chunk: ChunkStorageMetadata,
    type: WriteItemType = WriteItemType.SHARD,
) -> WriteItem:
    """The item for a box of a tensor, of which there may be others elsewhere."""
    return WriteItem(
        index=MetadataIndex(fqn, chunk.offsets),
        type=type,
        tensor_data=TensorWriteData(
            chunk=chunk,
            properties=TensorProperties.create_from_tensor(tensor),
            size=tensor.size(),
        ),
    )


def _create_write_item_for_bytesio(fqn: str, bytes: Any) -> WriteItem:
    length = bytes.getbuffer().nbytes if isinstance(bytes, io.BytesIO) else 0
    return WriteItem(
        index=MetadataIndex(fqn),
        type=WriteItemType.BYTE_IO,
        bytes_io_data=BytesIOWriteData(nbytes=length),
    )


def _create_write_items(fqn: str, object: Any) -> list[WriteItem]:
    """What this process would write of an object."""
    if hasattr(object, "__create_write_items__"):
        # Tensors that are in parts say themselves which are here.
        return object.__create_write_items__(fqn, object)  # type: ignore[no-any-return]
    if isinstance(object, Tensor):
        return [_create_write_item_for_tensor(fqn, object)]
    return [_create_write_item_for_bytesio(fqn, object)]


def _create_chunk_list(tensor: Any) -> list[ChunkStorageMetadata]:
    """The boxes of a tensor that are here."""
    if hasattr(tensor, "__create_chunk_list__"):
        return tensor.__create_chunk_list__()  # type: ignore[no-any-return]
    if not isinstance(tensor, Tensor):
        raise ValueError(
            f"Unsupported Type, expecting one of [Tensor, DTensor, ShardedTensor] ,but got {type(tensor)}"
        )
    return [_create_chunk_from_tensor(tensor)]


def _create_read_item_for_tensor(
    dest_index: MetadataIndex,
    dest_offsets: Iterable[int],
    storage_index: MetadataIndex,
    storage_offsets: Iterable[int],
    lengths: Iterable[int],
) -> ReadItem:
    return ReadItem(
        LoadItemType.TENSOR, dest_index, Size(dest_offsets), storage_index, Size(storage_offsets),
        Size(lengths),
    )  # fmt: skip


def _create_read_item_for_byteio(
    dest_index: MetadataIndex,
    dest_offset: int,
    storage_index: MetadataIndex,
    storage_offset: int,
    length: int,
) -> ReadItem:
    return ReadItem(
        LoadItemType.BYTE_IO, dest_index, Size((dest_offset,)), storage_index,
        Size((storage_offset,)), Size((length,)),
    )  # fmt: skip


def create_read_items_for_chunk_list(
    fqn: str, checkpoint_md: TensorStorageMetadata, local_chunks: Sequence[ChunkStorageMetadata]
) -> list[ReadItem]:
    """An item for each box that a stored chunk and one here have in common.

    Args:
        fqn: the tensor's name
        checkpoint_md: what is stored
        local_chunks: what is here
    """
    found = []
    for here, chunk in enumerate(local_chunks):
        for there, stored in enumerate(checkpoint_md.chunks):
            if not _check_shard_metadata_pair_overlap(chunk, stored):
                continue
            box = _shards_get_overlap_region_wrt_saved_tensor(stored, chunk)
            _, saved, current, lengths = zip(*box) if box else ((), (), (), ())
            found.append(
                _create_read_item_for_tensor(
                    MetadataIndex(fqn, chunk.offsets, here), current,
                    MetadataIndex(fqn, stored.offsets, there), saved, lengths,
                )
            )  # fmt: skip
    return found


def _create_read_items(fqn: str, md: Any, obj: Any) -> list[ReadItem]:
    """What this process reads of something."""
    if isinstance(md, BytesStorageMetadata):
        index = MetadataIndex(fqn)
        return [_create_read_item_for_byteio(index, 0, index, 0, 0)]
    try:
        chunks = _create_chunk_list(obj)
    except ValueError as error:
        raise ValueError(
            f"Invalid checkpoint metadata for {fqn}, expected BytesStorageMetadata but found {type(md)}"
        ) from error
    return create_read_items_for_chunk_list(fqn, md, chunks)


def _create_default_metadata_only_plan(state_dict: dict[str, Any]) -> SavePlan:
    """A plan from which only metadata is made."""
    return SavePlan(
        [i for name, value in state_dict.items() for i in _create_write_items(name, value)]
    )


def _init_state_dict(state_dict: dict[str, Any]) -> Any:
    """Give tensors without memory some, in place, so that they can be loaded into."""
    for key, value in state_dict.items():
        if isinstance(value, dict):
            _init_state_dict(value)
        elif isinstance(value, Tensor) and value.device.type == "meta":  # type: ignore[attr-defined]
            made = rushlight.empty_like(value, device="cpu")
            if isinstance(value, rushlight.nn.Parameter):
                made = rushlight.nn.Parameter(made, value.requires_grad)
            state_dict[key] = made
    return state_dict


def _compare_save_plans(plan: SavePlan, other_plan: SavePlan) -> bool:
    """Whether two plans would write the same."""
    return plan.usable == other_plan.usable and plan.items == other_plan.items


def _contains_usable_plan(delta_plans: list[SavePlan]) -> bool:
    return any(plan.usable for plan in delta_plans)


def _merge_delta_local_plans(
    cached_plans: list[SavePlan], delta_plans: list[SavePlan]
) -> list[SavePlan]:
    """The plans of now: those of the time before where nothing has changed."""
    return [
        new if new.usable else replace(old)
        for old, new in zip(cached_plans, delta_plans, strict=True)
    ]

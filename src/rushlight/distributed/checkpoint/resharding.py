"""Which part of a stored chunk is which part of a chunk here."""

from __future__ import annotations

from rushlight.distributed.checkpoint.metadata import ChunkStorageMetadata

__all__: list[str] = []


def _check_shard_metadata_pair_overlap(
    shard1: ChunkStorageMetadata, shard2: ChunkStorageMetadata
) -> bool:
    """Whether two boxes of a tensor have elements in common."""
    return all(
        first < other + far and other < first + size
        for first, size, other, far in zip(
            shard1.offsets, shard1.sizes, shard2.offsets, shard2.sizes
        )
    )


def _shards_get_overlap_region_wrt_saved_tensor(
    saved_shard: ChunkStorageMetadata, current_shard: ChunkStorageMetadata
) -> list[tuple[int, int, int, int]]:
    """What two boxes have in common: for each dimension its number, where that begins in each box, how far it goes."""
    found = []
    for dim, (saved, far, current, size) in enumerate(
        zip(saved_shard.offsets, saved_shard.sizes, current_shard.offsets, current_shard.sizes)
    ):
        first = max(saved, current)
        last = min(saved + far, current + size)
        found.append((dim, first - saved, first - current, last - first))
    return found

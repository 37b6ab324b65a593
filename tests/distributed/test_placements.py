"""How tensors lie on meshes."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight import distributed as dist
from rushlight.distributed.tensor import Partial, Placement, Replicate, Shard
from rushlight.distributed.tensor._utils import compute_local_shape_and_global_offset
from rushlight.distributed.tensor.placement_types import _StridedShard


def test_placements_are_values():
    assert Shard(1) == Shard(1) != Shard(0)
    assert len({Replicate(), Replicate(), Partial(), Partial("sum"), Partial("avg")}) == 3
    shown = [Shard(1), Replicate(), Partial(), Partial("avg"), _StridedShard(0, split_factor=2)]
    assert [*map(repr, shown)] == [
        "Shard(dim=1)", "Replicate()", "Partial(sum)", "Partial(avg)", "_StridedShard(dim=0, sf=2)",
    ]  # fmt: skip
    assert [*map(str, shown)] == ["S(1)", "R", "P(sum)", "P(avg)", "_S(0, 2)"]
    assert all(isinstance(one, Placement) for one in shown)
    assert Shard(1).is_shard() and Shard(1).is_shard(1) and not Shard(1).is_shard(0)
    assert Partial().is_partial("sum") and not Partial().is_partial("avg")
    assert Replicate().is_replicate() and not Replicate().is_shard()


@pytest.mark.parametrize("size", range(12))
@pytest.mark.parametrize("count", range(1, 6))
def test_parts_are_those_of_chunks(size, count):
    chunks = [len(chunk) for chunk in torch.arange(size).chunk(count)] if size else []
    chunks += [0] * (count - len(chunks))
    found = [Shard.local_shard_size_and_offset(size, count, rank) for rank in range(count)]
    assert [number for number, _ in found] == chunks
    assert [first for number, first in found if number] == [
        sum(chunks[:rank]) for rank in range(count) if chunks[rank]
    ]


def test_the_part_of_a_rank():
    dist.init_process_group("fake", rank=5, world_size=6, store=dist.HashStore())
    try:
        mesh = dist.init_device_mesh("cpu", (2, 3))

        def part(sizes, *placements):
            return compute_local_shape_and_global_offset(sizes, mesh, placements)

        assert part((10, 7), Shard(0), Shard(1)) == ((5, 1), (5, 6))
        assert part((10, 7), Replicate(), Shard(0)) == ((2, 7), (8, 0))
        assert part((10, 7), Shard(0), Shard(0)) == ((1, 7), (9, 0))
        assert part((4, 7), Replicate(), Shard(0)) == ((0, 7), (4, 0))
        assert part((4, 7), Partial(), Replicate()) == ((4, 7), (0, 0))
    finally:
        dist.destroy_process_group()

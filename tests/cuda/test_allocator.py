"""The caching allocator on the stand-in: what it gives out, keeps, gives back, and counts."""

from __future__ import annotations

import interleavings
import pytest

import rushlight as torch
from rushlight.engine.cuda import caching, driver, streams

MIB = 1 << 20


@pytest.fixture
def allocator(with_stand_in):
    with_stand_in(nbytes=128 * MIB)
    return caching.of(0)


def test_requests_are_rounded_and_share_segments(allocator):
    one, other = allocator.allocate(1), allocator.allocate(513)
    assert (one.size, other.size) == (512, 1024)
    assert other.address == one.address + 512
    assert allocator.statistics.current("reserved_bytes") == 2 * MIB
    large = allocator.allocate(3 * MIB)
    assert allocator.statistics.current("reserved_bytes") == 22 * MIB
    own = allocator.allocate(18 * MIB + 1)
    assert own.segment.size == 20 * MIB and own.size == 18 * MIB + 512
    allocator.free(large)


def test_free_neighbours_become_one(allocator):
    blocks = [allocator.allocate(512) for _ in range(4)]
    for block in (blocks[0], blocks[2], blocks[1], blocks[3]):
        allocator.free(block)
    (segment,) = allocator.snapshot()
    assert [b["state"] for b in segment["blocks"]] == ["inactive"]
    assert allocator.statistics.current("inactive_split") == 0
    allocator.release_cached()
    assert allocator.snapshot() == [] and driver.library.memory.used == 0


def test_the_best_fit_is_taken(allocator):
    large, _, small, _ = (allocator.allocate(n) for n in (4096, 512, 1024, 512))
    allocator.free(large)
    allocator.free(small)
    assert allocator.allocate(1000).address == small.address


def test_streams_keep_their_memory_apart(allocator):
    other = streams.from_pool(0, 0)
    mine = allocator.allocate(512)
    allocator.free(mine)
    theirs = allocator.allocate(512, other)
    assert theirs.address != mine.address
    assert allocator.allocate(512).address == mine.address


def test_a_block_waits_for_who_else_has_used_it(with_stand_in):
    stand_in = with_stand_in(seed=1)
    stand_in.chance.choice = lambda options: options[0]
    allocator = caching.of(0)
    other = streams.from_pool(0, 0)
    block = allocator.allocate(512)
    driver.fill(block.address, 1, 512, other.handle)
    allocator.record_use(block, other)
    allocator.free(block)
    assert allocator.allocate(512).address != block.address
    other.synchronize()
    assert allocator.allocate(512).address == block.address


def test_what_is_cached_goes_back_when_memory_runs_out(allocator):
    kept = [allocator.allocate(20 * MIB) for _ in range(5)]
    for block in kept:
        allocator.free(block)
    assert allocator.allocate(90 * MIB).size == 90 * MIB
    assert allocator.statistics.retries == 1
    with pytest.raises(
        torch.OutOfMemoryError, match=r"Tried to allocate 90.00 MiB. GPU 0 has a total"
    ):
        allocator.allocate(90 * MIB)
    assert allocator.statistics.failures == 1
    allocator.allocate(10 * MIB)


def test_what_the_collector_ends_while_memory_is_asked_for(allocator):
    """A storage in a cycle may end at any moment, also in the midst of a request."""
    kept = torch.ones(3, device="cuda")
    with allocator.lock:
        del kept
        assert allocator.statistics.current("allocation") == 1
    assert torch.ones(3, device="cuda").tolist() == [1.0] * 3
    caching.settle()
    assert allocator.statistics.current("allocation") == 0


def test_a_cap(allocator):
    torch.cuda.set_per_process_memory_fraction(0.25)
    allocator.allocate(20 * MIB)
    with pytest.raises(torch.OutOfMemoryError, match=r"A cap of 32\.00 MiB is set"):
        allocator.allocate(20 * MIB)


def test_the_figures_of_programs(allocator):
    x = torch.ones(1000, device="cuda")
    assert torch.cuda.memory_allocated() == 4096
    del x
    assert torch.cuda.memory_allocated() == 0 and torch.cuda.max_memory_allocated() == 4096
    stats = torch.cuda.memory_stats()
    assert stats["allocation.all.allocated"] == 1 and stats["segment.small_pool.current"] == 1
    assert stats["requested_bytes.all.peak"] == 4000
    assert torch.cuda.memory_stats_as_nested_dict()["active"]["all"]["freed"] == 1
    assert "allocated memory" in torch.cuda.memory_summary()
    torch.cuda.reset_peak_memory_stats()
    assert torch.cuda.max_memory_allocated() == 0
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() == 0


def test_a_pool_of_a_program(allocator):
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        inside = torch.ones(3, device="cuda")
    outside = torch.ones(3, device="cuda")
    (segment,) = pool.snapshot()
    start, end = segment["address"], segment["address"] + segment["total_size"]
    assert start <= inside.data_ptr() < end and not start <= outside.data_ptr() < end
    del pool
    del inside
    torch.cuda.empty_cache()
    assert len(torch.cuda.memory_snapshot()) == 1


@pytest.mark.parametrize("kind", interleavings.KINDS)
@pytest.mark.parametrize("seed", range(20))
def test_no_interleaving_uses_memory_that_is_another_s(with_stand_in, kind, seed):
    steps = 500 if kind == "blocks" else 60
    assert interleavings.run(kind, with_stand_in(seed=seed), seed, steps) == []


@pytest.mark.parametrize("kind", interleavings.KINDS)
def test_the_programs_find_a_missing_record(with_stand_in, kind):
    found = [
        interleavings.run(kind, with_stand_in(seed=seed), seed, 200, records=False)
        for seed in range(6)
    ]
    assert any(found)

"""What programs say of the allocator: segments that grow, blocks that are not cut, what goes back early."""

from __future__ import annotations

import os
import subprocess
import sys

import interleavings
import pytest

import rushlight as torch
from rushlight.engine.cuda import allocator_settings, caching, sharing, streams

MIB = 1 << 20


@pytest.fixture
def say(with_stand_in):
    """A function that makes an allocator with settings, on a stand-in with many addresses."""

    def made(text, nbytes=128 * MIB, **settings):
        stand_in = with_stand_in(nbytes=nbytes, places=32, **settings)
        torch.cuda.memory._set_allocator_settings(text)
        return stand_in, caching.of(0)

    yield made
    torch.cuda.memory._set_allocator_settings("")


def reserved(allocator):
    return allocator.statistics.current("reserved_bytes") // MIB


def test_segments_grow(say):
    stand_in, allocator = say("expandable_segments:True")
    one = allocator.allocate(18 * MIB)
    # The end of the last page serves the next request, with more pages behind.
    other = allocator.allocate(30 * MIB)
    assert other.address == one.address + 18 * MIB and one.segment is other.segment
    assert reserved(allocator) == 60 and len(allocator.segments) == 1
    small = allocator.allocate(512)
    assert small.segment is not one.segment and reserved(allocator) == 62
    mine = allocator.allocate(5 * MIB, streams.from_pool(0, 0))
    assert mine.segment is not one.segment and len(allocator.segments) == 3
    facts = next(s for s in allocator.snapshot() if s["address"] == one.address)
    assert facts["is_expandable"] and facts["total_size"] == 60 * MIB
    assert [b["size"] // MIB for b in facts["blocks"]] == [18, 30, 12]
    # Pages at the end go back; what lies before stays.
    allocator.free(other)
    allocator.release_cached()
    assert reserved(allocator) == 42 and stand_in.memory.lengths[one.address] == 20 * MIB
    assert allocator.allocate(2 * MIB).address == one.address + 18 * MIB
    for block in (one, small, mine):
        allocator.free(block)
    allocator.release_cached()
    assert reserved(allocator) == 20
    assert allocator.statistics.current("allocated_bytes") == 2 * MIB


def test_everything_goes_back(say):
    stand_in, allocator = say("expandable_segments:True")
    blocks = [allocator.allocate(size) for size in (512, 3 * MIB, 40 * MIB, 2048)]
    for block in blocks:
        allocator.free(block)
    allocator.release_cached()
    assert allocator.snapshot() == [] and reserved(allocator) == 0
    assert not stand_in.pages and not stand_in.reserved and not stand_in.mapped
    for kind in ("segment", "active", "inactive_split", "inactive_split_bytes"):
        assert allocator.statistics.current(kind) == 0, kind
    assert allocator.allocate(100).size == 512


def test_there_is_less_waste(say):
    """Larger and larger tensors: segments of their own stay behind, one that grows serves them all."""
    sizes = [k * 10 * MIB for k in range(1, 8)]

    def most(text):
        _, allocator = say(text, nbytes=1 << 29)
        for size in sizes:
            allocator.free(allocator.allocate(size))
        return reserved(allocator)

    assert most("expandable_segments:True") == 80 and most("") == 280


def test_pages_that_are_not_there(say):
    stand_in, allocator = say("expandable_segments:True", nbytes=64 * MIB)
    kept = allocator.allocate(30 * MIB)
    with pytest.raises(torch.OutOfMemoryError, match=r"Tried to allocate 40\.00 MiB"):
        allocator.allocate(40 * MIB)
    assert reserved(allocator) == 40 and len(stand_in.pages) == 2
    # What another stream has left goes back for it.
    other = allocator.allocate(18 * MIB, streams.from_pool(0, 0))
    allocator.free(other)
    assert allocator.allocate(30 * MIB).address == kept.address + 30 * MIB
    assert allocator.statistics.retries == 2 and len(allocator.segments) == 1
    torch.cuda.set_per_process_memory_fraction(0.95)
    with pytest.raises(torch.OutOfMemoryError, match="A cap of"):
        allocator.allocate(MIB // 2)


def test_tensors_in_segments_that_grow(say):
    say("expandable_segments:True", seed=4)
    x = torch.arange(1000.0, device="cuda")
    assert ((x + 1) * 2).sum().item() == 1001000
    graph, y = torch.cuda.CUDAGraph(), torch.zeros(3, device="cuda")
    with torch.cuda.graph(graph):
        z = y + 2
    graph.replay()
    assert z.tolist() == [2.0] * 3
    with pytest.raises(RuntimeError, match="expandable segment"):
        sharing.send(x.untyped_storage())
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        kept = torch.ones(5, device="cuda")
    del pool
    assert kept.tolist() == [1.0] * 5
    del kept, z, graph
    torch.cuda.empty_cache()
    assert x[999].item() == 999


@pytest.mark.parametrize("kind", interleavings.KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_no_interleaving_uses_memory_that_is_another_s(say, kind, seed):
    stand_in, _ = say("expandable_segments:True", seed=seed)
    assert interleavings.run(kind, stand_in, seed, 200) == []


def test_the_history_has_pages(say):
    _, allocator = say("expandable_segments:True")
    torch.cuda.memory._record_memory_history()
    x = torch.ones(3 * MIB, device="cuda")
    allocator.allocate(512)
    del x
    torch.cuda.empty_cache()
    found = torch.cuda.memory._snapshot()
    told = [
        (e["action"], e["size"] // MIB) for e in found["device_traces"][0] if "seg" in e["action"]
    ]
    assert told == [("segment_map", 20), ("segment_map", 2), ("segment_free", 20)]
    assert found["allocator_settings"]["expandable_segments"] is True
    torch.cuda.memory._record_memory_history(None)


def test_large_blocks_are_not_cut(say):
    _, allocator = say("max_split_size_mb:32")
    large = allocator.allocate(40 * MIB)
    allocator.free(large)
    assert allocator.allocate(8 * MIB).address != large.address
    assert allocator.allocate(36 * MIB).address == large.address
    assert torch.cuda.memory._snapshot()["allocator_settings"]["max_split_size"] == 32 * MIB


def test_what_was_free_for_long_goes_back_early(say):
    _, allocator = say("garbage_collection_threshold:0.5")
    blocks = [allocator.allocate(20 * MIB) for _ in range(4)]
    for block in (blocks[2], blocks[0], blocks[1]):
        allocator.allocate(512)
        allocator.free(block)
    assert reserved(allocator) == 82
    allocator.allocate(24 * MIB)
    left = {s["address"] for s in allocator.snapshot()}
    assert [block.address in left for block in blocks] == [True, True, False, True]
    assert reserved(allocator) == 86


def test_settings_are_read():
    read = allocator_settings.read
    found = read("expandable_segments:True, max_split_size_mb:64,garbage_collection_threshold:0.6")
    assert found[1:] == (True, 64 * MIB, 0.6) and read("backend:native")[1:] == (False, 0, 0.0)
    with pytest.warns(UserWarning, match="changes nothing"):
        assert not read("roundup_power2_divisions:[256:1,512:2],backend:native").max_split_size
    for wrong in (
        "size:3", "expandable_segments:yes", "max_split_size_mb:20", "max_split_size_mb:x",
        "garbage_collection_threshold:1.5", "backend:cudaMallocAsync", "expandable_segments",
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"setting|must be|Unrecognized"):
            read(wrong)


def test_the_environment_is_asked_with_the_first_allocator(with_stand_in, monkeypatch):
    with_stand_in(places=32)
    monkeypatch.setattr(caching, "_is_said", False)
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
    assert not caching.settings.expandable_segments
    x = torch.ones(3, device="cuda")
    assert torch.cuda.memory_snapshot()[0]["is_expandable"] and x.tolist() == [1.0] * 3
    torch.cuda.memory._set_allocator_settings("")


def test_nothing_is_asked_without_a_device():
    code = "import rushlight as t; t.cuda.is_available(); t.cuda.memory_allocated()"
    surroundings = {**os.environ, "PYTORCH_CUDA_ALLOC_CONF": "no such setting"}
    subprocess.run([sys.executable, "-W", "error", "-c", code], env=surroundings, check=True)


def test_pages_are_used_by_devices_that_reach_them(say):
    stand_in, _ = say("expandable_segments:True", devices=2)
    said = []
    stand_in.__dict__["cuMemSetAccess"] = lambda *given: said.append(given[3].value) or 0
    with pytest.raises(torch.AcceleratorError, match="illegal"):
        torch.ones(3, device="cuda").tolist()
    assert said == [2]
    stand_in.sticky = 0

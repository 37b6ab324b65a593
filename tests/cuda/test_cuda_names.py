"""What `torch.cuda` has besides devices, streams and memory."""

from __future__ import annotations

import ctypes
import pickle

import pytest

import rushlight as torch
from rushlight.engine.cuda import caching


def test_what_the_allocator_has_done(cuda, tmp_path):
    torch.cuda.memory._record_memory_history(max_entries=50)
    x = torch.ones(3000, device="cuda")
    del x
    torch.cuda.memory._dump_snapshot(str(tmp_path / "snapshot"))
    found = pickle.loads((tmp_path / "snapshot").read_bytes())
    trace = found["device_traces"][0]
    actions = [entry["action"] for entry in trace]
    assert actions == ["segment_alloc", "alloc", "free_requested", "free_completed", "snapshot"]
    assert any(frame["filename"] == __file__ for frame in trace[1]["frames"])
    assert found["segments"][0]["blocks"]
    torch.cuda.memory._record_memory_history(None)
    assert torch.cuda.memory._snapshot()["device_traces"] == [[]]


def test_snapshots_are_read_by_pytorch_s_viewer(with_stand_in):
    """What the viewer says of segments, blocks and the story of the allocator."""
    viewer = pytest.importorskip("torch.cuda._memory_viz")
    with_stand_in(nbytes=64 << 20, devices=2)
    torch.cuda.memory._record_memory_history(stacks="python")
    torch.cuda.memory._set_memory_metadata("step 1")
    kept = torch.ones(3000, device="cuda")
    torch.ones(5 << 18, device="cuda")
    other = torch.zeros(4, device="cuda:1")
    with pytest.raises(torch.OutOfMemoryError):
        torch.empty(1 << 26, device="cuda")
    torch.cuda.memory._set_memory_metadata("")
    found = torch.cuda.memory._snapshot()
    told = viewer.trace(found)
    assert "cudaMalloc" in told and "cudaFree" in told and "raise OutOfMemoryError" in told
    assert "Device 1" in told and "total_reserved: 4.0MiB" in viewer.segsum(found)
    assert "html" in viewer.trace_plot(found)
    (entry,) = [e for e in found["device_traces"][0] if e["action"] == "oom"]
    assert entry["device_free"] > 0 and entry["user_metadata"] == "step 1"
    frames = torch.cuda.memory._allocation_traceback(kept.data_ptr())
    assert frames[0]["filename"] == __file__
    assert torch.cuda.memory._allocation_traceback(kept.data_ptr() + 4) is None
    assert other.device.index == 1
    torch.cuda.memory._record_memory_history(None)


def test_parts_of_the_story(cuda):
    record = torch.cuda.memory._record_memory_history
    record(context="alloc", skip_actions=["free_completed", "segment_alloc"], max_entries=3)
    for _ in range(2):
        torch.ones(3, device="cuda")
    entries = torch.cuda.memory._snapshot()["device_traces"][0]
    assert [e["action"] for e in entries] == ["alloc", "free_requested", "snapshot"]
    assert entries[0]["frames"] and not entries[1]["frames"]
    record(context="state", clear_history=True)
    x = torch.ones(3, device="cuda")
    found = torch.cuda.memory._snapshot()
    assert not found["device_traces"][0][0]["frames"]
    (block,) = [b for b in found["segments"][0]["blocks"] if b["state"] == "active_allocated"]
    assert block["address"] == x.data_ptr() and block["frames"]
    record(None)
    for wrong in ({"enabled": "some"}, {"context": "none"}, {"skip_actions": ["nap"]}):
        with pytest.raises(RuntimeError, match="expected"):
            record(**wrong)


def test_pools_in_snapshots(cuda):
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        inside = torch.ones(3, device="cuda")
    outside = torch.ones(3, device="cuda")
    (segment,) = torch.cuda.memory_snapshot(pool.id)
    assert segment["segment_pool_id"] == pool.id != torch.cuda.MemPool().id
    assert segment["blocks"][0]["address"] == inside.data_ptr()
    (common,) = torch.cuda.memory_snapshot((0, 0))
    assert common["blocks"][0]["address"] == outside.data_ptr()
    assert len(torch.cuda.memory_snapshot()) == 2


def test_pinned_memory_is_counted(cuda):
    x = torch.ones(1000).pin_memory()
    stats = torch.cuda.host_memory_stats()
    assert (stats["allocations.current"], stats["active_bytes.current"]) == (1, 4096)
    del x
    y = torch.ones(1000).pin_memory()
    stats = torch.cuda.host_memory_stats()
    assert (stats["allocations.current"], stats["active_requests.allocated"]) == (1, 2)
    assert y.is_pinned()


def test_memory_that_is_not_kept(cuda):
    torch.ones(1 << 20, device="cuda")
    with torch.cuda.caching_allocator_disabled():
        x = torch.ones(4, device="cuda")
        assert torch.cuda.memory_reserved() == 2 << 20
    assert x.sum().item() == 4


class Given:
    """An allocator of a program, which knows what it has given."""

    def __init__(self, driver):
        self.driver, self.sizes = driver, {}
        self.functions = caching.Functions(self.allocate, self.free)

    def allocate(self, size, device, stream):
        place = ctypes.c_uint64()
        assert self.driver.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(size)) == 0
        self.sizes[place.value] = size
        return place.value

    def free(self, address, size, device, stream):
        assert self.sizes.pop(address) == size
        self.driver.cuMemFree_v2(ctypes.c_uint64(address))


def test_another_library_s_allocator(cuda):
    given = Given(cuda)
    made = torch.cuda.memory._CUDAAllocator(given.functions)
    torch.cuda.change_current_allocator(made)
    assert torch.cuda.get_allocator_backend() == "pluggable"
    x = torch.arange(10.0, device="cuda")
    assert (x * 2).sum().item() == 90 and x.data_ptr() in given.sizes
    with pytest.raises(RuntimeError, match="already initialized"):
        torch.cuda.change_current_allocator(made)
    assert torch.cuda.memory._get_current_allocator().allocator() is given.functions
    del x
    torch.cuda.synchronize()
    assert caching.of(0).statistics.current("allocated_bytes") == sum(given.sizes.values())


def test_functions_of_a_library_file(cuda):
    # The C library's, whose arguments begin alike; nothing is read of the memory.
    made = torch.cuda.CUDAPluggableAllocator(None, "malloc", "free")
    address = made.allocator().allocate(100, 0, 0)
    assert address
    made.allocator().free(address, 100, 0, 0)
    with pytest.raises(AttributeError, match="no_such_function"):
        torch.cuda.CUDAPluggableAllocator(None, "malloc", "no_such_function")


def test_a_pool_with_an_allocator_of_its_own(cuda):
    given = Given(cuda)
    pool = torch.cuda.MemPool(given.functions)
    with torch.cuda.use_mem_pool(pool):
        inside = torch.ones(3, device="cuda")
        also = torch.ones(400, device="cuda")
    outside = torch.ones(3, device="cuda")
    (segment,) = pool.snapshot()
    assert list(given.sizes.items()) == [(segment["address"], 2 << 20)]
    assert pool.use_count() == 1 and pool.allocator is given.functions
    del pool, also
    assert inside.tolist() == [1.0] * 3 and len(given.sizes) == 1
    del inside
    caching.settle()
    # What comes back late goes to where it is from, not to others.
    torch.ones(3, device="cuda")
    assert given.sizes == {} and outside.tolist() == [1.0] * 3


def test_a_pool_for_others_in_need(with_stand_in):
    with_stand_in(nbytes=32 << 20)
    pools = [torch.cuda.MemPool(use_on_oom=use) for use in (False, True)]
    for pool in pools:
        with torch.cuda.use_mem_pool(pool):
            torch.empty(12 << 20, dtype=torch.uint8, device="cuda")
    x = torch.empty(12 << 20, dtype=torch.uint8, device="cuda")
    assert x.data_ptr() == pools[1].snapshot()[0]["address"]
    with pytest.raises(torch.OutOfMemoryError):
        torch.empty(12 << 20, dtype=torch.uint8, device="cuda")
    del x
    assert pools[1].snapshot()[0]["allocated_size"] == 0


def test_a_pool_whose_blocks_are_not_cut(cuda):
    pool = torch.cuda.MemPool(no_split=True)
    with torch.cuda.use_mem_pool(pool):
        kept = [torch.ones(3, device="cuda") for _ in range(2)]
    assert [len(s["blocks"]) for s in pool.snapshot()] == [1, 1]
    assert kept[0].tolist() == kept[1].tolist()


def test_memory_that_the_driver_moves(cuda):
    with torch.cuda._use_uvm():
        x = torch.arange(4.0, device="cuda")
    assert cuda.managed and (x + 1).tolist() == [1, 2, 3, 4]


def test_copies_and_sums_of_several_devices(with_stand_in):
    with_stand_in(devices=2)
    from rushlight.cuda import comm

    x = torch.arange(6.0, device="cuda:0")
    one, other = comm.broadcast(x, [0, 1])
    assert other.device == torch.device("cuda:1") and other.tolist() == x.tolist()
    assert comm.reduce_add([one, other], 0).tolist() == (x * 2).tolist()
    parts = comm.scatter(x, [0, 1], [4, 2])
    assert [p.tolist() for p in parts] == [[0, 1, 2, 3], [4, 5]]
    assert parts[1].device.index == 1
    assert comm.gather(parts, destination=-1).tolist() == x.tolist()
    with pytest.raises(RuntimeError, match="Exactly one"):
        comm.broadcast(x)


def test_classes_of_one_type(cuda):
    made = torch.cuda.FloatTensor([1, 2])
    assert made.is_cuda and made.tolist() == [1, 2] and made.type() == "torch.cuda.FloatTensor"
    assert isinstance(made, torch.cuda.FloatTensor) and torch.cuda.FloatTensor.is_cuda
    assert not isinstance(made, torch.FloatTensor) and not isinstance(made, torch.cuda.HalfTensor)
    assert torch.cuda.LongTensor(2, 3).shape == (2, 3) and repr(torch.cuda.HalfTensor) == (
        "<class 'torch.cuda.HalfTensor'>"
    )
    half = made.type(torch.cuda.HalfTensor)
    assert half.is_cuda and half.dtype is torch.float16
    for kind in (torch.FloatTensor, "torch.FloatTensor"):
        assert half.type(kind).type() == "torch.FloatTensor"
    assert torch.ones(1).type("torch.cuda.IntTensor").type() == "torch.cuda.IntTensor"
    with pytest.raises(TypeError, match=r"expected torch.cuda.FloatTensor \(got torch.FloatTensor"):
        torch.cuda.FloatTensor(torch.ones(1))
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        held = torch.cuda.IntStorage([4, 5])
    assert held.is_cuda and held.type() == "torch.cuda.IntStorage" and held.cpu().tolist() == [4, 5]
    assert isinstance(held, torch.cuda.IntStorage) and not isinstance(held, torch.IntStorage)
    assert held.cpu().cuda().device.type == "cuda"
    try:
        torch.set_default_tensor_type(torch.cuda.DoubleTensor)
        assert torch.ones(2).type() == "torch.cuda.DoubleTensor"
    finally:
        torch.set_default_tensor_type(torch.FloatTensor)
    assert torch.ones(2).type() == "torch.FloatTensor"


def test_classes_of_a_device_that_is_not_there():
    if torch.cuda.is_available():
        pytest.skip("it is there")
    for made in (torch.cuda.FloatTensor, lambda: torch.ones(1).type("torch.cuda.FloatTensor")):
        with pytest.raises(TypeError, match=r"type torch.cuda.FloatTensor not available"):
            made()
    with (
        pytest.warns(UserWarning, match="deprecated"),
        pytest.raises(TypeError, match="CUDA enabled"),
    ):
        torch.cuda.LongStorage(3)
    assert not isinstance(torch.ones(1), torch.cuda.FloatTensor)
    with pytest.raises(AssertionError, match="not compiled with CUDA"):
        torch.cuda.current_stream(0)


def test_names(cuda):
    assert torch.cuda.nvtx.range_push("a") == 0 and torch.cuda.nvtx.range_pop() == 0
    with torch.cuda.nvtx.range("step {}", 3):
        torch.cuda.nvtx.mark("here")
    assert torch.cuda.current_solver_handle() == torch.cuda.current_blas_handle() == 77
    assert torch.cuda.tunable.get_results() == () and not torch.cuda.tunable.is_enabled()
    assert torch.cuda.device_memory_used() >= 0
    torch.cuda.check_error(torch.cuda.cudaStatus.SUCCESS)
    with pytest.raises(torch.AcceleratorError, match="34"):
        torch.cuda.check_error(34)
    with pytest.raises(RuntimeError, match="cuFile"):
        torch.cuda.gds.GdsFile("x", 0)
    assert {"nvtx", "jiterator", "default_generators"} <= {*dir(torch.cuda)}

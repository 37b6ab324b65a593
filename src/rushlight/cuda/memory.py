"""Memory of CUDA devices: what the caching allocator has, and what it may have."""

from __future__ import annotations

import contextlib
import ctypes
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rushlight.cuda import _device
from rushlight.cuda._management import list_gpu_processes
from rushlight.engine.cuda import caching, driver, history, pinned, streams
from rushlight.engine.cuda import context as contexts
from rushlight.engine.cuda.caching import readable

__all__ = [
    "CUDAPluggableAllocator",
    "MemPool",
    "caching_allocator_alloc",
    "caching_allocator_delete",
    "caching_allocator_disabled",
    "caching_allocator_enable",
    "change_current_allocator",
    "empty_cache",
    "get_allocator_backend",
    "get_per_process_memory_fraction",
    "host_memory_stats",
    "host_memory_stats_as_nested_dict",
    "list_gpu_processes",
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_snapshot",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "reset_accumulated_host_memory_stats",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_host_memory_stats",
    "reset_peak_memory_stats",
    "set_per_process_memory_fraction",
    "use_mem_pool",
]  # fmt: skip


def _allocator(device: Any) -> caching.Allocator:
    return caching.settled(_device.index_of(device))


def _counted(kind: str, what: str, device: Any) -> int:
    """A number of the allocator; 0 before there is one."""
    if not contexts.is_started():
        return 0
    return int(getattr(_allocator(device).statistics, what)(kind))


def memory_allocated(device: Any = None) -> int:
    """How many bytes tensors have."""
    return _counted("allocated_bytes", "current", device)


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that tensors have had."""
    return _counted("allocated_bytes", "peak", device)


def memory_reserved(device: Any = None) -> int:
    """How many bytes the allocator has from the driver."""
    return _counted("reserved_bytes", "current", device)


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that the allocator has had from the driver."""
    return _counted("reserved_bytes", "peak", device)


memory_cached, max_memory_cached = memory_reserved, max_memory_reserved


def memory_stats(device: Any = None) -> dict[str, Any]:
    """Every number that the allocator keeps, under PyTorch's names."""
    return _allocator(device).statistics.table() if contexts.is_started() else {}


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """The same, with a dictionary for each part of a name."""
    found: dict[str, Any] = {}
    for name, value in memory_stats(device).items():
        *path, last = name.split(".")
        inner = found
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return found


def reset_peak_memory_stats(device: Any = None) -> None:
    """Let the peaks be what there is now."""
    _allocator(device).statistics.reset_peaks()


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """Count what is given out and taken back from 0 again."""
    _allocator(device).statistics.reset_accumulated()


def empty_cache() -> None:
    """Give what no tensor has back to the driver."""
    if contexts.is_started():
        for allocator in caching.known():
            allocator.release_cached()
        pinned.release_cached()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """How many bytes of a device are free for anybody, and how many it has."""
    contexts.enter(_device.index_of(device))
    return driver.memory_info()


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Let the allocator have no more than a part of a device's memory.

    Args:
        fraction: from 0 to 1
        device: which one
    """
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    _allocator(device).fraction = fraction


def get_per_process_memory_fraction(device: Any = None) -> float:
    """The part of a device's memory that the allocator may have."""
    return _allocator(device).fraction


def memory_snapshot(mempool_id: Any = None) -> list[dict[str, Any]]:
    """Every segment of the allocators, with its blocks.

    Args:
        mempool_id: the pool that is looked at, by what `MemPool.id` or `graph_pool_handle` gives; all of them if None
    """
    return [segment for allocator in caching.known() for segment in allocator.snapshot(mempool_id)]


def get_allocator_backend() -> str:
    """Whose allocator gives memory: this package's, or another library's."""
    return "native" if caching.given_by is None else "pluggable"


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """The numbers of the allocator as a table."""
    index = _device.index_of(device)
    stats = memory_stats(index)
    pools = (
        [("all", "all")]
        if abbreviated
        else [("all", "all"), ("large_pool", "large"), ("small_pool", "small")]
    )
    rows = [
        ("allocated memory", "allocated_bytes", True), ("active memory", "active_bytes", True),
        ("requested memory", "requested_bytes", True), ("reserved memory", "reserved_bytes", True),
        ("non-releasable memory", "inactive_split_bytes", True), ("allocations", "allocation", False),
        ("active allocations", "active", False), ("reserved segments", "segment", False),
        ("non-releasable allocations", "inactive_split", False),
    ]  # fmt: skip
    lines = [
        f"memory of cuda:{index}: {stats.get('num_ooms', 0)} requests failed, "
        f"{stats.get('num_alloc_retries', 0)} were met after what was cached had been given back",
        f"{'':32}{'now':>14}{'at most':>14}{'in all':>14}{'given back':>14}",
    ]
    for title, kind, is_bytes in rows:
        for pool, short in pools:
            numbers = [
                stats.get(f"{kind}.{pool}.{what}", 0)
                for what in ("current", "peak", "allocated", "freed")
            ]
            name = title if pool == "all" else f"    {short}"
            lines.append(
                f"{name:32}" + "".join(f"{readable(n) if is_bytes else n:>14}" for n in numbers)
            )
    return "\n".join(lines)


# -- pinned memory --


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """What is counted of pinned memory, with a dictionary for each number."""
    kinds = ("current", "peak", "allocated", "freed")
    found: dict[str, Any] = {
        name: {kind: getattr(counter, kind) for kind in kinds}
        for name, counter in pinned.counters.items()
    }
    blocks = pinned.counters["allocations"]
    return {**found, "num_host_alloc": blocks.allocated, "num_host_free": blocks.freed}


def host_memory_stats() -> dict[str, Any]:
    """What is counted of pinned memory."""
    found: dict[str, Any] = {}
    for name, value in host_memory_stats_as_nested_dict().items():
        if isinstance(value, dict):
            found.update({f"{name}.{kind}": number for kind, number in value.items()})
        else:
            found[name] = value
    return dict(sorted(found.items()))


def reset_peak_host_memory_stats() -> None:
    """Let the peaks be what there is now."""
    for counter in pinned.counters.values():
        counter.peak = counter.current


def reset_accumulated_host_memory_stats() -> None:
    """Count what is given out and taken back from 0 again."""
    for counter in pinned.counters.values():
        counter.allocated = counter.freed = 0


# -- what allocators have done --


def _record_memory_history(
    enabled: str | None = "all", context: str | None = "all", stacks: str = "all",
    max_entries: int = 1 << 20, device: Any = None, clear_history: bool = False, compile_context: bool = False,
    global_record_annotations: bool = False, skip_actions: Sequence[str] | None = None,
) -> None:  # fmt: skip
    """Record what the allocators do from now on; None ends it.

    Args:
        enabled: ``"all"`` for everything, ``"state"`` for no more than where blocks come from, None for nothing
        context: for what the program's frames are kept: ``"state"`` for what is given out now, ``"alloc"`` for
            each request besides, ``"all"`` for everything; None for nothing
        stacks: which frames; those of C++ do not exist here
        max_entries: how many entries are kept of each device
        device: whose allocator; all of them if None
        clear_history: forget what was recorded before
        compile_context: accepted
        global_record_annotations: accepted
        skip_actions: what is not noted
    """
    if enabled not in (None, "state", "all"):
        raise RuntimeError(
            f"expected enabled to be one of ['state', 'all', None], but got {enabled!r}"
        )
    if context not in history.CONTEXTS:
        raise RuntimeError(
            f"expected context to be one of {list(history.CONTEXTS)}, but got {context!r}"
        )
    unknown = sorted(set(skip_actions or ()) - set(history.ACTIONS))
    if unknown:
        raise RuntimeError(
            f"expected skip_actions to be of {list(history.ACTIONS)}, but got {unknown}"
        )
    most = min(max_entries if enabled == "all" else 0, 1 << 24)
    which = range(_count()) if device is None else [_device.index_of(device)]
    for allocator in map(caching.settled, which):
        before = allocator.history
        made = None if enabled is None else history.History(most, context, skip_actions or ())
        if made is not None and before is not None and not clear_history:
            made.entries.extend(before.entries)
        allocator.history = made
    caching.choose_shelves()


def _count() -> int:
    contexts.start()
    return contexts.count()


def _set_memory_metadata(metadata: str) -> None:
    """A text that everything has which is recorded from now on."""
    history.metadata[0] = metadata


def _get_memory_metadata() -> str:
    """The text that what is recorded now has."""
    return history.metadata[0]


def _allocation_traceback(data_ptr: int) -> list[dict[str, Any]] | None:
    """Where the program asked for the memory at an address; None if that is not known."""
    for allocator in caching.known():
        block = allocator.block_at(data_ptr)
        if block is not None:
            return block.frames or None
    return None


def _snapshot(device: Any = None, augment_with_fx_traces: bool = False) -> dict[str, Any]:
    """Segments, blocks and what was recorded, as ``_memory_viz`` and pytorch.org/memory_viz read them."""
    traces: list[list[dict[str, Any]]] = [[] for _ in range(contexts.count())]
    segments = memory_snapshot()
    for allocator in caching.known():
        if allocator.history is not None:
            allocator.history.add("snapshot", 0, 0, 0)
            traces[allocator.device] = list(allocator.history.entries)
    known = caching.settings
    settings = {
        "PYTORCH_CUDA_ALLOC_CONF": known.text, "max_split_size": known.max_split_size or -1,
        "garbage_collection_threshold": known.garbage_collection_threshold,
        "expandable_segments": known.expandable_segments, "pinned_num_register_threads": 1,
        "release_lock_on_malloc": False, "pinned_use_host_register": False, "roundup_power2_divisions": {},
    }  # fmt: skip
    return {"segments": segments, "device_traces": traces, "allocator_settings": settings,
            "external_annotations": []}  # fmt: skip


def _dump_snapshot(
    filename: str = "dump_snapshot.pickle", augment_with_fx_traces: bool = False
) -> None:
    """Write `_snapshot` to a file."""
    with open(filename, "wb") as file:
        pickle.dump(_snapshot(), file)


def _set_allocator_settings(settings: str) -> None:
    """Have the allocator work in another way from now on, as ``PYTORCH_CUDA_ALLOC_CONF`` says it.

    Args:
        settings: names and values: ``expandable_segments:True``, ``max_split_size_mb:N``,
            ``garbage_collection_threshold:0.8``, with commas between
    """
    caching.use_settings(settings)


# -- other allocators --


def caching_allocator_enable(value: bool = True) -> None:
    """Let free memory be kept for later requests, or go back to the driver before each."""
    _allocator(None).keeps = bool(value)
    caching.choose_shelves()


@contextlib.contextmanager
def caching_allocator_disabled() -> Iterator[None]:
    """A block in which no free memory is kept."""
    allocator = _allocator(None)
    before, allocator.keeps = allocator.keeps, False
    caching.choose_shelves()
    try:
        yield
    finally:
        allocator.keeps = before
        caching.choose_shelves()


class _CUDAAllocator:
    """An allocator.

    Args:
        allocator: its functions; None for this package's
    """

    def __init__(self, allocator: caching.Functions | None) -> None:
        self._allocator = allocator

    def allocator(self) -> caching.Functions | None:
        """What a `MemPool` is given."""
        return self._allocator


def _get_current_allocator() -> _CUDAAllocator:
    """What gives all memory."""
    return _CUDAAllocator(caching.given_by)


class CUDAPluggableAllocator(_CUDAAllocator):
    """An allocator of another library.

    Args:
        path_to_so_file: the library
        alloc_fn_name: its function from a size, a device and a stream to an address
        free_fn_name: its function that takes an address, a size, a device and a stream back
    """

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        library = ctypes.CDLL(path_to_so_file)
        numbers = ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p
        allocate, free = (getattr(library, name) for name in (alloc_fn_name, free_fn_name))
        allocate.restype, allocate.argtypes = ctypes.c_void_p, numbers
        free.restype, free.argtypes = None, (ctypes.c_void_p, *numbers)
        super().__init__(caching.Functions(allocate, free))


def change_current_allocator(allocator: _CUDAAllocator) -> None:
    """Have another library give all memory; only before a device has been used.

    Args:
        allocator: what gives it
    """
    if caching.known():
        raise RuntimeError("Can't swap an already initialized allocator")
    caching.given_by = allocator.allocator()


# -- memory without tensors --

_given_out: dict[int, caching.Allocation] = {}


def caching_allocator_alloc(size: int, device: Any = None, stream: Any = None) -> int:
    """The address of so many bytes, for who has no tensor for them."""
    index = _device.index_of(device)
    before = streams.current(index)
    try:
        if stream is not None:
            handle = stream if isinstance(stream, int) else stream.cuda_stream
            streams.set_current(streams.Stream(index, handle))
        made = caching.Allocation(size, index)
    finally:
        streams.set_current(before)
    _given_out[made.address] = made
    return made.address


def caching_allocator_delete(mem_ptr: int) -> None:
    """Take such bytes back."""
    if mem_ptr not in _given_out:
        raise RuntimeError(f"invalid device pointer: {mem_ptr:#x}")
    del _given_out[mem_ptr]


class MemPool:
    """Memory apart from all other: what is asked for in a `use_mem_pool` block comes from it.

    Args:
        allocator: what gives its segments, as `CUDAPluggableAllocator.allocator` says it; the driver if None
        use_on_oom: whether what is free of it serves requests that would fail otherwise
        no_split: whether each request gets a block that is not cut
    """

    def __init__(
        self,
        allocator: caching.Functions | None = None,
        use_on_oom: bool = False,
        no_split: bool = False,
    ) -> None:
        self._of = caching.MemoryPool(caching.new_pool_name(), allocator, not no_split)
        self._of.users = 1
        self._device = contexts.current()
        self.allocator = allocator
        if use_on_oom:
            caching.of(self._device).spare.append(self._of)

    @property
    def id(self) -> tuple[int, int]:
        return self._of.name

    def use_count(self) -> int:
        """How many blocks and graphs use it now, and this object."""
        return self._of.users

    def snapshot(self, include_traces: bool = True) -> list[dict[str, Any]]:
        """Its segments, with their blocks."""
        return caching.of(self._device).snapshot(self.id)

    def __del__(self, is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        # A default, because modules may be gone when the interpreter ends.
        if not is_over() and hasattr(self, "_of") and contexts.is_started():
            self._of.leave()


@contextlib.contextmanager
def use_mem_pool(pool: MemPool, device: Any = None) -> Iterator[None]:
    """A block in which this thread's memory comes from a pool."""
    here = threading.get_ident()
    allocator = _allocator(device)
    with allocator.redirecting(lambda stream: threading.get_ident() == here, pool._of):
        yield


def _managed(size: int, device: int, stream: int) -> int:
    """Memory that the host and devices have in common, and that the driver moves to who uses it."""
    return driver.allocate_managed(size)


def _free_managed(address: int, size: int, device: int, stream: int) -> None:
    driver.free(address)


@contextlib.contextmanager
def _use_uvm(device: Any = None) -> Iterator[None]:
    """A block in which this thread gets managed memory: there may be more than a device has."""
    pool = MemPool(caching.Functions(_managed, _free_managed))
    with use_mem_pool(pool, device):
        yield

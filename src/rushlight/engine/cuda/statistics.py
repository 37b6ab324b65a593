"""What an allocator counts, under the names that `torch.cuda.memory_stats` gives."""

from __future__ import annotations

KINDS = (
    "allocation", "segment", "active", "inactive_split", "allocated_bytes", "reserved_bytes",
    "active_bytes", "inactive_split_bytes", "requested_bytes",
)  # fmt: skip
POOLS = ("all", "large_pool", "small_pool")


class Counter:
    """A number that goes up and down."""

    __slots__ = ("allocated", "current", "freed", "peak")

    def __init__(self) -> None:
        self.current = self.peak = self.allocated = self.freed = 0

    def change(self, by: int) -> None:
        self.current += by
        if by > 0:
            self.allocated += by
            self.peak = max(self.peak, self.current)
        else:
            self.freed -= by


class Statistics:
    """All counters of a device."""

    def __init__(self) -> None:
        self.counters = {(kind, pool): Counter() for kind in KINDS for pool in POOLS}
        self.retries = self.failures = self.syncs = self.device_allocations = self.device_frees = 0

    def change(self, pool: str, **by: int) -> None:
        """Change counters, for one of the pools and for all."""
        for kind, amount in by.items():
            if amount:
                self.counters[kind, "all"].change(amount)
                self.counters[kind, pool].change(amount)

    def count_again(self, pool: str, times: int, **amounts: int) -> None:
        """Count what was taken back and given out again, so many times, unseen."""
        for kind, amount in amounts.items():
            for where in ("all", pool):
                counter = self.counters[kind, where]
                counter.allocated += times * amount
                counter.freed += times * amount

    def current(self, kind: str) -> int:
        return self.counters[kind, "all"].current

    def peak(self, kind: str) -> int:
        return self.counters[kind, "all"].peak

    def reset_peaks(self) -> None:
        for counter in self.counters.values():
            counter.peak = counter.current

    def reset_accumulated(self) -> None:
        for counter in self.counters.values():
            counter.allocated = counter.freed = 0
        self.retries = self.failures = self.syncs = self.device_allocations = self.device_frees = 0

    def table(self) -> dict[str, int]:
        """Every number under its name."""
        found = {
            f"{kind}.{pool}.{what}": getattr(counter, what)
            for (kind, pool), counter in self.counters.items()
            for what in ("current", "peak", "allocated", "freed")
        }
        for kind in ("oversize_allocations", "oversize_segments"):
            # No block is too large to be cut.
            found |= {f"{kind}.{what}": 0 for what in ("current", "peak", "allocated", "freed")}
        found.update(
            max_split_size=-1,
            num_alloc_retries=self.retries, num_ooms=self.failures, num_sync_all_streams=self.syncs,
            num_device_alloc=self.device_allocations, num_device_free=self.device_frees,
        )  # fmt: skip
        return dict(sorted(found.items()))

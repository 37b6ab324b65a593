"""Addresses of a device that get memory when it is needed, page by page: a segment that grows."""

from __future__ import annotations

from rushlight.engine.cuda import context, driver


class Pages:
    """A run of addresses, from whose start on so many pages have memory.

    Args:
        device: the number of the device
        unit: how large a page is
    """

    def __init__(self, device: int, unit: int) -> None:
        self.device, self.unit = device, unit
        # More than a device has never gets memory; an eighth on top for what lies between tensors.
        total = context.properties(device)["total_memory"]
        self.room = self.rounded(total + total // 8)
        self.address = driver.reserve_addresses(self.room)
        self.handles: list[int] = []

    def rounded(self, nbytes: int) -> int:
        """So many bytes in whole pages."""
        return -(-nbytes // self.unit) * self.unit

    @property
    def nbytes(self) -> int:
        """How much memory there is, from the start on."""
        return len(self.handles) * self.unit

    def grow(self, nbytes: int) -> bool:
        """Add pages of so many bytes behind the others; whether there was memory for all of them."""
        before, count = self.nbytes, nbytes // self.unit
        if before + nbytes > self.room:
            return False
        for _ in range(count):
            handle = driver.create_page(self.device_handle, self.unit)
            if not handle:
                self.shrink(self.nbytes - before)
                return False
            driver.map_page(self.address + self.nbytes, self.unit, handle)
            self.handles.append(handle)
        driver.allow_access(self.address + before, nbytes, self._readers())
        return True

    def shrink(self, nbytes: int) -> None:
        """Give the last pages back, so many bytes."""
        for _ in range(nbytes // self.unit):
            handle = self.handles.pop()
            driver.unmap_page(self.address + self.nbytes, self.unit)
            driver.release_page(handle)

    def close(self) -> None:
        """Give everything back, the addresses too."""
        self.shrink(self.nbytes)
        driver.release_addresses(self.address, self.room)

    @property
    def device_handle(self) -> int:
        return context.start().handles[self.device]

    def _readers(self) -> list[int]:
        """The devices that may use the memory: its own, and those that reach it."""
        mine = self.device_handle
        handles = context.start().handles
        return [h for h in handles if h == mine or driver.can_access_peer(h, mine)]

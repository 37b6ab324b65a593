"""Loops that copy a dense tensor's bytes between the host and a GPU, or from one GPU to another."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import objects
from rushlight.engine.core.tensor import place_of
from rushlight.engine.cuda import context, copy_launcher, launcher, transfers
from rushlight.engine.loops.device_loop import Launcher, Queued
from rushlight.engine.loops.placement import planning
from rushlight.engine.loops.plan import Loop
from rushlight.engine.native.runtime import module


class CopyLoop(Queued):
    """Copies so many bytes of a tensor to another one.

    Args:
        device: the number of the device that is asked for it
        nbytes: how many bytes
        itemsize: how many an element has
    """

    __slots__ = ("device", "kinds", "nbytes")

    room, activation = 0, ""
    # The kernel of the host's loops that queues it.
    kernel: Any

    def __init__(self, device: int, nbytes: int, itemsize: int) -> None:
        super().__init__("aten::copy_")
        self.device, self.nbytes = device, nbytes
        self.kinds = [(objects.TENSOR_OPERAND, itemsize)] * 2

    def table(self, status: launcher.Status) -> tuple[launcher.Table, Any]:
        """The words that the kernel reads, and what they refer to."""
        raise NotImplementedError

    def launcher(self, status: launcher.Status) -> Launcher | None:
        context.enter(self.device)
        table, kept = self.table(status)
        kinds = [(objects.CONSTANT_OPERAND, 8), *self.kinds]
        with planning(None):
            made = Loop(
                module.address(type(self).kernel), [1], [[0]] * 3, kinds, 1, [], 0, [table.address, 0, 0],
                (table, kept, self),
            )  # fmt: skip
        return Launcher(made, table)


class HostCopyLoop(CopyLoop):
    """Between the host and a device.

    Args:
        device, nbytes, itemsize: see `CopyLoop`
        to_host: whether bytes come from the device
        non_blocking: whether nobody waits if the host's memory stays where it is
    """

    __slots__ = ("non_blocking", "to_host")
    kernel = copy_launcher.queue_copy

    def __init__(
        self, device: int, nbytes: int, itemsize: int, to_host: bool, non_blocking: bool
    ) -> None:
        super().__init__(device, nbytes, itemsize)
        self.to_host, self.non_blocking = to_host, non_blocking

    def queue(self, *operands: Any) -> None:
        into, out_of = map(place_of, operands)
        copy = transfers.to_host if self.to_host else transfers.to_device
        copy(into, self.device, out_of, self.nbytes, self.non_blocking)

    def table(self, status: launcher.Status) -> tuple[launcher.Table, Any]:
        return copy_launcher.table_of(
            self.device, self.label, self.nbytes, self.to_host, self.non_blocking, status
        )


class PeerCopyLoop(CopyLoop):
    """From one device to another.

    Args:
        device, nbytes, itemsize: see `CopyLoop`; bytes come from this device
        other: the number of the device that gets them
    """

    __slots__ = ("other",)
    kernel = copy_launcher.queue_peer_copy

    def __init__(self, device: int, nbytes: int, itemsize: int, other: int) -> None:
        super().__init__(device, nbytes, itemsize)
        self.other = other

    def queue(self, *operands: Any) -> None:
        into, out_of = map(place_of, operands)
        transfers.between(into, self.other, out_of, self.device, self.nbytes)

    def table(self, status: launcher.Status) -> tuple[launcher.Table, Any]:
        return copy_launcher.table_between(self.device, self.other, self.label, self.nbytes, status)

"""Loops that copy a dense tensor's bytes between the host and a GPU."""

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
    """Copies so many bytes of a tensor to another one; one of them is on a device, the other on the host.

    Args:
        device: the number of the device
        nbytes: how many bytes
        to_host: whether they come from the device
        non_blocking: whether nobody waits if the host's memory stays where it is
    """

    __slots__ = ("device", "kinds", "nbytes", "non_blocking", "to_host")

    room, activation = 0, ""

    def __init__(
        self, device: int, nbytes: int, itemsize: int, to_host: bool, non_blocking: bool
    ) -> None:
        super().__init__("aten::copy_")
        self.device, self.nbytes = device, nbytes
        self.to_host, self.non_blocking = to_host, non_blocking
        self.kinds = [(objects.TENSOR_OPERAND, itemsize)] * 2

    def queue(self, *operands: Any) -> None:
        target, source = operands
        into, out_of = place_of(target), place_of(source)
        if self.to_host:
            transfers.to_host(into, self.device, out_of, self.nbytes, self.non_blocking)
        else:
            transfers.to_device(into, self.device, out_of, self.nbytes, self.non_blocking)

    def launcher(self, status: launcher.Status) -> Launcher | None:
        context.enter(self.device)
        table, function = copy_launcher.table_of(
            self.device, self.label, self.nbytes, self.to_host, self.non_blocking, status
        )
        kinds = [(objects.CONSTANT_OPERAND, 8), *self.kinds]
        with planning(None):
            made = Loop(
                module.address(copy_launcher.queue_copy), [1], [[0]] * 3, kinds, 1, [], 0, [table.address, 0, 0],
                (table, function, self),
            )  # fmt: skip
        return Launcher(made, table)

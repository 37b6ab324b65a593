"""Loops of a GPU that are calls of a library: from Python, and from machine code once a call is remembered."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import objects
from rushlight.engine.core.dtype import dtype
from rushlight.engine.cuda import context, launcher, streams, timeline
from rushlight.engine.cuda.kernels import is_blocking
from rushlight.engine.loops.device_loop import Launcher, Queued, address_on
from rushlight.engine.loops.placement import planning
from rushlight.engine.loops.plan import Loop
from rushlight.engine.native.runtime import module


class LibraryLoop(Queued):
    """Calls of a library, one for each index of some dimensions, for operands found at each run.

    Args:
        device: the number of the device
        room: how many bytes a call works in; if any, these are the last operand
        kinds: the types of the other operands, of the result first
        sizes: the dimensions
        strides: by how many bytes each operand moves along them
        label: what messages call it
    """

    __slots__ = ("device", "kinds", "room", "sizes", "strides")

    # The kernel of the host's loops that makes a call; operand 0 is the table.
    kernel: Any

    def __init__(
        self, device: int, room: int, kinds: Sequence[dtype], sizes: Sequence[int], strides: Sequence[Sequence[int]],
        label: str,
    ) -> None:  # fmt: skip
        super().__init__(label)
        self.device, self.room, self.sizes = device, room, list(sizes)
        self.kinds = [(objects.TENSOR_OPERAND, k.itemsize) for k in kinds]
        self.strides = [list(own) for own in strides]
        if room:
            self.kinds.append((objects.TENSOR_OPERAND, 1))
            self.strides.append([0] * len(self.sizes))

    def call(self, places: list[int]) -> None:
        """Call the library for operands at these addresses."""
        raise NotImplementedError

    def table(self, status: launcher.Status) -> launcher.Table:
        """The words that the kernel reads."""
        raise NotImplementedError

    def placed(self, operands: Sequence[Any]) -> Sequence[Any]:
        """The operands where the library can read them."""
        return operands

    def queue(self, *operands: Any) -> None:
        context.enter(self.device)
        stream = streams.current(self.device)
        # From now on machine code of this thread may make calls on the stream.
        launcher.use_stream(self.device, stream.handle)
        given = self.placed(operands[: len(self.strides)])
        starts = [address_on(self.device, x) for x in given]
        for places in places_in_turn(starts, self.sizes, self.strides):
            launcher.recent.append(self._label)
            with timeline.work(timeline.KERNEL, f"{self._label} of a library", stream, "library"):
                self.call(places)
        if is_blocking():
            stream.synchronize()

    def launcher(self, status: launcher.Status) -> Launcher | None:
        table = self.table(status)
        sizes = [1, *self.sizes]
        steps = [[0] * len(sizes), *([0, *own] for own in self.strides)]
        kinds = [(objects.CONSTANT_OPERAND, 8), *self.kinds]
        offsets = [table.address, *[0] * len(self.strides)]
        with planning(None):
            made = Loop(
                module.address(type(self).kernel),
                sizes,
                steps,
                kinds,
                1,
                [],
                0,
                offsets,
                (table, self),
            )
        return Launcher(made, table)


class DescribedLoop(LibraryLoop):
    """A call of a library for what it has described, which queues it itself.

    Args:
        described: its description
        kinds: the types of the operands besides memory to work in
        label: what messages call it
    """

    __slots__ = ("described",)
    activation = ""
    # From a description to the words that the kernel reads.
    words: Any

    def __init__(self, described: Any, kinds: Sequence[dtype], label: str) -> None:
        self.described = described
        super().__init__(described.device, described.work, kinds, (), [()] * len(kinds), label)

    def call(self, places: list[int]) -> None:
        self.described.queue(places if self.room else [*places, 0])

    def table(self, status: launcher.Status) -> launcher.Table:
        return type(self).words(self.described, self.label, status)  # type: ignore[no-any-return]


def places_in_turn(
    starts: Sequence[int], sizes: Sequence[int], strides: Sequence[Sequence[int]]
) -> list[list[int]]:
    """The addresses of operands at each index of some dimensions, from their byte strides."""
    turns = itertools.product(*map(range, sizes))
    return [
        [start + sum(n * s for n, s in zip(index, own)) for start, own in zip(starts, strides)]
        for index in turns
    ]

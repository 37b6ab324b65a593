"""Loops of a GPU that fill a dense tensor with random numbers."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.core import objects
from rushlight.engine.core.tensor import Tensor, place_of
from rushlight.engine.cuda import context, drawing_launcher, launcher, streams
from rushlight.engine.cuda.generators import CudaGenerator
from rushlight.engine.cuda.kernels import Kernel
from rushlight.engine.loops.device_loop import Launcher, Queued
from rushlight.engine.loops.placement import planning
from rushlight.engine.loops.plan import Loop
from rushlight.engine.loops.ptx_philox import WIDTH, WORDS
from rushlight.engine.native.runtime import module


class DrawingLoop(Queued):
    """Draws from a generator, in the order of the tensor's memory.

    Args:
        generator: which draws
        kernel: what runs
        held: the same for a graph that is recorded, where the generator's words lie in the device's memory
        count: how many elements are filled
        itemsize: their size
        each: how many elements a thread makes of the words that Philox gives at once
        numbers: the parameters behind the generator's
    """

    __slots__ = (
        "blocks",
        "count",
        "generator",
        "held",
        "itemsize",
        "kernel",
        "kinds",
        "numbers",
        "taken",
    )

    room, activation = 0, ""
    draws = True

    def __init__(
        self, generator: CudaGenerator, kernel: Kernel, held: Kernel, count: int, itemsize: int, each: int,
        numbers: Sequence[int],
    ) -> None:  # fmt: skip
        super().__init__(kernel.label)
        self.generator, self.kernel, self.held = generator, kernel, held
        self.count, self.itemsize, self.numbers = count, itemsize, list(numbers)
        self.kinds = [(objects.TENSOR_OPERAND, itemsize)]
        found = context.properties(self.device)
        most = found["multi_processor_count"] * (found["max_threads_per_multi_processor"] // WIDTH)
        self.blocks = min(most, -(-count // WIDTH))
        # How many words of its stream each thread takes at most.
        self.taken = ((count - 1) // (WIDTH * self.blocks * each) + 1) * WORDS

    @property
    def device(self) -> int:
        """The number of the device."""
        return self.generator.device.index or 0

    def run(self, out: Tensor) -> None:
        """Queue it on the device's current stream."""
        captures = streams.current(self.device).is_capturing()
        begins = self.generator.taken(self.taken, captures)
        place = begins.place // WORDS
        words = [place_of(out), self.count, self.itemsize, begins.seed, place, *self.numbers]
        kernel = self.held if begins.held else self.kernel
        kernel.launch(self.device, self.blocks, WIDTH, words)

    def launcher(self, status: launcher.Status) -> Launcher | None:
        context.enter(self.device)
        kernel = launcher.Kernel(self.kernel.handle(self.device), self.blocks, WIDTH)
        table = drawing_launcher.table_of(
            self.generator, self.device, self.label, kernel, self.taken, self.count, self.itemsize, self.numbers,
            status,
        )  # fmt: skip
        kinds = [(objects.CONSTANT_OPERAND, 8), *self.kinds]
        with planning(None):
            made = Loop(
                module.address(drawing_launcher.queue_drawing), [1], [[0]] * 2, kinds, 1, [], 0,
                [table.address, 0], (table, self),
            )  # fmt: skip
        return Launcher(made, table)

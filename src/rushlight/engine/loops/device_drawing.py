"""Loops of a GPU that make elements of random numbers, and of elements of dense tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects, symbolic
from rushlight.engine.cuda import context, launcher, streams
from rushlight.engine.cuda.generators import CudaGenerator
from rushlight.engine.cuda.kernels import Kernel
from rushlight.engine.loops.device_loop import DeviceLoop, Grid
from rushlight.engine.loops.ptx_philox import WIDTH, WORDS


class DrawingLoop(DeviceLoop):
    """Draws from a generator, in the order of the tensors' memory.

    Args:
        generator: which draws
        kernel: what runs
        held: the same for a graph that is recorded, where the generator's words lie in the device's memory
        count: how many elements are filled
        memories: the tensors' types in memory, results first
        each: how many elements a thread makes of the words that Philox gives at once
        numbers: the parameters behind the generator's
    """

    __slots__ = ("generator", "held", "numbers", "taken")

    draws = True

    def __init__(
        self, generator: CudaGenerator, kernel: Kernel, held: Kernel, count: int, memories: Sequence[str], each: int,
        numbers: Sequence[int],
    ) -> None:  # fmt: skip
        device = generator.device.index or 0
        sizes = [dtypes.BY_MEMORY[m].itemsize for m in memories]
        seed = len(memories)
        given = [[launcher.SEED], [launcher.BEGIN], *([n] for n in numbers)]
        super().__init__(
            kernel, device, Grid(threads(device, count) // WIDTH, WIDTH), [count],
            [*([size] for size in sizes), *([0] for _ in given)], [*memories, *["i64"] * len(given)],
            [*((objects.TENSOR_OPERAND, size) for size in sizes), *[(objects.CONSTANT_OPERAND, 8)] * len(given)],
            constants={seed + k: words for k, words in enumerate(given)},
        )  # fmt: skip
        self.generator, self.held, self.numbers = generator, held, list(numbers)
        # How many words of its stream each thread takes at most.
        self.taken = ((count - 1) // (WIDTH * self.grid.blocks * each) + 1) * WORDS

    @property
    def drawn(self) -> dict[int, int]:  # type: ignore[override]
        """The operands that the generator gives: its seed, and where the kernel begins."""
        seed = len(self.kinds) - len(self.numbers) - 2
        return {seed: launcher.SEED, seed + 1: launcher.BEGIN}

    @property
    def generator_words(self) -> int:  # type: ignore[override]
        return self.generator.words_address

    def queue(self, *operands: Any) -> None:
        captures = streams.current(self.device).is_capturing()
        begins = self.generator.taken(self.taken, captures)
        places = [self._address(x) for x in operands]
        words = [*places, *self._layout, begins.seed, begins.place // WORDS, *self.numbers]
        kernel = self.held if begins.held else self.kernel
        kernel.launch(self.device, self.grid.blocks, self.grid.width, words, self._label)
        if begins.held:
            # It is loaded now: machine code may record it, too.
            for _, found in self._launchers.values():
                found.launch.change(launcher.LAUNCH.held, kernel.handle(self.device))


def threads(device: int, count: int) -> Any:
    """How many threads there are where each takes an element, as many as run at once at most."""
    found = context.properties(device)
    most = found["multi_processor_count"] * (found["max_threads_per_multi_processor"] // WIDTH)
    return WIDTH * symbolic.minimum(most, -(-count // WIDTH))

"""Random numbers on a GPU: every thread draws from its own stream of Philox.

Which thread makes which element, and with which of its numbers, is PyTorch's: a thread takes four words at a
time, for as many elements, which lie apart by the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.loops import casts
from rushlight.engine.loops.expr import Value, arg
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.maths.philox import philox
from rushlight.engine.loops.printed import computed
from rushlight.engine.loops.ptx_text import GPU, GpuKernel, special
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import divided, inlined, load, narrowed, shifted

# A thread block of these kernels, and the words that Philox gives at once.
WIDTH, WORDS = 256, 4
# ``(words, *numbers) -> values``: what four words become.
Distribution = Callable[..., Sequence[Value]]


class Drawing:
    """What is drawn: the elements that a thread makes of four words.

    Args:
        distribution: from the words and numbers of the call to the elements
        memory: the elements' type in memory
        numbers: the types of the numbers
        held: whether the seed and the place in the streams lie in the device's memory, as for graphs,
            which are given other ones each time; the kernel gets their address and how far behind that place it begins
    """

    def __init__(
        self, distribution: Distribution, memory: str, numbers: Sequence[str], held: bool = False
    ) -> None:
        self.memory, self.numbers, self.held = memory, list(numbers), held
        words = [arg(k, "u32") for k in range(WORDS + 2)]
        given = [arg(WORDS + 2 + k, type) for k, type in enumerate(numbers)]
        made = distribution(philox(words[:WORDS], words[WORDS:]), *given)
        self.each = len(made)
        self.program = Program([p for x in made for p in casts.to_memory(x, memory)], GPU)

    def text(self) -> str:
        """The IR of the kernel; its numbers are the seed, the place in the streams, and those of the call."""
        return _Draw(self).text()


class _Draw(GpuKernel):
    def __init__(self, drawing: Drawing) -> None:
        memories = [drawing.memory, "i64", "i64", *drawing.numbers]
        super().__init__(memories, 1, range(1, len(memories)))
        self.drawing = drawing
        self.operands = [Operand(m, "c") for m in memories]

    @inlined
    def run(self) -> None:
        width = special("ntid.x")
        thread = special("ctaid.x") * width + special("tid.x")
        threads = special("nctaid.x") * width
        (seed,), (place,) = self.numbers[1], self.numbers[2]
        if self.drawing.held:
            place += divided(load(seed + 8), WORDS)
            seed = load(seed)
        key = self.halves(seed)
        index = thread
        while index < self.sizes[0]:
            self.four(index, threads, [*self.halves(place), *self.halves(thread), *key])
            index += threads * self.drawing.each
            place += 1

    @staticmethod
    def halves(word: Any) -> list[Any]:
        """The lower and the upper half of a word."""
        return [narrowed(word, "i32"), narrowed(shifted(word, 32), "i32")]

    def four(self, index: Any, threads: Any, words: list[Any]) -> None:
        """The elements of four words."""
        given = [
            self.number(k, self.operands[k])[0] for k in range(3, 3 + len(self.drawing.numbers))
        ]
        values = computed(self.drawing.program, 1, words, given)
        for k in range(self.drawing.each):
            self.put(index + threads * k, values[k])

    @inlined
    def put(self, index: int, value: Any) -> None:
        """Store an element, if there is one."""
        if index < self.sizes[0]:
            out = self.operands[0]
            out.point(self.pointers[0], 0)
            out.point(out.address(index), 0)
            self.store_one([out], [value])

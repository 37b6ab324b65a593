"""Random numbers on a GPU: every thread draws from its own stream of Philox.

Which thread makes which element, and with which of its numbers, is PyTorch's: a thread takes four words at a
time, for as many elements, which lie apart by the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.loops import casts
from rushlight.engine.loops.expr import Value, arg
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.maths.philox import philox
from rushlight.engine.loops.printed import computed
from rushlight.engine.loops.promotion import compute_type
from rushlight.engine.loops.ptx_text import GPU, GpuKernel, special
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import divided, inlined, load, narrowed, shifted, store

# A thread block of these kernels, and the words that Philox gives at once.
WIDTH, WORDS = 256, 4
# ``(words, *numbers) -> values``: what four words become.
Distribution = Callable[..., Sequence[Value]]


# ``(number, *elements, *numbers) -> values``: what becomes of a number drawn for an element, and of tensors' elements.
Finish = Callable[..., Any]


class Drawing:
    """What is drawn: the elements that a thread makes of four words.

    Args:
        distribution: from the words and numbers of the call to a value for each element
        memories: the types in memory, of the results first
        numbers: the types of the numbers
        held: whether the seed and the place in the streams lie in the device's memory, as for graphs,
            which are given other ones each time; the kernel gets their address and how far behind that place it begins
        finish: from such a value, the elements of other tensors, and the numbers to those of the results; if None, it is
            the result
        outs: how many results there are
        together: whether a thread's elements are neighbours; else they lie apart by the number of threads
    """

    def __init__(
        self, distribution: Distribution, memories: Sequence[str], numbers: Sequence[str], held: bool = False,
        finish: Finish | None = None, outs: int = 1, together: bool = False,
    ) -> None:  # fmt: skip
        self.memories, self.numbers, self.held = list(memories), list(numbers), held
        self.outs, self.together = outs, together
        words = [arg(k, "u32") for k in range(WORDS + 2)]
        given = [arg(WORDS + 2 + k, type) for k, type in enumerate(numbers)]
        made = distribution(philox(words[:WORDS], words[WORDS:]), *given)
        self.each = len(made)
        self.drawn = Program(list(made), GPU)
        value, *given = (arg(k, x) for k, x in enumerate((made[0].type, *numbers)))
        parts: list[Value] = []
        elements = []
        for memory in self.memories[outs:]:
            first = 1 + len(numbers) + len(parts)
            own = [arg(first + k, casts.raw_type(memory)) for k in range(casts.parts(memory))]
            parts += own
            wanted = compute_type(dtypes.BY_MEMORY[memory])
            elements.append(casts.from_memory(own, memory, wanted))
        results = (value,) if finish is None else finish(value, *elements, *given)
        stored = [casts.to_memory(x, m) for x, m in zip(results, self.memories)]
        self.finished = Program([part for own in stored for part in own], GPU)

    def description(self) -> str:
        """What decides its text."""
        said = f"{self.memories}{self.numbers}|{self.held}{self.each}{self.outs}{self.together}"
        return f"{said}{self.drawn.description()}{self.finished.description()}"

    def text(self) -> str:
        """The IR of the kernel; its numbers are the seed, the place in the streams, and those of the call."""
        return _Draw(self).text()


def state_text(held: bool) -> str:
    """The IR of a kernel that writes down the seed and the place that a drawing kernel would be given.

    Args:
        held: as for `Drawing`
    """
    return _State(held).text()


class _Given(GpuKernel):
    """A kernel that is given a seed and a place in its streams behind its tensors.

    Args:
        memories: the tensors' types
        numbers: the types of the numbers behind these
        held: as for `Drawing`
    """

    def __init__(self, memories: Sequence[str], numbers: Sequence[str], held: bool) -> None:
        self.seed, self.held = len(memories), held
        whole = [*memories, "i64", "i64", *numbers]
        super().__init__(whole, 1, range(self.seed, len(whole)))

    @inlined
    def begins(self) -> Any:
        """The seed, and the place in units of four words."""
        (seed,), (place,) = self.numbers[self.seed], self.numbers[self.seed + 1]
        if self.held:
            place += divided(load(seed + 8), WORDS)
            seed = load(seed)
        return seed, place


class _State(_Given):
    def __init__(self, held: bool) -> None:
        super().__init__(["i64", "i64"], [], held)

    @inlined
    def run(self) -> None:
        seed, place = self.begins()
        if special("tid.x") == 0:
            store(self.pointers[0], seed)
            store(self.pointers[1], place * WORDS)


class _Draw(_Given):
    def __init__(self, drawing: Drawing) -> None:
        super().__init__(drawing.memories, drawing.numbers, drawing.held)
        self.drawing = drawing
        memories = [*drawing.memories, "i64", "i64", *drawing.numbers]
        self.operands = [Operand(m, "c") for m in memories]

    @inlined
    def run(self) -> None:
        width = special("ntid.x")
        thread = special("ctaid.x") * width + special("tid.x")
        threads = special("nctaid.x") * width
        seed, place = self.begins()
        key = self.halves(seed)
        index, apart = thread, threads
        if self.drawing.together:
            index, apart = thread * self.drawing.each, 1
        while index < self.sizes[0]:
            self.four(index, apart, [*self.halves(place), *self.halves(thread), *key])
            index += threads * self.drawing.each
            place += 1

    @staticmethod
    def halves(word: Any) -> list[Any]:
        """The lower and the upper half of a word."""
        return [narrowed(word, "i32"), narrowed(shifted(word, 32), "i32")]

    def four(self, index: Any, apart: Any, words: list[Any]) -> None:
        """The elements of four words."""
        first = self.seed + 2
        given = [
            self.number(k, self.operands[k])[0]
            for k in range(first, first + len(self.drawing.numbers))
        ]
        values = computed(self.drawing.drawn, 1, words, given)
        for k in range(self.drawing.each):
            self.put(index + apart * k, values[k], given)

    @inlined
    def put(self, index: int, value: Any, given: list[Any]) -> None:
        """Make and store an element, if there is one."""
        if index < self.sizes[0]:
            self.element(index, value, given)

    def element(self, index: Any, value: Any, given: list[Any]) -> None:
        """Make and store an element of each result."""
        tensors, outs = self.operands[: self.seed], self.drawing.outs
        for k, operand in enumerate(tensors):
            operand.point(self.pointers[k], 0)
            operand.point(operand.address(index), 0)
        read = [part for x in tensors[outs:] for part in x.load_one(x.pointer)]
        values = computed(self.drawing.finished, 1, [value], given, read)
        self.store_one(tensors[:outs], values)

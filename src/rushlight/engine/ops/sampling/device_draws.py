"""Random numbers on a GPU, by PyTorch's recipe: the same after the same seed.

How many threads there are, and how many words of its stream each of them takes at most, follow from the number of
elements and from the device. The next call begins behind these words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import generators
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import maths
from rushlight.engine.loops.device_drawing import DrawingLoop
from rushlight.engine.loops.device_loop import words_of
from rushlight.engine.loops.expr import Value, convert, fma, select, sqrt
from rushlight.engine.loops.identity import Written
from rushlight.engine.loops.maths.philox import UNIT_32, unit_doubles, unit_singles
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.loops.ptx_kernels import described_kernel
from rushlight.engine.loops.ptx_philox import Distribution, Drawing, Finish, state_text
from rushlight.engine.ops.kinds.views import cuda, meta
from rushlight.engine.ops.sampling import distributions, integers
from rushlight.engine.ops.sampling.distributions import FLOATS, has_kernel, single_precision

_drawings: Written[tuple[Drawing, Any]] = Written()
_state_kernels: Written[Any] = Written()
_loops, _states = PlanTable(), PlanTable()
# Longer ranges of integers take two words for a number.
LONG_RANGE = 1 << 28


def generator_of(generator: Any, index: int) -> generators.CudaGenerator:
    """The generator to draw from."""
    if generator is None:
        return generators.default(index)
    if generator.device.type != "cuda":
        raise RuntimeError(
            f"Expected a 'cuda' device type for generator but found '{generator.device.type}'"
        )
    return generator  # type: ignore[no-any-return]


def draw(
    out: Tensor, generator: Any, name: str, distribution: Distribution,
    numbers: Sequence[tuple[str, Any]] = (),
) -> Tensor:  # fmt: skip
    """Fill a tensor with what a distribution makes of random words and numbers."""
    if out._dtype_.category == dtypes.COMPLEX:
        draw(views.view_as_real(out), generator, name, distribution, numbers)
        return out
    if not out._numel_:
        tensors.bump_version(out)
        return out
    target = out if sizes.is_dense(out._size_, out._stride_) else copies.clone(out, None)
    found = generator_of(generator, out._storage_.device.index or 0)
    loop = _loop(found, name, distribution, target, tuple(numbers))
    loop.run(target)
    if generator is None:
        # The numbers are no operands, but the loop's own.
        steps.ByValue.note()
        steps.Written.note(loop, (target,), 1)
    tensors.bump_version(target)
    if target is not out:
        copies.copy_(out, target, False)
    return out


def _loop(
    generator: generators.CudaGenerator, name: str, distribution: Distribution, out: Tensor,
    numbers: tuple[tuple[str, Any], ...],
) -> DrawingLoop:  # fmt: skip
    """What fills such a dense tensor in the order of its memory."""
    key = generator, name, out._dtype_, out._numel_, numbers
    loop = _loops.get(key)
    if loop is None:
        memories = (out._dtype_.memory,)
        loop = drawing_loop(generator, name, distribution, memories, out._numel_, numbers)
        _loops[key] = loop
    return loop


def drawing_loop(
    generator: generators.CudaGenerator, name: str, distribution: Distribution, memories: tuple[str, ...], count: int,
    numbers: Sequence[tuple[str, Any]], finish: Finish | None = None, outs: int = 1, together: bool = False,
) -> DrawingLoop:  # fmt: skip
    """The loop over dense tensors of so many elements; see `Drawing`. Functions of one name do the same."""
    types = tuple(kind for kind, _ in numbers)

    def written(held: bool) -> tuple[Drawing, Any]:
        def write() -> tuple[Drawing, Any]:
            drawing = Drawing(distribution, memories, types, held, finish, outs, together)
            said = f"draw|{drawing.description()}"
            return drawing, described_kernel(f"aten::{name}", said, drawing.text)

        return _drawings.get(name, (memories, types, held, outs, together), write)

    drawing, kernel = written(False)
    words = [word for kind, value in numbers for word in words_of(value, kind)]
    return DrawingLoop(generator, kernel, written(True)[1], count, memories, drawing.each, words)


@cuda("_philox_state")
def philox_state(like: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The seed and the place for a kernel that draws so many numbers by itself, in the device's memory."""
    device = like._storage_.device
    generator = generators.default(device.index or 0)
    loop = _states.get((generator, count))
    if loop is None:
        now, held = (_state_kernel(x) for x in (False, True))
        loop = DrawingLoop(generator, now, held, 1, ("i64", "i64"), 1, ())
        loop.taken = -(-count // generators.UNIT) * generators.UNIT
        _states[generator, count] = loop
    made = [creation.empty_memory_format((), dtypes.int64, None, device) for _ in range(2)]
    loop.run(*made)
    for one in made:
        tensors.bump_version(one)
    # How many numbers are drawn is the loop's own.
    steps.ByValue.note()
    steps.Written.note(loop, tuple(made), 2)
    return made[0], made[1]


@meta("_philox_state")
def philox_state_alike(like: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """What it gives without elements."""
    device = like._storage_.device
    return tensors.empty((), dtypes.int64, device), tensors.empty((), dtypes.int64, device)


def _state_kernel(held: bool) -> Any:
    """The kernel that writes the seed and the place down."""
    said = f"philox state|{held}"
    return _state_kernels.get(
        said, (), lambda: described_kernel("aten::_philox_state", said, lambda: state_text(held))
    )


def is_wide(kind: dtypes.dtype) -> bool:
    """Whether numbers are drawn in double precision."""
    return kind.to_real() is dtypes.float64


@cuda("uniform_")
def uniform_(self: Tensor, from_: float, to: float, generator: Any) -> Tensor:
    distributions.check_uniform(self._dtype_, from_, to)
    memory = self._dtype_.to_real().memory
    kind = "f64" if is_wide(self._dtype_) else "f32"

    def bounded(words: Sequence[Value], low: Value, length: Value, end: Value) -> list[Value]:
        # The numbers are in (0, 1], and the upper bound stands for the lower one.
        units = unit_doubles(words) if kind == "f64" else unit_singles(words)
        made = [convert(convert(fma(u, length, low), memory), kind) for u in units]
        last = convert(convert(end, memory), kind)
        return [select(x == last, low, x) for x in made]

    exact = (lambda x: x) if kind == "f64" else single_precision
    low, high = exact(from_), exact(to)
    numbers = ((kind, low), (kind, exact(high - low)), (kind, high))
    return draw(self, generator, "uniform_", bounded, numbers)


@cuda("normal_")
def normal_(self: Tensor, mean: float, std: float, generator: Any) -> Tensor:
    distributions.check_deviation(std)
    has_kernel(self._dtype_.to_real() in FLOATS, "normal_kernel_cuda", self._dtype_.to_real())
    if self._dtype_.category == dtypes.COMPLEX:
        std = std / math.sqrt(2)
    kind = "f64" if is_wide(self._dtype_) else "f32"

    def shifted(words: Sequence[Value], middle: Value, width: Value) -> list[Value]:
        return [fma(x, width, middle) for x in bell(words, kind)]

    return draw(self, generator, "normal_", shifted, ((kind, mean), (kind, std)))


def bell(words: Sequence[Value], kind: str) -> list[Value]:
    """Standard normal numbers of four words, after Box and Muller: of two even numbers, a length and an angle."""
    if kind == "f64":
        units = unit_doubles(words)
        angles = [units[1] * (2 * math.pi)]
    else:
        units = unit_singles(words)
        turn = 2 * math.pi * UNIT_32
        angles = [convert(w, "f32") * turn + turn / 2 for w in words[1::2]]
    made = []
    for unit, angle in zip(units[::2], angles):
        length = sqrt(maths.log(unit) * -2)
        made += [length * maths.sin(angle), length * maths.cos(angle)]
    return made


def _fill_range(self: Tensor, low: int, length: int, generator: Any) -> Tensor:
    """Whole numbers from a range."""
    if length >= LONG_RANGE:

        def long_numbers(words: Sequence[Value], count: Value, base: Value) -> list[Value]:
            wide = [
                (convert(high, "u64") << 32) | convert(last, "u64")
                for high, last in zip(words[::2], words[1::2])
            ]
            # All of 64 bits are a range that has no length.
            taken = [select(count == 0, w, w % select(count == 0, count + 1, count)) for w in wide]
            return [convert(w, "i64") + base for w in taken]

        numbers = (("u64", length), ("i64", low))
        return draw(self, generator, "random_ of a long range", long_numbers, numbers)

    def short_numbers(words: Sequence[Value], count: Value, base: Value) -> list[Value]:
        return [convert(w % count, "i64") + base for w in words]

    return draw(self, generator, "random_", short_numbers, (("u32", length), ("i64", low)))


@cuda("random_.from")
def random_from(self: Tensor, from_: int, to: int | None, generator: Any) -> Tensor:
    return _fill_range(self, from_, integers._checked(self, from_, to), generator)


@cuda("random_.to")
def random_to(self: Tensor, to: int, generator: Any) -> Tensor:
    return _fill_range(self, 0, integers._checked(self, 0, to), generator)


@cuda("bernoulli_.float")
def bernoulli_(self: Tensor, p: float, generator: Any) -> Tensor:
    distributions.check_bernoulli(p)
    kind = "f64" if is_wide(self._dtype_) else "f32"

    def coins(words: Sequence[Value], chance: Value) -> list[Value]:
        units = unit_doubles(words) if kind == "f64" else unit_singles(words)
        return [unit < chance for unit in units]

    return draw(self, generator, "bernoulli_", coins, ((kind, p),))

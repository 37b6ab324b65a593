"""From a generator's words to the elements of a tensor.

Elements are drawn in the order in which they lie in memory. Whatever is a function of a word or two
is a loop over drawn words; what needs the C library's functions or draws until something is
accepted is a function of `native.mersenne` that writes doubles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import generator as generators
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.generator import Generator
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.generated.calls import copy as copies
from rushlight.engine.loops import geometry
from rushlight.engine.loops.expr import Value, convert
from rushlight.engine.loops.plan import Loop
from rushlight.engine.loops.plans import PlanTable, note_other
from rushlight.engine.native import mersenne
from rushlight.engine.native.lowlevel import Function
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import elementwise_loop
from rushlight.engine.ops.sampling import repeated

_loops = PlanTable()


def chosen(generator: Any) -> Generator:
    """The generator to draw from; a call that draws is never repeated from a record."""
    note_other()
    repeated.note_use()
    if generator is None:
        return generators.default_generator()
    if generator.device.type != "cpu":
        raise RuntimeError(
            f"Expected a 'cpu' device type for generator but found '{generator.device.type}'"
        )
    return generator


def drawn_words(generator: Generator, count: int) -> Tensor:
    """The next words of the stream."""
    made = tensors.empty((count,), dtypes.uint32)
    draw = generators.compiled(mersenne.draw)
    draw(generator.address, tensors.data_pointer(made), count)
    repeated.note_drawn(mersenne.draw, generator, made)
    return made


def memory_strides(out: Tensor) -> tuple[int, ...]:
    """Strides without gaps that walk a tensor's elements as they lie in memory."""
    return geometry.output_strides(out._size, [(out._size, out._stride)])


def fill_from_words(
    out: Tensor,
    generator: Any,
    key: str,
    body: Callable[..., Any],
    words: int,
    operands: Sequence[tuple[str, Any]] = (),
) -> Tensor:
    """Write ``body(word, ..., *operands)`` to every element, with one or two words for each.

    ``operands`` are pairs of a kernel type and a number or tensor; ``key`` names the body.
    """
    given = [value for _, value in operands if isinstance(value, Tensor)]

    def fill() -> Tensor:
        return _fill_from_words(out, chosen(generator), key, body, words, operands)

    return repeated.written(out, fill, generator, given)


def _fill_from_words(
    out: Tensor,
    stream: Generator,
    key: str,
    body: Callable[..., Any],
    words: int,
    operands: Sequence[tuple[str, Any]],
) -> Tensor:
    if not out._numel:
        tensors.bump_version(out)
        return out
    values = [value for _, value in operands]
    shapes = [(kind, v._size, v._stride) if isinstance(v, Tensor) else kind for kind, v in operands]
    signature = (key, words, out._dtype, out._size, out._stride, *shapes)
    loop = _loops.get(signature)
    if loop is None:
        outputs.check_written_once(out)
        loop = _loops[signature] = _word_loop(out, body, words, operands)
    drawn = drawn_words(stream, out._numel * words)
    loop.run(out, *(drawn,) * words, *values)
    repeated.note_loop(loop, (out, *(drawn,) * words, *values))
    tensors.bump_version(out)
    return out


def _word_loop(
    out: Tensor, body: Callable[..., Any], words: int, operands: Sequence[tuple[str, Any]]
) -> Loop:
    """The loop over elements that take ``words`` successive words each."""
    stride = tuple(s * words for s in memory_strides(out))
    drawn = [Template(out._size, stride, dtypes.uint32) for _ in range(words)]
    ins = ["u32"] * words + [kind for kind, _ in operands]
    computed = ["f32" if kind in ("f16", "bf16") else kind for kind in ins]
    values = [value for _, value in operands]
    offsets = [0, *(4 * k for k in range(words)), *(0 for _ in values)]
    return elementwise_loop(
        body, [out], [*drawn, *values], [out._dtype.memory], ins, computed, offsets
    )


def fill_with(
    out: Tensor, generator: Any, sampler: Function, *numbers: float, source: Tensor | None = None
) -> Tensor:
    """Write what a function of the stream gives, which writes doubles one after the other."""

    def fill() -> Tensor:
        return _fill_with(out, chosen(generator), sampler, *numbers, source=source)

    return repeated.written(out, fill, generator)


def _fill_with(
    out: Tensor, stream: Generator, sampler: Function, *numbers: float, source: Tensor | None
) -> Tensor:
    contiguous = sizes.is_contiguous(out._size, out._stride)
    if not contiguous:
        outputs.check_written_once(out)
    direct = out._dtype is dtypes.float64 and sizes.is_dense(out._size, out._stride)
    target = out
    if not direct and contiguous:
        target = tensors.empty(out._size, dtypes.float64)
    elif not direct:
        target = tensors.empty_strided(
            out._size, memory_strides(out), dtypes.float64, out._storage.device
        )
    addresses = [tensors.data_pointer(target)]
    if source is not None:
        addresses.insert(0, tensors.data_pointer(source))
    generators.compiled(sampler)(stream.address, *addresses, out._numel, *numbers)
    if source is None:
        repeated.note_drawn(sampler, stream, target, numbers)
    else:
        repeated.note_unknown()
    if direct:
        tensors.bump_version(out)
        return out
    repeated.note_copy(out, target)
    return copies.copy_(out, target, False)


def unit_f32(word: Value) -> Value:
    """A number in [0, 1) of 24 bits."""
    return convert(word & 0xFFFFFF, "f32") * 2.0**-24


def joined(upper: Value, lower: Value) -> Value:
    """Two words as one of 64 bits."""
    return convert(upper, "u64") << 32 | convert(lower, "u64")


def unit_f64(upper: Value, lower: Value) -> Value:
    """A number in [0, 1) of 53 bits."""
    bits = joined(upper & 0x1FFFFF, lower)
    return convert(convert(bits, "i64"), "f64") * 2.0**-53


def remembered(key: Any, make: Callable[[], Loop]) -> Loop:
    """The loop of a key, made when it is first needed."""
    loop = _loops.get(key)
    if loop is None:
        loop = _loops[key] = make()
    return loop

"""From a generator's words to the elements of a tensor.

Elements are drawn in the order in which they lie in memory. Whatever is a function of a word or two
is a loop over drawn words; what needs the C library's functions or draws until something is
accepted is a function of `native.mersenne` that writes doubles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import generator as generators
from rushlight.engine.core import objects
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.generator import Generator
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import geometry
from rushlight.engine.loops.expr import Value, convert
from rushlight.engine.loops.plan import Chain, Loop, Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.native import mersenne, rejection
from rushlight.engine.native.lowlevel import Function
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import copy_loop, elementwise_loop

# What the loops of a filling have as operands: the target comes first, scratch next.
TARGET, SCRATCH = 0, 1

_fillings = PlanTable()


def chosen(generator: Any) -> Generator:
    """The generator to draw from."""
    generators.catch_up()
    if generator is None:
        return generators.default_generator()
    if generator.device.type != "cpu":
        raise RuntimeError(
            f"Expected a 'cpu' device type for generator but found '{generator.device.type}'"
        )
    return generator  # type: ignore[no-any-return]


class Filling:
    """How random numbers get into tensors of one geometry.

    Operands of the loops are the target, scratch, and whatever else they are given at each run:
    tensors, numbers, and the address of a generator.

    Args:
        links: the loops, each with its operands' positions
        given: how many operands come after the scratch
        scratch: what the tensors look like that only the loops use
    """

    def __init__(
        self,
        links: Sequence[tuple[Loop, Sequence[int]]],
        given: int,
        scratch: Sequence[Template] = (),
    ) -> None:
        self.loops = Chain(1 + len(scratch) + given, links, draws=True)
        self.room = Plan(None, scratch) if scratch else None

    def fill(self, target: Tensor, *given: Any) -> Tensor:
        """Write the next numbers of a stream to a tensor; gives the tensor."""
        if target._offset_ and target._dtype_.category == dtypes.COMPLEX:
            # The loops count in real numbers.
            self.fill(views.view_as_real(target), *given)
            return target
        scratch: Any = ()
        if self.room is not None:
            scratch = steps.Produced.note(self.room, (), self.room.produce())
        if type(scratch) is not tuple:
            scratch = (scratch,)
        operands = (target, *scratch, *given)
        self.loops.run(*operands)
        steps.Written.note(self.loops, operands, 1)
        tensors.bump_version(target)
        return target


def filling(key: Any, make: Callable[[], Filling]) -> Filling:
    """The filling of a key, made when it is first needed."""
    found = _fillings.get(key)
    if found is None:
        found = _fillings[key] = make()
    return found


def sampling_loop(
    kernel: Function, sizes: Sequence[int], tensors: Sequence[int], numbers: Sequence[int] = ()
) -> Loop:
    """The loop that calls a kernel of the stream once.

    Its operands are tensors, whose elements have so many bytes, the generator, and numbers of the
    given kinds. It keeps the interpreter locked, so threads that share a generator take turns.
    """
    kinds = [(objects.TENSOR_OPERAND, itemsize) for itemsize in tensors]
    kinds += [(objects.POINTER_OPERAND, 8), *((kind, 8) for kind in numbers)]
    strides = [[0] * len(sizes) for _ in kinds]
    address = rejection.module.address(kernel)
    return Loop(address, sizes, strides, kinds, len(sizes), [], 0)


def drawing_loop(count: int) -> Loop:
    """The loop that writes the next words of a stream."""
    return sampling_loop(mersenne.draw_kernel, [count], [dtypes.uint32.itemsize])


def words_template(count: int) -> Template:
    """What a vector of words looks like."""
    return Template(sizes.intern((count,)), (1,), dtypes.uint32)


def reals(out: Tensor) -> Template:
    """An output as the numbers that are drawn for it: complex elements have two each."""
    outputs.check_written_once(out)
    if out._dtype_.category != dtypes.COMPLEX:
        return Template(out._size_, out._stride_, out._dtype_)
    size = sizes.intern((*out._size_, 2))
    return Template(size, (*(2 * s for s in out._stride_), 1), out._dtype_.to_real())


def memory_strides(out: Template) -> tuple[int, ...]:
    """Strides without gaps that walk elements as they lie in memory."""
    return geometry.output_strides(out.size, [(out.size, out.stride)])


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
    stream = chosen(generator)
    if not out._numel_:
        tensors.bump_version(out)
        return out
    shapes = [
        (kind, v._size_, v._stride_) if isinstance(v, Tensor) else kind for kind, v in operands
    ]
    signature = (key, words, out._dtype_, out._size_, out._stride_, *shapes)
    found = filling(signature, lambda: _from_words(reals(out), body, words, operands))
    return found.fill(out, stream.address, *(value for _, value in operands))


def _from_words(
    out: Template,
    body: Callable[..., Any],
    words: int,
    operands: Sequence[tuple[str, Any]],
) -> Filling:
    """Elements that take ``words`` successive words each."""
    stride = tuple(s * words for s in memory_strides(out))
    drawn = [Template(out.size, stride, dtypes.uint32) for _ in range(words)]
    ins = ["u32"] * words + [kind for kind, _ in operands]
    computed = ["f32" if kind in ("f16", "bf16") else kind for kind in ins]
    values = [value for _, value in operands]
    offsets = [0, *(4 * k for k in range(words)), *(0 for _ in values)]
    loop = elementwise_loop(
        body, [out], [*drawn, *values], [out.dtype.memory], ins, computed, offsets
    )
    count = sizes.numel(out.size) * words
    source = SCRATCH + 1
    links: list[tuple[Loop, Sequence[int]]] = [
        (drawing_loop(count), [SCRATCH, source]),
        (loop, [TARGET, *(SCRATCH,) * words, *range(source + 1, source + 1 + len(values))]),
    ]
    return Filling(links, 1 + len(values), [words_template(count)])


def fill_with(out: Tensor, generator: Any, kernel: Function, *numbers: float) -> Tensor:
    """Write what a kernel of the stream gives, which writes doubles one after the other."""
    stream = chosen(generator)
    signature = (kernel, out._dtype_, out._size_, out._stride_)
    found = filling(signature, lambda: _in_doubles(reals(out), kernel, len(numbers)))
    return found.fill(out, stream.address, *numbers)


def _in_doubles(out: Template, kernel: Function, numbers: int) -> Filling:
    loop = sampling_loop(kernel, [sizes.numel(out.size)], [8], [objects.FLOAT64_OPERAND] * numbers)
    return written_through(out, loop, dtypes.float64, 1 + numbers)


def written_through(out: Template, loop: Loop, kind: dtypes.dtype, given: int) -> Filling:
    """What a loop writes one after the other, whose elements have a type of their own."""
    if out.dtype is kind and sizes.is_dense(out.size, out.stride):
        return Filling([(loop, range(1 + given))], given)
    scratch = Template(out.size, memory_strides(out), kind)
    links: list[tuple[Loop, Sequence[int]]] = [
        (loop, range(SCRATCH, SCRATCH + 1 + given)),
        (copy_loop(out, scratch), [TARGET, SCRATCH]),
    ]
    return Filling(links, given, [scratch])


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

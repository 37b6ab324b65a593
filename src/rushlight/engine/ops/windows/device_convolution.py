"""Convolutions on a GPU that a library makes: operands as it takes them, and the loops around its call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import size as sizes
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.cuda.cudnn import FORWARD, IMAGE, WEIGHTS, Convolution, Kind, strides_of
from rushlight.engine.loops.promotion import compute_type
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops import formats
from rushlight.engine.ops.kinds.elementwise import elementwise_loop
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, facts
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target
from rushlight.engine.ops.windows.sizes import Ints
from rushlight.engine.ops.windows.taps import window_count

__all__ = ["FORWARD", "IMAGE", "WEIGHTS", "library_request"]


@dataclass
class LibraryRequest(Request):
    """A convolution, or a gradient of one, by a library's loop.

    Args:
        inputs: its operands in the library's order; behind them a vector that is added to the result's channels
        specs: the result
        loop: what makes it of operands that lie as ``channels_last`` says
    """

    inputs: tuple[Tensor, ...]
    specs: list[Spec]
    loop: Any
    channels_last: bool

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(1, len(self.inputs))
        places = [self._operand(chain, ("in", k), x) for k, x in enumerate(self.inputs[:2])]
        places.insert(0, ("out", 0))
        if self.loop.room:
            places.append(chain.add_scratch((self.loop.room,), dtypes.uint8)[1])
        chain.add(self.loop, places)
        if len(self.inputs) > 2:
            self._add_bias(chain, targets[0])
        return chain.finish()

    def _lies(self, size: Ints, stride: Ints) -> bool:
        wanted = strides_of(size, self.channels_last)
        return all(n == 1 or s == w for n, s, w in zip(size, stride, wanted))

    def _operand(self, chain: ChainBuilder, place: Any, x: Tensor) -> Any:
        """Where an operand is as the library takes it: a copy if it lies in another way."""
        if self._lies(x._size_, x._stride_):
            return place
        strides = strides_of(x._size_, self.channels_last)
        template, copied = chain.add_scratch(x._size_, x._dtype_, strides)
        chain.add(_copy(template, x), [copied, place])
        return copied

    def _add_bias(self, chain: ChainBuilder, made: Target) -> None:
        bias = self.inputs[2]
        size, _, kind = facts(made)
        step = (bias._stride_[0], *[0] * (len(size) - 2))
        view = Template(sizes.intern(size[1:]), step, kind)
        memory, compute = kind.memory, compute_type(kind)
        loop = elementwise_loop(
            lambda x, b: x + b, [made], [made, view], [memory], [memory] * 2, [compute] * 2
        )
        chain.add(loop, [("out", 0), ("out", 0), ("in", 2)])


def library_request(
    kind: Kind, operands: Sequence[Tensor], bias: Tensor | None, size: Sequence[int],
    steps: tuple[Ints, Ints, Ints], groups: int,
) -> LibraryRequest | None:  # fmt: skip
    """What a library makes of a convolution on the device that this thread plans for; None if there is none for it.

    Args:
        kind: which of the library's three
        operands: both of them in its order
        bias: what is added to the channels of the result
        size: the result's
        steps: the padding, stride and dilation of each dimension
        groups: into how many groups the channels fall
    """
    first, second = operands
    channels_last = any(formats.suggested(x) is not layouts.contiguous_format for x in operands)
    if kind is IMAGE and not _is_consistent(first, second, size, steps):
        return None
    all_sizes = [tuple(first._size_), tuple(second._size_), tuple(size)]
    padding, stride, dilation = map(tuple, steps)
    if len(padding) == 1:
        all_sizes = [(*s[:2], 1, *s[2:]) for s in all_sizes]
        padding, stride, dilation = (0, *padding), (1, *stride), (1, *dilation)
    a, b, c = all_sizes
    asked = Convolution(
        kind, first._dtype_.memory, (a, b, c), channels_last, padding, stride, dilation, groups
    )
    loop = state.thread.planner.convolution_loop(asked, first._dtype_)
    if loop is None:
        return None
    spec = tuple(size), strides_of(size, channels_last), first._dtype_
    inputs = (first, second) if bias is None else (first, second, bias)
    return LibraryRequest(inputs, [spec], loop, channels_last)


def _is_consistent(
    weight: Tensor, image: Tensor, size: Sequence[int], steps: tuple[Ints, Ints, Ints]
) -> bool:
    """Whether a convolution of the result has the image's size: a large output padding gives more windows."""
    found = [
        window_count(n, k, s, p, d) for n, k, p, s, d in zip(size[2:], weight._size_[2:], *steps)
    ]
    return found == list(image._size_[2:])


def _copy(target: Any, source: Any) -> Any:
    kind = facts(target)[2]
    memory = kind.memory
    return elementwise_loop(
        lambda x: x, [target], [source], [memory], [memory], [compute_type(kind)]
    )

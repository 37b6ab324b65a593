"""Max pooling: the largest elements of windows and where they are, as one map over planes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import product as pairs
from math import prod
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.loops.expr import Value, const, convert, isnan, select
from rushlight.engine.loops.plan import Loop
from rushlight.engine.native import peaks
from rushlight.engine.native.records import dataclass
from rushlight.engine.native.window_tables import write_starts
from rushlight.engine.ops.creation.constants import MOST_ELEMENTS
from rushlight.engine.ops.kinds.elementwise import Constant, elementwise_loop, shaped
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, facts
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target
from rushlight.engine.ops.windows.direct import Planes, View, written_table
from rushlight.engine.ops.windows.sizes import Ints, integers
from rushlight.engine.ops.windows.taps import convolution_axis, row_major

# Where sizes vary, so many elements of windows are looked at one by one.
_FEW = 1 << 13
# Larger windows have too many elements for one map.
MOST_TAPS = 36


def lowest(kind: Any) -> Any:
    """What nothing is less than."""
    return -float("inf") if kind.is_floating_point else dtypes.iinfo(kind).min


@dataclass
class Peaks(Request):
    """The largest element of every window, and its place in the flattened image.

    Args:
        inputs: the image
        settings: for each dimension: kernel, stride, padding, dilation, and how many windows
    """

    inputs: tuple[Tensor, ...]
    settings: Sequence[tuple[int, int, int, int, int]]
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        image = self.inputs[0]
        chain = ChainBuilder(2, 1)
        count = len(self.settings)
        # An image without a batch is one of a batch.
        first = (1,) * (count + 2 - len(image._size_))
        size, kind = (*first, *image._size_), image._dtype_
        inside = size[2:]
        if not all(size):
            return chain.finish()
        if symbolic.trace() is not None and self._is_small():
            return self._walked(targets, size, chain)
        stride = [0] * len(first) + list(image._stride_)
        source = View(("in", 0), shaped(size, stride, kind), stride)
        axes = [convolution_axis(n, *s) for n, s in zip(inside, self.settings)]
        planes = Planes(chain, source, axes, kind, fill=lowest(kind))
        result = (*size[:2], *(s[4] for s in self.settings))
        view = shaped(result, [planes.of_batch, planes.of_channel, *planes.spatial], kind)
        taps = list(pairs(*(a.phases[0][0] for a in axes)))
        flat = row_major(inside)
        outs = [shaped(result, [0] * len(first) + list(facts(t)[1]), facts(t)[2]) for t in targets]
        element, memory = promotion.compute_type(kind), kind.memory
        starts, at = self._where(chain, flat)
        loop = elementwise_loop(
            _largest(lowest(kind), [tuple(t.element for t in tap) for tap in taps], element), outs,
            [view] * len(taps) + starts, [memory, "i64"],
            [memory] * len(taps) + ["i64"] * len(starts),
            [element] * len(taps) + ["i64"] * len(starts),
            [0, 0, *(planes.offset(tap) * kind.itemsize for tap in taps), *(n for n, _ in at)],
        )  # fmt: skip
        chain.add(
            loop, [("out", 0), ("out", 1), *[planes.place] * len(taps), *(place for _, place in at)]
        )
        return chain.finish()

    def _where(self, chain: ChainBuilder, flat: Ints) -> tuple[list[Any], list[tuple[Any, Any]]]:
        """The map's operands that say where elements are; of each how many bytes further it is, and its place.

        First the places of the windows' first elements, then those of the first ones in the image.
        The kernel knows no sizes: how far apart rows are is an operand, too.
        """
        count = prod(s[4] for s in self.settings)
        if symbolic.trace() is None and count <= MOST_ELEMENTS:
            image = self.inputs[0]
            found = [Constant(self._starts(flat, clamped), "i64") for clamped in (False, True)]
            found += [
                Constant(integers([s[3] * n], image), "i64") for s, n in zip(self.settings, flat)
            ]
            return found, [(0, 0)] * len(found)
        dims = [
            (windows, stride, padding, dilation, step)
            for (_, stride, padding, dilation, windows), step in zip(self.settings, flat)
        ]
        words = [w for dim in [*[(1, 1, 0, 1, 0)] * (3 - len(dims)), *dims] for w in dim]
        windows = [s[4] for s in self.settings]
        made = written_table(chain, write_starts, 2 * count + 3, 1, words)
        starts = shaped(windows, row_major(windows), dtypes.int64)
        number = shaped((), (), dtypes.int64)
        first = 2 * count + 3 - len(dims)
        places = [0, count, *(first + d for d in range(len(dims)))]
        return (
            [starts, starts, *[number] * len(dims)],
            [(8 * place, made.place) for place in places],
        )

    def _is_small(self) -> bool:
        """Whether there are so few elements that looking at one by one costs less than planning."""
        taps = prod(s[0] for s in self.settings)
        kind = self.inputs[0]._dtype_
        few = sizes.numel(self.specs[0][0]) * taps <= _FEW
        return few and kind in (dtypes.float32, dtypes.float64)

    def _walked(self, targets: Sequence[Target], size: Ints, chain: ChainBuilder) -> Built:
        """A loop that is told all about the windows, for a class of sizes."""
        image = self.inputs[0]
        kind, count = image._dtype_, len(self.settings)
        lead = len(image._size_) - count
        given = list(zip(image._size_[lead:], image._stride_[lead:], self.settings))
        words, flat = [], 1
        for n, step, (kernel, stride, padding, dilation, _) in reversed(given):
            words += [n, kernel, stride, padding, dilation, step * kind.itemsize, flat]
            flat = flat * n
        words += [1, 1, 1, 0, 1, 0, 0] * (3 - count)
        told = symbolic.words([*words, kind.itemsize])
        windows = [*reversed([s[4] for s in self.settings]), *[1] * (3 - count)]

        def strides(stride: Ints, item: int, own: bool) -> list[int]:
            """Of an operand along the windows' dimensions, the planes and the batch."""
            inner = [s * item for s in reversed(stride[lead:])] if own else [0] * count
            outer = [s * item for s in reversed(stride[:lead])]
            return [*inner, *[0] * (3 - count), *outer, *[0] * (2 - lead)]

        made = [facts(t) for t in targets]
        along = [strides(stride, k.itemsize, True) for _, stride, k in made]
        along += [strides(image._stride_, kind.itemsize, False), [0] * 5]
        kinds = [(objects.TENSOR_OPERAND, k.itemsize) for *_, k in made]
        kinds += [(objects.TENSOR_OPERAND, kind.itemsize), (objects.CONSTANT_OPERAND, 8)]
        loop = Loop(
            peaks.module.address(peaks.largest), [*windows, size[1], size[0]], along, kinds, 3, [],
            0, [0, 0, 0, ctypes.addressof(told)], told,
        )  # fmt: skip
        chain.add(loop, [("out", 0), ("out", 1), ("in", 0), 0])
        return chain.finish()

    def _starts(self, flat: Ints, clamped: bool) -> Tensor:
        """The place of each window's first element; ``clamped`` to those inside the image."""
        total: Any = 0
        for d, (step, (_, stride, padding, dilation, windows)) in enumerate(
            zip(flat, self.settings)
        ):
            firsts = [i * stride - padding for i in range(windows)]
            if clamped:
                firsts = [f if f >= 0 else f + -(f // dilation) * dilation for f in firsts]
            shape = [-1] + [1] * (len(flat) - 1 - d)
            total = integers([f * step for f in firsts], self.inputs[0]).reshape(shape) + total
        made: Tensor = total.contiguous()
        return made


# A number that says an element of a window in all dimensions has so many bits for each.
_DIGIT = 8


def _largest(least: Any, taps: Sequence[tuple[int, ...]], type: str) -> Any:
    """The map: later elements must be larger, or no numbers."""

    def body(*given: Value) -> tuple[Value, Value]:
        elements, (start, inside, *steps) = given[: len(taps)], given[len(taps) :]
        best = const(type, least)
        found = const("i32", -1)
        for x, tap in zip(elements, taps):
            better = x > best
            if type[0] in "fb":
                better = better | isnan(x)
            best = select(better, x, best)
            number = sum(k << _DIGIT * d for d, k in enumerate(tap))
            found = select(better, const("i32", number), found)
        place = start
        for d, step in enumerate(steps):
            digit = (found >> const("i32", _DIGIT * d)) & const("i32", (1 << _DIGIT) - 1)
            place = place + convert(digit, "i64") * step
        return best, select(found < 0, inside, place)

    return body

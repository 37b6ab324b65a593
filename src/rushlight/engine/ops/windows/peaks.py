"""The largest elements of windows and where they are, as one map over the image's planes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product as pairs
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.loops.expr import Value, const, convert, isnan, select
from rushlight.engine.ops.kinds.elementwise import Constant, elementwise_loop, shaped
from rushlight.engine.ops.kinds.nests import Steps, facts
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target
from rushlight.engine.ops.windows.direct import Planes, View
from rushlight.engine.ops.windows.grids import convolution_axis, row_major
from rushlight.engine.ops.windows.sizes import Ints, integers

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
        steps = Steps(2, 1)
        count = len(self.settings)
        # An image without a batch is one of a batch.
        first = (1,) * (count + 2 - len(image._size))
        size, kind = (*first, *image._size), image._dtype
        inside = size[2:]
        if not all(size):
            return steps.finish()
        stride = [0] * len(first) + list(image._stride)
        source = View(("in", 0), shaped(size, stride, kind), stride)
        axes = [convolution_axis(n, *s) for n, s in zip(inside, self.settings)]
        planes = Planes(steps, source, axes, kind, fill=lowest(kind))
        result = (*size[:2], *(s[4] for s in self.settings))
        view = shaped(result, [planes.of_batch, planes.of_channel, *planes.spatial], kind)
        taps = list(pairs(*(a.phases[0][0] for a in axes)))
        flat = row_major(inside)
        reached = [
            sum(t.element * s[3] * step for t, s, step in zip(tap, self.settings, flat))
            for tap in taps
        ]
        outs = [shaped(result, [0] * len(first) + list(facts(t)[1]), facts(t)[2]) for t in targets]
        element, memory = promotion.compute_type(kind), kind.memory
        starts = [Constant(self._starts(flat, clamped), "i64") for clamped in (False, True)]
        loop = elementwise_loop(
            _largest(lowest(kind), reached, element), outs, [view] * len(taps) + starts,
            [memory, "i64"], [memory] * len(taps) + ["i64"] * 2,
            [element] * len(taps) + ["i64"] * 2,
            [0, 0, *(planes.offset(tap) * kind.itemsize for tap in taps), 0, 0],
        )  # fmt: skip
        steps.add(loop, [("out", 0), ("out", 1), *[planes.place] * len(taps), 0, 0])
        return steps.finish()

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


def _largest(least: Any, reached: Sequence[int], type: str) -> Any:
    """The map: later elements must be larger, or no numbers."""

    def body(*given: Value) -> tuple[Value, Value]:
        *elements, start, inside = given
        best = const(type, least)
        found = const("i32", -1)
        for x, offset in zip(elements, reached):
            better = x > best
            if type[0] in "fb":
                better = better | isnan(x)
            best = select(better, x, best)
            found = select(better, const("i32", offset), found)
        place = select(found < 0, inside, start + convert(found, "i64"))
        return best, place

    return body

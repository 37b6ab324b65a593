"""Convolutions of bf16 on AMX.

An image is copied once, with its channels innermost and borders of zeros. Windows are then rows of a
matrix. Its product with the weight is the result, its product with the gradient of the result that of
the weight. Where windows are equally far apart, the matrix is the image itself, whose rows overlap;
else bands of windows are copied into rows that are used while they are in the cache.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product as pairs
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.amx_packing import DEPTH
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.kinds.elementwise import copy_loop, elementwise_loop, fill_loop, shaped
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, OuterLoop, facts
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target
from rushlight.engine.ops.kinds.product_loops import amx_loop
from rushlight.engine.ops.kinds.products import AMX_SIDE, has_amx
from rushlight.engine.ops.windows.taps import Axis, row_major

Ints = Sequence[int]
BF16, F32 = dtypes.bfloat16, dtypes.float32
# With fewer channels in the result, most of a square would be idle.
FEW_OUTPUTS = 16
# A band of windows has about so many bytes, and the unit is not worth setting up for fewer rows.
BAND_BYTES, BAND_ROWS = 1 << 19, 64
# Rows between two lines of windows are no windows; one in so many rows may be such a row.
WASTED_SHARE = 8


def suits(image: Tensor, kernel: Ints, outputs: int, places: int, groups: int) -> bool:
    """Whether a convolution is one of bf16 that is large enough for the unit.

    Args:
        outputs: how many channels the result has
        places: how many windows there are
    """
    taps = math.prod(kernel)
    return (
        image._dtype_ is BF16
        and groups == 1
        and outputs >= FEW_OUTPUTS
        and image._size_[1] * taps >= AMX_SIDE
        and places >= AMX_SIDE
        and bool(image._numel_)
        and has_amx()
    )


class _Line:
    """What is evenly spaced along one dimension: first, distance, count."""

    def __init__(self, values: Ints) -> None:
        self.first, self.count = values[0], len(values)
        self.apart = values[1] - values[0] if len(values) > 1 else 0


class _Phase:
    """Results that share their taps, with all that is evenly spaced about them."""

    def __init__(self, phases: Sequence[Any]) -> None:
        taps = [sorted(taps, key=lambda t: t.shift) for taps, _ in phases]
        self.elements = [_Line([t.element for t in axis]) for axis in taps]
        self.shifts = [_Line([t.shift for t in axis]) for axis in taps]
        self.results = [_Line([i for i, _ in spots]) for _, spots in phases]
        self.places = [_Line([j for _, j in spots]) for _, spots in phases]
        self.taps = [line.count for line in self.shifts]
        self.windows = [line.count for line in self.places]

    def band(self, depth: int) -> int:
        """How many lines of windows make a band: all bands are alike."""
        row = math.prod(self.windows[1:])
        wanted = max(BAND_BYTES // (2 * depth), BAND_ROWS)
        fitting = [n for n in range(1, self.windows[0] + 1) if self.windows[0] % n == 0]
        return max([n for n in fitting if n * row <= wanted], default=1)


class _Image:
    """An image with its channels innermost, in its borders."""

    def __init__(
        self, chain: ChainBuilder, place: Any, image: Tensor, axes: Sequence[Axis]
    ) -> None:
        size, stride, own = facts(image)
        self.batch, self.channels = size[:2]
        pitches = [a.pitch for a in axes]
        self.spatial = row_major(pitches, self.channels)
        self.of_batch = math.prod(pitches) * self.channels
        behind = sum(a.extent * s for a, s in zip(axes, self.spatial))
        self.tensor, self.place = chain.add_scratch((self.of_batch * self.batch + behind,), BF16)
        slices = [a.slices[0] for a in axes]
        if any(s.place or s.length != n for s, n in zip(slices, pitches)):
            chain.add(fill_loop(self.tensor, 0), [self.place])
        shape = [*size[:2], *(s.length for s in slices)]
        if all(shape):
            to = sum(s.place * step for s, step in zip(slices, self.spatial))
            start = sum(s.start * step for s, step in zip(slices, stride[2:]))
            target = shaped(shape, [self.of_batch, 1, *self.spatial], BF16)
            chain.add(copy_loop(target, shaped(shape, stride, own), to, start), [self.place, place])


@dataclass
class _Bands:
    """The windows of a phase, band by band: where a band is, and its rows."""

    image: _Image
    phase: _Phase

    def __post_init__(self) -> None:
        self.depth = math.prod(self.phase.taps) * self.image.channels
        self.lines = self.phase.band(self.depth)
        self.windows = [self.lines, *self.phase.windows[1:]]
        self.rows = math.prod(self.windows)
        self.dims = (self.image.batch, self.phase.windows[0] // self.lines)

    def row_line(self) -> int | None:
        """How many rows of the image there are from one line of windows to the next.

        None if the image is no matrix whose rows are the windows.
        """
        places, shifts, image = self.phase.places, self.phase.shifts, self.image
        if len(places) != 2 or places[1].apart == 0 or shifts[1].apart not in (0, 1):
            return None
        row = places[1].apart * image.spatial[1]
        line = places[0].apart * image.spatial[0] if self.lines > 1 else self.windows[1] * row
        wasted = line // row - self.windows[1]
        fits = line % row == 0 and wasted * WASTED_SHARE <= self.windows[1]
        return line // row if fits and self.run % DEPTH == 0 else None

    @property
    def run(self) -> int:
        """How many elements of a window are neighbours."""
        return self.phase.taps[-1] * self.image.channels

    @property
    def start(self) -> int:
        """Where the first band's first window begins in the image."""
        every = zip(self.phase.places, self.phase.shifts, self.image.spatial)
        return sum((place.first + shift.first) * s for place, shift, s in every)

    def add_image(self, sink: OuterLoop) -> Any:
        """Let the image be an operand of what is done for each band."""
        step = self.apart(self.image.of_batch, self.phase.places[0], self.image.spatial[0])
        return sink.add_operand(self.image.place, [2 * s for s in step])

    def apart(self, of_image: int, lines: Any, stride: int) -> tuple[int, int]:
        """How far apart bands are in an operand with such a stride along the first dimension."""
        return of_image, self.lines * lines.apart * stride

    def add_rows(self, sink: OuterLoop) -> Any:
        """Copy a band's windows into rows of scratch memory; gives its place."""
        image, phase = self.image, self.phase
        _, place = sink.add_scratch((self.rows, self.depth), BF16)
        shape = [*self.windows, *phase.taps, image.channels]
        strides = [
            *(line.apart * s for line, s in zip(phase.places, image.spatial)),
            *(line.apart * s for line, s in zip(phase.shifts, image.spatial)),
            1,
        ]
        target, source = shaped(shape, row_major(shape), BF16), shaped(shape, strides, BF16)
        sink.add(copy_loop(target, source, 0, self.start), [place, self.add_image(sink)])
        return place


@dataclass
class AmxConvolution(Request):
    """A convolution, transposed or not. See `direct.Convolution` for the arguments."""

    inputs: tuple[Tensor, ...]
    axes: Sequence[Axis]
    along: int
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(1, len(self.inputs))
        image = _Image(chain, ("in", 0), self.inputs[0], self.axes)
        for phases in pairs(*(a.phases for a in self.axes)):
            self._add_phase(chain, targets[0], image, phases)
        return chain.finish()

    def _add_phase(
        self, chain: ChainBuilder, target: Target, image: _Image, phases: Sequence[Any]
    ) -> None:
        if any(not taps for taps, _ in phases):
            self._add_bias_alone(chain, target, phases)
            return
        bands = _Bands(image, _Phase(phases))
        weight = self._turned_weight(chain, bands)
        sink = OuterLoop(chain, bands.dims)
        sums, lines = self._add_product(sink, bands, weight)
        self._add_results(sink, facts(target)[1], bands, sums, lines)
        sink.finish()

    def _add_product(self, sink: OuterLoop, bands: _Bands, weight: Any) -> tuple[Any, list[int]]:
        """The sums of a band's windows, a row for each: their place, and the windows' strides."""
        outputs, line = self.specs[0][0][1], bands.row_line()
        rows = bands.rows if line is None else (bands.lines - 1) * line + bands.windows[1]
        _, sums = sink.add_scratch((rows, outputs), F32)
        sink.add_operand(weight, (0, 0))
        if line is None:
            row, runs, factor, start = bands.depth, None, bands.add_rows(sink), 0
        else:
            row = bands.phase.places[1].apart * bands.image.spatial[1]
            runs = bands.run, bands.phase.shifts[0].apart * bands.image.spatial[0]
            factor, start = bands.add_image(sink), bands.start
        product = amx_loop(
            [F32, BF16, BF16], [bands.depth, outputs, rows],
            [[0, 1, outputs], [1, 0, row], [1, bands.depth, 0]], runs=runs, offsets=(0, start, 0),
        )  # fmt: skip
        sink.add(product, [sums, factor, weight, 0])
        return sums, row_major([*bands.windows[:-1], line or bands.windows[-1]], outputs)

    def _add_results(
        self, sink: OuterLoop, stride: Ints, bands: _Bands, sums: Any, lines: Ints
    ) -> None:
        """A band of the result: its sums and the bias, rounded once."""
        results = bands.phase.results
        step = bands.apart(stride[0], results[0], stride[2])
        sink.add_operand(("out", 0), [2 * s for s in step])
        size = [self.specs[0][0][1], *bands.windows]
        to = [stride[1], *(line.apart * s for line, s in zip(results, stride[2:]))]
        start = sum(line.first * s for line, s in zip(results, stride[2:]))
        parts, places = [shaped(size, [1, *lines], F32)], [sums]
        if len(self.inputs) > 2:
            places.append(sink.add_operand(("in", 2), (0, 0)))
            spread = [self.inputs[2]._stride_[0], *(0 for _ in bands.windows)]
            parts.append(shaped(size, spread, BF16))
        loop = elementwise_loop(
            lambda x, *bias: x + bias[0] if bias else x, [shaped(size, to, BF16)], parts,
            [BF16.memory], [facts(p)[2].memory for p in parts], ["f32"] * len(parts),
            (2 * start, *(0 for _ in parts)),
        )  # fmt: skip
        sink.add(loop, [("out", 0), *places])

    def _turned_weight(self, chain: ChainBuilder, bands: _Bands) -> Any:
        """The place of the weight with a row for each result's channel, as windows' rows lie."""
        weight, phase, depth = self.inputs[1], bands.phase, bands.depth
        own = weight._stride_
        outputs, inputs = weight._size_[1 - self.along], weight._size_[self.along]
        shape = [outputs, *phase.taps, inputs]
        strides = [
            own[1 - self.along],
            *(line.apart * s for line, s in zip(phase.elements, own[2:])),
            own[self.along],
        ]
        start = sum(line.first * s for line, s in zip(phase.elements, own[2:]))
        _, place = chain.add_scratch((outputs, depth), BF16)
        target, source = shaped(shape, row_major(shape), BF16), shaped(shape, strides, BF16)
        chain.add(copy_loop(target, source, 0, start), [place, ("in", 1)])
        return place

    def _add_bias_alone(self, chain: ChainBuilder, target: Target, phases: Sequence[Any]) -> None:
        """Results that no element of the kernel reaches."""
        size, stride, kind = facts(target)
        results = [_Line([i for i, _ in spots]) for _, spots in phases]
        shape = [*size[:2], *(line.count for line in results)]
        own = [*stride[:2], *(line.apart * s for line, s in zip(results, stride[2:]))]
        start = sum(line.first * s for line, s in zip(results, stride[2:]))
        if len(self.inputs) == 2:
            chain.add(fill_loop(shaped(shape, own, kind), 0, start), [("out", 0)])
            return
        spread = shaped(shape, [0, self.inputs[2]._stride_[0], *(0 for _ in results)], kind)
        chain.add(copy_loop(shaped(shape, own, kind), spread, start), [("out", 0), ("in", 2)])


@dataclass
class AmxWeightGradient(Request):
    """The gradient of a convolution for its weight. See `direct.WeightGradient`."""

    inputs: tuple[Tensor, ...]
    axes: Sequence[Axis]
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(1, 2)
        image = _Image(chain, ("in", 1), self.inputs[1], self.axes)
        phase = _Phase([a.phases[0] for a in self.axes])
        bands = _Bands(image, phase)
        grad, place = self._dense_grad(chain)
        outputs, channels, *kernel = self.specs[0][0]
        sums, sums_place = chain.add_scratch((outputs, bands.depth), F32)
        chain.add(fill_loop(sums, 0), [sums_place])
        sink = OuterLoop(chain, bands.dims, in_turn=True)
        rows = bands.add_rows(sink)
        sink.add_operand(sums_place, (0, 0))
        sink.add_operand(place, [2 * grad[0], 2 * bands.lines * grad[2]])
        shape = [bands.rows, bands.depth, outputs]
        strides = [[0, 1, bands.depth]] * 2 + [[1, 0, grad[1]], [bands.depth, 1, 0]]
        loop = amx_loop([F32, F32, BF16, BF16], shape, strides)
        sink.add(loop, [sums_place, sums_place, place, rows, 0])
        sink.finish()
        size, stride, kind = facts(targets[0])
        source = shaped(size, [bands.depth, 1, *row_major(kernel, channels)], F32)
        chain.add(copy_loop(shaped(size, stride, kind), source), [("out", 0), sums_place])
        return chain.finish()

    def _dense_grad(self, chain: ChainBuilder) -> tuple[Ints, Any]:
        """The gradient of the result with every channel's places one behind the other."""
        grad = self.inputs[0]
        size, stride, kind = facts(grad)
        if all(s == own for n, s, own in zip(size[2:], stride[2:], row_major(size[2:])) if n > 1):
            return (*stride[:2], *row_major(size[2:])), ("in", 0)
        dense, place = chain.add_scratch(size, kind)
        chain.add(copy_loop(dense, shaped(size, stride, kind)), [place, ("in", 0)])
        return dense.stride, place

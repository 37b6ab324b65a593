"""Convolutions and the gradients of their weights as products by tables.

The image is copied once, into planes with borders of zeros (see `grids`); where it needs no border
and no planes it is read as it is. Then every row of the product's right factor is a run of
neighbouring elements, and the kernel of `loops.offset_kernel` does the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product as pairs
from typing import Any

import numpy as np

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects
from rushlight.engine.core import size as sizes
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.loops.offset_kernel import AHEAD, offset_product_ir, vector_words
from rushlight.engine.loops.plan import Loop
from rushlight.engine.loops.target import host_target
from rushlight.engine.native import machine
from rushlight.engine.ops.kinds.elementwise import Constant, elementwise_loop
from rushlight.engine.ops.kinds.nests import Steps, facts
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target
from rushlight.engine.ops.kinds.products import OPERATIONS_PER_BYTE
from rushlight.engine.ops.windows.grids import Axis, row_major

Ints = Sequence[int]
Table = Any
# Images of a batch share one table if it has no more vectors than this.
MOST_VECTORS = 1024
# Images with fewer elements in a plane lie side by side, so that vectors go over several.
SMALL_PLANE = 256
# The sum of a weight's gradient goes over the images of a batch at once up to this length.
MOST_POSITIONS = 4096


@dataclass
class _View:
    """An operand: its place in the plan, a tensor of its memory, strides in elements, an offset."""

    place: Any
    tensor: Target
    strides: Ints


def _identity(x: Any) -> Any:
    return x


def _zero_loop(target: Template) -> Loop:
    compute = promotion.compute_type(target.dtype)
    held = Constant(0, compute)
    return elementwise_loop(
        _identity, [target], [held], [target.dtype.memory], [compute], [compute]
    )


def _copy_loop(target: Template, source: Template, to: int = 0, start: int = 0) -> Loop:
    """The loop that copies ``source`` from one element on to ``target`` from another one on."""
    kinds = [target.dtype, source.dtype]
    compute = source.dtype.memory if kinds[0] is kinds[1] else promotion.compute_type(kinds[1])
    return elementwise_loop(
        _identity, [target], [source], [kinds[0].memory], [kinds[1].memory], [compute],
        (to * kinds[0].itemsize, start * kinds[1].itemsize),
    )  # fmt: skip


def _shaped(size: Ints, stride: Ints, kind: dtype) -> Template:
    return Template(sizes.intern(tuple(size)), tuple(stride), kind)


def _grid_sum(*parts: Any) -> Any:
    """The sums of an element from each array, row-major and flat."""
    total = np.zeros((1,), np.int64)
    for part in parts:
        total = (total[:, None] + np.asarray(part, np.int64)[None, :]).reshape(-1)
    return total


def _step_table(in_a: Any, in_b: Any, item: int) -> Table:
    table = np.stack([in_a, in_b], 1) * item
    return np.concatenate([table, np.repeat(table[-1:], AHEAD, 0)])


def _vector_table(places: Any, results: Any, lanes: int, item: int, bounded: bool) -> Table:
    """The vectors that cover the places, and where their lanes go.

    Args:
        places: where each result's first factor lies
        results: where each result goes
        bounded: whether nothing behind the last place may be read
    """
    order = np.argsort(places, kind="stable")
    places, results = places[order], results[order]
    firsts, k = [], 0
    while k < len(places):
        firsts.append(k)
        k = int(np.searchsorted(places, places[k] + lanes))
    starts = places[firsts]
    if bounded:
        starts = np.minimum(starts, places[-1] + 1 - lanes)
    table = np.full((len(firsts), vector_words(lanes)), -1, np.int64)
    owner = np.repeat(np.arange(len(firsts)), np.diff([*firsts, len(places)]))
    table[:, 0] = starts * item
    table[owner, 2 + places - starts[owner]] = results * item
    wanted = table[:, 2:3] + item * np.arange(lanes)
    whole = (table[:, 2] >= 0) & (table[:, 2:] == wanted).all(1)
    table[whole, 1] = table[whole, 2]
    return table


def computed_in(kind: dtype) -> dtype:
    """The type that a convolution computes in."""
    return dtypes.float64 if kind is dtypes.float64 else dtypes.float32


def _product_loop(
    kind: dtype,
    c: _View,
    a: _View,
    b: _View,
    bias: _View | None,
    tables: tuple[Table, Table],
    rows: int,
    outer: Ints,
    adding: bool,
) -> tuple[Loop, list[Any]]:
    """The loop of a product by tables, and its operands' places.

    The strides of a view are those of a row, then those of the outer dimensions.
    """
    steps, vectors = tables
    item = kind.itemsize
    views = [c, a, b] if bias is None else [c, a, b, bias]
    shape = [max(len(steps) - AHEAD, 0), len(vectors), rows, *outer]
    strides = [[0, 0, *(s * item for s in v.strides)] for v in views]
    none = [0] * len(outer)
    strides.append([16, 0, 0, *none])
    strides.append([0, 8 * vectors.shape[1], 0, *none])
    kinds = [(objects.TENSOR_OPERAND, item)] * len(views) + [(objects.CONSTANT_OPERAND, item)] * 2
    ir = offset_product_ir(kind.memory, bias is not None, adding, rows == 1)
    lanes = vectors.shape[1] - 2
    splittable = [1, 2, *(d for d in range(3, len(shape)) if strides[0][d])]
    loop = Loop(
        machine.address(ir),
        shape,
        strides,
        kinds,
        3,
        splittable,
        2 * math.prod(shape) * lanes // OPERATIONS_PER_BYTE,
        [0] * len(views) + [t.ctypes.data for t in tables],
        tables,
    )
    return loop, [*(v.place for v in views), 0, 0]


class _Image:
    """The image as the product reads it: in its planes, or as it is."""

    def __init__(self, request: Any, steps: Steps, kind: dtype, lanes: int) -> None:
        image, axes, groups = request.image, request.axes, request.groups
        size, stride, own = facts(image)
        self.batch, channels = size[:2]
        self.per_group = channels // groups
        self.planes = row_major([len(a.slices) for a in axes])
        count = math.prod(len(a.slices) for a in axes)
        self.in_place = (
            own is kind
            and all(a.plain for a in axes)
            and (stride[-1] == 1 or size[-1] == 1)
            and self._span(axes, stride[2:]) >= lanes
        )
        if self.in_place:
            self.place = ("in", request.position_of(image))
            self.tensor = image
            self.of_batch, self.of_channel, self.spatial = stride[0], stride[1], list(stride[2:])
            self.planes = [0] * len(axes)
            return
        pitches = [a.pitch for a in axes]
        self.spatial = row_major(pitches)
        area = math.prod(pitches)
        self.planes = [p * area for p in self.planes]
        plane_set = area * count
        if area < SMALL_PLANE:
            self.of_batch, self.of_channel = plane_set, plane_set * self.batch
        else:
            self.of_batch, self.of_channel = plane_set * channels, plane_set
        behind = sum((a.extent + lanes) * s for a, s in zip(axes, self.spatial))
        self.tensor, self.place = steps.add_scratch(
            (plane_set * channels * self.batch + behind,), kind
        )
        steps.add(_zero_loop(self.tensor), [self.place])
        source = ("in", request.position_of(image))
        self._copy(steps, source, image, axes, kind)

    @staticmethod
    def _span(axes: Sequence[Axis], stride: Ints) -> int:
        """How many elements lie from the first window's place to the last one's."""
        every = [[j for _, j in a.phases[0][1]] for a in axes]
        return 1 + sum((max(j) - min(j)) * s for j, s in zip(every, stride))

    def _copy(
        self, steps: Steps, source: Any, image: Tensor, axes: Sequence[Axis], kind: dtype
    ) -> None:
        size, stride, own = facts(image)
        for chosen in pairs(*(range(len(a.slices)) for a in axes)):
            slices = [a.slices[k] for a, k in zip(axes, chosen)]
            shape = [*size[:2], *(s.length for s in slices)]
            if not all(shape):
                continue
            to = sum(k * p for k, p in zip(chosen, self.planes))
            to += sum(s.place * step for s, step in zip(slices, self.spatial))
            start = sum(s.start * step for s, step in zip(slices, stride[2:]))
            apart = [*stride[:2], *(s.step * step for s, step in zip(slices, stride[2:]))]
            target = _shaped(shape, [self.of_batch, self.of_channel, *self.spatial], kind)
            loop = _copy_loop(target, _shaped(shape, apart, own), to, start)
            steps.add(loop, [self.place, source])


@dataclass
class Convolution(Request):
    """A convolution, transposed or not, in a floating-point type.

    Args:
        inputs: the image, the weight and perhaps the bias
        axes: the windows along each dimension
        groups: how many groups of channels there are
        along: the weight's dimension that runs along the image's channels
    """

    inputs: tuple[Tensor, ...]
    axes: Sequence[Axis]
    groups: int
    along: int
    specs: list[Spec]

    @property
    def image(self) -> Tensor:
        return self.inputs[0]

    def position_of(self, tensor: Tensor) -> int:
        return next(k for k, t in enumerate(self.inputs) if t is tensor)

    def build(self, targets: Sequence[Target]) -> Built:
        own = self.specs[0][2]
        kind = computed_in(own)
        steps = Steps(1, len(self.inputs))
        size = self.specs[0][0]
        if not math.prod(size):
            return steps.finish()
        result = _View(("out", 0), targets[0], facts(targets[0])[1])
        if own is not kind:
            template, place = steps.add_scratch(size, kind)
            result = _View(place, template, template.stride)
        self._add_products(steps, result, kind)
        if own is not kind:
            whole = _shaped(size, facts(targets[0])[1], own)
            steps.add(
                _copy_loop(whole, _shaped(size, result.strides, kind)), [("out", 0), result.place]
            )
        return steps.finish()

    def _given(self, steps: Steps, k: int, kind: dtype) -> _View:
        """An input in the type that is computed in."""
        size, stride, own = facts(self.inputs[k])
        if own is kind:
            return _View(("in", k), self.inputs[k], stride)
        template, place = steps.add_scratch(size, kind)
        if math.prod(size):
            loop = _copy_loop(template, _shaped(size, stride, own))
            steps.add(loop, [place, ("in", k)])
        return _View(place, template, template.stride)

    def _add_products(self, steps: Steps, result: _View, kind: dtype) -> None:
        lanes = host_target().vector_bytes // kind.itemsize
        image = _Image(self, steps, kind, lanes)
        weight = self._given(steps, 1, kind)
        bias = self._given(steps, 2, kind) if len(self.inputs) > 2 else None
        rows = self.specs[0][0][1] // self.groups
        along, across = weight.strides[self.along], weight.strides[1 - self.along]
        # Dimension 0 of a weight counts over all groups, dimension 1 within one.
        of_group = facts(self.inputs[1])[0][0] // self.groups * weight.strides[0]
        channels = np.arange(image.per_group)
        for phases in pairs(*(a.phases for a in self.axes)):
            taps = [taps for taps, _ in phases]
            in_a = _grid_sum(
                channels * along,
                *([t.element * s for t in axis] for axis, s in zip(taps, weight.strides[2:])),
            )
            in_b = _grid_sum(
                channels * image.of_channel,
                *(
                    [t.plane * p + t.shift * s for t in axis]
                    for axis, p, s in zip(taps, image.planes, image.spatial)
                ),
            )
            spots = [spots for _, spots in phases]
            places = _grid_sum(*([j * s for _, j in axis] for axis, s in zip(spots, image.spatial)))
            results = _grid_sum(
                *([i * s for i, _ in axis] for axis, s in zip(spots, result.strides[2:]))
            )
            joined = image.batch * len(places) <= MOST_VECTORS * lanes
            if joined:
                batch = np.arange(image.batch)
                places = _grid_sum(batch * image.of_batch, places)
                results = _grid_sum(batch * result.strides[0], results)
            outer = [self.groups] if joined else [self.groups, image.batch]
            count = len(outer)
            item = kind.itemsize
            loop, operands = _product_loop(
                kind,
                _View(
                    result.place,
                    result.tensor,
                    [result.strides[1], rows * result.strides[1], result.strides[0]][: 1 + count],
                ),
                _View(weight.place, weight.tensor, [across, of_group, 0][: 1 + count]),
                _View(
                    image.place,
                    image.tensor,
                    [0, image.per_group * image.of_channel, image.of_batch][: 1 + count],
                ),
                bias
                and _View(
                    bias.place,
                    bias.tensor,
                    [bias.strides[0], rows * bias.strides[0], 0][: 1 + count],
                ),
                (
                    _step_table(in_a, in_b, item),
                    _vector_table(places, results, lanes, item, image.in_place),
                ),
                rows,
                outer,
                False,
            )
            steps.add(loop, operands)


@dataclass
class WeightGradient(Request):
    """The gradient of a convolution for its weight.

    Args:
        inputs: the gradient of the result and the image
        axes: the windows along each dimension of the image, in one plane
    """

    inputs: tuple[Tensor, ...]
    axes: Sequence[Axis]
    groups: int
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        own = self.specs[0][2]
        kind = computed_in(own)
        steps = Steps(1, 2)
        size = self.specs[0][0]
        if not math.prod(size):
            return steps.finish()
        lanes = host_target().vector_bytes // kind.itemsize
        outputs, per_group, *kernel = size
        groups, axes = self.groups, self.axes
        batch = self.inputs[0]._size[0]
        rows = outputs // groups
        grad = self._grad(steps, kind)
        # The image with its channels innermost, so that vectors run along those.
        pitches = [a.pitch for a in axes]
        spatial = row_major(pitches, per_group)
        of_batch = math.prod(pitches) * per_group
        of_group = of_batch * batch
        behind = sum(a.extent * s for a, s in zip(axes, spatial)) + lanes * (1 + per_group)
        image, place = steps.add_scratch((of_group * groups + behind,), kind)
        steps.add(_zero_loop(image), [place])
        self._copy_image(steps, image, place, spatial, of_batch, of_group)
        # A run of the kernel's elements that are neighbours in the image.
        joint = axes[-1].phases[0][0][-1].shift == kernel[-1] - 1
        run = per_group * (kernel[-1] if joint else 1)
        pieces = -(-run // lanes)
        taps = [[t.shift * s for t in a.phases[0][0]] for a, s in zip(axes, spatial)]
        starts = _grid_sum(*(taps[:-1] if joint else taps), np.arange(pieces) * lanes)
        width = len(starts) * lanes
        vectors = np.full((len(starts), vector_words(lanes)), -1, np.int64)
        vectors[:, 0] = starts * kind.itemsize
        vectors[:, 1] = np.arange(len(starts)) * lanes * kind.itemsize
        in_b = _grid_sum(*([j * s for _, j in a.phases[0][1]] for a, s in zip(axes, spatial)))
        in_a = _grid_sum(
            *([i * s for i, _ in a.phases[0][1]] for a, s in zip(axes, grad.strides[2:]))
        )
        joined = batch * len(in_b) <= MOST_POSITIONS
        if joined:
            each = np.arange(batch)
            in_b = _grid_sum(each * of_batch, in_b)
            in_a = _grid_sum(each * grad.strides[0], in_a)
        sums, sums_place = steps.add_scratch((outputs, width), kind)
        steps.add(_zero_loop(sums), [sums_place])
        outer = [groups] if joined else [groups, batch]
        count = 1 + len(outer)
        loop, operands = _product_loop(
            kind,
            _View(sums_place, sums, [width, rows * width, 0][:count]),
            _View(
                grad.place,
                grad.tensor,
                [grad.strides[1], rows * grad.strides[1], grad.strides[0]][:count],
            ),
            _View(place, image, [0, of_group, of_batch][:count]),
            None,
            (_step_table(in_a, in_b, kind.itemsize), vectors),
            rows,
            outer,
            True,
        )
        steps.add(loop, operands)
        reached = pieces * lanes
        last = per_group if joint else reached
        around = row_major(kernel[:-1], reached if joint else reached * kernel[-1])
        source = _shaped(size, [width, 1, *around, last], kind)
        target = _shaped(size, facts(targets[0])[1], own)
        steps.add(_copy_loop(target, source), [("out", 0), sums_place])
        return steps.finish()

    def _grad(self, steps: Steps, kind: dtype) -> _View:
        size, stride, own = facts(self.inputs[0])
        if own is kind:
            return _View(("in", 0), self.inputs[0], stride)
        template, place = steps.add_scratch(size, kind)
        if math.prod(size):
            steps.add(_copy_loop(template, _shaped(size, stride, own)), [place, ("in", 0)])
        return _View(place, template, template.stride)

    def _copy_image(
        self, steps: Steps, image: Template, place: Any, spatial: Ints, of_batch: int, of_group: int
    ) -> None:
        size, stride, own = facts(self.inputs[1])
        slices = [a.slices[0] for a in self.axes]
        per_group = size[1] // self.groups
        shape = [size[0], self.groups, per_group, *(s.length for s in slices)]
        if not all(shape):
            return
        target = _shaped(shape, [of_batch, of_group, 1, *spatial], image.dtype)
        apart = [stride[0], per_group * stride[1], stride[1], *stride[2:]]
        to = sum(s.place * step for s, step in zip(slices, spatial))
        start = sum(s.start * step for s, step in zip(slices, stride[2:]))
        steps.add(_copy_loop(target, _shaped(shape, apart, own), to, start), [place, ("in", 1)])

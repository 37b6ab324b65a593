"""Convolutions and the gradients of their weights as products by tables.

The image is copied once, into planes with borders of zeros (see `taps`); where it needs no border
and no planes it is read as it is. Then every row of the product's right factor is a run of
neighbouring elements, and the kernel of `loops.offset_kernel` does the rest.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from itertools import product as pairs
from typing import Any

import numpy as np

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.loops.kernels import kernel_address
from rushlight.engine.loops.offset_kernel import AHEAD, offset_product_ir, vector_words
from rushlight.engine.loops.plan import Loop
from rushlight.engine.loops.target import host_target
from rushlight.engine.native import window_tables
from rushlight.engine.native.records import dataclass
from rushlight.engine.native.threads import get_size
from rushlight.engine.ops.kinds.elementwise import copy_loop, elementwise_loop, fill_loop, shaped
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, OuterLoop, Sink, facts
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target
from rushlight.engine.ops.kinds.product_loops import OPERATIONS_PER_BYTE, matrix_loop
from rushlight.engine.ops.windows.taps import Axis, Spots, Tap, row_major

Ints = Sequence[int]
Table = Any
# Images of a batch share one table if it has no more vectors than this.
MOST_VECTORS = 1024
# Images with fewer elements in a plane lie side by side, so that vectors go over several.
SMALL_PLANE = 256
# Images have their turns one by one if threads share them but for such a part of the work.
EVEN_SHARE = 10
# The sum of a weight's gradient goes over the images of a batch at once up to this length.
MOST_POSITIONS = 4096
# It continues sums from one block of so many steps to the next.
BLOCK = 512
# Weights of so many bytes go by once where they meet no more results of a channel than these, with
# the rows of so many channels at a time.
LARGE_WEIGHT, FEW_PLACES, WEIGHT_CHANNELS = 1 << 20, 1024, 8
# Vectors run along channels if along rows more than one lane in so many would be idle, and if a
# channel has so many results; so many vectors of channels make a band.
IDLE_SHARE, MANY_PLACES, BAND_VECTORS = 10, 256, 2
# So few elements of windows are copied into columns.
MOST_COLUMN_ROWS, FEW_COLUMNS = 256, 1 << 19


@dataclass
class View:
    """An operand: its place in the plan, a tensor of its memory, strides in elements."""

    place: Any
    tensor: Target
    strides: Ints

    def along(self, strides: Ints) -> View:
        """The same memory with other strides."""
        return View(self.place, self.tensor, strides)


def _grid_sum(*parts: Any) -> Any:
    """The sums of an element from each array, row-major and flat."""
    total = np.zeros((1,), np.int64)
    for part in parts:
        total = (total[:, None] + np.asarray(part, np.int64)[None, :]).reshape(-1)
    return total


def _places(spots: Sequence[Spots], stride: Ints) -> Any:
    """Where the results' first factors lie in the planes of one image."""
    return _grid_sum(*([j * s for _, j in axis] for axis, s in zip(spots, stride)))


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
    behind = np.searchsorted(places, places + lanes).tolist()
    firsts, k = [], 0
    while k < len(places):
        firsts.append(k)
        k = behind[k]
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


def _whole_vectors(places: Any, lanes: int, item: int) -> Table:
    """Vectors that go one behind the other, in one piece each."""
    table = np.full((len(places), vector_words(lanes)), -1, np.int64)
    table[:, 0] = places * item
    table[:, 1] = np.arange(len(places)) * lanes * item
    return table


@dataclass
class MadeTable:
    """A table for sizes that vary: words of a plan, or what a loop writes into scratch memory.

    Args:
        rows: how many rows it has
        width: how many words a row has
        place: the scratch memory's place; 0 for words
        address: that of the words
        keep: the words
    """

    rows: Any
    width: int
    place: Any = 0
    address: int = 0
    keep: Any = None


def _as_made(table: Table) -> MadeTable:
    if isinstance(table, MadeTable):
        return table
    return MadeTable(len(table), table.shape[-1], 0, table.ctypes.data, table)


def written_table(
    chain: Sink, kernel: Any, rows: Any, width: int, words: Sequence[Any]
) -> MadeTable:
    """A table that a kernel of `native.window_tables` writes."""
    _, place = chain.add_scratch((rows * width,), dtypes.int64)
    told = symbolic.words(words)
    kinds = [(objects.TENSOR_OPERAND, 8), (objects.CONSTANT_OPERAND, 8)]
    address = window_tables.module.address(kernel)
    offsets = [0, ctypes.addressof(told)]
    chain.add(Loop(address, [1], [[0], [0]], kinds, 1, [], 0, offsets, told), [place, 0])
    return MadeTable(rows, width, place)


def _written_steps(
    chain: Sink, dims: Sequence[tuple[Any, Any, Any]], taps: Sequence[tuple[Any, Any]], item: int
) -> MadeTable:
    """A table of steps: for each index of the dimensions (count, steps in both factors) all taps."""
    whole = [*[(1, 0, 0)] * (3 - len(dims)), *dims]
    words = [w for count, a, b in whole for w in (count, a * item, b * item)]
    words += [AHEAD, len(taps), *(offset * item for tap in taps for offset in tap)]
    rows = math.prod(count for count, _, _ in dims) * len(taps) + AHEAD
    return written_table(chain, window_tables.write_steps, rows, 2, words)


def _written_vectors(
    chain: Sink, image: Planes, spots: Sequence[Spots], apart: Ints, lanes: int, item: int
) -> MadeTable:
    """A table of vectors that cover the places of one image; results are so far apart."""
    start = sum(s.place * step for s, step in zip(spots, image.spatial))
    reach = sum((s.total - 1) * step for s, step in zip(spots, image.spatial))
    target = sum(s.first * step for s, step in zip(spots, apart))
    count = (reach + lanes) // lanes
    words = [count, lanes, item, start * item, target * item]
    for axis, s, step in reversed(list(zip(image.axes, spots, apart))):
        words += [axis.pitch, s.total, s.apart * step * item]
    words += [1, 1, 0] * (3 - len(spots))
    return written_table(chain, window_tables.write_vectors, count, vector_words(lanes), words)


def _listed_vectors(places: Sequence[Any], lanes: int, item: int) -> MadeTable:
    """`_whole_vectors` as words of a plan, for places that vary."""
    none = [-1] * lanes
    rows = [[place * item, k * lanes * item, *none] for k, place in enumerate(places)]
    words = symbolic.words([word for row in rows for word in row])
    return MadeTable(len(rows), vector_words(lanes), 0, ctypes.addressof(words), words)


def _product_loop(
    kind: dtype,
    views: Sequence[View],
    tables: Sequence[Table],
    rows: int,
    outer: Ints,
    block: int = 0,
) -> tuple[Loop, list[Any]]:
    """The loop of a product by tables, and its operands' places.

    The views are the result, both factors and perhaps the bias; their strides are those of a row,
    then those of the outer dimensions. A third table places the rows of the first factor.
    """
    steps, vectors, *places = made = [_as_made(table) for table in tables]
    item = kind.itemsize
    shape = [symbolic.maximum(steps.rows - AHEAD, 0), vectors.rows, rows, *outer]
    strides = [[0, 0, *(s * item for s in v.strides)] for v in views]
    none = [0] * len(outer)
    strides.append([16, 0, 0, *none])
    strides.append([0, 8 * vectors.width, 0, *none])
    strides += [[0, 0, 8, *none] for _ in places]
    kinds = [(objects.TENSOR_OPERAND, item)] * len(views)
    kinds += [(objects.TENSOR_OPERAND if t.place else objects.CONSTANT_OPERAND, 8) for t in made]
    facts_of_kernel = kind.memory, len(views) > 3, block, rows == 1, bool(places)
    lanes = vectors.width - 2
    splittable = [1, 2, *(d for d in range(3, len(shape)) if strides[0][d])]
    loop = Loop(
        kernel_address(offset_product_ir, *facts_of_kernel),
        shape,
        strides,
        kinds,
        3,
        splittable,
        2 * math.prod(shape) * lanes // OPERATIONS_PER_BYTE,
        [0] * len(views) + [t.address for t in made],
        [t.keep for t in made],
    )
    return loop, [*(v.place for v in views), *(t.place for t in made)]


class Planes:
    """An image as windows read it: in its planes, or as it is.

    Args:
        source: the image
        spare: how many elements more than those of the windows may be read behind them
        fill: what lies around the image
        in_place: whether the image may be read as it is, if it needs no planes
    """

    def __init__(
        self,
        chain: Sink,
        source: View,
        axes: Sequence[Axis],
        kind: dtype,
        spare: int = 0,
        fill: Any = 0,
        in_place: bool = True,
    ) -> None:
        size, _, own = facts(source.tensor)
        stride = source.strides
        self.batch, channels = size[:2]
        self.axes, self.kind = axes, kind
        self.in_place = in_place and own is kind and all(a.plain for a in axes)
        if self.in_place:
            self.place, self.tensor = source.place, source.tensor
            self.of_batch, self.of_channel, self.spatial = stride[0], stride[1], list(stride[2:])
            self.steps = [0] * len(axes)
            return
        pitches = [a.pitch for a in axes]
        self.spatial = row_major(pitches)
        area = math.prod(pitches)
        self.steps = row_major([len(a.slices) for a in axes], area)
        plane_set = area * math.prod(len(a.slices) for a in axes)
        if symbolic.trace() is None and area < SMALL_PLANE:
            self.of_batch, self.of_channel = plane_set, plane_set * self.batch
        else:
            self.of_batch, self.of_channel = plane_set * channels, plane_set
        behind = sum((a.extent + spare) * s for a, s in zip(axes, self.spatial))
        self.tensor, self.place = chain.add_scratch(
            (plane_set * channels * self.batch + behind,), kind
        )
        whole = plane_set * channels * self.batch
        # Planes without borders are overwritten; only what may be read behind them is filled.
        full = all(s.place == 0 and s.length == a.pitch for a in axes for s in a.slices)
        start = whole if full else 0
        rest = shaped((whole + behind - start,), (1,), kind)
        chain.add(fill_loop(rest, fill, start), [self.place])
        self._copy(chain, source)

    def view(self, strides: Ints) -> View:
        """The planes as an operand."""
        return View(self.place, self.tensor, strides)

    def offset(self, taps: Sequence[Tap]) -> int:
        """Where a tap's elements are, from their window's place on."""
        every = zip(taps, self.steps, self.spatial)
        return sum(t.plane * p + t.shift * s for t, p, s in every)

    def _copy(self, chain: Sink, source: View) -> None:
        size, _, own = facts(source.tensor)
        stride = source.strides
        for chosen in pairs(*(range(len(a.slices)) for a in self.axes)):
            slices = [a.slices[k] for a, k in zip(self.axes, chosen)]
            shape = [*size[:2], *(s.length for s in slices)]
            if not all(shape):
                continue
            to = sum(k * p for k, p in zip(chosen, self.steps))
            to += sum(s.place * step for s, step in zip(slices, self.spatial))
            start = sum(s.start * step for s, step in zip(slices, stride[2:]))
            apart = [*stride[:2], *(s.step * step for s, step in zip(slices, stride[2:]))]
            target = shaped(shape, [self.of_batch, self.of_channel, *self.spatial], self.kind)
            loop = copy_loop(target, shaped(shape, apart, own), to, start)
            chain.add(loop, [self.place, source.place])


def _span(axes: Sequence[Axis], stride: Ints) -> int:
    """How many elements lie from the first window's place to the last one's."""
    every = [[j for _, j in a.phases[0][1]] for a in axes]
    return 1 + sum((max(j) - min(j)) * s for j, s in zip(every, stride))


def _are_apart(size: Ints, stride: Ints) -> bool:
    """Whether elements surely are different ones, as those of an expanded tensor are not.

    A lane of a vector has one result; windows that begin at the same element would share it.
    """
    reach = 0
    for n, s in zip(reversed(size), reversed(stride)):
        if n > 1 and s <= reach:
            return False
        reach += (n - 1) * s
    return True


def _is_row(size: Ints, stride: Ints) -> bool:
    """Whether elements lie one behind the other."""
    return all(s == apart or n == 1 for n, s, apart in zip(size, stride, row_major(size)))


@dataclass
class Convolution(Request):
    """A convolution, transposed or not, in a floating-point type.

    Args:
        inputs: the image, the weight and perhaps the bias
        axes: the windows along each dimension
        groups: how many groups of channels there are
        along: the weight's dimension that runs along the image's channels
        behind: adds what is done behind each image, where images have their turns one after the other: to an outer loop, with a
            function that names an operand of that and says how many bytes there are from image to image
    """

    inputs: tuple[Tensor, ...]
    axes: Sequence[Axis]
    groups: int
    along: int
    specs: list[Spec]
    behind: Callable[[OuterLoop, Callable[[Any, int], None]], None] | None = None

    def build(self, targets: Sequence[Target]) -> Built:
        own = self.specs[0][2]
        kind = computed_in(own)
        chain = ChainBuilder(1, len(self.inputs))
        size = self.specs[0][0]
        if not math.prod(size):
            return chain.finish()
        result = View(("out", 0), targets[0], facts(targets[0])[1])
        if own is not kind:
            template, place = chain.add_scratch(size, kind)
            result = View(place, template, template.stride)
        self.add_products(chain, result, kind)
        if own is not kind:
            whole = shaped(size, facts(targets[0])[1], own)
            chain.add(
                copy_loop(whole, shaped(size, result.strides, kind)), [("out", 0), result.place]
            )
        return chain.finish()

    def _given(self, chain: ChainBuilder, k: int, kind: dtype) -> View:
        """An input in the type that is computed in."""
        size, stride, own = facts(self.inputs[k])
        if own is kind:
            return View(("in", k), self.inputs[k], stride)
        template, place = chain.add_scratch(size, kind)
        if math.prod(size):
            loop = copy_loop(template, shaped(size, stride, own))
            chain.add(loop, [place, ("in", k)])
        return View(place, template, template.stride)

    def goes_image_by_image(self, stride: Ints) -> bool:
        """Whether images have their turns one after the other, if the result has such strides and no size varies."""
        kind = self.specs[0][2]
        if self._is_one_product(View(0, self.inputs[0], stride), kind):
            return self.specs[0][0][0] >= get_size()
        return self._goes_one_by_one(kind)

    def add_products(self, chain: ChainBuilder, result: View, kind: dtype) -> None:
        """Add the loops that compute the result, in the type that is computed in."""
        source = View(("in", 0), self.inputs[0], self.inputs[0]._stride_)
        weight = self._given(chain, 1, kind)
        bias = self._given(chain, 2, kind) if len(self.inputs) > 2 else None
        if self._is_one_product(result, kind):
            self._by_matrices(chain, source, weight, bias, result)
            return
        if symbolic.trace() is not None:
            self._products_of_class(chain, source, weight, bias, result)
            return
        if not self._goes_one_by_one(kind):
            self._products(chain, source, weight, bias, result, self.groups)
            return
        # Each image's planes, or each group's of them, are read while they are in the cache.
        size = self.inputs[0]._size_
        channels, rows = size[1] // self.groups, self.specs[0][0][1] // self.groups
        sink = OuterLoop(chain, (self.groups, size[0]))

        def one(view: View, of_group: int, of_image: int) -> View:
            item = facts(view.tensor)[2].itemsize
            sink.add_operand(view.place, (of_group * item, of_image * item))
            return view

        of_group = facts(self.inputs[1])[0][0] // self.groups * weight.strides[0]
        image = shaped((1, channels, *size[2:]), source.strides, self.inputs[0]._dtype_)
        one(source, channels * source.strides[1], source.strides[0])
        one(weight, of_group, 0)
        one(result, rows * result.strides[1], result.strides[0])
        if bias is not None:
            one(bias, rows * bias.strides[0], 0)
        source = View(source.place, image, source.strides)
        self._products(sink, source, weight, bias, result, 1)
        if self.behind is not None:
            self.behind(sink, lambda place, step: sink.add_operand(place, (0, step)))
        sink.finish()

    def _is_one_product(self, result: View, kind: dtype) -> bool:
        """Whether every image is a matrix of its own, by windows of one element each."""
        image, size = self.inputs[0], self.specs[0][0]
        return (
            self.groups == 1
            and image._dtype_ is kind
            and math.prod(self.inputs[1]._size_[2:]) == 1
            and size[2:] == image._size_[2:]
            and all(a.one_to_one for a in self.axes)
            and _is_row(image._size_[2:], image._stride_[2:])
            and _is_row(size[2:], result.strides[2:])
        )

    def _by_matrices(
        self, chain: ChainBuilder, source: View, weight: View, bias: View | None, result: View
    ) -> None:  # fmt: skip
        """The product of the weight and each image, while that is in the cache."""
        kind, size = facts(result.tensor)[2], self.specs[0][0]
        batch, rows, places = size[0], size[1], math.prod(size[2:])
        channels, item = self.inputs[0]._size_[1], kind.itemsize
        outer = OuterLoop(chain, (batch,)) if batch >= get_size() else None
        across = [batch] if outer is None else []

        def along(view: View, *strides: int) -> list[int]:
            of_image = view.strides[0] if view is source or view is result else 0
            if outer is not None:
                outer.add_operand(view.place, (of_image * item,))
            return [*strides, of_image][: len(strides) + len(across)]

        strides = [
            along(result, 0, 1, result.strides[1]),
            along(weight, weight.strides[self.along], 0, weight.strides[1 - self.along]),
            along(source, source.strides[1], 1, 0),
        ]
        sink: Sink = chain if outer is None else outer
        product = matrix_loop([kind] * 3, kind, [channels, places, rows, *across], strides)
        sink.add(product, [result.place, weight.place, source.place, 0])
        if bias is not None:
            spread = along(bias, 0, bias.strides[0])
            shape, own = [places, rows, *across], strides[0][1:]
            parts = [shaped(shape, own, kind), shaped(shape, spread, kind)]
            memory = [kind.memory]
            added = elementwise_loop(
                lambda x, b: x + b, parts[:1], parts, memory, memory * 2, memory * 2
            )
            sink.add(added, [result.place, result.place, bias.place])
        if outer is not None:
            if self.behind is not None:
                self.behind(outer, lambda place, step: outer.add_operand(place, (step,)))
            outer.finish()

    def _in_place(self, kind: dtype) -> bool:
        """Whether the image may be read as it is, if it needs no planes."""
        image = self.inputs[0]
        lanes = host_target().vector_bytes // kind.itemsize
        last = image._stride_[-1] == 1 or image._size_[-1] == 1
        if not last or _span(self.axes, image._stride_[2:]) < lanes:
            return False
        return _are_apart(
            (image._size_[0], *image._size_[2:]), (image._stride_[0], *image._stride_[2:])
        )

    def _goes_one_by_one(self, kind: dtype) -> bool:
        """Whether images and groups of channels have their turns one after the other."""
        image = self.inputs[0]
        plain = image._dtype_ is kind and all(a.plain for a in self.axes) and self._in_place(kind)
        count = max(image._size_[0], self.groups)
        threads = get_size()
        even = count * EVEN_SHARE >= -(-count // threads) * threads * (EVEN_SHARE - 1)
        area = math.prod(a.pitch for a in self.axes)
        return not plain and area >= SMALL_PLANE and even and count > 1

    def _products(
        self, chain: Sink, source: View, weight: View, bias: View | None, result: View, groups: int
    ) -> None:  # fmt: skip
        """The products of all images and groups that the source has."""
        kind = facts(result.tensor)[2]
        lanes = host_target().vector_bytes // kind.itemsize
        image = Planes(chain, source, self.axes, kind, lanes, 0, self._in_place(kind))
        channels = np.arange(self.inputs[0]._size_[1] // self.groups)
        for phases in pairs(*(a.phases for a in self.axes)):
            taps = [taps for taps, _ in phases]
            in_a = _grid_sum(
                channels * weight.strides[self.along],
                *([t.element * s for t in axis] for axis, s in zip(taps, weight.strides[2:])),
            )
            in_b = _grid_sum(
                channels * image.of_channel,
                *(
                    [t.plane * p + t.shift * s for t in axis]
                    for axis, p, s in zip(taps, image.steps, image.spatial)
                ),
            )
            table = _step_table(in_a, in_b, kind.itemsize)
            spots = [spots for _, spots in phases]
            if isinstance(chain, ChainBuilder) and self._turns(image, phases, kind):
                self._by_channels(chain, image, weight, bias, result, phases)
            elif self._streams_weight(image, spots, kind):
                block = WEIGHT_CHANNELS * max(1, len(in_a) // max(1, len(channels)))
                self._in_blocks(chain, image, weight, bias, result, table, spots, block)
            else:
                self._in_vectors(chain, image, weight, bias, result, table, spots, groups)

    def _products_of_class(
        self, chain: ChainBuilder, source: View, weight: View, bias: View | None, result: View
    ) -> None:  # fmt: skip
        """The products for sizes that vary: their tables are written when they are needed."""
        kind = facts(result.tensor)[2]
        item, lanes = kind.itemsize, host_target().vector_bytes // kind.itemsize
        image = Planes(chain, source, self.axes, kind, lanes, 0, False)
        channels = self.inputs[0]._size_[1] // self.groups
        sums = [(channels, weight.strides[self.along], image.of_channel)]
        for phases in pairs(*(a.phases for a in self.axes)):
            spots = [spots for _, spots in phases]
            taps = [
                (sum(t.element * s for t, s in zip(tap, weight.strides[2:])), image.offset(tap))
                for tap in pairs(*(taps for taps, _ in phases))
            ]
            table = _written_steps(chain, sums, taps, item)
            vectors = _written_vectors(chain, image, spots, result.strides[2:], lanes, item)
            outer = [self.groups, image.batch]
            self._add_product(chain, image, weight, bias, result, (table, vectors), outer)

    def _add_product(
        self, chain: Sink, image: Planes, weight: View, bias: View | None, result: View,
        tables: Sequence[Table], outer: Ints,
    ) -> None:  # fmt: skip
        """One phase of the result: for groups of channels, and perhaps for images, one by one."""
        count = 1 + len(outer)
        rows = self.specs[0][0][1] // self.groups
        per_group = self.inputs[0]._size_[1] // self.groups
        # Dimension 0 of a weight counts over all groups, dimension 1 within one.
        of_group = facts(self.inputs[1])[0][0] // self.groups * weight.strides[0]
        across = weight.strides[1 - self.along]
        row = result.strides[1]
        views = [
            result.along([row, rows * row, result.strides[0]][:count]),
            weight.along([across, of_group, 0][:count]),
            image.view([0, per_group * image.of_channel, image.of_batch][:count]),
        ]
        if bias is not None:
            views.append(bias.along([bias.strides[0], rows * bias.strides[0], 0][:count]))
        chain.add(*_product_loop(image.kind, views, tables, rows, outer))

    def _in_vectors(
        self, chain: Sink, image: Planes, weight: View, bias: View | None, result: View,
        table: Table, spots: Sequence[Spots], groups: int,
    ) -> None:  # fmt: skip
        """One phase of the result, each vector put where its lanes belong."""
        kind = image.kind
        lanes = host_target().vector_bytes // kind.itemsize
        places = _places(spots, image.spatial)
        results = _grid_sum(
            *([i * s for i, _ in axis] for axis, s in zip(spots, result.strides[2:]))
        )
        joined = image.batch * len(places) <= MOST_VECTORS * lanes
        if joined:
            batch = np.arange(image.batch)
            places = _grid_sum(batch * image.of_batch, places)
            results = _grid_sum(batch * result.strides[0], results)
        outer = [groups] if joined else [groups, image.batch]
        vectors = _vector_table(places, results, lanes, kind.itemsize, image.in_place)
        self._add_product(chain, image, weight, bias, result, (table, vectors), outer)

    def _turns(self, image: Planes, phases: Sequence[Any], kind: dtype) -> bool:
        """Whether vectors run along channels: where along rows, too many lanes would be idle."""
        size, rows = self.inputs[1]._size_, self.specs[0][0][1]
        lanes = host_target().vector_bytes // kind.itemsize
        places = _places([spots for _, spots in phases], image.spatial)
        used = len(_vector_table(places, places, lanes, kind.itemsize, False)) * lanes
        return (
            self.groups == 1
            and all(len(taps) == n for (taps, _), n in zip(phases, size[2:]))
            and rows % (BAND_VECTORS * lanes) == 0
            and image.batch * len(places) >= MANY_PLACES
            and used * IDLE_SHARE > len(places) * (IDLE_SHARE + 1)
        )

    def _by_channels(
        self, chain: ChainBuilder, image: Planes, weight: View, bias: View | None, result: View,
        phases: Sequence[Any],
    ) -> None:  # fmt: skip
        """The result by bands of its channels, which are innermost until it is complete."""
        kind, size = image.kind, self.specs[0][0]
        item, channels = kind.itemsize, self.inputs[0]._size_[1]
        lanes = host_target().vector_bytes // item
        width = BAND_VECTORS * lanes
        # In the kernel's order, so that the weight is copied as it lies.
        taps = [sorted(taps) for taps, _ in phases]
        spots = [spots for _, spots in phases]
        kernel = [len(t) for t in taps]
        depth = channels * math.prod(kernel)
        across = weight.strides[1 - self.along]
        bands = OuterLoop(chain, (size[1] // width,))
        bands.add_operand(image.place, (0,))
        bands.add_operand(weight.place, (width * across * item,))
        bands.add_operand(result.place, (width * result.strides[1] * item,))
        if bias is not None:
            bands.add_operand(bias.place, (width * bias.strides[0] * item,))

        turned, turned_place = bands.add_scratch((depth, width), kind)
        target = [1, *row_major([channels, *kernel], width)]
        source = [across, weight.strides[self.along], *weight.strides[2:]]
        shape = [width, channels, *kernel]
        copy = copy_loop(shaped(shape, target, kind), shaped(shape, source, kind))
        bands.add(copy, [turned_place, weight.place])

        in_image = _grid_sum(
            np.arange(channels) * image.of_channel,
            *(
                [t.plane * p + t.shift * s for t in axis]
                for axis, p, s in zip(taps, image.steps, image.spatial)
            ),
        )
        places = _grid_sum(np.arange(image.batch) * image.of_batch, _places(spots, image.spatial))
        tables = (
            _step_table(in_image, np.arange(depth) * width, item),
            _whole_vectors(np.arange(BAND_VECTORS) * lanes, lanes, item),
            places * item,
        )
        sums, sums_place = bands.add_scratch((len(places), width), kind)
        views = [View(sums_place, sums, [width]), image.view([0]), View(turned_place, turned, [0])]
        bands.add(*_product_loop(kind, views, tables, len(places), []))

        bands.add(*self._finished_band(result, bias, sums_place, spots, width, kind))
        bands.finish()

    def _finished_band(
        self, result: View, bias: View | None, sums: Any, spots: Sequence[Spots], width: int,
        kind: dtype,
    ) -> tuple[Loop, list[Any]]:  # fmt: skip
        """The loop that adds the bias to sums, channels innermost, and puts them where they belong."""
        counts = [len(axis) for axis in spots]
        shape = [self.specs[0][0][0], width, *counts]
        target, start = _spread(result, spots)
        parts = [shaped(shape, [math.prod(counts) * width, 1, *row_major(counts, width)], kind)]
        operands = [result.place, sums]
        if bias is not None:
            parts.append(shaped(shape, [0, bias.strides[0], *(0 for _ in spots)], kind))
            operands.append(bias.place)
        finish = elementwise_loop(
            lambda x, *bias: x + bias[0] if bias else x, [shaped(shape, target, kind)], parts,
            [kind.memory], [kind.memory] * len(parts), [kind.memory] * len(parts),
            (start * kind.itemsize, *(0 for _ in parts)),
        )  # fmt: skip
        return finish, operands

    def _streams_weight(self, image: Planes, spots: Sequence[Spots], kind: dtype) -> bool:
        """Whether a large weight, whose rows lie across the sum, meets few vectors."""
        size = self.inputs[1]._size_
        places = math.prod(len(axis) for axis in spots) * image.batch
        return (
            self.along == 0
            and self.groups == 1
            and image.batch == self.inputs[0]._size_[0]
            and not image.in_place
            and math.prod(size) * kind.itemsize >= LARGE_WEIGHT
            and places <= FEW_PLACES
        )

    def _in_blocks(
        self, chain: Sink, image: Planes, weight: View, bias: View | None, result: View,
        table: Table, spots: Sequence[Spots], block: int,
    ) -> None:  # fmt: skip
        """One phase of the result, kept apart while the weight goes by once, row by row."""
        kind, size = image.kind, self.specs[0][0]
        lanes = host_target().vector_bytes // kind.itemsize
        firsts = [axis[0][1] * s for axis, s in zip(spots, image.spatial)]
        reach = [(axis[-1][1] - axis[0][1]) * s for axis, s in zip(spots, image.spatial)]
        count = -(-(sum(reach) + (image.batch - 1) * image.of_batch + 1) // lanes)
        width, rows = count * lanes, size[1]
        sums, place = chain.add_scratch((rows, width), kind)
        if bias is None:
            chain.add(fill_loop(sums, 0), [place])
        else:
            spread = shaped((rows, width), (bias.strides[0], 0), kind)
            chain.add(copy_loop(sums, spread), [place, bias.place])
        views = [
            View(place, sums, [width]),
            weight.along([weight.strides[1]]),
            image.view([0]),
        ]
        item = kind.itemsize
        vectors = _whole_vectors(sum(firsts) + np.arange(count) * lanes, lanes, item)
        loop, operands = _product_loop(kind, views, (table, vectors), rows, [], block)
        chain.add(loop, operands)
        # Places are one apart along each dimension, results as many as there are phases.
        shape = [*size[:2], *map(len, spots)]
        target, start = _spread(result, spots)
        source = shaped(shape, [image.of_batch, width, *image.spatial], kind)
        chain.add(copy_loop(shaped(shape, target, kind), source, start), [result.place, place])


def _spread(result: View, spots: Sequence[Spots]) -> tuple[list[int], int]:
    """Strides and start of a phase's elements within the result, which lie apart in it."""
    apart = [(axis[1][0] - axis[0][0] if len(axis) > 1 else 1) for axis in spots]
    strides = [*result.strides[:2], *(n * s for n, s in zip(apart, result.strides[2:]))]
    return strides, sum(axis[0][0] * s for axis, s in zip(spots, result.strides[2:]))


@dataclass
class WeightGradient(Request):
    """The gradient of a convolution for its weight.

    Args:
        inputs: the gradient of the result and the image
        axes: the windows along each dimension of the image, in one plane
        turned: whether the two change places, as they may where windows are single elements
    """

    inputs: tuple[Tensor, ...]
    axes: Sequence[Axis]
    groups: int
    specs: list[Spec]
    turned: bool = False

    def build(self, targets: Sequence[Target]) -> Built:
        own = self.specs[0][2]
        kind = computed_in(own)
        chain = ChainBuilder(1, 2)
        size = self.specs[0][0]
        if not math.prod(size):
            return chain.finish()
        lanes = host_target().vector_bytes // kind.itemsize
        stride = facts(targets[0])[1]
        if self.turned:
            size, stride = (size[1], size[0], *size[2:]), (stride[1], stride[0], *stride[2:])
        result = View(("out", 0), targets[0], stride)
        if self._suits_columns(size):
            self._by_columns(chain, size, result, kind, lanes)
        else:
            self._by_taps(chain, size, result, kind, lanes)
        return chain.finish()

    def _suits_columns(self, size: Ints) -> bool:
        """Whether windows written out are few enough to be one factor of a matrix product."""
        places = math.prod(self.inputs[0]._size_[2:]) * self.inputs[0]._size_[0]
        return (
            symbolic.trace() is None
            and places <= MOST_COLUMN_ROWS
            and self.groups == 1
            and places * math.prod(size[1:]) <= FEW_COLUMNS
        )

    def _by_taps(
        self, chain: ChainBuilder, size: Ints, result: View, kind: dtype, lanes: int
    ) -> None:
        """Sums over all places, for each element of the kernel, of gradient times image."""
        outputs, per_group, *kernel = size
        groups, axes = self.groups, self.axes
        batch = self.inputs[0]._size_[0]
        rows = outputs // groups
        grad = self._grad(chain, kind)
        # The image with its channels innermost, so that vectors run along those.
        pitches = [a.pitch for a in axes]
        spatial = row_major(pitches, per_group)
        of_batch = math.prod(pitches) * per_group
        of_group = of_batch * batch
        behind = sum(a.extent * s for a, s in zip(axes, spatial)) + lanes * (1 + per_group)
        image, place = chain.add_scratch((of_group * groups + behind,), kind)
        chain.add(fill_loop(image, 0), [place])
        self._copy_image(chain, image, place, spatial, of_batch, of_group)
        # A run of the kernel's elements that are neighbours in the image.
        joint = axes[-1].phases[0][0][-1].shift == kernel[-1] - 1
        run = per_group * (kernel[-1] if joint else 1)
        pieces = -(-run // lanes)
        taps = [[t.shift * s for t in a.phases[0][0]] for a, s in zip(axes, spatial)]
        starts = [
            sum(each)
            for each in pairs(*(taps[:-1] if joint else taps), range(0, pieces * lanes, lanes))
        ]
        width = len(starts) * lanes
        joined = False
        if symbolic.trace() is not None:
            vectors = _listed_vectors(starts, lanes, kind.itemsize)
            spots = [a.phases[0][1] for a in axes]
            along = zip(spots, grad.strides[2:], spatial)
            dims = [(s.total, s.apart * a, s.pace * b) for s, a, b in along]
            table = _written_steps(chain, dims, [(0, 0)], kind.itemsize)
        else:
            vectors = _whole_vectors(np.asarray(starts, np.int64), lanes, kind.itemsize)
            joined, table = self._steps_of(grad, spatial, of_batch, kind)
        outer = [groups] if joined else [groups, batch]
        sums, sums_place = chain.add_scratch((outputs, width), kind)
        chain.add(fill_loop(sums, 0), [sums_place])
        count = 1 + len(outer)
        row = grad.strides[1]
        views = [
            View(sums_place, sums, [width, rows * width, 0][:count]),
            grad.along([row, rows * row, grad.strides[0]][:count]),
            View(place, image, [0, of_group, of_batch][:count]),
        ]
        chain.add(*_product_loop(kind, views, (table, vectors), rows, outer, BLOCK))
        reached = pieces * lanes
        last = per_group if joint else reached
        around = row_major(kernel[:-1], reached if joint else reached * kernel[-1])
        source = shaped(size, [width, 1, *around, last], kind)
        target = shaped(size, result.strides, self.specs[0][2])
        chain.add(copy_loop(target, source), [result.place, sums_place])

    def _steps_of(
        self, grad: View, spatial: Ints, of_batch: int, kind: dtype
    ) -> tuple[bool, Table]:
        """The sum over places, and whether that goes over all images at once."""
        spots = [a.phases[0][1] for a in self.axes]
        in_b = _grid_sum(*([j * s for _, j in axis] for axis, s in zip(spots, spatial)))
        in_a = _grid_sum(*([i * s for i, _ in axis] for axis, s in zip(spots, grad.strides[2:])))
        batch = self.inputs[0]._size_[0]
        joined = batch * len(in_b) <= MOST_POSITIONS
        if joined:
            each = np.arange(batch)
            in_b = _grid_sum(each * of_batch, in_b)
            in_a = _grid_sum(each * grad.strides[0], in_a)
        return joined, _step_table(in_a, in_b, kind.itemsize)

    def _by_columns(
        self, chain: ChainBuilder, size: Ints, result: View, kind: dtype, lanes: int
    ) -> None:
        """The product with windows copied into rows, for few of them."""
        own = self.specs[0][2]
        outputs, channels, *kernel = size
        k = int(not self.turned)
        given = self.inputs[k]
        image = Planes(
            chain, View(("in", k), given, given._stride_), self.axes, kind, in_place=False
        )
        grad = self._grad(chain, kind)
        depth = channels * math.prod(kernel)
        batch = given._size_[0]
        spots = [a.phases[0][1] for a in self.axes]
        windows = [len(axis) for axis in spots]
        columns, place = chain.add_scratch((batch * math.prod(windows) + 1, depth), kind)
        shape = [batch, *windows, channels, *kernel]
        strides = [a[1][1] - a[0][1] if len(a) > 1 else 1 for a in spots]
        apart = [a.phases[0][0][-1].shift // max(1, len(a.phases[0][0]) - 1) for a in self.axes]
        source = [
            image.of_batch, *(n * s for n, s in zip(strides, image.spatial)), image.of_channel,
            *(n * s for n, s in zip(apart, image.spatial)),
        ]  # fmt: skip
        chain.add(
            copy_loop(shaped(shape, row_major(shape), kind), shaped(shape, source, kind)),
            [place, image.place],
        )
        at = result
        if own is not kind or not sizes.is_contiguous(sizes.intern(tuple(size)), tuple(at.strides)):
            sums, sums_place = chain.add_scratch(tuple(size), kind)
            at = View(sums_place, sums, sums.stride)
        in_a = _grid_sum(
            np.arange(batch) * grad.strides[0],
            *(np.arange(n) * s for n, s in zip(windows, grad.strides[2:])),
        )
        table = _step_table(in_a, np.arange(len(in_a)) * depth, kind.itemsize)
        along = np.arange(depth)
        vectors = _vector_table(along, along, lanes, kind.itemsize, False)
        views = [at.along([depth]), grad.along([grad.strides[1]]), View(place, columns, [0])]
        loop, operands = _product_loop(kind, views, (table, vectors), outputs, [])
        chain.add(loop, operands)
        if at is not result:
            target = shaped(size, result.strides, own)
            chain.add(copy_loop(target, shaped(size, at.strides, kind)), [result.place, at.place])

    def _grad(self, chain: ChainBuilder, kind: dtype) -> View:
        k = int(self.turned)
        size, stride, own = facts(self.inputs[k])
        if own is kind:
            return View(("in", k), self.inputs[k], stride)
        template, place = chain.add_scratch(size, kind)
        if math.prod(size):
            chain.add(copy_loop(template, shaped(size, stride, own)), [place, ("in", k)])
        return View(place, template, template.stride)

    def _copy_image(
        self,
        chain: ChainBuilder,
        image: Template,
        place: Any,
        spatial: Ints,
        of_batch: int,
        of_group: int,
    ) -> None:
        k = int(not self.turned)
        size, stride, own = facts(self.inputs[k])
        slices = [a.slices[0] for a in self.axes]
        per_group = size[1] // self.groups
        shape = [size[0], self.groups, per_group, *(s.length for s in slices)]
        if not all(shape):
            return
        target = shaped(shape, [of_batch, of_group, 1, *spatial], image.dtype)
        apart = [stride[0], per_group * stride[1], stride[1], *stride[2:]]
        to = sum(s.place * step for s, step in zip(slices, spatial))
        start = sum(s.start * step for s, step in zip(slices, stride[2:]))
        chain.add(copy_loop(target, shaped(shape, apart, own), to, start), [place, ("in", k)])

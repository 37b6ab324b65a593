"""Kernels of images read at places, and of the gradients: a vector of places at a time.

Which pixels are the neighbours of a place, and how much each counts, is computed once for all
channels, by the expressions that the operators `_pixel_place`, `_pixel_index`, `_pixel_share` and
`_pixel_slope` are.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from rushlight.engine.core.dtype import dtype
from rushlight.engine.loops.arguments import Arguments, KernelOperand
from rushlight.engine.loops.expr import arg, const
from rushlight.engine.loops.identity import Written
from rushlight.engine.loops.kernels import described_address
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.printed import computed
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.native.digest import digest
from rushlight.engine.native.lowlevel import (
    Mask,
    Pointer,
    Vector,
    broadcast,
    constant,
    first_lanes,
    gather,
    in_every_lane,
    inlined,
    kernel_text,
    lane,
    lanes_from,
    load,
    narrowed,
    scatter,
    select,
    store,
    store_masked,
    unroll,
    vector_of,
)
from rushlight.engine.native.lowlevel.values import let
from rushlight.engine.ops.pointwise import pixel_places

# How many neighbours a place has along a dimension, by the mode.
TAPS = {pixel_places.LINEAR: 2, pixel_places.NEAREST: 1, pixel_places.CUBIC: 4}


class Neighbour(NamedTuple):
    """A neighbour of places along one dimension."""

    # How far it lies from the first pixel, in bytes.
    offset: Vector
    inside: Mask
    # How much it counts, and how that changes with the coordinate; nothing where there is only one.
    share: Any
    slope: Any


# The neighbours along each dimension, of which a pixel is one from each: its offset, whether there is
# one, and the product of the shares.
Near = Sequence[list[Neighbour]]


class SamplingKernel:
    """What is common to kernels that walk places.

    Their first operands differ; the last two are the places and a table of words: for each dimension
    of the image its length and the bytes between its pixels, then the bytes between coordinates. The
    loops go over channels and places.
    """

    operands: int
    slopes = False

    def __init__(
        self,
        kind: dtype,
        index: str,
        dims: int,
        mode: int,
        padding: int,
        align: bool,
        target: Target,
    ) -> None:
        self.index, self.dims, self.taps = index, dims, TAPS[mode]
        self.lanes = target.vector_bytes // kind.itemsize
        self.scalar = {4: "float", 8: "double"}[kind.itemsize]
        self.item = kind.itemsize
        expressions = _neighbours(kind, index, mode, padding, align, self.slopes)
        self.program = Program(expressions, target)

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        given = Arguments(data, sizes, strides, self.operands, 2)
        places, table = given.operands[self.operands - 2], given.operands[self.operands - 1]
        channels, count = given.size
        self.begin(given.operands, channels)
        apart = load(table.base + self.dims * 16)
        for first in range(0, count, self.lanes):
            mask = first_lanes(count - first, self.lanes)
            near: list[list[Neighbour]] = []
            for d in unroll(self.dims):
                # The last dimension of the image is the first coordinate.
                start = places.at(1, first) + (self.dims - 1 - d) * apart
                place = self.beside(start, places.stride[1], mask)
                near = [*near, self.neighbours(place, table.base + d * 16, mask)]
            self.vector(given.operands, channels, first, mask, near)

    @inlined
    def begin(self, operands: Sequence[KernelOperand], channels: int) -> None:
        """What is done before the first place: nothing, unless a kernel says more."""

    @inlined
    def vector(
        self, operands: Sequence[KernelOperand], channels: int, first: int, mask: Mask, near: Near
    ) -> None:
        """What is done at a vector of places, whose neighbours are known."""
        raise NotImplementedError

    def multiples(self, step: Any) -> Vector:
        """The numbers of the lanes, times a step."""
        return lanes_from(range(self.lanes), self.index) * self.repeated(step)

    def repeated(self, step: Any) -> Vector:
        """A number of bytes in every lane, in the type of indices."""
        return broadcast(step if self.index == "i64" else narrowed(step, self.index), self.lanes)

    def zeros(self) -> Vector:
        return constant(0, vector_of(self.lanes, self.scalar))

    def element(self, operand: KernelOperand, channel: int, first: int, mask: Mask) -> Vector:
        """An operand's elements of one channel at a vector of places."""
        start = operand.at(0, channel) + first * operand.stride[1]
        return self.beside(start, operand.stride[1], mask)

    def beside(self, start: Pointer, step: int, mask: Mask) -> Vector:
        """The elements from one on, so many bytes apart; the first one instead of those that a mask hides.

        A gather without a mask needs no branches on processors that have no fast gather.
        """
        return gather(start + select(mask, self.multiples(step), self.nowhere()), self.scalar)

    def nowhere(self) -> Vector:
        return constant(0, vector_of(self.lanes, self.index))

    def pixels(
        self, near: Near, shift: Any = 0, seen: Any = None, share: Any = None
    ) -> list[Neighbour]:
        """All pixels near in every dimension; where there is none, the first one's place."""
        if not near:
            return [Neighbour(select(seen, shift, self.nowhere()), seen, share, None)]
        found = []
        for one in near[0]:
            both = one.inside if seen is None else seen & one.inside
            product = one.share if share is None else share * one.share
            found += self.pixels(near[1:], one.offset + shift, both, product)
        return found

    def neighbours(self, place: Vector, table: Pointer, mask: Mask) -> list[Neighbour]:
        """The neighbours of places along the dimension that a table describes."""
        length, step = load(table), load(table + 8)
        size = broadcast(let(self.scalar, f"sitofp i64 {length.name} to {self.scalar}"), self.lanes)
        found = computed(self.program, self.lanes, [place, size])
        taps = self.taps
        shares = found[taps : 2 * taps] or itertools.repeat(None)
        slopes = found[2 * taps :] or itertools.repeat(None)
        step = self.repeated(step)
        return [
            Neighbour(index * step, (index >= 0) & mask, share, slope)
            for index, share, slope in zip(found, shares, slopes)
        ]


class Sampling(SamplingKernel):
    """Reads images at places: the results, which lie side by side, and the images."""

    operands = 4

    @inlined
    def vector(
        self, operands: Sequence[KernelOperand], channels: int, first: int, mask: Mask, near: Near
    ) -> None:
        target, image = operands[0], operands[1]
        pixels = self.pixels(near)
        for c in range(channels):
            total = self.zeros()
            for pixel in pixels:
                seen = gather(image.at(0, c) + pixel.offset, self.scalar)
                part = seen if pixel.share is None else seen * pixel.share
                total = total + select(pixel.inside, part, self.zeros())
            self.write(target.at(0, c) + first * self.item, total, mask)

    @inlined
    def write(self, at: Pointer, values: Vector, mask: Mask) -> None:
        """Store whole vectors as such: with a mask, that is slow on some processors."""
        if in_every_lane(mask):
            store(at, values, self.item)
        else:
            store_masked(at, values, mask)


class ImageGradient(SamplingKernel):
    """Adds gradients of what was read to the pixels: the images' gradients, and those given."""

    operands = 4

    @inlined
    def begin(self, operands: Sequence[KernelOperand], channels: int) -> None:
        """Planes of pixels start as zeros; they lie side by side."""
        target = operands[0]
        for at in range(0, channels * target.stride[0], self.item):
            store(target.base + at, constant(0, self.scalar))

    @inlined
    def vector(
        self, operands: Sequence[KernelOperand], channels: int, first: int, mask: Mask, near: Near
    ) -> None:
        target, grad = operands[0], operands[1]
        pixels = self.pixels(near)
        for c in range(channels):
            given = self.element(grad, c, first, mask)
            plane = target.at(0, c)
            for pixel in pixels:
                part = given if pixel.share is None else given * pixel.share
                part = select(pixel.inside, part, self.zeros())
                # Several places may have the same neighbour.
                for k in unroll(self.lanes):
                    at = plane + lane(pixel.offset, k)
                    store(at, load(at, self.scalar) + lane(part, k))


class PlaceGradient(SamplingKernel):
    """How the sums of gradients times what is read change with places.

    Its operands are the places' gradients, the gradients given and the images.
    """

    operands = 5
    slopes = True

    @inlined
    def vector(
        self, operands: Sequence[KernelOperand], channels: int, first: int, mask: Mask, near: Near
    ) -> None:
        target, grad, image = operands[0], operands[1], operands[2]
        pixels = self.pixels(near)
        products = [self.zeros() for _ in pixels]
        for c in range(channels):
            given = self.element(grad, c, first, mask)
            seen = [self.pixel(image.at(0, c), one) for one in pixels]
            products = [product + given * one for product, one in zip(products, seen)]
        for d in unroll(self.dims):
            start = target.base + first * target.stride[1] + (self.dims - 1 - d) * self.item
            changed = self.pixels([self.moving(near[k], k == d) for k in unroll(self.dims)])
            change = self.zeros()
            for pixel, product in zip(changed, products):
                change = change + product * pixel.share
            scatter(start + self.multiples(target.stride[1]), change, mask)

    def pixel(self, plane: Pointer, pixel: Neighbour) -> Vector:
        """A pixel where there is one."""
        return select(pixel.inside, gather(plane + pixel.offset, self.scalar), self.zeros())

    def moving(self, along: list[Neighbour], moves: bool) -> list[Neighbour]:
        """Neighbours that count as much as their share changes, if the place moves along them."""
        return [one._replace(share=one.slope) for one in along] if moves else along


def _neighbours(
    kind: dtype, index: str, mode: int, padding: int, align: bool, slopes: bool
) -> list[Any]:
    """Expressions of a coordinate and a length: the neighbours' indices, shares, and slopes."""
    number = kind.memory
    at, n = arg(0, number), arg(1, number)
    place = pixel_places.pixel_place(kind, at, n, mode, padding, align)
    taps = [const(number, k) for k in range(TAPS[mode])]
    found = [
        pixel_places.pixel_number(kind, index, place, k, n, mode, padding, align) for k in taps
    ]
    if mode != pixel_places.NEAREST:
        found += [pixel_places.pixel_share(kind, place, k, mode) for k in taps]
    if slopes:
        found += [pixel_places.pixel_slope(kind, at, k, n, mode, padding, align) for k in taps]
    return found


@cache
def _source() -> str:
    with open(__file__, "rb") as file:
        return digest(file.read()).hex()


# By what decides their texts: sizes that come and go need none to be traced again.
_kernels: Written[int] = Written()


def sampling_address(
    form: type[SamplingKernel], kind: dtype, index: str, dims: int, how: tuple[int, int, bool]
) -> int:
    """The address of a kernel for this processor.

    Args:
        index: the type of numbers of pixels, and of the bytes to them from the first one
    """
    target = host_target()

    def described() -> int:
        kernel = form(kind, index, dims, *how, target)
        facts = f"{form.__name__}|{_source()}|{kind}|{index}|{dims}|{how}|{target}"
        return described_address(
            f"sampling|{facts}|{kernel.program.description()}", lambda: kernel_text(kernel.run)
        )

    return _kernels.get(form.__name__, (kind, index, dims, how, target), described)

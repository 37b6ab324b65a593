"""The kernel of `_sampled_pixels`: images read at places, a vector of places at a time.

Which pixels are the neighbours of a place, and how much each counts, is computed once for all
channels, by the expressions that the operators `_pixel_place`, `_pixel_index` and `_pixel_share` are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from operator import and_, or_
from typing import Any

from rushlight.engine.core.dtype import dtype
from rushlight.engine.loops.arguments import Arguments
from rushlight.engine.loops.expr import arg, const
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
    inlined,
    kernel_text,
    lanes_from,
    load,
    select,
    store_masked,
    unroll,
    vector_of,
)
from rushlight.engine.native.lowlevel.values import let
from rushlight.engine.ops.pointwise import pixel_places

# How many neighbours a place has along a dimension, by the mode.
TAPS = {pixel_places.LINEAR: 2, pixel_places.NEAREST: 1, pixel_places.CUBIC: 4}

# A neighbour along one dimension: how far it lies from the first pixel in bytes, where it is inside,
# and how much it counts; nothing for the only one.
Neighbour = tuple[Vector, Mask, Any]


class Sampling:
    """Reads images of some dimensions at places.

    Its operands are the results, the images, the places and a table of words: for each dimension its
    length and the bytes between its pixels, then the bytes between coordinates. The loops go over
    channels and places; results lie side by side.
    """

    def __init__(
        self, kind: dtype, dims: int, mode: int, padding: int, align: bool, target: Target
    ) -> None:
        self.dims, self.taps = dims, TAPS[mode]
        self.lanes = target.vector_bytes // kind.itemsize
        self.scalar = {4: "float", 8: "double"}[kind.itemsize]
        self.item = kind.itemsize
        self.program = Program(_neighbours(kind, mode, padding, align), target)

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        given = Arguments(data, sizes, strides, 4, 2)
        target, image, places, table = given.operands
        channels, count = given.size
        apart = load(table.base + self.dims * 16)
        for first in range(0, count, self.lanes):
            mask = first_lanes(count - first, self.lanes)
            near: list[list[Neighbour]] = []
            for d in unroll(self.dims):
                # The last dimension of the image is the first coordinate.
                start = places.at(1, first) + (self.dims - 1 - d) * apart
                step = places.stride[1]
                place = gather(start + self.multiples(step), self.scalar, mask)
                near = [*near, self.neighbours(place, table.base + d * 16, mask)]
            any_seen = self.any_seen(near)
            for c in range(channels):
                total = self.total(image.at(0, c), near)
                total = select(any_seen, total, constant(0, total.kind))
                store_masked(target.at(0, c) + first * self.item, total, mask)

    def multiples(self, step: Any) -> Vector:
        """The numbers of the lanes, times a step."""
        return lanes_from(range(self.lanes), "i64") * broadcast(step, self.lanes)

    def neighbours(self, place: Vector, table: Pointer, mask: Mask) -> list[Neighbour]:
        """The neighbours of places along the dimension that a table describes."""
        length, step = load(table), load(table + 8)
        size = broadcast(let(self.scalar, f"sitofp i64 {length.name} to {self.scalar}"), self.lanes)
        found = computed(self.program, self.lanes, [place, size])
        near = []
        for k in range(self.taps):
            index = found[k]
            share = found[self.taps + k] if self.taps > 1 else None
            near.append((index * broadcast(step, self.lanes), (index >= 0) & mask, share))
        return near

    def any_seen(self, near: Sequence[list[Neighbour]]) -> Mask:
        """Where some neighbour is inside: elsewhere even shares that are no numbers add nothing."""
        each = [reduce(or_, (inside for _, inside, _ in along)) for along in near]
        return reduce(and_, each)

    def total(
        self, image: Pointer, near: Sequence[list[Neighbour]], shift: Any = 0, seen: Any = None
    ) -> Vector:
        """The sum of pixels that lie near in every dimension, each times its share.

        The dimensions before these have moved the pixels by ``shift`` bytes, where they are ``seen``.
        """
        if not near:
            return gather(image + shift, self.scalar, seen)
        zero = constant(0, vector_of(self.lanes, self.scalar))
        result: Any = None
        for offset, inside, share in near[0]:
            both = inside if seen is None else seen & inside
            part = self.total(image, near[1:], offset + shift, both)
            if share is not None:
                part = select(inside, part * share, zero)
            result = part if result is None else result + part
        return result


def _neighbours(kind: dtype, mode: int, padding: int, align: bool) -> list[Any]:
    """Expressions of a coordinate and a length: the neighbours' indices, and then their shares."""
    number = kind.memory
    at, n = arg(0, number), arg(1, number)
    place = pixel_places.pixel_place(kind, at, n, mode, padding, align)
    taps = [const(number, k) for k in range(TAPS[mode])]
    found = [pixel_places.pixel_index(kind, place, k, n, mode, padding, align) for k in taps]
    if mode != pixel_places.NEAREST:
        found += [pixel_places.pixel_share(kind, place, k, mode) for k in taps]
    return found


@cache
def _source() -> str:
    with open(__file__, "rb") as file:
        return digest(file.read()).hex()


def sampling_address(kind: dtype, dims: int, mode: int, padding: int, align: bool) -> int:
    """The address of the kernel for this processor."""
    target = host_target()
    kernel = Sampling(kind, dims, mode, padding, align, target)
    said = f"sampling|{_source()}|{kind}|{dims}|{mode}|{target}|{kernel.program.description()}"
    return described_address(said, lambda: kernel_text(kernel.run))

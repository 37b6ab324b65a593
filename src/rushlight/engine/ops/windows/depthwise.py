"""The gradient of a convolution's weight where every channel has a kernel of its own.

Each of its elements is the sum of the products of a plane of gradients with a shifted plane of the
image. The planes of an image's channel are made, read and forgotten before the next one's turn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from rushlight.engine.core import objects
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.kernels import kernel_address
from rushlight.engine.loops.plan import Loop
from rushlight.engine.loops.reductions import sum_of
from rushlight.engine.loops.tap_kernel import MOST_TAPS, taps_ir
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.kinds.elementwise import copy_loop, fill_loop, shaped
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, Operand, OuterLoop, facts
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target
from rushlight.engine.ops.kinds.reduction import reduce_into
from rushlight.engine.ops.windows.direct import Planes, View, computed_in
from rushlight.engine.ops.windows.taps import Axis, Tap, row_major

Ints = Sequence[int]


@dataclass
class DepthwiseWeightGradient(Request):
    """The gradient of a depthwise convolution for its weight.

    Args:
        inputs: the gradient of the result and the image
        axes: the windows along each dimension of the image
    """

    inputs: tuple[Tensor, ...]
    axes: Sequence[Axis]
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        size, stride, own = facts(targets[0])
        kind = computed_in(own)
        chain = ChainBuilder(1, 2)
        grad = self.inputs[0]
        if not grad._numel_:
            if math.prod(size):
                chain.add(fill_loop(shaped(size, stride, own), 0), [("out", 0)])
            return chain.finish()
        batch, channels, *windows = grad._size_
        taps = list(product(*(a.phases[0][0] for a in self.axes)))
        # Windows of volumes have sums for each of their planes.
        rows = math.prod(windows[:-2])
        sums, place = chain.add_scratch((len(taps), channels, batch, rows), kind)
        self._add_sums(chain, kind, taps, View(place, sums, sums.stride))
        kernel = size[2:]
        shape = (*kernel, channels, batch, rows)
        inside = [channels * batch * rows * n for n in row_major(kernel)]
        given = shaped(shape, [*inside, batch * rows, rows, 1], kind)
        strides = [*stride[2:], stride[0], 0, 0]
        reduce_into(
            chain, sum_of("f64" if kind.memory == "f64" else "f32"), shape,
            (len(kernel) + 1, len(kernel) + 2),
            [Operand(("out", 0), own, [n * own.itemsize for n in strides])],
            [Operand(place, kind, [n * kind.itemsize for n in given.stride])], [given],
        )  # fmt: skip
        return chain.finish()

    def _add_sums(
        self, chain: ChainBuilder, kind: dtype, taps: list[tuple[Tap, ...]], sums: View
    ) -> None:
        """For each image and channel, the sums of every tap."""
        grad, image = self.inputs
        batch, channels, *windows = grad._size_
        sink = OuterLoop(chain, (channels, batch))

        def one(view: View, of_channel: int, of_image: int) -> View:
            item = facts(view.tensor)[2].itemsize
            sink.add_operand(view.place, (of_channel * item, of_image * item))
            return view

        one(View(("in", 0), grad, ()), grad._stride_[1], grad._stride_[0])
        one(View(("in", 1), image, ()), image._stride_[1], image._stride_[0])
        one(sums, sums.strides[1], sums.strides[2])
        plane = shaped((1, 1, *image._size_[2:]), image._stride_, image._dtype_)
        planes = Planes(
            sink, View(("in", 1), plane, image._stride_), self.axes, kind, in_place=False
        )  # fmt: skip
        down = grad._stride_[2:]
        place = ("in", 0)
        if grad._dtype_ is not kind or down[-1] != 1:
            dense, place = sink.add_scratch(tuple(windows), kind)
            source = shaped(windows, down, grad._dtype_)
            sink.add(copy_loop(dense, source), [place, ("in", 0)])
            down = dense.stride
        item = kind.itemsize
        volumes = windows[:-2]
        rows = math.prod(volumes)
        below = windows[-2] if len(windows) > 1 else 1
        for first in range(0, len(taps), MOST_TAPS):
            some = taps[first : first + MOST_TAPS]
            table = np.array([planes.offset(tap) * item for tap in some], np.int64)
            _, made = sink.add_scratch((rows, len(some)), kind)
            loop = Loop(
                kernel_address(taps_ir, kind.memory, len(some)),
                [windows[-1], below, *volumes],
                [
                    [0, 0, len(some) * item],
                    [n * item for n in reversed(down)],
                    [n * item for n in reversed(planes.spatial)],
                    [0, 0, 0],
                ],
                [(objects.TENSOR_OPERAND, item)] * 3 + [(objects.CONSTANT_OPERAND, 8)],
                2,
                [],
                math.prod(windows) * item * (1 + len(some)),
                [0, 0, 0, table.ctypes.data],
                table,
            )
            sink.add(loop, [made, place, planes.place])
            target = shaped((len(some), rows), (sums.strides[0], 1), kind)
            source = shaped((len(some), rows), (1, len(some)), kind)
            sink.add(copy_loop(target, source, first * sums.strides[0]), [sums.place, made])
        sink.finish()

"""Loops behind convolutions that do images one after the other: behind each image, while it is in the cache."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import symbolic
from rushlight.engine.loops import geometry
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.kinds.elementwise import shaped
from rushlight.engine.ops.kinds.epilogues import LARGE_BYTES, Ints, WithLoop
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, OuterLoop, facts
from rushlight.engine.ops.kinds.planned import Built, Target
from rushlight.engine.ops.windows.direct import Convolution, View

# Larger images leave the cache before the loop comes to them.
IMAGE_BYTES = 1 << 20


@dataclass
class ConvolutionAndLoop(WithLoop):
    """A convolution, and the loop behind each image."""

    before: Convolution

    @classmethod
    def is_possible(cls, before: Convolution) -> bool:
        size, stride, kind = before.specs[0]
        if kind not in (dtypes.float32, dtypes.float64) or symbolic.trace() is not None:
            return False
        if before.groups != 1 or not before.goes_image_by_image(stride):
            return False
        image = math.prod(size[1:]) * kind.itemsize
        return image <= IMAGE_BYTES and size[0] * image >= LARGE_BYTES

    @classmethod
    def strides(cls, before: Convolution, size: Ints, operand: Target) -> list[int] | None:
        own, stride, _ = facts(operand)
        if size != tuple(before.specs[0][0]):
            return None
        return list(geometry.expanded_strides(size, own, stride))

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(len(targets), len(self.inputs))
        kind = self.before.specs[0][2]
        place, tensor = self._result(chain, targets)
        result = View(place, tensor, facts(tensor)[1])

        def behind(outer: OuterLoop, add: Callable[[Any, int], None]) -> None:
            self._add_loop(outer, add, targets, result)

        dataclasses.replace(self.before, behind=behind).add_products(chain, result, kind)
        return chain.finish()

    def _add_loop(
        self, outer: OuterLoop, add: Callable[[Any, int], None], targets: Sequence[Target], result: View
    ) -> None:  # fmt: skip
        """The loop on one image.

        Args:
            outer: runs the loops of an image
            add: names an operand, and says how many bytes there are from image to image
            targets: what is written
            result: of the convolution
        """
        size = self.epilogue.size
        written, read = self._places(targets)
        operands = [*written, *((result.place, result.tensor) if x is None else x for x in read)]
        seen = []
        for place, tensor in operands:
            strides = self.strides(self.before, size, tensor)
            assert strides is not None
            kind = facts(tensor)[2]
            if place not in outer.places:
                add(place, strides[0] * kind.itemsize)
            seen.append(shaped(size[1:], strides[1:], kind))
        loop = self.epilogue.make(seen[: len(written)], seen[len(written) :])
        outer.add(loop, [place for place, _ in operands])


WithLoop.of_request[Convolution] = ConvolutionAndLoop

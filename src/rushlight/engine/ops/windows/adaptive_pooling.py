"""Adaptive pooling. Windows of which there are so many, as equal as they can be: their means and largest elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects
from rushlight.engine.core import size as sizes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.function_loop import Nest, function_loop
from rushlight.engine.native import adaptive
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, facts
from rushlight.engine.ops.kinds.planned import (
    Built,
    Request,
    Spec,
    Target,
    contiguous_spec,
    planned,
)
from rushlight.engine.ops.windows.sizes import Ints

_KINDS = (dtypes.float32, dtypes.float64)


def suits(image: Any, windows: Ints) -> bool:
    """Whether the kernels here can read an image: a dense one on the CPU, of floats."""
    return (
        image.device == devices.cpu
        and image._dtype_ in _KINDS
        and 0 not in windows
        and sizes.is_contiguous(image._size_, image._stride_)
    )


@dataclass
class _EachImage(Request):
    """What a kernel of `native.adaptive` makes of every image.

    Args:
        inputs: what it reads
        kernel: the kernel
        inside: the image's lengths
        windows: how many windows there are along each of them
        item: the bytes of an image's element
    """

    inputs: tuple[Tensor, ...]
    kernel: Any
    inside: Ints
    windows: Ints
    item: int
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(1, 1)
        size, _, kind = facts(targets[0])
        read = self.inputs[0]
        count = len(self.inside)
        images = prod(size[: len(size) - count])
        dims = [*[(1, 1)] * (3 - count), *zip(self.inside, self.windows)]
        words = [*(w for dim in dims for w in dim), self.item]
        apart = [prod(size[len(size) - count :]) * kind.itemsize]
        apart.append(prod(read._size_[len(size) - count :]) * read._dtype_.itemsize)
        kinds = [(objects.TENSOR_OPERAND, x.itemsize) for x in (kind, read._dtype_)]
        nest = Nest(
            [1, images], [*([0, a] for a in apart), [0, 0]], [*kinds, (objects.CONSTANT_OPERAND, 8)],
            1, [1], tables={2: words},
        )  # fmt: skip
        work = 2 * images * prod(self.inside) * self.item
        loop = function_loop(adaptive.module, self.kernel, nest, work)
        chain.add(loop, [("out", 0), ("in", 0), 0])
        return chain.finish()


def _request(kernel: Any, image: Tensor, windows: Ints, kind: Any) -> Request:
    before = len(image._size_) - len(windows)
    spec = contiguous_spec((*image._size_[:before], *windows), kind)
    item = image._dtype_.itemsize
    return _EachImage((image,), kernel, image._size_[before:], windows, item, [spec])


@planned("_adaptive_means")
def means(self: Tensor, windows: Ints) -> Request:
    """The mean of every window of a dense image."""
    return _request(adaptive.means, self, windows, self._dtype_)


@planned("_adaptive_places")
def places(self: Tensor, windows: Ints) -> Request:
    """Where in the flattened image, which is dense, the largest element of every window is."""
    return _request(adaptive.places_of_largest, self, windows, dtypes.int64)


@planned("_adaptive_means_backward")
def means_backward(grad_output: Tensor, lengths: Ints) -> Request:
    """The gradient of images with such last lengths, of that of their windows' means, which is dense."""
    before = len(grad_output._size_) - len(lengths)
    windows, kind = grad_output._size_[before:], grad_output._dtype_
    spec = contiguous_spec((*grad_output._size_[:before], *lengths), kind)
    return _EachImage(
        (grad_output,), adaptive.spread_means, lengths, windows, kind.itemsize, [spec]
    )

"""Convolutions that a library makes on a GPU: which ones, and the loop that queues them."""

from __future__ import annotations

from math import prod

from rushlight.engine.core import library_settings as settings
from rushlight.engine.core.dtype import dtype
from rushlight.engine.cuda import cudnn, launcher, libraries
from rushlight.engine.cuda.convolution_launcher import queue_convolution, table_of
from rushlight.engine.cuda.cudnn import Convolution, Described
from rushlight.engine.loops.library_loop import LibraryLoop

# The library counts elements in 32 bits.
MOST_ELEMENTS = (1 << 31) - 1


def library_convolution(
    device: int, convolution: Convolution, kind: dtype, label: str
) -> LibraryConvolution | None:
    """The loop of a convolution by cuDNN; None where it is not installed, switched off, or has no algorithm for it."""
    if not settings.convolutions.enabled or convolution.memory not in cudnn.TYPES:
        return None
    if not all(0 < prod(size) <= MOST_ELEMENTS for size in convolution.sizes):
        return None
    if libraries.find(cudnn.NAME) is None:
        return None
    found = cudnn.described(convolution, device)
    return None if found is None else LibraryConvolution(found, kind, label)


class LibraryConvolution(LibraryLoop):
    """A convolution that cuDNN makes, for operands found at each run: the result, both operands, room.

    Args:
        described: its description
        kind: the type of its elements
        label: what messages call it
    """

    __slots__ = ("described",)
    kernel = queue_convolution
    activation = ""

    def __init__(self, described: Described, kind: dtype, label: str) -> None:
        self.described = described
        super().__init__(described.device, described.work, [kind] * 3, (), [()] * 3, label)

    def call(self, places: list[int]) -> None:
        self.described.queue([*places[:3], places[3] if self.room else 0])

    def table(self, status: launcher.Status) -> launcher.Table:
        return table_of(self.described, self.label, status)

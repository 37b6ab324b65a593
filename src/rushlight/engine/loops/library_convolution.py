"""Convolutions that a library makes on a GPU: which ones, and the loop that queues them."""

from __future__ import annotations

from math import prod

from rushlight.engine.core import library_settings as settings
from rushlight.engine.core.dtype import dtype
from rushlight.engine.cuda import cudnn, libraries
from rushlight.engine.cuda.convolution_launcher import queue_convolution, table_of
from rushlight.engine.cuda.cudnn import Convolution
from rushlight.engine.loops.library_loop import DescribedLoop

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
    return None if found is None else LibraryConvolution(found, [kind] * 3, label)


class LibraryConvolution(DescribedLoop):
    """A convolution that cuDNN makes, for operands found at each run: the result, both operands, room."""

    __slots__ = ()
    kernel, words = queue_convolution, staticmethod(table_of)

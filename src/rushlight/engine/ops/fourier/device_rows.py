"""Transforms along one dimension on a GPU: cuFFT's, for rows that are brought together."""

from __future__ import annotations

import math

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import pointwise
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import context, cufft, libraries, streams, timeline

BY_ROOT, BY_N = 1, 2


def run(
    made: Tensor, given: Tensor, d: int, length: int, mode: int, forward: bool, name: str
) -> None:
    """Transform a tensor along a dimension, into another one or itself."""
    libraries.needed("cufft", name)
    where = given._storage_.device
    rows = copies.contiguous(views.movedim_int(given, d, -1))
    if rows._storage_ is given._storage_:
        # What a transform to real numbers reads, it may write.
        rows = copies.clone(rows)
    size = (*rows._size_[:-1], made._size_[d])
    out = tensors.empty(size, made._dtype_, where)
    count = math.prod(size[:-1])
    task = cufft.Rows(where.index or 0, length, rows._dtype_.memory, made._dtype_.memory, count)
    with context.on(where.index or 0):
        work = tensors.empty((cufft.work_bytes(task),), dtypes.uint8, where)
        places = [tensors.place_of(x) for x in (rows, out, work)]
        with timeline.work(
            timeline.KERNEL, f"{name} of cuFFT", streams.current(task.device), "cufftXtExec"
        ):
            cufft.transform(task, places, forward)
    if mode:
        pointwise.mul__Scalar(out, 1 / (length if mode == BY_N else math.sqrt(length)))
    copies.copy_(made, views.movedim_int(out, -1, d), False)

"""What a mask chooses, in order: elements or their positions. See `loops.compaction_kernel`."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import plans
from rushlight.engine.loops.compaction_kernel import choose_ir, count_ir
from rushlight.engine.loops.plan import Loop
from rushlight.engine.native import machine

BLOCK = 1 << 14


class _Blocks:
    """The loops for a number of elements, and the tables that they read."""

    def __init__(self, count: int, bits: int) -> None:
        blocks = -(-count // BLOCK)
        self.first = np.arange(blocks, dtype=np.int64) * BLOCK
        self.lengths = np.minimum(count - self.first, BLOCK)
        item = bits // 8
        self.counting = self._loop(count_ir(), blocks, [8, 8, 1 * BLOCK], count)
        strides = [0, 8, 8, BLOCK, item * BLOCK if bits else 8]
        self.choosing = self._loop(choose_ir(bits), blocks, strides, count * (1 + 2 * item))

    def _loop(self, ir: str, blocks: int, strides: list[int], work: int) -> Loop:
        kinds = [(objects.POINTER_OPERAND, 8)] * len(strides)
        return Loop(machine.address(ir), [blocks], [[s] for s in strides], kinds, 1, [0], work)


_blocks = functools.lru_cache(maxsize=256)(_Blocks)


def chosen(mask: Tensor, source: Tensor | None, kind: dtype = dtypes.int64) -> Tensor:
    """The elements of a source where a mask holds, or their positions; both are contiguous."""
    plans.note_other()
    count = mask._numel
    if not count:
        return tensors.empty((0,), kind)
    item = kind.itemsize
    loops = _blocks(count, item * 8 if source is not None else 0)
    counts = np.empty(len(loops.lengths), np.int64)
    address = tensors.data_pointer(mask)
    lengths: Any = loops.lengths.ctypes.data
    loops.counting.run(counts.ctypes.data, lengths, address)
    ends = counts.cumsum()
    made = tensors.empty((int(ends[-1]),), kind)
    if made._numel:
        starts = ends - counts
        values = loops.first.ctypes.data if source is None else tensors.data_pointer(source)
        loops.choosing.run(tensors.data_pointer(made), starts.ctypes.data, lengths, address, values)
    return made

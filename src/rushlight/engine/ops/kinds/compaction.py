"""What a mask chooses, in order: elements or their positions. See `loops.compaction_kernel`."""

from __future__ import annotations

import ctypes
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
        self.zeros = np.zeros(1, np.int64)
        # Looking an array's address up takes longer than a small loop.
        self.first_at: int = self.first.ctypes.data
        self.lengths_at: int = self.lengths.ctypes.data
        self.zeros_at: int = self.zeros.ctypes.data
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
    address = tensors.data_pointer(mask)
    total, starts, keep = _starts(loops, address)
    made = tensors.empty((total,), kind)
    if total:
        values = loops.first_at if source is None else tensors.data_pointer(source)
        target = tensors.data_pointer(made)
        loops.choosing.run(target, starts, loops.lengths_at, address, values)
    del keep
    return made


def _starts(loops: _Blocks, mask: int) -> tuple[int, int, Any]:
    """How many elements a mask chooses; the address of where each block's go, and its owner."""
    if len(loops.lengths) == 1:
        count = ctypes.c_int64()
        loops.counting.run(ctypes.addressof(count), loops.lengths_at, mask)
        return count.value, loops.zeros_at, None
    counts = np.empty(len(loops.lengths), np.int64)
    loops.counting.run(counts.ctypes.data, loops.lengths_at, mask)
    ends = counts.cumsum()
    starts = ends - counts
    return int(ends[-1]), starts.ctypes.data, starts

"""Scans: cumulative sums and their like along one dimension."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import state
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry
from rushlight.engine.loops.scan_kernel import Scan, scan_address
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.kinds.nested_loops import (
    ChainBuilder,
    Operand,
    byte_strides,
    facts,
    letter,
    make_loop,
)
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target, contiguous_spec


@dataclass
class ScanAlong(Request):
    """Scan one dimension of a tensor, or of several of one size."""

    inputs: tuple[Tensor, ...]
    dim: int
    scan: Scan
    results: tuple[dtype, ...]

    @property
    def specs(self) -> list[Spec]:  # type: ignore[override]
        return [contiguous_spec(self.inputs[0]._size_, kind) for kind in self.results]

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(len(targets), len(self.inputs))
        tensor = self.inputs[0]
        shape = tuple(tensor._size_)
        outs = [
            Operand(("out", k), facts(t)[2], byte_strides(shape, t)) for k, t in enumerate(targets)
        ]
        ins = [
            Operand(("in", k), t._dtype_, byte_strides(shape, t)) for k, t in enumerate(self.inputs)
        ]
        operands = [*outs, *ins]
        kept = [d for d in range(len(shape)) if d != self.dim]
        sub = [tuple(x.strides[d] for d in kept) for x in operands]
        order = [kept[i] for i in geometry.dimension_order(tuple(shape[d] for d in kept), sub)]
        rows, around = geometry.merge_dimensions(
            [shape[d] for d in order], [[x.strides[d] for d in order] for x in operands]
        )
        length = shape[self.dim] if shape else 1
        nest = [length, *rows]
        for x, outside in zip(operands, around):
            x.strides = (x.strides[self.dim] if shape else 0, *outside)
        loop = self._loop(nest, outs, ins)
        chain.add(loop, [x.position for x in operands])
        return chain.finish()

    def _loop(self, nest: Sequence[int], outs: Sequence[Operand], ins: Sequence[Operand]) -> Any:
        """The loop over rows, or over columns side by side."""
        operands = [*outs, *ins]
        memories = [x.memory for x in outs], [x.memory for x in ins]
        planner = state.thread.planner
        if planner is not None:
            return planner.scan_loop(self.scan, memories, nest, operands)
        columns = prefers_columns(operands, nest)
        dim = 1 if columns else 0
        letters = "".join(letter(x.strides[dim], x.itemsize, nest[dim]) for x in operands)
        kernel = scan_address(self.scan, *memories, letters, columns)
        work = math.prod(nest) * sum(x.itemsize for x in operands)
        depth = max(len(nest), 2)
        return make_loop(kernel, nest, operands, 2, range(1, depth), work)


def prefers_columns(operands: Sequence[Operand], nest: Sequence[int]) -> bool:
    """Whether rows should be scanned side by side: more operands are contiguous that way."""
    if len(nest) < 2:
        return False
    along = sum(letter(x.strides[0], x.itemsize, nest[0]) == "c" for x in operands)
    across = sum(letter(x.strides[1], x.itemsize, nest[1]) == "c" for x in operands)
    return across > along or (nest[0] == 1 and across == len(operands))

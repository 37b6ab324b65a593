"""Element-wise kernels: one scalar function applied over two dimensions.

Rows along dim 0 run in unrolled vectors and end in a partial one; dim 1 is a plain loop around
them. Operands that are contiguous along dim 1 instead go through small tiles (`tiles`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.loops import casts
from rushlight.engine.loops.arguments import Arguments
from rushlight.engine.loops.expr import Value, arg
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.row_loop import RowLoop
from rushlight.engine.loops.strip_mining import StripMap, Strips, stages_of
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.loops.tiles import tiled_map_ir
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import Pointer, fence, inlined, kernel_text

SCALAR_COST = 20
Body = Callable[..., Any]


def trace(
    body: Body, outs: Sequence[str], ins: Sequence[str], params: Sequence[str]
) -> list[Value]:
    """The parts to store, as expressions over the parts loaded (arguments numbered in order)."""
    operands = []
    count = 0
    for memory, wanted in zip(ins, params, strict=True):
        raw = [arg(count + k, casts.raw_type(memory)) for k in range(casts.parts(memory))]
        count += len(raw)
        operands.append(casts.from_memory(raw, memory, wanted))
    results = body(*operands)
    if not isinstance(results, (tuple, list)):
        results = (results,)
    if len(results) != len(outs):
        raise TypeError(f"the body gives {len(results)} results for {len(outs)} outputs")
    return [
        part
        for result, memory in zip(results, outs, strict=True)
        for part in casts.to_memory(result, memory)
    ]


def map_ir(
    body: Body,
    outs: Sequence[str],
    ins: Sequence[str],
    params: Sequence[str],
    inner: str,
    *,
    stream: bool = False,
    target: Target | None = None,
) -> str:
    """The IR of a map kernel.

    ``outs`` and ``ins`` are memory types; ``params`` the type in which the body gets each input.
    ``inner`` has one letter per operand, outputs first, for its stride along dim 0: ``c``
    contiguous, ``s`` zero, ``g`` any, ``t`` contiguous along dim 1 instead. ``stream`` writes
    around the caches, for outputs much larger than them.
    """
    program = Program(trace(body, outs, ins, params), target or host_target())
    return program_ir(program, outs, ins, inner, stream=stream)


def program_ir(
    program: Program, outs: Sequence[str], ins: Sequence[str], inner: str, *, stream: bool = False
) -> str:
    """`map_ir` of a scalar function that has been traced."""
    target = program.target
    memories = [*outs, *ins]
    if "t" in inner:
        return tiled_map_ir(program, outs, ins, inner, lanes_for(program, memories, target))
    operands = [Operand(memory, letter) for memory, letter in zip(memories, inner, strict=True)]
    for operand in operands[: len(outs)]:
        operand.letter = operand.letter.replace("s", "g")
    lanes = lanes_for(program, memories, target)
    if any(operand.letter == "g" for operand in operands):
        # Collecting a vector element by element pays only if there is something to compute.
        lanes = 1 if program.cost <= SCALAR_COST else min(lanes, 16)
    stages = stages_of(program, outs, ins) if lanes > 1 else []
    if len(stages) > 1:
        return kernel_text(StripMap(Strips(stages, operands, lanes, stream)).run)
    loop = RowLoop(program, operands[: len(outs)], operands[len(outs) :], lanes, stream)
    return kernel_text(_Map(loop, stream).run)


class _Map:
    """Rows along dim 0, one after the other along dim 1."""

    def __init__(self, loop: RowLoop, stream: bool) -> None:
        self.loop = loop
        self.stream = stream

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        operands = [*self.loop.outs, *self.loop.ins]
        given = Arguments(data, sizes, strides, len(operands), 2)
        for row in range(given.size[1]):
            for operand, x in zip(operands, given.operands):
                operand.point(x.at(1, row), x.stride[0])
            self.loop.write(given.size[0])
        if self.stream:
            fence()


def lanes_for(program: Program, memories: Sequence[str], target: Target) -> int:
    """As many lanes as fill a vector of the widest type loaded or computed with."""
    widest = max(program.widest, *(casts.MEMORY_BYTES[m] // casts.parts(m) for m in memories))
    return max(1, target.vector_bytes // widest)

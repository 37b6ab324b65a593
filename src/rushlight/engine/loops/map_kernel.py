"""Element-wise kernels: one scalar function applied over two dimensions.

Rows along dim 0 run in unrolled vectors and end in a partial one; dim 1 is a plain loop around
them. Operands that are contiguous along dim 1 instead go through small tiles (`tiles`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.loops import casts
from rushlight.engine.loops.expr import Value, arg
from rushlight.engine.loops.frame import Frame
from rushlight.engine.loops.ir_text import Text
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.loops.vector_memory import (
    Lanes,
    Operand,
    clamped,
    partial_mask,
)

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
    target = target or host_target()
    program = Program(trace(body, outs, ins, params), target)
    memories = [*outs, *ins]
    if "t" in inner:
        from rushlight.engine.loops.tiles import tiled_map_ir

        return tiled_map_ir(program, outs, ins, inner, target)
    text = Text()
    operands = [Operand(m, "g" if k < len(outs) and x == "s" else x)
                for k, (m, x) in enumerate(zip(memories, inner, strict=True))]
    frame = Frame(text, len(operands), 2)
    lanes = lanes_for(program, memories, target)
    if any(x.letter == "g" for x in operands):
        # Collecting a vector element by element pays only if there is something to compute.
        lanes = 1 if program.cost <= SCALAR_COST else min(lanes, 16)

    def row(outer: str, _: list[str]) -> list[str]:
        for k, operand in enumerate(operands):
            operand.pointer = frame.at(k, 1, outer)
            operand.stride = frame.stride[0][k]
        write_row(text, program, operands[: len(outs)], operands[len(outs) :], lanes, frame.size[0],
                  target, ", !nontemporal !0" if stream else "")
        return []

    text.loop("0", frame.size[1], 1, row)
    return text.module()


def lanes_for(program: Program, memories: Sequence[str], target: Target) -> int:
    """As many lanes as fill a vector of the widest type loaded or computed with."""
    widest = max(program.widest, *(casts.MEMORY_BYTES[m] // casts.parts(m) for m in memories))
    return max(1, target.vector_bytes // widest)


def write_row(
    text: Text,
    program: Program,
    outs: Sequence[Operand],
    ins: Sequence[Operand],
    lanes: int,
    count: str,
    target: Target,
    hint: str = "",
) -> None:
    """The loops over one row: unrolled whole vectors, then what is left."""
    some = text.let(f"icmp sgt i64 {count}, 0")

    def filled() -> list[str]:
        for operand in ins:
            if operand.letter == "s":
                operand.load_repeated(text, lanes)
        scattered = any(o.letter == "g" for o in [*outs, *ins])
        masked = target.masks and all(o.letter in "cs" or o.gathers for o in [*outs, *ins])
        unroll = 1 if scattered and lanes > 1 else unrolling(program)
        start = "0"
        if scattered or unroll > 1 or not masked or hint:
            stop = text.let(f"sub i64 {count}, {lanes * unroll - 1}")

            def whole(index: str, _: list[str]) -> list[str]:
                for k in range(unroll):
                    here = text.let(f"add i64 {index}, {k * lanes}") if k else index
                    element(here, None)
                return []

            start, _ = text.loop("0", stop, lanes * unroll, whole)
        last = text.let(f"sub i64 {count}, 1")

        def rest(index: str, _: list[str]) -> list[str]:
            if lanes == 1:
                element(index, None)
            elif masked:
                left = text.let(f"sub i64 {count}, {index}")
                element(index, partial_mask(text, lanes, left))
            else:
                element(index, clamped(text, lanes, index, last))
            return []

        text.loop(start, count, lanes, rest)
        return []

    def element(index: str, which: Lanes) -> None:
        parts = [part for operand in ins for part in operand.load(text, index, lanes, which)]
        results = program.print(text, lanes, dict(enumerate(parts)))
        for operand in outs:
            mine, results = results[: operand.parts], results[operand.parts :]
            operand.store(text, mine, index, lanes, which, hint if which is None else "")

    text.when(some, filled, lambda: [])


def unrolling(program: Program) -> int:
    """Vectors per turn of the main loop: cheap bodies hide the loop's own cost behind several."""
    return 4 if program.cost <= 8 else 2 if program.cost <= 24 else 1

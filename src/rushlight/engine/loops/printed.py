"""Expressions in kernels of the kernel language: their printer, and their operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.loops.ir_text import llvm_type, splat
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.vector_memory import Lanes, Operand
from rushlight.engine.native.lowlevel import Value, vector_of
from rushlight.engine.native.lowlevel.text import here
from rushlight.engine.native.lowlevel.values import lifted


def computed(program: Program, lanes: int, *groups: Sequence[Any]) -> list[Value]:
    """What a program's outputs are for one vector of arguments."""
    names = [lifted(value).name for group in groups for value in group]
    results = program.print(here(), lanes, dict(enumerate(names)))
    types = [output.type for output in program.outputs]
    return [Value(vector_of(lanes, llvm_type(t)), x) for t, x in zip(types, results, strict=True)]


def numbers(types: Sequence[str], values: Sequence[Any], lanes: int) -> list[Value]:
    """Constants of expression types, the same in every lane."""
    return [
        Value(vector_of(lanes, llvm_type(t)), splat(t, x, lanes))
        for t, x in zip(types, values, strict=True)
    ]


def repeat(operands: Sequence[Operand], lanes: int) -> None:
    """Read the elements that are the same throughout, once."""
    for operand in operands:
        if operand.letter == "s":
            operand.load_repeated(lanes)


def load_parts(operands: Sequence[Operand], index: int, lanes: int, which: Lanes) -> list[Value]:
    """The parts of a vector of each operand's elements."""
    return [part for operand in operands for part in operand.load(index, lanes, which)]


def store_parts(
    operands: Sequence[Operand],
    values: Sequence[Value],
    index: int,
    lanes: int,
    which: Lanes,
    streamed: int = 0,
) -> None:
    """Store the parts of a vector of each operand's elements; the first may be ``streamed``."""
    for k, operand in enumerate(operands):
        mine, values = values[: operand.parts], values[operand.parts :]
        operand.store(mine, index, lanes, which, 0 if k else streamed)

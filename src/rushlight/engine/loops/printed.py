"""Expressions in kernels of the kernel language: their printer, with values for names."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.loops.ir_text import llvm_type, splat
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.vector_memory import Lanes, Operand
from rushlight.engine.native.lowlevel import Pointer, Value, vector_of
from rushlight.engine.native.lowlevel.text import here


def computed(program: Program, lanes: int, *groups: Sequence[Value]) -> list[Value]:
    """What a program's outputs are for one vector of arguments."""
    names = [value.name for group in groups for value in group]
    results = program.print(here(), lanes, dict(enumerate(names)))
    types = [output.type for output in program.outputs]
    return [Value(vector_of(lanes, llvm_type(t)), x) for t, x in zip(types, results, strict=True)]


def numbers(types: Sequence[str], values: Sequence[float], lanes: int) -> list[Value]:
    """Constants of expression types, the same in every lane."""
    return [
        Value(vector_of(lanes, llvm_type(t)), splat(t, x, lanes))
        for t, x in zip(types, values, strict=True)
    ]


def point(operand: Operand, place: Pointer, stride: int) -> None:
    """Let an operand begin at a place."""
    operand.pointer, operand.stride = name_of(place), name_of(stride)


def repeat(operands: Sequence[Operand], lanes: int) -> None:
    """Read the elements that are the same throughout, once."""
    for operand in operands:
        if operand.letter == "s":
            operand.load_repeated(here(), lanes)


def load_parts(operands: Sequence[Operand], index: int, lanes: int, which: Lanes) -> list[Value]:
    """The parts of a vector of each operand's elements."""
    found = []
    for operand in operands:
        kind = vector_of(lanes, operand.scalar)
        found += [Value(kind, x) for x in operand.load(here(), name_of(index), lanes, which)]
    return found


def store_parts(
    operands: Sequence[Operand], values: Sequence[Value], index: int, lanes: int, which: Lanes
) -> None:
    """Store the parts of a vector of each operand's elements."""
    for operand in operands:
        mine, values = values[: operand.parts], values[operand.parts :]
        operand.store(here(), [value.name for value in mine], name_of(index), lanes, which)


def name_of(value: object) -> str:
    """What a value, or a number, is called in texts."""
    return value.name if isinstance(value, Value) else str(value)

"""A kernel in basic blocks, and which registers live from one to the next."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

from ptx_interpreter.parser import Instruction, Kernel

# Instructions that wait for other threads stand by themselves, as does what ends a block.
WAITING = ("bar", "barrier", "shfl", "vote")
ENDING = ("bra", "brx", "ret", "exit", "trap")
_NAME = re.compile(r"%?[A-Za-z_$%][\w$]*")


@dataclass
class Block:
    """Instructions that threads go through from the first to the last.

    Args:
        start: the place of the first
        instructions: all of them
        successors: where threads may go on
        live: the registers that are read later
    """

    start: int
    instructions: list[Instruction]
    successors: list[int] = field(default_factory=list)
    live: set[str] = field(default_factory=set)

    @property
    def waits(self) -> bool:
        return self.instructions[0].parts[0] in WAITING

    @property
    def end(self) -> int:
        return self.start + len(self.instructions)


def blocks_of(kernel: Kernel) -> dict[int, Block]:
    """A kernel's blocks by the place where they begin, with what lives behind each."""
    found = {b.start: b for b in _cut(kernel)}
    for block in found.values():
        block.successors = [s for s in _successors(kernel, block) if s in found]
    _find_living(kernel, found)
    return found


def alone(instruction: Instruction) -> bool:
    """Whether an instruction makes a block of its own: it waits, or some threads leave it out."""
    name = instruction.parts[0]
    return name in WAITING or (instruction.guard is not None and name != "bra")


def _cut(kernel: Kernel) -> list[Block]:
    all = kernel.instructions
    starts = {0, *kernel.labels.values()}
    for at, instruction in enumerate(all):
        if alone(instruction):
            starts |= {at, at + 1}
        elif instruction.parts[0] in ENDING:
            starts.add(at + 1)
    ordered = [*sorted(s for s in starts if s < len(all)), len(all)]
    return [Block(a, all[a:b]) for a, b in itertools.pairwise(ordered)]


def _successors(kernel: Kernel, block: Block) -> list[int]:
    last = block.instructions[-1]
    name = last.parts[0]
    found = [] if name in ENDING and last.guard is None else [block.end]
    if name == "bra":
        found.append(kernel.labels[last.operands[0]])
    elif name == "brx":
        found += [kernel.labels[t] for t in kernel.branch_targets[last.operands[1]]]
    return found


def targets(instruction: Instruction) -> list[str]:
    """The registers that an instruction writes."""
    name = instruction.parts[0]
    if name in ("st", "red", "bar", "barrier", *ENDING) or not instruction.operands:
        return []
    return [n for n in re.split(r"[{},|\s]+", instruction.operands[0]) if n and n != "_"]


def sources(instruction: Instruction, registers: dict[str, int]) -> list[str]:
    """The registers that an instruction reads."""
    texts = instruction.operands if not targets(instruction) else instruction.operands[1:]
    if instruction.parts[0] == "ld":
        texts = instruction.operands[1:]
    found = [n for text in texts for n in _NAME.findall(text) if n in registers]
    return [*found, instruction.guard[0]] if instruction.guard else found


def _find_living(kernel: Kernel, blocks: dict[int, Block]) -> None:
    """What is read later than a block, from the last one to the first until nothing changes."""
    uses: dict[int, tuple[set[str], set[str]]] = {}
    for at, block in blocks.items():
        read: set[str] = set()
        made: set[str] = set()
        for instruction in block.instructions:
            read |= set(sources(instruction, kernel.registers)) - made
            if instruction.guard is None:
                made |= set(targets(instruction))
        uses[at] = read, made
    changed = True
    while changed:
        changed = False
        for at in sorted(blocks, reverse=True):
            after: set[str] = set()
            for next in blocks[at].successors:
                read, made = uses[next]
                after |= read | blocks[next].live - made
            if after != blocks[at].live:
                blocks[at].live = after
                changed = True

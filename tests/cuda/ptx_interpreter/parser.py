"""The text of a PTX module as kernels, instructions and variables."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
ENTRY = re.compile(r"(?:\.visible|\.weak)?\s*\.(entry|func)\s+(?:\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)")
VARIABLE = re.compile(
    r"(?:\.visible\s+|\.extern\s+)?\.(shared|local|global|const)\s+(?:\.align\s+(\d+)\s+)?"
    r"\.(\w+)\s+([\w$]+)(?:\[(\d*)\])?(?:\s*=\s*(\{[^}]*\}|[^;]+))?$",
    re.S,
)
PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)\s+(?:\.ptr\s+[\w.\s]*?)?([\w$]+)(?:\[(\d+)\])?$"
)
TYPE_BYTES = {8: 1, 16: 2, 32: 4, 64: 8}


@dataclass
class Instruction:
    """One instruction: its guard, its name in parts, and its operands as texts."""

    text: str
    guard: tuple[str, bool] | None
    parts: tuple[str, ...]
    operands: list[str]


@dataclass
class Variable:
    """Memory that a module or a kernel declares."""

    space: str
    name: str
    align: int
    nbytes: int
    content: bytes = b""


@dataclass
class Kernel:
    """A function: its parameters' places, its registers' widths, what it does."""

    name: str
    parameters: list[tuple[str, str, int]]
    registers: dict[str, int] = field(default_factory=dict)
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    branch_targets: dict[str, list[str]] = field(default_factory=dict)
    module: Module | None = None
    # What is made of the kernel when it runs for the first time.
    translated: dict[int, Any] = field(default_factory=dict)

    @functools.cached_property
    def zeros(self) -> dict[str, Any]:
        """What registers hold when a kernel starts."""
        return {
            name: np.bool_(False) if bits == 0 else np.dtype(f"u{bits // 8}").type(0)
            for name, bits in self.registers.items()
        }

    @property
    def declared(self) -> list[Variable]:
        """The variables of the module and of the kernel."""
        return [*(self.module.variables if self.module else ()), *self.variables]

    @property
    def places(self) -> set[str]:
        """Names that stand for addresses."""
        return {v.name for v in self.declared}


class Module:
    """All that a text declares."""

    def __init__(self, text: str) -> None:
        text = COMMENT.sub("", text)
        found = re.search(r"\.target\s+(\w+)", text)
        self.target = found[1] if found else ""
        text = re.sub(r"^\s*\.(version|target|address_size)\b.*$", "", text, flags=re.M)
        self.kernels: dict[str, Kernel] = {}
        self.variables: list[Variable] = []
        place = 0
        for head in ENTRY.finditer(text):
            self._declarations(text[place : head.start()])
            start = text.index("{", head.end())
            place = _closing(text, start)
            kernel = Kernel(head[2], _parameters(head[3]), module=self)
            _Body(kernel).read(text[start + 1 : place - 1])
            self.kernels[kernel.name] = kernel
        self._declarations(text[place:])

    def _declarations(self, text: str) -> None:
        for statement in _statements(text):
            found = VARIABLE.match(statement)
            if found:
                self.variables.append(_variable(found))


def _closing(text: str, start: int) -> int:
    """Behind the brace that closes the one at a place."""
    depth = 0
    for found in re.compile("[{}]").finditer(text, start):
        depth += 1 if found[0] == "{" else -1
        if not depth:
            return found.end()
    raise ValueError("a brace is not closed")


def _parameters(text: str) -> list[tuple[str, str, int]]:
    """Each parameter's name, type and number of bytes."""
    made = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        found = PARAMETER.match(" ".join(part.split()))
        if not found:
            raise ValueError(f"not understood as a parameter: {part!r}")
        kind, name, count = found.groups()
        made.append((name, kind, width_of(kind) * int(count or 1)))
    return made


def width_of(kind: str) -> int:
    """The bytes of a type such as ``u64``."""
    if kind == "pred":
        return 1
    found = re.match(r"[a-z]+(\d+)", kind)
    if not found:
        raise ValueError(f"a type without a width: {kind!r}")
    return TYPE_BYTES[int(found[1])]


def _variable(found: re.Match[str]) -> Variable:
    space, align, kind, name, count, content = found.groups()
    item = width_of(kind)
    held = b""
    if content:
        numbers = [int(n, 0) for n in re.findall(r"-?\w+", content.strip("{} \n"))]
        mask = (1 << 8 * item) - 1
        held = b"".join((n & mask).to_bytes(item, "little") for n in numbers)
    nbytes = item * int(count or 1)
    return Variable(space, name, int(align or item), nbytes, held.ljust(nbytes, b"\0"))


def _statements(text: str) -> list[str]:
    """What semicolons end; braces of initial values belong to their statement."""
    return [s.strip() for s in text.split(";") if s.strip()]


class _Body:
    """Reads what stands between a kernel's braces."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def read(self, text: str) -> None:
        # Labels end in a colon, scopes in braces of their own; everything else in a semicolon.
        text = re.sub(r"(^|\n)\s*([$\w]+):", r"\1 @LABEL \2;", text)
        text = re.sub(r"(^|[;\n])\s*\{\s*(?=\.reg|\n)", r"\1", text)
        text = re.sub(r";\s*\}", ";", text)
        for statement in _statements(text):
            self.statement(" ".join(statement.split()))

    def statement(self, text: str) -> None:
        kernel = self.kernel
        if text.startswith("@LABEL"):
            label, _, rest = text.removeprefix("@LABEL ").partition(" ")
            kernel.labels[label] = len(kernel.instructions)
            if rest.startswith(".branchtargets"):
                targets = rest.removeprefix(".branchtargets").split(",")
                kernel.branch_targets[label] = [t.strip() for t in targets]
        elif text.startswith(".branchtargets"):
            label = next(reversed(kernel.labels))
            targets = text.removeprefix(".branchtargets").split(",")
            kernel.branch_targets[label] = [t.strip() for t in targets]
        elif text.startswith(".reg"):
            self.registers(text)
        elif text.startswith("."):
            found = VARIABLE.match(text)
            if found:
                kernel.variables.append(_variable(found))
            elif not text.startswith((".pragma", ".loc", ".file", ".maxntid", ".minnctapersm")):
                raise ValueError(f"not understood: {text!r}")
        else:
            kernel.instructions.append(instruction(text))

    def registers(self, text: str) -> None:
        _, kind, *names = text.replace(",", " ").split()
        width = 0 if kind == ".pred" else int(re.sub(r"\D", "", kind))
        for name in names:
            found = re.match(r"(.*)<(\d+)>$", name)
            if found:
                for k in range(int(found[2])):
                    self.kernel.registers[f"{found[1]}{k}"] = width
            else:
                self.kernel.registers[name] = width


def instruction(text: str) -> Instruction:
    """One instruction from its text."""
    guard = None
    rest = text
    if rest.startswith("@"):
        name, rest = rest[1:].split(" ", 1)
        guard = name.lstrip("!"), name.startswith("!")
    name, _, operands = rest.strip().partition(" ")
    return Instruction(text, guard, tuple(name.split(".")), split_operands(operands))


def split_operands(text: str) -> list[str]:
    """Operands at commas outside of brackets and braces."""
    if not any(letter in text for letter in "[{("):
        return [part.strip() for part in text.split(",")] if text.strip() else []
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and not depth:
            found.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*found, last] if last else found


def number(text: str, kind: str) -> np.generic:
    """A literal as a value of a type's bits."""
    width = 1 if kind == "pred" else width_of(kind)
    unsigned = np.dtype(f"u{width}").type
    if text[:2] in ("0f", "0F"):
        return np.uint32(int(text[2:], 16)) if width == 4 else unsigned(int(text[2:], 16))
    if text[:2] in ("0d", "0D"):
        return np.uint64(int(text[2:], 16))
    if kind[0] == "f" and not text.startswith("0x"):
        return np.dtype(f"f{width}").type(float(text)).view(unsigned)
    return unsigned(int(text.rstrip("U"), 0) & (1 << 8 * width) - 1)

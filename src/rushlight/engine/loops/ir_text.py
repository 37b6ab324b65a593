"""A writer of LLVM IR text: fresh names, structured loops, declarations and constant tables.

Loop variables are written as phi nodes, so the text needs no optimiser to keep them in registers.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

from rushlight.engine.loops.expr import BITS

# Lets ``fdiv arcp`` of f32 start from the processor's estimate of the reciprocal.
ESTIMATES = '"reciprocal-estimates"="divf,vec-divf"'


def llvm_type(type: str) -> str:
    """The LLVM scalar type that holds an expression type; halves are held as their bits."""
    if type == "f32":
        return "float"
    if type == "f64":
        return "double"
    return f"i{BITS[type]}"


def vector(lanes: int, scalar: str) -> str:
    return scalar if lanes == 1 else f"<{lanes} x {scalar}>"


def literal(type: str, value: float | int | bool) -> str:
    """A constant of an expression type as LLVM spells it."""
    if type == "bool":
        return "true" if value else "false"
    if type in ("f32", "f64"):
        if type == "f32":
            value = round_to_f32(float(value))
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    if type == "f16":
        return str(half_bits(float(value)))
    if type == "bf16":
        return str(bfloat_bits(float(value)))
    return str(int(value))


def splat(type: str, value: float | int | bool, lanes: int) -> str:
    """A constant in every lane."""
    written = literal(type, value)
    return written if lanes == 1 else f"splat ({llvm_type(type)} {written})"


def suffix(type: str, lanes: int) -> str:
    """How an intrinsic's name spells a type."""
    scalar = type if type in ("f32", "f64") else llvm_type(type)
    return scalar if lanes == 1 else f"v{lanes}{scalar}"


def round_to_f32(value: float) -> float:
    if math.isinf(value) or math.isnan(value):
        return value
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def half_bits(value: float) -> int:
    try:
        return int(struct.unpack("<H", struct.pack("<e", value))[0])
    except OverflowError:
        return 0xFC00 if value < 0 else 0x7C00


def bfloat_bits(value: float) -> int:
    if math.isnan(value):
        return 0x7FC0
    bits = int(struct.unpack("<I", struct.pack("<f", round_to_f32(value)))[0])
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


class Text:
    """The body of one module while it is written."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.block = "entry"
        self._count = 0
        self._declarations: dict[str, str] = {}
        self._globals: dict[str, str] = {}
        self._functions: dict[str, str] = {}

    # -- instructions --
    def fresh(self, stem: str = "v") -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def let(self, instruction: str) -> str:
        """Add an instruction with a result; its name."""
        name = "%" + self.fresh()
        self.lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        self.lines.append(f"  {instruction}")

    def call(self, result: str, name: str, *operands: tuple[str, str], flags: str = "") -> str:
        """Call an intrinsic, given as ``(type, value)`` pairs, and declare it."""
        types = ", ".join(type for type, _ in operands)
        self._declarations[name] = f"declare {result} @{name}({types})"
        given = ", ".join(f"{t} {v}" for t, v in operands)
        instruction = f"call {flags} {result} @{name}({given})".replace("  ", " ")
        if result == "void":
            self.do(instruction)
            return ""
        return self.let(instruction)

    def constant_table(self, type: str, values: Sequence[float | int | bool]) -> str:
        """A read-only array; its global name. Equal tables are one."""
        scalar = "i8" if type == "bool" else llvm_type(type)
        written = (str(int(v)) if type == "bool" else literal(type, v) for v in values)
        text = f"[{len(values)} x {scalar}] [{', '.join(f'{scalar} {v}' for v in written)}]"
        if text not in self._globals:
            self._globals[text] = f"@table{len(self._globals)}"
        return self._globals[text]

    def define(self, name: str, text: str) -> None:
        """Add a helper function to the module, once."""
        self._functions[name] = text

    def define_function(self, name: str, parameters: str, function: Text) -> None:
        """Add a helper function whose body was written on its own."""
        body = "\n".join(function.lines)
        head = f"define internal void @{name}({parameters}) noinline"
        self.define(name, f"{head} {{\nentry:\n{body}\n  ret void\n}}")
        self.adopt(function)

    def adopt(self, function: Text) -> None:
        """Take over what a helper function declared."""
        self._declarations.update(function._declarations)

    def definition(self, name: str) -> list[str]:
        """The line that gives a name its value, if one of this text's does."""
        start = f"  {name} = "
        return [line for line in self.lines if line.startswith(start)]

    # -- control flow --
    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.block = label

    def jump(self, label: str) -> None:
        self.do(f"br label %{label}")

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        self.do(f"br i1 {condition}, label %{then}, label %{otherwise}")

    def loop(
        self,
        start: str,
        stop: str,
        step: int | str,
        body: Callable[[str, list[str]], Sequence[str]],
        carried: Sequence[tuple[str, str]] = (),
    ) -> tuple[str, list[str]]:
        """``for (i = start; i < stop; i += step)`` with values carried around it.

        ``carried`` lists ``(type, initial value)``; ``body(i, values)`` returns the next values.
        The result is the final ``i`` and the final values.
        """
        head, inside, after = (self.fresh(s) for s in ("head", "inside", "after"))
        before = self.block
        self.jump(head)
        self.start(head)
        index = "%" + self.fresh("i")
        following = "%" + self.fresh("i")
        values = ["%" + self.fresh("c") for _ in carried]
        phis = len(self.lines)
        self.lines.extend("" for _ in range(1 + len(carried)))
        more = self.let(f"icmp slt i64 {index}, {stop}")
        self.branch(more, inside, after)
        self.start(inside)
        results = body(index, values)
        self.do(f"{following} = add i64 {index}, {step}")
        latch = self.block
        self.jump(head)
        self.lines[phis] = f"  {index} = phi i64 [ {start}, %{before} ], [ {following}, %{latch} ]"
        for k, (type, initial) in enumerate(carried):
            self.lines[phis + 1 + k] = (
                f"  {values[k]} = phi {type} [ {initial}, %{before} ], [ {results[k]}, %{latch} ]"
            )
        self.start(after)
        return index, values

    def when(
        self,
        condition: str,
        then: Callable[[], Sequence[str]],
        otherwise: Callable[[], Sequence[str]],
        types: Sequence[str] = (),
    ) -> list[str]:
        """Run one of two pieces; values of ``types`` come out of either."""
        yes, no, after = (self.fresh(s) for s in ("then", "else", "join"))
        self.branch(condition, yes, no)
        self.start(yes)
        first = then()
        first_end = self.block
        self.jump(after)
        self.start(no)
        second = otherwise()
        second_end = self.block
        self.jump(after)
        self.start(after)
        return [
            self.let(f"phi {type} [ {a}, %{first_end} ], [ {b}, %{second_end} ]")
            for type, a, b in zip(types, first, second, strict=True)
        ]

    # -- the whole --
    def module(
        self,
        parameters: str = "ptr %data, ptr %sizes, ptr %strides",
        convention: str = "",
        header: str = "",
    ) -> str:
        """The module's text, with the instructions so far as the body of ``@KERNEL``."""
        parts = [header] if header else []
        parts += [f"{name} = internal constant {text}" for text, name in self._globals.items()]
        parts += self._functions.values()
        body = "\n".join(self.lines)
        kind = f"{convention} void" if convention else "void"
        parts.append(
            f"define {kind} @KERNEL({parameters}) {ESTIMATES} {{\nentry:\n{body}\n  ret void\n}}"
        )
        parts += self._declarations.values()
        if "!nontemporal" in body:
            parts.append("!0 = !{i32 1}")
        return "\n".join(parts) + "\n"

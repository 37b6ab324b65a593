"""A writer of LLVM IR: fresh names, blocks, declarations, helper functions.

Variables are written as phi nodes, so the text needs no optimiser to keep them in registers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rushlight.engine.native.digest import digest

# Lets ``fdiv arcp`` of f32 start from the processor's estimate of the reciprocal.
ESTIMATES = '"reciprocal-estimates"="divf,vec-divf"'


class Text:
    """The body of a function while it is written.

    A function that belongs to the same module as another one has that one as its ``outer`` text, and
    shares what the module declares.
    """

    def __init__(self, outer: Text | None = None) -> None:
        self.lines: list[str] = []
        self.rooms: list[str] = []  # memory on the stack, which the entry block reserves
        self.block = "entry"
        self.open = True  # whether an instruction that is added now would ever run
        self.falls: Any = None  # the label that control runs into if it comes next
        self.returns: list[Any] = []  # how the functions that are being translated return
        self._count = 0
        self.helpers: dict[Any, Any] = outer.helpers if outer else {}
        self._declarations: dict[str, str] = outer._declarations if outer else {}
        self._globals: dict[str, str] = outer._globals if outer else {}
        self._functions: dict[str, str] = outer._functions if outer else {}

    # -- instructions --
    def fresh(self, stem: str = "v") -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def let(self, instruction: str) -> str:
        """Add an instruction with a result; its name."""
        self._count += 1
        name = f"%v{self._count}"
        if self.open:
            self.lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        if self.open:
            self.lines.append(f"  {instruction}")

    def call(self, result: str, name: str, *operands: tuple[str, str], flags: str = "") -> str:
        """Call an intrinsic, given as ``(type, value)`` pairs, and declare it."""
        if name not in self._declarations:
            types = ", ".join(type for type, _ in operands)
            self._declarations[name] = f"declare {result} @{name}({types})"
        given = ", ".join([f"{t} {v}" for t, v in operands])
        instruction = f"call {flags + ' ' if flags else ''}{result} @{name}({given})"
        if result == "void":
            self.do(instruction)
            return ""
        return self.let(instruction)

    def declare(self, name: str, declaration: str) -> None:
        """Say what a function outside is."""
        self._declarations[name] = declaration

    def declarations(self) -> list[str]:
        return [*self._declarations.values()]

    def reserve(self, bytes: int, align: int) -> str:
        """So much memory on the stack, for the function's whole run."""
        name = "%" + self.fresh("room")
        self.rooms.append(f"  {name} = alloca [{bytes} x i8], align {align}")
        return name

    def constant_table(self, scalar: str, written: Sequence[str]) -> str:
        """A read-only array of constants as LLVM spells them; its global name. Equal tables are one."""
        text = f"[{len(written)} x {scalar}] [{', '.join(f'{scalar} {v}' for v in written)}]"
        if text not in self._globals:
            self._globals[text] = f"@table_{digest(text.encode()).hex()[:12]}"
        return self._globals[text]

    def define(self, name: str, text: str) -> None:
        """Add a helper function to the module, once."""
        self._functions[name] = text

    def take(self, other: Text) -> None:
        """Have what another module declares and defines in this one, too."""
        self._declarations.update(other._declarations)
        self._globals.update(other._globals)
        self._functions.update(other._functions)

    def definition(self, name: str) -> list[str]:
        """The line that gives a name its value, if one of this text's does."""
        start = f"  {name} = "
        return [line for line in self.lines if line.startswith(start)]

    # -- control flow --
    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.block = label
        self.open = True

    def jump(self, label: str) -> None:
        self.do(f"br label %{label}")

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        self.do(f"br i1 {condition}, label %{then}, label %{otherwise}")

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
    def function(self, head: str, last: str = "ret void") -> str:
        """The function's text; ``last`` is what runs where the lines so far end."""
        lines = [f"{head} {{", "entry:", *self.rooms, *self.lines]
        if self.open:
            lines.append(f"  {last}")
        return "\n".join([*lines, "}"])

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
        kind = f"{convention} void" if convention else "void"
        parts.append(self.function(f"define {kind} @KERNEL({parameters}) {ESTIMATES}"))
        parts += self._declarations.values()
        if "!nontemporal" in parts[-1 - len(self._declarations)]:
            parts.append("!0 = !{i32 1}")
        return "\n".join(parts) + "\n"


class _Here(threading.local):
    text: Text | None = None


_here = _Here()


def here() -> Text:
    """The text that is being written by this thread."""
    text = _here.text
    if text is None:
        raise TypeError("this runs only as part of compiled code")
    return text


def is_written() -> bool:
    """Whether this thread is writing a text."""
    return _here.text is not None


@contextmanager
def writing(text: Text) -> Iterator[Text]:
    """Let what runs inside write this text."""
    before, _here.text = _here.text, text
    try:
        yield text
    finally:
        _here.text = before

"""Frames: calls of Python functions as data, so that they can be left in the middle and gone on with."""

from __future__ import annotations

import dis
import functools
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._capture import bytecode
from rushlight._capture.bytecode import Instruction
from rushlight.engine.dispatch.source import define

# What stands on the stack in the place of a receiver.
NULL: Any = type("NULL", (), {"__repr__": lambda self: "NULL", "__reduce__": lambda self: "NULL"})()

# Functions that look at the frame that calls them: global names, and names of whatever.
NEEDS_FRAME = {"globals", "eval", "exec", "breakpoint"}
NEEDS_FRAME_ANYWHERE = {
    "_getframe", "exc_info", "format_exc", "print_exc", "currentframe", "exception",
}  # fmt: skip
# The instructions that `interpreter` does; it says so when it is loaded.
KNOWN: set[str] = set()


class Handler:
    """Where a range of instructions goes on after an exception."""

    __slots__ = ("depth", "end", "keeps_place", "start", "target")

    def __init__(self, start: int, end: int, target: int, depth: int, keeps_place: bool) -> None:
        self.start, self.end, self.target = start, end, target
        self.depth, self.keeps_place = depth, keeps_place


class Code:
    """The instructions of a code object."""

    def __init__(self, code: types.CodeType) -> None:
        self.code = code
        # Variables that functions share, which are in cells.
        self.shared = {*code.co_cellvars, *code.co_freevars}
        self.instructions = bytecode.instructions(code)
        # Whether it can be interpreted: it asks for no frame of its own, and has no instruction that is not known.
        asked = {one.value for one in self.instructions if one.name in ("LOAD_GLOBAL", "LOAD_NAME")}
        looks = NEEDS_FRAME & asked or NEEDS_FRAME_ANYWHERE & set(code.co_names)
        self.is_known = not looks and all(one.name in KNOWN for one in self.instructions)
        numbered = [*enumerate(self.instructions)]
        places = {one.offset: k for k, one in reversed(numbered)}
        last = len(self.instructions)
        # An offset may be that of an argument's extension: the instruction is behind it.
        self._place: dict[int, int] = {}
        for offset in range(len(code.co_code), -2, -2):
            last = places.get(offset, last)
            self._place[offset] = last
        parse = dis._parse_exception_table  # type: ignore[attr-defined]
        self.handlers = [
            Handler(self.place(e.start), self.place(e.end), self.place(e.target), e.depth, e.lasti)
            for e in parse(code)
        ]

    def place(self, offset: int) -> int:
        return self._place[offset]

    def handler(self, place: int) -> Handler | None:
        """Where an exception of an instruction is handled in this frame."""
        return next((h for h in self.handlers if h.start <= place < h.end), None)


@functools.lru_cache(1024)
def read(code: types.CodeType) -> Code:
    return Code(code)


class Unread:
    """A value of the program that was there before the graph began and that nobody has looked at since.

    Args:
        value: the value
        source: an expression for it, over the frames
    """

    __slots__ = ("admitted", "is_admitted", "source", "value")

    def __init__(self, value: Any, source: str) -> None:
        self.value, self.source = value, source
        self.is_admitted, self.admitted = False, None


class Steps:
    """An iterator over items that are known, which can be made again in the middle."""

    def __init__(self, items: list[Any], place: int = 0) -> None:
        self.items, self.place = items, place

    def __iter__(self) -> Steps:
        return self

    def __next__(self) -> Any:
        if self.place >= len(self.items):
            raise StopIteration
        self.place += 1
        return self.items[self.place - 1]


class Frame:
    """A call of a Python function that is being interpreted.

    Args:
        function: what is called
        locals: its arguments, by name
        closure: the cells of its free variables
    """

    # Of a call that begins:
    place = 0
    # Names of the keyword arguments of the next call.
    names: tuple[str, ...] = ()
    # What the caller gets in the place of the result, as an instance in that of `__init__`'s.
    gives: Any = NULL
    # The generator whose body it is, while that runs.
    generator: Any = None
    # What is done at the end for the frame that waits for it, see `interpreter.Then`.
    then: tuple[str, Any] | None = None
    # The exception that is being handled.
    error: Any = None
    # An expression for the function, where it was there before the graph began.
    source: str | None = None

    def __init__(
        self, function: types.FunctionType, locals: dict[str, Any], closure: tuple[Any, ...]
    ) -> None:
        self.function, self.code = function, read(function.__code__)
        self.globals, self.locals = function.__globals__, locals
        self.cells: dict[str, Any] = (
            dict(zip(function.__code__.co_freevars, closure)) if closure else {}
        )
        self.stack: list[Any] = []

    @property
    def next(self) -> Instruction:
        return self.code.instructions[self.place]

    def jump(self, offset: int) -> None:
        self.place = self.code.place(offset)

    def copy(self) -> Frame:
        """A frame in the same place, with the same values."""
        made = Frame.__new__(Frame)
        made.function, made.code, made.globals = self.function, self.code, self.globals
        made.locals, made.cells, made.stack = dict(self.locals), dict(self.cells), [*self.stack]
        made.place, made.names, made.gives = self.place, self.names, self.gives
        made.generator, made.then, made.source = None, self.then, None
        made.error = self.error
        return made

    def unread(self, source: str, cell_of: Callable[[Any, str], Any]) -> Frame:
        """A copy in which everything is still to be read.

        Args:
            source: where the frame is
            cell_of: what stands for a variable that functions share
        """
        made = self.copy()
        made.locals = {k: Unread(v, f"{source}.locals[{k!r}]") for k, v in self.locals.items()}
        made.cells = {k: cell_of(c, f"{source}.cells[{k!r}]") for k, c in self.cells.items()}
        made.stack = [
            x if x is NULL else Unread(x, f"{source}.stack[{k}]") for k, x in enumerate(self.stack)
        ]
        if self.gives is not NULL:
            made.gives = Unread(self.gives, f"{source}.gives")
        if self.then is not None and self.then[1] is not NULL and self.then[0] == "next":
            made.then = "next", Unread(self.then[1], f"{source}.then[1]")
        if self.error is not None:
            made.error = Unread(self.error, f"{source}.error")
        made.source = source
        return made

    def snapshot(self) -> tuple[Any, ...]:
        """All that an instruction may change, to be given back to `restore`."""
        kept = list(self.stack), self.place, self.names, dict(self.locals)
        return *kept, self.then, self.error, self.generator

    def restore(self, kept: tuple[Any, ...]) -> None:
        self.stack, self.place, self.names, self.locals, *others = kept
        self.then, self.error, self.generator = others


@functools.lru_cache(4096)
def _binder(code: types.CodeType) -> types.CodeType:
    """The code of a function with the parameters of another one, which gives the arguments as a tuple."""
    count, only = code.co_argcount, code.co_kwonlyargcount
    # A comprehension's only parameter has a name that no program can write.
    names = [name.replace(".", "_") for name in code.co_varnames]
    parts = [*names[:count]]
    if code.co_posonlyargcount:
        parts.insert(code.co_posonlyargcount, "/")
    rest = count + only
    if code.co_flags & inspect.CO_VARARGS:
        parts.append(f"*{names[rest]}")
        rest += 1
    elif only:
        parts.append("*")
    parts += names[count : count + only]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        parts.append(f"**{names[rest]}")
        rest += 1
    given = "".join(f"{name}, " for name in names[:rest])
    text = f"def arguments({', '.join(parts)}):\n    return ({given})\n"
    made = define("arguments", text, {}, "arguments").__code__
    return made.replace(co_name=code.co_name, co_qualname=code.co_qualname)


def parameters(code: types.CodeType) -> tuple[str, ...]:
    """The names of the arguments of a call, in the order in which a binder gives them."""
    count = code.co_argcount + code.co_kwonlyargcount
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[: count + stars]


def binder(function: types.FunctionType, defaults: Any, keyword_defaults: Any) -> Any:
    """A function that gives a call's arguments as a tuple; Python's TypeError if they do not fit."""
    bind = types.FunctionType(_binder(function.__code__), {}, function.__name__, defaults)
    bind.__kwdefaults__ = keyword_defaults
    return bind


def bound(
    function: types.FunctionType, args: Sequence[Any], kwargs: dict[str, Any], defaults: Any,
    keyword_defaults: Any,
) -> dict[str, Any]:  # fmt: skip
    """A call's arguments by their names; Python's TypeError if they do not fit."""
    given = binder(function, defaults, keyword_defaults)(*args, **kwargs)
    return dict(zip(parameters(function.__code__), given))

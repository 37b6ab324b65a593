"""Tracebacks that show the program's own lines where its frames were interpreted."""

from __future__ import annotations

import functools
import inspect
import linecache
import opcode
import os
import traceback
import types
from collections.abc import Iterable
from typing import Any

from rushlight._capture.frames import Code

# Where a frame was: its code, and the number of the instruction.
Place = tuple[Code, int]
_HERE = os.path.dirname(__file__) + os.sep
# What functions made of segments are called in tracebacks.
SEGMENT = "segment of a program"
_OURS = (_HERE, f"<rushlight {SEGMENT}")
# What calls compiled functions, and what stands for built-in ones: no lines of the program.
_OF_CAPTURE = (_HERE, os.path.join(os.path.dirname(_HERE[:-1]), "_dynamo") + os.sep)


def places(frames: Iterable[Any]) -> list[Place]:
    """Where frames are, the innermost last; all but that one are in the middle of a call."""
    found = [(frame.code, frame.place - 1) for frame in frames]
    return [*found[:-1], (found[-1][0], found[-1][1] + 1)] if found else found


def text(trail: Iterable[Place]) -> str:
    """Lines of a program as tracebacks show them, without those of capture itself."""
    return "".join(
        f'  File "{one.filename}", line {one.lineno}, in {one.name}\n'
        + (f"    {one.line}\n" if one.line else "")
        for one in stack(trail)
    )


def stack(trail: Iterable[Place]) -> list[traceback.FrameSummary]:
    """The same lines one by one."""
    return [
        traceback.FrameSummary(
            code.code.co_filename, code.instructions[place].line, code.code.co_name
        )
        for code, place in trail
        if not code.code.co_filename.startswith(_OF_CAPTURE)
    ]


@functools.lru_cache(1024)
def _raising(code: types.CodeType) -> types.CodeType:
    """Code with another one's name, file and positions, which only raises."""
    # The first of the constants that have a number.
    error = (
        "LOAD_COMMON_CONSTANT" if "LOAD_COMMON_CONSTANT" in opcode.opmap else "LOAD_ASSERTION_ERROR"
    )
    names = (("RESUME", 0), (error, 0), ("RAISE_VARARGS", 1))
    steps = [part for name, arg in names for part in (opcode.opmap[name], arg)]
    rest = [opcode.opmap["NOP"], 0] * max((len(code.co_code) - len(steps)) // 2, 0)
    return code.replace(
        co_code=bytes(steps + rest), co_exceptiontable=b"", co_argcount=0, co_posonlyargcount=0,
        co_kwonlyargcount=0, co_freevars=(), co_cellvars=(), co_stacksize=max(code.co_stacksize, 2),
        co_flags=inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS,
    )  # fmt: skip


def _entry(place: Place, behind: types.TracebackType | None) -> types.TracebackType:
    code, number = place
    frame: Any = None
    try:
        exec(_raising(code.code), {"__name__": code.code.co_name})
    except AssertionError as error:
        entry: Any = error.__traceback__
        frame = entry.tb_next.tb_frame
    instruction = code.instructions[number]
    return types.TracebackType(behind, frame, instruction.offset, instruction.line)


def shown(error: BaseException, trail: Iterable[Place]) -> BaseException:
    """An error with the frames that were interpreted in its traceback, and those behind them.

    Args:
        error: the error
        trail: where they were, the innermost last
    """
    behind = []
    tb = error.__traceback__
    while tb is not None:
        if not tb.tb_frame.f_code.co_filename.startswith(_OURS):
            behind.append(tb)
        tb = tb.tb_next
    made: types.TracebackType | None = None
    for tb in reversed(behind):
        made = types.TracebackType(made, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
    for place in reversed(list(trail)):
        made = _entry(place, made)
    return error.with_traceback(made)


def is_of_program(error: BaseException, doing: types.CodeType) -> bool:
    """Whether an error is one that the program meets, and no fault of the interpreter.

    Args:
        error: the error
        doing: the code of what calls the program's functions
    """
    tb = error.__traceback__
    if tb is None:
        return True
    while tb.tb_next is not None:
        if tb.tb_frame.f_code is doing:
            return True
        tb = tb.tb_next
    code = tb.tb_frame.f_code
    # Raised on purpose, as an instruction demands it.
    raises = code.co_code[tb.tb_lasti] == opcode.opmap["RAISE_VARARGS"]
    return code is doing or (raises and code.co_filename.startswith(_HERE))


def line_in_graph(error: BaseException) -> str | None:
    """The node of a graph whose line an error comes from, if a graph's text was running."""
    tb = error.__traceback__
    while tb is not None:
        file = tb.tb_frame.f_code.co_filename
        if file.startswith("<eval_with_key>"):
            return linecache.getline(file, tb.tb_lineno).split("=")[0].strip()
        tb = tb.tb_next
    return None

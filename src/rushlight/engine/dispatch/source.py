"""Python functions made from text, whose source shows in tracebacks and steps in `pdb`."""

from __future__ import annotations

import keyword
import linecache
import sys
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

from rushlight.engine.native import code_cache
from rushlight.engine.native.digest import digest

# The files of the package, and texts made here.
_OURS = (__file__.rpartition("engine")[0], "<rushlight ")


def define(name: str, source: str, names: dict[str, Any], title: str) -> Callable[..., Any]:
    """The function `name` that `source` defines, with `names` as its globals."""
    # The same in every process, so that code is found again: it says where it comes from.
    filename = f"<rushlight {title} #{digest(source.encode()).hex()[:12]}>"
    # A modification time of None keeps `linecache.checkcache` from dropping the entry.
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space = {"__name__": "rushlight.generated", **names}
    exec(code_cache.compiled(source, filename), space)
    return space[name]


def forget_with(function: Callable[..., Any]) -> None:
    """Let the text of a function go when the function goes: of some kinds many are made, and few live long."""
    filename = function.__code__.co_filename
    _living[filename] = _living.get(filename, 0) + 1
    weakref.finalize(function, _gone, filename).atexit = False


# How many functions there are of each text that is to go with them.
_living: dict[str, int] = {}


def _gone(filename: str) -> None:
    _living[filename] -= 1
    if not _living[filename]:
        del _living[filename]
        linecache.cache.pop(filename, None)


def source_of(function: Callable[..., Any]) -> str:
    """The text that `define` made `function` from."""
    return "".join(linecache.getlines(function.__code__.co_filename))


def identifier(name: str) -> str:
    """A Python name: `add.Tensor` -> `add_Tensor`, `from` -> `from_`."""
    text = name.replace("::", "__").replace(".", "_")
    return text + "_" if keyword.iskeyword(text) else text


def program_level() -> int:
    """The `stacklevel` with which the caller's warning names a line of the program, not of ours."""
    level = 1
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        level, frame = level + 1, frame.f_back
    return level

"""What a module of the kernel language says, told without translating it.

The text of a module follows from the code of its functions and from what the names in them mean:
constants, shared words, other functions. These take a millisecond to look at; translating takes a
hundred. So compiled code is found on disk under its fingerprint, and translated if it is not there.
"""

from __future__ import annotations

import functools
import os
import types
from collections.abc import Callable, Iterable
from typing import Any

from rushlight.engine.native.digest import digest

# Modules, classes and their like: what is meant is one of their attributes.
_DEEPEST = 3
_HOLDERS = (type, types.ModuleType)


# What the names of a function mean: paths and values.
Meanings = list[tuple[str, Any]]


@functools.cache
def code_in(folder: str) -> bytes:
    """The source of all modules in a folder."""
    said = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), "rb") as file:
                said.append(file.read())
    return b"".join(said)


def fingerprint(
    sources: Iterable[tuple[Callable[..., Any], Meanings, tuple[Any, ...]]],
    describe: Callable[[Any], str | None],
    translator: bytes,
) -> str:
    """The fingerprint of functions.

    Args:
        sources: the functions, each with its `meanings` and with what else decides its text
        describe: what the language knows about a value that a name means; None if it is none of the
            language's own
        translator: the code that writes the text
    """
    said = [translator]
    # Many functions mean the same things, which all live while this looks at them.
    known: dict[int, str | None] = {}
    for function, meant, rest in sources:
        code = function.__code__
        own = [repr((len(code.co_code), code.co_consts, code.co_varnames, rest))]
        for path, value in meant:
            told = known.get(id(value), "")
            if told == "":
                told = known[id(value)] = describe(value)
            if told is not None:
                own.append(f"{path}={told};")
        said += [code.co_code, "".join(own).encode()]
    return digest(b"".join(said)).hex()


def meanings(function: Callable[..., Any]) -> Meanings:
    """What the names of a function may mean, with the attributes that it may ask for, in order."""
    code = function.__code__
    own, names = _enclosed(function), function.__globals__
    found: Meanings = []
    for name in code.co_names + code.co_freevars:
        if name in own:
            found.append((name, own[name]))
        elif name in names:
            found.append((name, names[name]))
    for path, value in list(found):
        if isinstance(value, _HOLDERS):
            _reach(path, value, code.co_names, 1, found)
    return found


def _reach(path: str, holder: Any, names: tuple[str, ...], depth: int, found: Meanings) -> None:
    """Add what attributes of a class or module mean, and those of classes in it."""
    held = vars(holder)
    for name in names:
        if name in held:
            value = held[name]
            found.append((f"{path}.{name}", value))
            if depth < _DEEPEST and isinstance(value, _HOLDERS):
                _reach(f"{path}.{name}", value, names, depth + 1, found)


def _enclosed(function: Callable[..., Any]) -> dict[str, Any]:
    cells = function.__closure__
    if cells is None:
        return {}
    return dict(zip(function.__code__.co_freevars, (cell.cell_contents for cell in cells)))

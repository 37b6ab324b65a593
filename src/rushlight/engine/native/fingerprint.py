"""What a module of the low-level language says, told without translating it.

The text of a module follows from the code of its functions and from what the names in them mean:
constants, shared words, other functions. These take a millisecond to look at; translating takes a
hundred. So compiled code is found on disk under its fingerprint, and translated if it is not there.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

# Modules, classes and their like: what is meant is one of their attributes.
_DEEPEST = 3


# What the names of a function mean: paths and values.
Meanings = list[tuple[str, Any]]


def fingerprint(
    sources: Iterable[tuple[Callable[..., Any], Meanings, tuple[Any, ...]]],
    describe: Callable[[Any], str | None],
    translator: str,
) -> str:
    """The fingerprint of functions.

    Args:
        sources: the functions, each with its `meanings` and with what else decides its text
        describe: what the language knows about a value that a name means; None if it is none of the
            language's own
        translator: the file whose code writes the text
    """
    digest = hashlib.blake2b(Path(translator).read_bytes(), digest_size=16)
    # Many functions mean the same things, which all live while this looks at them.
    known: dict[int, str | None] = {}
    for function, meant, rest in sources:
        code = function.__code__
        digest.update(code.co_code)
        said = [repr((len(code.co_code), code.co_consts, code.co_varnames, rest))]
        for path, value in meant:
            told = known.get(id(value), "")
            if told == "":
                told = known[id(value)] = describe(value)
            if told is not None:
                said.append(f"{path}={told};")
        digest.update("".join(said).encode())
    return digest.hexdigest()


def meanings(function: Callable[..., Any]) -> Meanings:
    """What the names of a function may mean, with the attributes that it may ask for, in order."""
    code = function.__code__
    places = _enclosed(function), function.__globals__
    found: Meanings = []
    for name in (*code.co_names, *code.co_freevars):
        for place in places:
            if name in place:
                _reach(name, place[name], code.co_names, 0, found)
                break
    return found


def _reach(path: str, value: Any, names: tuple[str, ...], depth: int, found: Meanings) -> None:
    found.append((path, value))
    if depth < _DEEPEST and isinstance(value, (type, types.ModuleType)):
        held = vars(value)
        for name in names:
            if name in held:
                _reach(f"{path}.{name}", held[name], names, depth + 1, found)


def _enclosed(function: Callable[..., Any]) -> dict[str, Any]:
    cells = function.__closure__ or ()
    return dict(zip(function.__code__.co_freevars, (cell.cell_contents for cell in cells)))

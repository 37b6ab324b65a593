"""What a module of the low-level language says, told without translating it.

The text of a module follows from the code of its functions and from what the names in them mean:
constants, shared words, other functions. These take a millisecond to look at; translating takes a
hundred. So compiled code is found on disk under its fingerprint, and translated if it is not there.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

# Modules, classes and their like: what is meant is one of their attributes.
_DEEPEST = 3


def fingerprint(
    sources: Iterable[tuple[Callable[..., Any], tuple[Any, ...]]],
    describe: Callable[[Any], str | None],
    translator: str,
) -> str:
    """The fingerprint of functions.

    Args:
        sources: the functions, each with what else decides its text
        describe: what the language knows about a value that a name means; None if it is none of the
            language's own
        translator: the file whose code writes the text
    """
    digest = hashlib.blake2b(Path(translator).read_bytes(), digest_size=16)
    for function, rest in sources:
        code = function.__code__
        digest.update(repr((code.co_code, code.co_consts, code.co_varnames, rest)).encode())
        for path, value in meanings(function):
            told = describe(value)
            if told is not None:
                digest.update(f"{path}={told};".encode())
    return digest.hexdigest()


def meanings(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """What the names of a function may mean, with the attributes that it may ask for, in order."""
    code = function.__code__
    outside = {**function.__globals__, **_enclosed(function)}
    for name in (*code.co_names, *code.co_freevars):
        if name in outside:
            yield from _reached(name, outside[name], code.co_names, 0)


def _reached(
    path: str, value: Any, names: tuple[str, ...], depth: int
) -> Iterator[tuple[str, Any]]:
    yield path, value
    if depth == _DEEPEST or not isinstance(value, (type, types.ModuleType)):
        return
    for name in names:
        if name in vars(value):
            yield from _reached(f"{path}.{name}", vars(value)[name], names, depth + 1)


def _enclosed(function: Callable[..., Any]) -> dict[str, Any]:
    cells = function.__closure__ or ()
    return dict(zip(function.__code__.co_freevars, (cell.cell_contents for cell in cells)))

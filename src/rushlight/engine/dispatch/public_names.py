"""Where a program finds a public function again: pickles speak of functions by name."""

from __future__ import annotations

import functools
import pkgutil
from inspect import CO_VARARGS, CO_VARKEYWORDS
from typing import Any

# The places that hold public functions, and what they leave out of the operators' names.
_PLACES = (
    ("rushlight.nn.functional", ""),
    ("rushlight", ""),
    ("rushlight.linalg", "linalg_"),
    ("rushlight.special", "special_"),
    ("rushlight.fft", "fft_"),
    ("rushlight:Tensor", ""),
)


@functools.cache
def _at(path: str) -> Any:
    """What is at a path: it is looked for once, as calls between processes name functions all the time."""
    return pkgutil.resolve_name(path)


class Place:
    """A module or class whose attributes are asked for by the operators' names."""

    def __init__(self, path: str, prefix: str) -> None:
        self._found = _at(path)
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name.removeprefix(self._prefix))


def place_of(target: Any, name: str) -> tuple[str, str]:
    """The path and prefix of the place that gives a function, or one bound to the target."""
    for path, prefix in _PLACES:
        found = getattr(Place(path, prefix), name, None)
        if found is not None and (found is target or getattr(found, "__self__", None) is target):
            return path, prefix
    # Whoever asks pickles something.
    from pickle import PicklingError

    raise PicklingError(f"{name} is not the public name of a function, so it has no pickle")


def public_name(function: Any) -> tuple[str, str]:
    """The path of the place that holds a public function, and its name there."""
    path, prefix = place_of(function, function.__name__)
    return path, function.__name__.removeprefix(prefix)


# Defaults that a signature can spell.
_SPELLED = (bool, int, float, str, type(None))


def documented(name: str, function: Any) -> str | None:
    """A function's docstring, after the line from which `inspect` reads a built-in's signature."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & (CO_VARARGS | CO_VARKEYWORDS) or code.co_posonlyargcount:
        return getattr(function, "__doc__", None)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    positional, keywords = names[: code.co_argcount], names[code.co_argcount :]
    given = function.__defaults__ or ()
    defaults = dict(zip(positional[len(positional) - len(given) :], given))
    defaults |= function.__kwdefaults__ or {}
    if not all(isinstance(value, _SPELLED) for value in defaults.values()):
        return function.__doc__  # type: ignore[no-any-return]
    shown = [f"{n}={defaults[n]!r}" if n in defaults else n for n in names]
    if keywords:
        shown.insert(len(positional), "*")
    return f"{name}({', '.join(shown)})\n--\n\n{function.__doc__ or ''}"

"""Where a program finds a public function again: pickles speak of functions by name."""

from __future__ import annotations

import pickle
import pkgutil
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


class Place:
    """A module or class whose attributes are asked for by the operators' names."""

    def __init__(self, path: str, prefix: str) -> None:
        self._found = pkgutil.resolve_name(path)
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name.removeprefix(self._prefix))


def place_of(target: Any, name: str) -> tuple[str, str]:
    """The path and prefix of the place that gives a function, or one bound to the target."""
    for path, prefix in _PLACES:
        found = getattr(Place(path, prefix), name, None)
        if found is not None and (found is target or getattr(found, "__self__", None) is target):
            return path, prefix
    raise pickle.PicklingError(f"{name} is not the public name of a function, so it has no pickle")


def public_name(function: Any) -> tuple[str, str]:
    """The path of the place that holds a public function, and its name there."""
    path, prefix = place_of(function, function.__name__)
    return path, function.__name__.removeprefix(prefix)

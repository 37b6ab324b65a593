"""A version string that compares as a version."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rushlight.version import __version__ as _text

__all__ = ["TorchVersion"]

_RELEASE = re.compile(r"(\d+(?:\.\d+)*)((?:a|b|rc|\.?dev)\d*)?")


def _key(version: Any) -> tuple[tuple[int, ...], int]:
    """Numbers of the release, and whether it is one (1) or comes before it (0)."""
    if isinstance(version, Iterable) and not isinstance(version, str):
        version = ".".join(map(str, version))
    match = _RELEASE.match(str(version))
    if match is None:
        raise ValueError(f"Invalid version: '{version}'")
    numbers = [int(part) for part in match[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), 0 if match[2] else 1


class TorchVersion(str):
    """A string such as "2.13.0", compared by its numbers; so are tuples given to compare it with."""

    __slots__ = ()

    def __lt__(self, other: Any) -> bool:
        return _key(self) < _key(other)

    def __le__(self, other: Any) -> bool:
        return _key(self) <= _key(other)

    def __gt__(self, other: Any) -> bool:
        return _key(self) > _key(other)

    def __ge__(self, other: Any) -> bool:
        return _key(self) >= _key(other)

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, str) and str.__eq__(self, other):
            return True
        try:
            return "+" not in str(other) and _key(self) == _key(other)
        except ValueError:
            return False

    def __ne__(self, other: Any) -> bool:
        return not self == other

    __hash__ = str.__hash__


__version__ = TorchVersion(_text)

"""What a function is, as a key: functions with equal keys do the same.

Kernels are written from functions that are made anew for every plan. Their code is the same object
each time, so that it and what they enclose say whether a kernel has been written already.
"""

from __future__ import annotations

import dataclasses
import sys
import types
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from rushlight.engine.native import observe

Found = TypeVar("Found")

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_THEMSELVES = (type, types.BuiltinFunctionType, types.ModuleType)
_DEEPEST = 12


class _Unknown(Exception):
    """Something that has no key."""


def identity_of(thing: Any) -> Hashable | None:
    """The key of a function, or of a dataclass with functions; None where there is none.

    A dataclass keeps its key. Who makes a function of what has no key may give it one: `identified`.
    """
    own = getattr(thing, "__dict__", {})
    if "_identity" in own:
        return own["_identity"]  # type: ignore[no-any-return]
    try:
        key = _key(thing, 0)
    except _Unknown:
        return None
    if dataclasses.is_dataclass(thing):
        own["_identity"] = key
    return key


def identified(thing: Found, key: Hashable) -> Found:
    """A function or a dataclass that does what others of the same key do."""
    thing.__dict__["_identity"] = key
    return thing


def _key(thing: Any, depth: int) -> Hashable:
    if depth > _DEEPEST:
        raise _Unknown
    given = getattr(thing, "__dict__", {})
    if "_identity" in given and not isinstance(thing, type):
        return given["_identity"]  # type: ignore[no-any-return]
    if isinstance(thing, _PLAIN):
        # 0.0 equals -0.0 and 1 equals True, but kernels with them differ.
        return type(thing), repr(thing)
    if isinstance(thing, _THEMSELVES):
        return thing
    if isinstance(thing, (tuple, list)):
        return type(thing), tuple(_key(x, depth + 1) for x in thing)
    if isinstance(thing, types.FunctionType):
        if _is_public(thing):
            return thing
        # Equal code may stand in two files, whose names mean different things.
        parts = (thing.__module__, thing.__defaults__, _kept(thing))
        return thing.__code__, *(_key(x, depth + 1) for x in parts)
    if isinstance(thing, types.MethodType):
        return _key(thing.__func__, depth + 1), _key(thing.__self__, depth + 1)
    if dataclasses.is_dataclass(thing):
        fields = dataclasses.fields(thing)
        return type(thing), tuple(_key(getattr(thing, f.name), depth + 1) for f in fields)
    raise _Unknown


def _is_public(function: types.FunctionType) -> bool:
    """Whether a function is what its module knows by its name, and so the only one of its kind."""
    return getattr(sys.modules.get(function.__module__), function.__name__, None) is function


def _kept(function: types.FunctionType) -> tuple[Any, ...]:
    """What a function encloses."""
    if function.__kwdefaults__:
        raise _Unknown
    try:
        return tuple(cell.cell_contents for cell in function.__closure__ or ())
    except ValueError as empty:
        raise _Unknown from empty


class Written(Generic[Found]):
    """What was written, by what decides it.

    Sizes decide nothing about a kernel, so shapes that come and go need none to be written again.
    """

    MOST = 4096

    def __init__(self) -> None:
        self._known: dict[Hashable, Found] = {}

    def get(self, identity: Hashable, key: Hashable, write: Callable[[], Found]) -> Found:
        """What ``write`` gives, or gave for this key. Who listens hears it being written."""
        if identity is None or observe.is_heard():
            return write()
        key = identity, key
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= self.MOST:
                self._known.clear()
            found = self._known[key] = write()
        return found

"""Modules of settings, whose values may be others for a while."""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Iterator
from typing import Any


def other_names(name: str, names: dict[str, str]) -> None:
    """Let settings of a module have other names as well.

    Args:
        name: the module's
        names: the other names, with those that they stand for
    """

    class Settings(types.ModuleType):
        """A module whose settings have several names."""

        def __getattr__(self, key: str) -> Any:
            if key in names:
                return getattr(self, names[key])
            raise AttributeError(f"module {name!r} has no attribute {key!r}")

        def __setattr__(self, key: str, value: Any) -> None:
            super().__setattr__(names.get(key, key), value)

    sys.modules[name].__class__ = Settings


def patcher(name: str) -> Any:
    """What changes settings of a module for a block or for the calls of a function.

    Args:
        name: the module's
    """

    @contextlib.contextmanager
    def patch(*given: Any, **named: Any) -> Iterator[None]:
        """Other settings: a name and its value, a dictionary, or keywords."""
        module = sys.modules[name]
        changes = dict(named)
        if len(given) == 2:
            changes[given[0]] = given[1]
        elif given:
            changes.update(given[0])
        before = {key: getattr(module, key) for key in changes}
        for key, value in changes.items():
            setattr(module, key, value)
        try:
            yield
        finally:
            for key, value in before.items():
                setattr(module, key, value)

    return patch

"""Modules of settings, whose values may be others for a while."""

from __future__ import annotations

import contextlib
import operator
import sys
import types
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

    def patch(*given: Any, **named: Any) -> Patch:
        """Other settings: a name and its value, a dictionary, or keywords."""
        changes = dict(named)
        if len(given) == 2:
            changes[given[0]] = given[1]
        elif given:
            changes.update(given[0])
        return Patch(name, changes)

    return patch


def _set(module: Any, key: str, value: Any) -> None:
    """Change a setting, which may be one of a group: ``group.name``."""
    group, _, name = key.rpartition(".")
    setattr(operator.attrgetter(group)(module) if group else module, name, value)


class Patch(contextlib.ContextDecorator):
    """Other settings for a block, the calls of a function, or the tests of a class.

    Args:
        name: the module's name
        changes: the settings
    """

    def __init__(self, name: str, changes: dict[str, Any]) -> None:
        self._name, self._changes = name, changes
        self._before: list[dict[str, Any]] = []

    def __enter__(self) -> None:
        module = sys.modules[self._name]
        before = {key: operator.attrgetter(key)(module) for key in self._changes}
        self._before.append(before)
        for key, value in self._changes.items():
            _set(module, key, value)

    def __exit__(self, *error: object) -> None:
        module = sys.modules[self._name]
        for key, value in self._before.pop().items():
            _set(module, key, value)

    def __call__(self, target: Any) -> Any:
        if not isinstance(target, type):
            return super().__call__(target)
        import unittest

        if not issubclass(target, unittest.TestCase):
            raise TypeError(f"settings are for functions and test cases, not for {target}")
        patch = self

        class Patched(target):  # type: ignore[misc]
            """The test case with other settings."""

            @classmethod
            def setUpClass(cls) -> None:
                patch.__enter__()
                try:
                    super().setUpClass()
                except BaseException:
                    patch.__exit__()
                    raise

            @classmethod
            def tearDownClass(cls) -> None:
                try:
                    super().tearDownClass()
                finally:
                    patch.__exit__()

        for name in ("__name__", "__qualname__", "__module__"):
            setattr(Patched, name, getattr(target, name))
        return Patched

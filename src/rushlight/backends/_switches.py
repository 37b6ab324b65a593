"""Blocks in which the switches of a backend have other values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.engine.core import library_settings
from rushlight.engine.dispatch import call_cache


class Switch:
    """A switch that plans and remembered calls depend on: each combination of all switches has its own.

    Args:
        held: what holds its value
        name: what it is called there
    """

    def __init__(self, held: Any, name: str) -> None:
        self.held, self.name = held, name

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return getattr(self.held, self.name)

    def __set__(self, instance: Any, value: Any) -> None:
        if value != getattr(self.held, self.name):
            setattr(self.held, self.name, value)
            library_settings.chosen = library_settings.combination()
            call_cache.remember_under(library_settings.chosen)


@contextmanager
def changed(module: Any, **values: Any) -> Iterator[None]:
    """Set attributes of a module for a block; those that are None stay."""
    wanted = {name: value for name, value in values.items() if value is not None}
    before = {name: getattr(module, name) for name in wanted}
    _set(module, wanted)
    try:
        yield
    finally:
        _set(module, before)


def _set(module: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(module, name, value)

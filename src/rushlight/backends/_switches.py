"""Blocks in which the switches of a backend have other values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.engine.dispatch import call_cache
from rushlight.engine.loops import plans


class Switch:
    """A switch that plans are built on: they are forgotten when it changes.

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
            plans.forget_all()
            call_cache.forget_calls()


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

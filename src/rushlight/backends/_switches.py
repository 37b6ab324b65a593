"""Blocks in which the switches of a backend have other values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def changed(module: Any, **values: Any) -> Iterator[None]:
    """Set attributes of a module for a block; those that are None stay."""
    wanted = {name: value for name, value in values.items() if value is not None}
    before = {name: getattr(module, name) for name in wanted}
    vars(module).update(wanted)
    try:
        yield
    finally:
        vars(module).update(before)

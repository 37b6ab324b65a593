"""Modules of settings, whose values may be others for a while."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


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

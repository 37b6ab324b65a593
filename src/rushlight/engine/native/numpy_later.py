"""numpy, imported when a name of it is first asked for: that takes as long as all that importing this package does.

Whether a value is numpy's is told without importing it, for before that there is no such value.
"""

from __future__ import annotations

import sys
from typing import Any


class _Numpy:
    """The names of numpy."""

    def __getattr__(self, name: str) -> Any:
        import numpy

        found = getattr(numpy, name)
        setattr(self, name, found)
        return found


np: Any = _Numpy()


def is_array(value: Any) -> bool:
    """Whether a value is an array."""
    return is_a(value, "ndarray")


def is_number(value: Any) -> bool:
    """Whether a value is one of numpy's own numbers, or another element of its arrays."""
    return is_a(value, "generic")


def is_a(value: Any, *classes: str) -> bool:
    """Whether a value is of one of numpy's classes with these names."""
    numpy = sys.modules.get("numpy")
    # While another thread imports it, names may be missing still.
    return numpy is not None and isinstance(value, tuple(getattr(numpy, c, ()) for c in classes))


def is_class(value: Any, name: str) -> bool:
    """Whether a value is numpy's class with this name, or a class of that."""
    numpy = sys.modules.get("numpy")
    return (
        numpy is not None
        and isinstance(value, type)
        and issubclass(value, getattr(numpy, name, ()))
    )

"""Marks of what is promised."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar("_T")
_BACK_COMPAT_OBJECTS: dict[Any, None] = {}
_MARKED_WITH_COMPATIBILITY: dict[Any, None] = {}


def compatibility(is_backward_compatible: bool) -> Callable[[_T], _T]:
    """Say of a function or class whether its callers can rely on it."""

    def mark(target: _T) -> _T:
        if is_backward_compatible:
            note = "Backwards-compatibility for this API is guaranteed."
            _BACK_COMPAT_OBJECTS.setdefault(target)
        else:
            note = "This API is experimental and is *NOT* backward-compatible."
        text = textwrap.dedent(getattr(target, "__doc__", None) or "")
        target.__doc__ = f"{text}\n.. note::\n    {note}\n"
        _MARKED_WITH_COMPATIBILITY.setdefault(target)
        return target

    return mark

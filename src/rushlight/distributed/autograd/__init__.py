"""Gradients through calls of functions in other processes, which are not there yet."""

from __future__ import annotations

from rushlight._names.absent import absent_class, absent_functions

_WHAT = "gradients between processes"

globals().update(absent_functions(__name__, ["backward", "get_gradients"], _WHAT))

context = absent_class(__name__, "context", _WHAT)


def is_available() -> bool:
    """Whether there are such gradients."""
    return False

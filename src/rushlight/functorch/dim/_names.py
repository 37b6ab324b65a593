"""The names that a call's results are given to, read off the caller's code."""

from __future__ import annotations

import dis
from types import CodeType, FrameType

_NAMED = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")
_SKIPPED = ("EXTENDED_ARG", "CACHE", "NOP")


def assigned(frame: FrameType) -> tuple[int, list[str]] | None:
    """How many variables the call that a frame is making is assigned to, and the names of the first ones.

    None if it is not assigned to variables.
    """
    names = _stores(frame.f_code, frame.f_lasti)
    if names is None:
        return None
    count, found = names
    return count, found


def _stores(code: CodeType, offset: int) -> tuple[int, list[str]] | None:
    following = [
        step
        for step in dis.get_instructions(code)
        if step.offset > offset and step.opname not in _SKIPPED
    ]
    if not following:
        return None
    count, stores = 1, following
    if following[0].opname == "UNPACK_SEQUENCE":
        count, stores = following[0].arg or 0, following[1:]
    elif not following[0].opname.startswith("STORE_"):
        return None
    names: list[str] = []
    for step in stores:
        if not step.opname.startswith(_NAMED) or len(names) >= count:
            break
        # Newer interpreters store two variables in one step.
        names += step.argval if isinstance(step.argval, tuple) else [step.argval]
    return count, names[:count]


def chosen(count: int | None, frame: FrameType, function: str) -> list[str]:
    """A name for each of `count` objects, or for each variable that the caller assigns them to."""
    found = assigned(frame)
    if count is None:
        if found is None:
            raise SyntaxError(
                f"{function}() must be assigned to a sequence of variable names or have argument n specified"
            )
        count = found[0]
    names = [] if found is None or found[0] != count else found[1]
    return [names[k] if k < len(names) else f"d{k}" for k in range(count)]

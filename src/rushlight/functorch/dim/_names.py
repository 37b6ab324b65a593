"""The names that a call's results are given to, read off the caller's code."""

from __future__ import annotations

from types import CodeType, FrameType

from rushlight._capture import bytecode

_NAMED = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")


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
        step for step in bytecode.instructions(code) if step.offset > offset and step.name != "NOP"
    ]
    if not following:
        return None
    count, stores = 1, following
    if following[0].name == "UNPACK_SEQUENCE":
        count, stores = following[0].arg, following[1:]
    elif not following[0].name.startswith("STORE_"):
        return None
    names: list[str] = []
    for step in stores:
        if step.name not in _NAMED or len(names) >= count:
            break
        names.append(step.value)
    return count, names


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

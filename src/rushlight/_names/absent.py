"""Names that programs import and ask about, of parts that are not there yet.

An import of a name that a program may never use does not fail; its use does. They are marked, so
that they are not counted as there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

_MARK = "_is_absent"


def absent_class(module: str, name: str, what: str, base: type = object) -> type:
    """A class without instances.

    Args:
        module: where it would be
        name: its name
        what: the part that is missing
        base: what its instances would be
    """

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"{name}: rushlight has no {what} yet")

    doc = f"Raises: there is no {what} yet."
    return type(
        name, (base,), {"__init__": __init__, "__module__": module, "__doc__": doc, _MARK: True}
    )


def absent_functions(module: str, names: list[str], what: str) -> dict[str, Callable[..., Any]]:
    """Functions that raise, by name."""

    def make(name: str) -> Callable[..., Any]:
        def absent(*args: Any, **kwargs: Any) -> NoReturn:
            raise NotImplementedError(f"{module}.{name}: rushlight has no {what} yet")

        absent.__name__ = absent.__qualname__ = name
        absent.__module__ = module
        absent.__doc__ = f"Raises: there is no {what} yet."
        setattr(absent, _MARK, True)
        return absent

    return {name: make(name) for name in names}


def is_absent(value: Any) -> bool:
    """Whether a name of the namespace stands for something that is not there."""
    return getattr(value, "__dict__", {}).get(_MARK, False) is True

"""The operators' call functions, for code that has every argument as the schema wants it.

Each family is a module here, and each of its overloads a function: `pointwise.add_Tensor(a, b, 1)`. One
that is asked for joins the keys of its tensors, looks the kernel up, and calls it; its text is made
when somebody first asks (`dispatch.operator.make_call`).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from rushlight.engine.dispatch import operator
from rushlight.engine.dispatch.source import identifier


class Family(ModuleType):
    """The call functions of one family.

    Args:
        family: its name
        package: the module that it is part of
        form: which of an operator's call functions are meant
    """

    def __init__(self, family: str, package: str, form: str) -> None:
        super().__init__(f"{package}.{family}", f"Call functions of the family {family}.")
        self._family, self._form = family, form

    def __getattr__(self, name: str) -> Callable[..., Any]:
        overload = _overload(name, self.__dict__["_family"])
        if overload is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        function: Callable[..., Any] = getattr(operator.operator(overload), self._form)
        setattr(self, name, function)
        return function

    def __dir__(self) -> list[str]:
        names = (full_name.removeprefix("aten::") for full_name in operator.index())
        return sorted(identifier(name) for name in names if _family_of(name) == self._family)


def _family_of(name: str) -> str:
    facts = operator.index().get(f"aten::{name}")
    return facts[1] if facts is not None else ""


@functools.cache
def _families() -> frozenset[str]:
    return frozenset(facts[1] for facts in operator.index().values())


def _overload(name: str, family: str) -> str | None:
    """The overload that a function's name stands for: one of its underscores may have been a dot."""
    places = [k for k, letter in enumerate(name) if letter == "_"]
    for candidate in (name, *(f"{name[:k]}.{name[k + 1 :]}" for k in places), name.rstrip("_")):
        if _family_of(candidate) == family and identifier(candidate) == name:
            return candidate
    return None


def family_in(package: str, form: str, family: str) -> Family:
    """The module of a family, as part of a package."""
    if family not in _families():
        raise AttributeError(f"module {package!r} has no attribute {family!r}")
    module = Family(family, package, form)
    sys.modules[module.__name__] = module
    setattr(sys.modules[package], family, module)
    return module


def __getattr__(family: str) -> Any:
    return family_in(__name__, "call", family)

"""Modules that are a function and its settings: the class says both, the rest follows."""

from __future__ import annotations

import ast
import inspect
from typing import Any

from rushlight.engine.dispatch.source import define
from rushlight.nn import functional as F
from rushlight.nn.modules.module import Module


class OfFunction(Module):
    """Applies a function of `nn.functional` with settings that it was made with.

    A subclass gives ``function``, the function's name; from it come `__init__`, `forward` and the
    text. Where the settings are not what the function takes besides its input, it also gives
    ``signature``, the settings with their defaults as Python writes them.
    """

    signature: str | None = None
    function = ""
    # Settings that the text shows by value alone.
    bare: tuple[str, ...] = ()
    # Settings that are kept but not handed on.
    kept_only: tuple[str, ...] = ()
    _names: tuple[str, ...] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.signature is None and "function" in cls.__dict__:
            cls.signature = _settings_of(getattr(F, cls.function))
        if "signature" not in cls.__dict__:
            return
        text = f"def __init__(self{', ' if cls.signature else ''}{cls.signature}):\n"
        text += "    base.__init__(self)\n"
        names = _names_in(str(cls.signature))
        for name in names:
            text += f"    self.{name} = {name}\n"
        cls._names = names
        cls.__init__ = define("__init__", text, {"base": Module}, f"{cls.__name__}.__init__")  # type: ignore[method-assign, assignment]

    def forward(self, *inputs: Any) -> Any:
        settings = {n: getattr(self, n) for n in self._names if n not in self.kept_only}
        return getattr(F, self.function)(*inputs, **settings)

    def extra_repr(self) -> str:
        parts = []
        for name in self._names:
            value = getattr(self, name)
            if name == "inplace":
                parts += ["inplace=True"] if value else []
            elif name in self.bare:
                parts.append(str(value))
            else:
                parts.append(f"{name}={value!r}" if isinstance(value, str) else f"{name}={value}")
        return ", ".join(parts)


def _settings_of(function: Any) -> str:
    """What a function takes besides its input, as Python writes it."""
    _, *others = inspect.signature(function).parameters.values()
    return ", ".join(str(p.replace(annotation=p.empty)) for p in others if p.name != "out")


def _names_in(signature: str) -> tuple[str, ...]:
    """The names of settings."""
    taken = ast.parse(f"lambda {signature}: None", mode="eval").body
    assert isinstance(taken, ast.Lambda)
    return tuple(argument.arg for argument in taken.args.args)

"""The names by which generated code reaches functions and types.

Code is printed as PyTorch prints it: its functions are called `torch.…` whatever the package is
called, and those that PyTorch has in compiled modules are called by these.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import types
from collections.abc import Callable, Hashable
from typing import Any

import rushlight
from rushlight._names import class_files
from rushlight.engine.dispatch.operator import Operator, OperatorPacket

_OURS = "rushlight"

# Where PyTorch has the functions of these namespaces, and how they are called there.
_COMPILED = (
    ("linalg", "torch._C._linalg.linalg_"),
    ("fft", "torch._C._fft.fft_"),
    ("special", "torch._C._special.special_"),
)


@functools.cache
def _public_names() -> dict[Any, str]:
    """The names of functions that know no module of their own."""
    from rushlight._names import told

    names: dict[Any, str] = {}
    for home, prefix in _COMPILED:
        for name, value in vars(getattr(rushlight, home)).items():
            if isinstance(value, types.BuiltinFunctionType):
                names.setdefault(value, prefix + name)
    names |= told.compiled_names()
    for name in told.names_in_functional():
        names.setdefault(getattr(rushlight, name), f"torch.functional.{name}")
    for prefix, place in (
        ("torch.", rushlight),
        ("torch.nn.functional.", rushlight.nn.functional),
        ("torch.nn.init.", rushlight.nn.init),
    ):
        for name, value in list(vars(place).items()):
            if isinstance(value, types.BuiltinFunctionType):
                names.setdefault(value, prefix + name)
    for name in vars(rushlight.Tensor):
        value = getattr(rushlight.Tensor, name, None)
        if isinstance(value, types.BuiltinFunctionType):
            names.setdefault(value, f"torch.Tensor.{name}")
    return names


def _as_torch(module: str) -> str:
    """The name under which PyTorch has a module of ours."""
    if module == _OURS or module.startswith(_OURS + "."):
        return "torch" + module[len(_OURS) :]
    return module


def _reaches(path: str, target: Any) -> bool:
    """Whether a path that begins with `torch` leads to an object."""
    found: Any = rushlight
    for part in path.split(".")[1:]:
        found = getattr(found, part, None)
    return found is target


_SHORT_PLACES = ("torch", "torch.nn.functional")


def _module_of(function: Any) -> str:
    """The module of a function that does not say it."""
    name = function.__name__
    for place in _SHORT_PLACES:
        if _reaches(f"{place}.{name}", function):
            return place
    raise RuntimeError(f"cannot find module for {function}")


def qualified_name(function: Callable[..., Any]) -> str:
    """The dotted name by which code reaches a function or class."""
    if isinstance(function, (Operator, OperatorPacket)):
        return f"torch.ops.{function}"
    name = getattr(function, "__name__", None)
    if name is None:
        raise AttributeError(f"'{type(function).__name__}' object has no attribute '__name__'")
    if getattr(builtins, name, None) is function:
        return str(name)
    known = _public_name(function)
    if known is not None:
        return known
    if name == "<lambda>":
        name = inspect.getsource(function).strip()
    if isinstance(function, type):
        module = class_files.homes.get(function, function.__module__)
    else:
        module = getattr(function, "__module__", None) or _module_of(function)
    module = _as_torch(module)
    hidden = _HIDDEN if isinstance(function, type) else _HIDDEN + _OTHER_HOMES
    if module.startswith("torch.") and any(part in module for part in hidden):
        # Where it is written is no place that programs know.
        for place in (*_SHORT_PLACES, "torch.Tensor"):
            if _reaches(f"{place}.{name}", function):
                return f"{place}.{name}"
    return f"{module}.{name}"


# Parts of the paths of modules that are our own.
_HIDDEN = (".engine.", "._functional", "._functions", "._names", "._tensor_members", "._state")
# Modules that PyTorch has without some of our functions in them.
_OTHER_HOMES = (".functional", "._tensor", ".autograd.grad_mode", ".sparse.construct")


def _public_name(function: Any) -> str | None:
    return _public_names().get(function) if isinstance(function, Hashable) else None


def is_ours(target: Any) -> bool:
    """Whether generated code reaches something through the name `torch`."""
    if isinstance(target, (Operator, OperatorPacket)):
        return True
    module = getattr(target, "__module__", None)
    if module is not None:
        return _as_torch(module).partition(".")[0] == "torch"
    return _public_name(target) is not None


def bare_name(function: Any) -> str:
    """What a function is called in its module."""
    if isinstance(function, types.BuiltinFunctionType):
        known = _public_name(function)
        if known is not None:
            return known.rpartition(".")[2]
    return str(function.__name__)


def package() -> str:
    """How programs call the package now: its own name, or `torch`."""
    return str(rushlight.__name__)

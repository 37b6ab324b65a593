"""The schema of a Python function, from its type annotations."""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor

LEAVES: dict[Any, str] = {
    Tensor: "Tensor",
    int: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    dtypes.dtype: "ScalarType",
    devices.device: "Device",
}
NUMBER = {int, float, bool}
LISTABLE = {"Tensor", "SymInt", "float", "bool", "Scalar"}
SEQUENCES = (list, tuple, collections.abc.Sequence)


def infer_schema(
    prototype: Callable[..., Any], *, mutates_args: str | Iterable[str], op_name: str | None = None
) -> str:
    """`(Tensor x, SymInt k=1) -> Tensor`, after the operator's name if one is given.

    `mutates_args` names the arguments that the function writes; "unknown" means all tensors.
    """
    signature = inspect.signature(prototype)
    hints = typing.get_type_hints(prototype)

    def fail(what: str) -> typing.NoReturn:
        raise ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    mutated = None if isinstance(mutates_args, str) else set(mutates_args)
    if isinstance(mutates_args, str) and mutates_args != "unknown":
        raise ValueError(
            "mutates_args must either be a sequence of the names of the arguments that are mutated "
            "or the string 'unknown'."
        )
    parts: list[str] = []
    starred = False
    for index, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            fail("We do not support *args or **kwargs in schemas.")
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        if name not in hints:
            fail(f"Parameter {name} must have a type annotation.")
        text = type_text(hints[name])
        if text is None:
            fail(f"Parameter {name} has unsupported type {hints[name]}.")
        is_tensor = text.startswith("Tensor")
        if (mutated is None and is_tensor) or (mutated is not None and name in mutated):
            if not is_tensor:
                fail(f"Parameter {name} is in mutates_args but only Tensors can be mutated.")
            text = f"Tensor(a{index}!){text.removeprefix('Tensor')}"
        default = "" if parameter.default is parameter.empty else default_text(parameter.default)
        if default is None:
            fail(f"Parameter {name} has an unsupported default value {parameter.default!r}.")
        parts.append(f"{text} {name}" + (f"={default}" if default else ""))
    unknown = (mutated or set()) - set(signature.parameters)
    if unknown:
        fail(f"{sorted(unknown)} in mutates_args were not found in the parameters.")
    returns = return_text(hints.get("return", inspect.Signature.empty))
    if returns is None:
        fail(f"Return has unsupported type {hints.get('return')}.")
    return f"{op_name or ''}({', '.join(parts)}) -> {returns}"


def type_text(hint: Any) -> str | None:
    """The schema's name of a type; None if there is none."""
    if hint in LEAVES:
        return LEAVES[hint]
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        rest = set(inside) - {type(None)}
        optional = "?" if len(rest) < len(inside) else ""
        if rest == NUMBER:
            return "Scalar" + optional
        text = type_text(rest.pop()) if len(rest) == 1 else None
        return text and text + optional
    if origin in SEQUENCES and inside and (origin is not tuple or inside[1:] == (...,)):
        text = type_text(inside[0])
        if text is None or text.removesuffix("?") not in LISTABLE:
            return None
        return f"{text}[]"
    return None


def return_text(hint: Any) -> str | None:
    if hint is type(None):
        return "()"
    if hint is inspect.Signature.empty:
        return None
    if typing.get_origin(hint) is tuple:
        texts = [type_text(item) for item in typing.get_args(hint)]
        return None if None in texts else f"({', '.join(map(str, texts))})"
    return type_text(hint)


def default_text(value: Any) -> str | None:
    """A default as schemas write it; None if they cannot."""
    if value is None or isinstance(value, (bool, int, float)):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dtypes.dtype):
        return str(value).removeprefix("torch.")
    if isinstance(value, devices.device):
        return f'"{value}"'
    return None

"""The message for a call that none of several signatures takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.dispatch.argument_types import is_tensor, name_of_type

SIMPLE: dict[str, type | tuple[type, ...]] = {
    "int": int,
    "float": (int, float),
    "bool": bool,
    "Number": (int, float),
    "str": str,
}


def wrong_type(function: str, argument: str, position: int, wanted: str, value: Any) -> TypeError:
    """The error for an argument of a function that takes only one type there."""
    return TypeError(
        f"{function}(): argument '{argument}' (position {position}) must be {wanted}, not "
        f"{name_of_type(value)}"
    )


def no_form(
    name: str, signatures: Sequence[str], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str:
    """What was given, every signature, and for those of the right length what is wrong with it."""
    got = described(args, kwargs)
    text = f"{name} received an invalid combination of arguments - "
    if len(signatures) == 1:
        items = items_of(signatures[0])
        unknown = unmatched(items, kwargs)
        if unknown:
            return f"{text}got unrecognized keyword arguments: {', '.join(unknown)}"
        if len(args) + len(kwargs) == len(items):
            got = marked(items, args, kwargs)
        return f"{text}got {got}, but expected {signatures[0]}"
    lines = [f"{text}got {got}, but expected one of:"]
    for signature in signatures:
        lines.append(f" * {signature}")
        items = items_of(signature)
        if len(args) + len(kwargs) != len(items):
            continue
        unknown = unmatched(items, kwargs)
        if unknown:
            reason = f"keywords were incorrect: {', '.join(unknown)}"
        else:
            reason = f"arguments have invalid types: {marked(items, args, kwargs)}"
        lines.append(f"      didn't match because some of the {reason}")
    return "\n".join([*lines, ""])


def items_of(signature: str) -> list[tuple[str, str]]:
    """(type, name) of each item between commas; like PyTorch, `*` and defaults count as such."""
    inside = signature[1:-1]
    if not inside:
        return []
    return [(item.rpartition(" ")[0], item.rpartition(" ")[2]) for item in inside.split(", ")]


def unmatched(items: list[tuple[str, str]], kwargs: dict[str, Any]) -> list[str]:
    names = {name for _, name in items}
    return [key for key in kwargs if key not in names]


def described(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    parts = [name_of_type(value) for value in args]
    parts += [f"{key}={name_of_type(value)}" for key, value in kwargs.items()]
    return f"({', '.join(parts)})"


def marked(items: list[tuple[str, str]], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The types that were given, wrong ones between exclamation marks."""
    parts = [mark(items[i][0] if i < len(items) else "", value) for i, value in enumerate(args)]
    types = {name: type_name for type_name, name in items}
    parts += [f"{key}={mark(types.get(key, ''), value)}" for key, value in kwargs.items()]
    return f"({', '.join(parts)})"


def mark(wanted: str, value: Any) -> str:
    kind = name_of_type(value)
    if wanted == "Tensor":
        good = is_tensor(value)
    elif wanted.startswith("tuple of"):
        good = isinstance(value, (tuple, list))
    else:
        good = isinstance(value, SIMPLE.get(wanted, ()))
        good = good and (wanted == "bool" or not isinstance(value, bool))
    return kind if good else f"!{kind}!"

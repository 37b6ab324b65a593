"""Unification: `unify` finds what variables stand for, `reify` puts it in their places."""

from __future__ import annotations

from typing import Any

from rushlight.fx.experimental.unification.variable import isvar

__all__ = ["reify", "unify"]


def _walk(value: Any, known: dict[Any, Any]) -> Any:
    """What a variable stands for, through other variables."""
    while isvar(value) and value in known:
        value = known[value]
    return value


def reify(value: Any, known: dict[Any, Any]) -> Any:
    """A value with what its variables stand for in their places."""
    value = _walk(value, known)
    kind = type(value)
    if kind in (tuple, list):
        return kind(reify(item, known) for item in value)
    if kind is dict:
        return {key: reify(item, known) for key, item in value.items()}
    if kind is slice:
        return slice(*reify((value.start, value.stop, value.step), known))
    arguments = getattr(value, "__args__", None)
    if arguments is not None and getattr(value, "__origin__", None) is kind:
        # A type with arguments, such as `TensorType`.
        return kind(tuple(reify(item, known) for item in arguments))
    return value


def unify(first: Any, second: Any, known: dict[Any, Any] | None = None) -> Any:
    """What variables must stand for so that two values are equal; False if they cannot be."""
    known = {} if known is None else known
    first, second = _walk(first, known), _walk(second, known)
    if first is second or (type(first) is type(second) and first == second):
        return known
    if isvar(first):
        return {**known, first: second}
    if isvar(second):
        return {**known, second: first}
    if type(first) is not type(second):
        return known if first == second else False
    if isinstance(first, (tuple, list)):
        return _unify_all(first, second, known)
    if isinstance(first, dict):
        if first.keys() != second.keys():
            return False
        return _unify_all(list(first.values()), [second[key] for key in first], known)
    arguments = getattr(first, "__args__", None)
    if arguments is not None:
        return _unify_all(tuple(arguments), tuple(second.__args__), known)
    return False


def _unify_all(first: Any, second: Any, known: dict[Any, Any]) -> Any:
    if len(first) != len(second):
        return False
    for one, other in zip(first, second):
        found = unify(one, other, known)
        if found is False:
            return False
        known = found
    return known

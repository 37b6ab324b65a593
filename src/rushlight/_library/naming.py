"""Operators and devices by the names that programs give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import Operator

DEVICE_KEYS = {"cpu": "CPU", "cuda": "CUDA", "meta": "Meta", "xla": "XLA", "lazy": "Lazy"}


def split_name(qualified: str) -> tuple[str, str]:
    """The namespace of an operator, and its name in it."""
    namespace, separator, name = qualified.partition("::")
    if not separator or not namespace or not name:
        raise ValueError(
            f"Expected an operator name of the form 'namespace::name', got {qualified}"
        )
    return namespace, name


def resolve(op: Any) -> Operator:
    """The operator that a name, a custom operator or an operator itself means."""
    if isinstance(op, Operator):
        return op
    of_custom = getattr(op, "_opoverload", None)
    if of_custom is not None:
        return of_custom  # type: ignore[no-any-return]
    namespace, _ = split_name(op)
    found = operators.find(op)
    if found is None:
        raise RuntimeError(f"{op} was not found in the namespace {namespace}")
    return found


def device_key(device_type: str) -> str:
    """The key of the data on a kind of device."""
    return DEVICE_KEYS.get(device_type, "PrivateUse1")


def as_types(types: str | Sequence[str]) -> Sequence[str]:
    """One kind of device, or several, as a sequence."""
    return (types,) if isinstance(types, str) else tuple(types)

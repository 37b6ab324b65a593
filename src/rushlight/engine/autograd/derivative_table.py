"""What the entries of operators say of their derivatives, and which entry is whose."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from typing import Any

from rushlight.engine import calls
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import Operator

Entry = dict[str, Any]


@cache
def table() -> dict[str, Entry]:
    """The formulas of all families: overload name -> fields of its entry."""
    module = importlib.import_module("rushlight.engine.generated.derivatives")
    derivatives: dict[str, Entry] = module.DERIVATIVES
    return derivatives


@cache
def namespace(family: str) -> dict[str, Any]:
    """What the formulas of a family may call: its `rules.py` over the common ones.

    `calls` are the family's own call functions.
    """
    names: dict[str, Any] = {"calls": getattr(calls, family)}
    for module in ("rushlight.engine.ops.gradients", f"rushlight.engine.ops.{family}.rules"):
        if importlib.util.find_spec(module):
            found = vars(importlib.import_module(module))
            names.update({k: v for k, v in found.items() if not k.startswith("_")})
    return names


@cache
def functional_name(op: Operator) -> str:
    """The name of the overload whose rule serves an in-place one: it takes the same arguments."""
    packet = op.packet_name
    stem = packet[:-1] if packet.endswith("_") else packet
    if packet.startswith("__i"):
        stem = f"__{packet[3:]}"
    wanted = [(a.name, a.type.plain) for a in op.schema.arguments]
    for other in operators.overloads(f"{op.namespace}::{stem}"):
        if [(a.name, a.type.plain) for a in other.schema.arguments] == wanted:
            return other.base_name
    return f"{stem}.{op.overload}" if op.overload else stem


def entry_for(op: Operator) -> Entry | None:
    """The entry of an operator: its own, that of its functional form, or of the view it copies."""
    if op.namespace != "aten":
        return None
    known = table()
    packet, _, overload = op.base_name.partition(".")
    suffix = f".{overload}" if overload else ""
    for name in (op.base_name, functional_name(op), packet.removesuffix("_copy") + suffix):
        if name in known:
            return known[name]
    return None


def is_declared_nondifferentiable(op: Operator) -> bool:
    entry = entry_for(op)
    return entry is not None and bool(entry.get("none"))


def refuses_out(op: Operator) -> bool:
    """Whether an ``out=`` overload may not be called with tensors that want a gradient."""
    wanted = [a for a in op.schema.arguments if a not in op.schema.out_arguments]
    signature = [(a.name, a.type.plain) for a in wanted]
    for other in operators.overloads(f"{op.namespace}::{op.packet_name}"):
        if [(a.name, a.type.plain) for a in other.schema.arguments] == signature:
            entry = entry_for(other) or {}
            return not (entry.get("none") or entry.get("unknown"))
    return True

"""What programs have registered, by the names of operators and keys.

A kernel may be registered before its operator is defined, and several for one key: the last one serves
it, and when it is taken away the one before does. Operators hear of what serves them (`Operator.register`).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import field
from typing import Any

from rushlight.engine.dispatch import key_names, registry
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.boxing import box, unboxed
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Schema, parse
from rushlight.engine.native.records import dataclass

Undo = Callable[[], None]


@dataclass(eq=False)
class Registration:
    """One kernel for one key of one operator."""

    function: Any
    debug: str
    # What a compiled kernel takes and gives, "(Tensor _0) -> Tensor _0"; those in Python say nothing.
    signature: str = ""
    takes_keys: bool = False


@dataclass(eq=False)
class Entry:
    """What programs registered under the name of an operator."""

    name: str
    op: Operator | None = None
    debug: str = ""
    alias_analysis: str = ""
    # The last registration first.
    kernels: dict[str, list[Registration]] = field(default_factory=dict)
    # What served a key of a built-in operator before.
    own: dict[str, Any] = field(default_factory=dict)

    def operator(self) -> Operator | None:
        return self.op if self.op is not None else operators.find(self.name)

    def serve(self, key: str) -> None:
        """Tell the operator, if there is one, what serves a key now."""
        op = self.operator()
        if op is None or not registry.is_here(key):
            return
        if key not in self.own:
            self.own[key] = None if self.op is not None else op.registered(key)
        given = self.kernels.get(key)
        op.register(key, kernel_for(op, given[0]) if given else self.own.pop(key))


entries: dict[str, Entry] = {}
# Fallbacks that programs registered, by key.
fallbacks: dict[str, Registration] = {}


def entry(name: str) -> Entry:
    name = registry.full_name(name)
    return entries.setdefault(name, Entry(name))


def drop_if_empty(of: Entry) -> None:
    if of.op is None and not of.kernels:
        entries.pop(of.name, None)


def caller(depth: int) -> str:
    """Where a program registers something, `depth` calls above the caller of this function."""
    frame = sys._getframe(depth + 1)
    return f"registered at {frame.f_code.co_filename}:{frame.f_lineno}"


def define(
    text: str, tags: tuple[Any, ...], debug: str, alias_analysis: str
) -> tuple[Operator, Undo]:
    """Add the operator that a schema with its namespace describes."""
    op = Operator(text, declared_tags=tags)
    # Parsing now, not at the first call, reports mistakes where they were made.
    name, schema = op.full_name, op.schema
    known = entries.get(name)
    if operators.find(name) is not None:
        original = known.debug if known is not None and known.op is not None else "rushlight's own"
        raise RuntimeError(
            f"Tried to register an operator ({schema}) with the same name and overload name multiple "
            "times. Each overload's schema should only be registered with a single call to def(). "
            f"Duplicate registration: {debug}. Original registration: {original}"
        )
    for stack in known.kernels.values() if known is not None else ():
        for registration in stack:
            check_signature(name, schema, debug, registration)
    operators.add(op)
    made = entry(name)
    made.op, made.debug, made.alias_analysis = op, debug, alias_analysis
    for key in made.kernels:
        made.serve(key)

    def undo() -> None:
        operators.remove(op)
        made.op = None
        made.own.clear()
        drop_if_empty(made)

    return op, undo


def add(name: str, key: str, registration: Registration) -> Undo:
    """Serve a key of an operator, which may be defined later."""
    if not key_names.is_key(key):
        registry.bit_of(key)
    of = entry(name)
    op = of.operator()
    try:
        if op is not None:
            check_signature(of.name, op.schema, of.debug, registration)
    finally:
        drop_if_empty(of)
    entries[of.name] = of
    of.kernels.setdefault(key, []).insert(0, registration)
    of.serve(key)

    def undo() -> None:
        of.kernels[key].remove(registration)
        if not of.kernels[key]:
            del of.kernels[key]
        of.serve(key)
        drop_if_empty(of)

    return undo


def check_signature(name: str, schema: Schema, debug: str, registration: Registration) -> None:
    """Raise if a compiled kernel takes or gives something else than the schema says."""
    if not registration.signature:
        return
    inferred = parse(f"_{registration.signature}")
    reason = ""
    for what, of in (("arguments", "arguments"), ("returns", "returns")):
        expected, found = getattr(schema, of), getattr(inferred, of)
        if len(expected) != len(found):
            reason = f"The number of {what} is different. {len(expected)} vs {len(found)}."
            break
        for place, (one, other) in enumerate(zip(expected, found), 1):
            if one.type.plain != other.type.plain:
                reason = (
                    f"Type mismatch in {what[:-1]} {place}: {one.type.plain} vs {other.type.plain}"
                )
    if reason:
        raise RuntimeError(
            "Inferred operator schema for a C++ kernel function doesn't match the expected function "
            f"schema.\n  operator: {name}\n  expected schema: {schema}\n    {debug}\n"
            f"  inferred schema: {registration.signature}\n    {registration.debug}\n"
            f"  reason: {reason}"
        )


def kernel_for(op: Operator, registration: Registration) -> Any:
    """What an operator is given to serve a key."""
    function = registration.function
    if isinstance(function, registry.Fallthrough):
        return function
    kernel = with_keys(op, function) if registration.takes_keys else unboxed(op.schema, function)
    return unremembered(kernel)


def unremembered(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A program's kernel: what its Python does besides calling operators is seen by no record."""
    from rushlight.engine.dispatch.call_cache.steps import Unrepeatable

    @functools.wraps(kernel)
    def run(*values: Any) -> Any:
        Unrepeatable.note()
        return kernel(*values)

    return run


def with_keys(op: Operator, fn: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that is also told the keys of the call."""
    from rushlight.engine.dispatch.key_sets import keys_of_call

    def kernel(*values: Any) -> Any:
        args, kwargs = box(op.schema, values)
        return fn(keys_of_call(values), *args, **kwargs)

    return kernel


def add_fallback(key: str, registration: Registration, function: Any) -> Undo:
    """Serve a key of every operator that has no kernel for it; ``function(op, *values)``."""
    bit = registry.bit_of(key)
    known = fallbacks.get(key)
    if known is not None or registry.part(bit) is not None or bit in registry.fallbacks:
        raise RuntimeError(
            f"Tried to register multiple backend fallbacks for the same dispatch key {key}; previous "
            f"registration {known.debug if known else 'rushlight itself'}, new registration "
            f"{registration.debug}"
        )
    fallbacks[key] = registration
    registry.register_fallback(key, function)
    registry.changed()

    def undo() -> None:
        del fallbacks[key], registry.fallbacks[bit]
        registry.invalidate()
        registry.changed()

    return undo

"""Other names of operators: all overloads of one name call those of another."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.operator import IMPLICIT, Operator
from rushlight.engine.dispatch.schema import Schema


def alias(name: str, target: str) -> None:
    """Make ``name`` (and ``name_``) another name of ``target``.

    Overloads may be called differently; those with the same argument types belong together.
    """
    for ours, theirs in ((name, target), (_inplace(name), target + "_")):
        registry.when_needed((f"aten::{ours}",), partial(_install, ours, theirs))


def _install(ours: str, theirs: str) -> None:
    targets = {_shape(op.schema): op for op in _overloads(theirs)}
    for op in _overloads(ours):
        operators.register_kernel(op.full_name, IMPLICIT, targets[_shape(op.schema)].call)


def _inplace(name: str) -> str:
    """The in-place form of an operator's name; Python's operators put an i in front."""
    return f"__i{name.strip('_')}__" if name.startswith("__") else name + "_"


def _overloads(name: str) -> Iterator[Operator]:
    full = f"aten::{name}"
    if full in operators.overload_names():
        yield from operators.packet(full)


def _shape(schema: Schema) -> tuple[object, ...]:
    return (schema.kind, *(a.type.plain for a in schema.arguments))

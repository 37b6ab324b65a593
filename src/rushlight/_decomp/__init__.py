"""Operators in terms of others: tables that tracing takes them apart with.

`decomposition_table` has every operator whose body is a call of others, made of these bodies, and
those of `decompositions.py`, which have kernels of their own here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.boxing import unbox
from rushlight.engine.dispatch.operator import Operator, OperatorPacket
from rushlight.utils._pytree import tree_iter

__all__ = [
    "core_aten_decompositions",
    "decomposition_table",
    "get_decompositions",
    "global_decomposition_table",
    "meta_table",
    "pre_autograd_decomposition_table",
    "register_decomposition",
]

Function = Callable[..., Any]


class _Table(MutableMapping[Operator, Function]):
    """Decompositions by operator; those that bodies of operators are come when they are asked for."""

    def __init__(self, has_bodies: bool = False) -> None:
        self._own: dict[Operator, Function] = {}
        self._has_bodies = has_bodies
        # Of the operators that were asked for: what their bodies make of them, if anything.
        self._of_bodies: dict[Operator, Function | None] = {}

    def _of_body(self, op: Operator) -> Function | None:
        if op not in self._of_bodies and self._has_bodies and isinstance(op, Operator):
            registry.load_family(op.family)
            self._of_bodies[op] = None if op.composite is None else _of_body(op)
        return self._of_bodies.get(op)

    def __getitem__(self, op: Operator) -> Function:
        found = self._own.get(op) or self._of_body(op)
        if found is None:
            raise KeyError(op)
        return found

    def __setitem__(self, op: Operator, function: Function) -> None:
        self._own[op] = function

    def __delitem__(self, op: Operator) -> None:
        if op in self._own:
            del self._own[op]
        elif self._of_body(op) is None:
            raise KeyError(op)
        else:
            self._of_bodies[op] = None

    def __iter__(self) -> Iterator[Operator]:
        every = map(operators.operator, operators.index()) if self._has_bodies else ()
        yield from [op for op in every if op not in self._own and self._of_body(op) is not None]
        yield from list(self._own)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _of_body(op: Operator) -> Function:
    """What an operator is made of, called as the operator is."""

    def decomposed(*args: Any, **kwargs: Any) -> Any:
        assert op.composite is not None
        return op.composite(*unbox(op.schema, args, kwargs))

    decomposed.__name__ = decomposed.__qualname__ = op.packet_name
    return decomposed


global_decomposition_table: dict[str, _Table] = {
    "post_autograd": _Table(has_bodies=True),
    "pre_autograd": _Table(),
    "meta": _Table(),
}
decomposition_table = global_decomposition_table["post_autograd"]
pre_autograd_decomposition_table = global_decomposition_table["pre_autograd"]
meta_table = global_decomposition_table["meta"]


def _overloads(aten_op: Any) -> list[Operator]:
    if isinstance(aten_op, OperatorPacket):
        return list(aten_op)
    if isinstance(aten_op, Operator):
        return [aten_op]
    raise TypeError(f"expected an operator or its overloads, got {type(aten_op).__name__}")


def register_decomposition(
    aten_op: Any, registry: Any = None, *, type: str = "post_autograd", unsafe: bool = False
) -> Callable[[Function], Function]:
    """A decorator of functions that compute what operators do.

    Args:
        aten_op: an operator, all overloads of a name, or a list of such
        registry: the table; that of ``type`` if not given
        type: ``post_autograd``, ``pre_autograd`` or ``meta``
        unsafe: accepted
    """
    if type not in global_decomposition_table:
        raise AssertionError(
            f"Invalid type {type}, expected one of {list(global_decomposition_table)}"
        )

    def register(function: Function) -> Function:
        table = global_decomposition_table[type] if registry is None else registry
        for given in tree_iter(aten_op):
            for op in _overloads(given):
                if op in getattr(table, "_own", table):
                    raise RuntimeError(f"duplicate registrations for {op}")
                table[op] = function
        return function

    return register


def get_decompositions(
    aten_ops: Sequence[Operator | OperatorPacket], type: str = "post_autograd"
) -> dict[Operator, Function]:
    """The decompositions of some operators, as far as there are any.

    Args:
        aten_ops: operators, or all overloads of a name
        type: of which table
    """
    table = global_decomposition_table[type]
    found: dict[Operator, Function] = {}
    for given in aten_ops:
        for op in _overloads(given):
            if op in table:
                found[op] = table[op]
    return found


def remove_decompositions(
    decompositions: dict[Operator, Function], aten_ops: Sequence[Operator | OperatorPacket]
) -> None:
    """Take operators out of a table."""
    for given in aten_ops:
        for op in _overloads(given):
            decompositions.pop(op, None)


@functools.cache
def _core() -> frozenset[Operator]:
    """The operators that programs are taken apart into."""
    return frozenset(
        op
        for op in map(operators.operator, operators.index())
        if "core" in {str(tag).rpartition(".")[2] for tag in op.declared_tags}
    )


def core_aten_decompositions() -> Mapping[Operator, Function]:
    """What takes programs apart into few operators: all decompositions but those of these."""
    return {op: function for op, function in decomposition_table.items() if op not in _core()}


from rushlight._decomp import decompositions as decompositions  # noqa: E402

"""What the call cache asks of schemas: which arguments are free numbers, and which are sizes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight.engine.dispatch.call_cache import Numbers
from rushlight.engine.dispatch.schema import Argument

# Operators, each with its positional arguments as a call has them.
Overloads = Iterable[tuple[Any, list[Argument]]]


def free_numbers(overloads: Overloads) -> Numbers:
    """The arguments that may be operands or plain numbers."""
    places: set[int | str] = set()
    others: set[int | str] = set()
    checked = False
    for op, arguments in overloads:
        # Such as `fill_`: the number must fit the tensor's elements.
        is_pointwise = op.is_elementwise
        checked |= not is_pointwise
        for argument in op.schema.arguments:
            kind = argument.type.required.plain
            # What others than kernels for elements do may depend on a number's value.
            is_free = kind == "Scalar" and is_pointwise
            if kind != "Tensor":
                (places if is_free else others).add(argument.name)
        for position, argument in enumerate(arguments):
            kind = argument.type.required.plain
            if kind != "Tensor":
                (places if kind == "Scalar" else others).add(position)
    free = places - others
    return Numbers.at(
        (k for k in free if isinstance(k, int)),
        sorted(k for k in free if isinstance(k, str)),
        checked,
    )


def sizes(overloads: Overloads) -> int:
    """A bit for every argument whose integers are sizes, or shape a result.

    Where there need be no tensor that they could speak of, all do.
    """
    found = others = 0
    overloads = list(overloads)
    makes = not all(
        any(a.type.required.plain.startswith("Tensor") for a in arguments)
        for _, arguments in overloads
    )
    for _, arguments in overloads:
        for position, argument in enumerate(arguments):
            kind = argument.type.required.plain
            if kind.startswith("SymInt") or kind == "Scalar" or (makes and kind == "int"):
                found |= 1 << position
            elif kind.startswith("int"):
                others |= 1 << position
        if arguments and arguments[-1].type.required.plain.startswith("SymInt["):
            # Such a list may be given as one argument after the other.
            found |= -1 << len(arguments) - 1 & (1 << 62) - 1
    return found & ~others

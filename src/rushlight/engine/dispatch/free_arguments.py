"""What the call cache asks of schemas: which arguments are free numbers, and which are sizes."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from rushlight.engine.dispatch.call_cache import Numbers, Sizes
from rushlight.engine.dispatch.schema import Argument

# Integers that say how many elements a result has, although schemas call them ``int`` as they do dimensions.
_COUNTS = frozenset({"num_classes", "bins"})
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


def sizes(overloads: Overloads) -> Sizes:
    """The arguments whose numbers are sizes, or shape a result.

    Where there need be no tensor that they could speak of, all do.
    """
    overloads = list(overloads)
    makes = not all(
        any(a.type.required.plain.startswith("Tensor") for a in arguments)
        for _, arguments in overloads
    )
    found = others = 0
    names: set[str] = set()
    other_names: set[str] = set()
    for op, arguments in overloads:
        for position, argument in enumerate(arguments):
            if _is_size(argument, makes):
                found |= 1 << position
            elif argument.type.required.plain.startswith("int"):
                others |= 1 << position
        for argument in op.schema.arguments:
            is_other = argument.type.required.plain.startswith("int")
            if _is_size(argument, makes):
                names.add(argument.name)
            elif is_other:
                other_names.add(argument.name)
        if arguments and arguments[-1].type.required.plain.startswith("SymInt["):
            # Such a list may be given as one argument after the other.
            found |= -1 << len(arguments) - 1 & (1 << 62) - 1
    return Sizes(found & ~others, tuple(map(sys.intern, sorted(names - other_names))))


def _is_size(argument: Argument, makes: bool) -> bool:
    kind = argument.type.required.plain
    if kind.startswith("SymInt") or kind == "Scalar" or argument.name in _COUNTS:
        return True
    return makes and kind in ("int", "float")

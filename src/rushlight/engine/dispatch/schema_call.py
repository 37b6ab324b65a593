"""Calls through `ops.namespace.name`, in the names and the manner of the schema itself."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.symbolic import SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import numbers, overrides_hook
from rushlight.engine.dispatch.argument_types import ElementError, accepts
from rushlight.engine.dispatch.constants import python_default
from rushlight.engine.dispatch.operator import Operator, OperatorPacket, find
from rushlight.engine.dispatch.schema import Argument


def call_overload(op: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    values = (*args, *kwargs.values())
    if overrides_hook.is_needed(values):
        return overrides_hook.call(op, overrides_hook.overloaded(values), args, kwargs)
    if len(args) > 1 and isinstance(args[1], (SymInt, SymFloat)):
        op = _of_numbers(op)
    return op.call(*match(op, args, kwargs))


# Overloads that take a number, by those that take a tensor or a number.
_OF_NUMBERS = {"Tensor": "Scalar", "Tensor_mode": "Scalar_mode"}


def _of_numbers(op: Operator) -> Operator:
    """The overload for a symbolic number, which would have to be known to become a tensor."""
    name = _OF_NUMBERS.get(op.overload)
    found = None if name is None else find(f"{op.full_name.partition('.')[0]}.{name}")
    return op if found is None else found


def call_packet(packet: OperatorPacket, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    values = (*args, *kwargs.values())
    if overrides_hook.is_needed(values):
        return overrides_hook.call(packet, overrides_hook.overloaded(values), args, kwargs)
    problems: list[str] = []
    ops = list(packet)
    # First without turning numbers into tensors, so that a number prefers a `Scalar` overload.
    for wrap in (False, True):
        problems.clear()
        for op in ops:
            try:
                matched = match(op, args, kwargs, wrap)
            except RuntimeError as error:
                problems.append(str(error))
                continue
            return op.call(*matched)
    if len(problems) == 1:
        raise RuntimeError(problems[0])
    raise RuntimeError(
        "Overloaded torch operator invoked from Python failed to match any schema:\n"
        + "\n\n".join(problems)
        + "\n\n"
    )


def match(
    op: Operator, args: tuple[Any, ...], kwargs: dict[str, Any], wrap: bool = True
) -> list[Any]:
    """The arguments in schema order, converted; RuntimeError if they do not fit."""
    schema = op.schema
    name = op.full_name.partition(".")[0] + "()"
    rest = dict(kwargs)
    if len(args) > len(schema.arguments):
        raise RuntimeError(
            f"{name} expected at most {len(schema.arguments)} argument(s) but received "
            f"{len(args) + len(kwargs)} argument(s). Declaration: {declaration(op)}"
        )
    if len(args) > len(schema.positional):
        raise RuntimeError(
            f"{name} takes {len(schema.positional)} positional argument(s) but {len(args)} was/were "
            f"given.  Declaration: {declaration(op)}"
        )
    matched: list[Any] = []
    for position, argument in enumerate(schema.arguments):
        if position < len(args):
            value = args[position]
        elif argument.name in rest:
            value = rest.pop(argument.name)
        elif argument.has_default:
            matched.append(python_default(argument)[0])
            continue
        else:
            raise RuntimeError(
                f"{name} is missing value for argument '{argument.name}'. "
                f"Declaration: {declaration(op)}"
            )
        matched.append(convert_one(op, name, position, argument, value, wrap))
    if rest:
        raise RuntimeError(
            f"Unknown keyword argument '{next(iter(rest))}' for operator '{op.full_name}'. "
            f"Schema: {declaration(op)}"
        )
    return matched


def convert_one(
    op: Operator, name: str, position: int, argument: Argument, value: Any, wrap: bool
) -> Any:
    if value is None and argument.type.is_optional:
        return None
    _, check, convert = accepts(argument.type)
    if argument.type.required.plain == "Tensor?[]" and isinstance(value, Tensor) and value._size_:
        # A list some of whose items may be missing can be anything that has items.
        value = list(value)  # type: ignore[call-overload]
    if wrap and argument.type.required.name == "Tensor":
        check, convert = numbers.accepting(check), numbers.wrapped
    try:
        if check(value):
            return convert(value)
        detail = ""
    except ElementError as error:
        detail = f" (element {error.args[0]}: {error.args[1]})"
    wanted = argument.type.plain.replace("Scalar", "number").replace("SymInt", "int")
    raise RuntimeError(
        f"{name} Expected a value of type '{wanted}' for argument '{argument.name}' but instead "
        f"found type '{type(value).__name__}'{detail}.\nPosition: {position}\nValue: {value!r}\n"
        f"Declaration: {declaration(op)}"
    )


def declaration(op: Operator) -> str:
    return f"{op.namespace}::{op.schema.base_name}{str(op.schema).partition(op.base_name)[2]}"


Operator.from_python = staticmethod(call_overload)
OperatorPacket.from_python = staticmethod(call_packet)

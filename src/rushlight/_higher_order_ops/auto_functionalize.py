"""Operators that write to their arguments, as operators that give what these become.

Where a trace follows changes, each operator that has no functional form of its own is called through this one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.transforms import functionalization

__all__ = ["AutoFunctionalized", "auto_functionalized"]


class AutoFunctionalized(HigherOrderOperator):
    """`auto_functionalized(op, **arguments)`: the operator's results, then what it has written to becomes."""

    def __init__(self) -> None:
        super().__init__("auto_functionalized")

    def __call__(self, op: Operator, given: Any = None, /, **arguments: Any) -> Any:
        return super().__call__(op, arguments if given is None else given)

    def functions(self, args: Sequence[Any]) -> list[Callable[..., Any]]:
        return []

    def rebuilt(
        self, functions: Sequence[Any], args: Sequence[Any], captured: Sequence[Any] = ()
    ) -> tuple[Any, ...]:
        return tuple(args)

    def node_arguments(self, args: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (args[0],), dict(args[1])

    def eager(self, op: Operator, arguments: dict[str, Any]) -> Any:
        written = [a.name for a in op.schema.arguments if a.is_write]
        fresh = {name: _copied(arguments[name]) for name in written}
        found = op(**{**arguments, **fresh})
        # Results that are arguments are told once, as these.
        results = found if isinstance(found, tuple) else () if found is None else (found,)
        targets = [x for value in fresh.values() for x in _leaves(value)]
        own = [x for x in results if not any(x is y for y in targets)]
        return (*own, *(fresh[name] for name in written))


auto_functionalized = AutoFunctionalized()


def _copied(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_copied(item) for item in value]
    return value.clone() if isinstance(value, Tensor) else value  # type: ignore[attr-defined]


def _leaves(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _call(op: Operator, values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[Any]]:
    """The results of an operator, and what the tensors become that it writes to."""
    names = [argument.name for argument in op.schema.arguments]
    found = auto_functionalized(op, **dict(zip(names, values)))
    count = sum(argument.is_write for argument in op.schema.arguments)
    return tuple(found[: len(found) - count]), list(found[len(found) - count :])


functionalization.automatic = _call

"""How an operator is made of its schema and a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import IMPLICIT, Operator

Function = Callable[..., Any]


class Catalogue:
    """Schemas with their functions, which get the arguments in the schema's order."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, Function]] = []

    def __call__(self, *schemas: str) -> Callable[[Function], Function]:
        def decorate(function: Function) -> Function:
            self.entries += [(schema, function) for schema in schemas]
            return function

        return decorate

    def define(self) -> None:
        """Make the operators that do not exist yet."""
        for schema, function in self.entries:
            op = Operator(f"aten::{schema}")
            if operators.find(op.full_name) is None:
                operators.add(op).register(IMPLICIT, function)


def pullback(function: Function, *inputs: Any) -> Function:
    """What takes a gradient of a function's result to one of its input, or to those of several."""
    found = torch.func.vjp(function, *inputs)[1]
    return (lambda grad: found(grad)[0]) if len(inputs) == 1 else found  # type: ignore[no-any-return]


def chosen(grads: Any, mask: Any) -> Any:
    """The gradients that are asked for."""
    return tuple(g if wanted else None for g, wanted in zip(grads, mask))

"""Rules of programs for how operators work on parts of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rushlight.distributed.tensor import _ops
from rushlight.distributed.tensor._api import DTensor
from rushlight.distributed.tensor._op_schema import REPLICATE, Call, Strategy
from rushlight.engine.dispatch.boxing import box
from rushlight.engine.dispatch.operator import Operator

__all__ = ["register_sharding"]

Given = Callable[..., Sequence[tuple[Sequence[Any], Sequence[Any]]]]


def register_sharding(op: Operator | list[Operator]) -> Callable[[Given], Given]:
    """Say how an operator works on parts of tensors.

    The function that is decorated gets the operator's arguments, with specifications in place of tensors. It gives a list:
    placements of the results and, for each argument, the placement that goes with them, None where it is no tensor.

    Args:
        op: the overload, or several
    """

    def register(function: Given) -> Given:
        for one in op if isinstance(op, list) else [op]:
            _ops.registered[one.full_name] = _rule(function)
        DTensor._op_dispatcher.sharding_propagator.forget()
        return function

    return register


def _rule(function: Given) -> Callable[[Call], Iterable[Strategy]]:
    def rule(call: Call) -> Iterable[Strategy]:
        args, kwargs = box(call.op.schema, call.values)
        for outputs, inputs in function(*args, **kwargs):
            placed = [p for p in inputs if p is not None]
            if len(placed) != len(call.inputs):
                raise ValueError(
                    f"{call.op}: a sharding rule gave {len(placed)} placements for {len(call.inputs)} tensors"
                )
            made = tuple(REPLICATE if p is None else p for p in outputs)
            yield Strategy(made, tuple(placed))

    return rule

"""An operator whose result has another type than its arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight._library import operator_members  # noqa: F401
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator

__all__ = ["OutDtypeOperator", "out_dtype"]

# Operators that have such results by themselves.
ALLOWABLE_OPS = ("linear", "mm", "conv2d", "convolution", "mul", "addmm", "bmm")


class OutDtypeOperator(HigherOrderOperator):
    """`out_dtype(op, dtype, *args)`: the arguments are converted, and so the result has the type."""

    def __init__(self) -> None:
        super().__init__("out_dtype")

    def __call__(self, op: Any, output_dtype: Any, *args: Any) -> Any:
        if not isinstance(op, Operator):
            raise ValueError("out_dtype's first argument must be an OpOverload")
        if op.schema.mutated:
            raise ValueError("out_dtype's first argument needs to be a functional operator")
        kinds = [result.type.plain for result in op.schema.returns]
        if kinds != ["Tensor"]:
            raise ValueError(
                f"out_dtype's can only apply to ops that return a single tensor"
                f"Instead got {[result.type for result in op.schema.returns]}"
            )
        if op.packet_name not in ALLOWABLE_OPS:
            raise ValueError(f"out_dtype only allows the following operators: {ALLOWABLE_OPS}.")
        return super().__call__(op, output_dtype, *args)

    def functions(self, args: Sequence[Any]) -> list[Callable[..., Any]]:
        return []

    def rebuilt(
        self, functions: Sequence[Any], args: Sequence[Any], captured: Sequence[Any] = ()
    ) -> tuple[Any, ...]:
        return tuple(args)

    def eager(self, op: Any, output_dtype: Any, *args: Any) -> Any:
        converted = [x.to(output_dtype) if isinstance(x, Tensor) else x for x in args]  # type: ignore[attr-defined]
        return op(*converted).to(output_dtype)

    def gradient(self, args: Sequence[Any], grads: Sequence[Any]) -> Sequence[Any]:
        raise RuntimeError("Autograd not implemented for out_dtype")


out_dtype = OutDtypeOperator()

"""Loops over quantized and plain tensors, remembered by what the tensors look like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core.quantized import Quantizer, over_numbers
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import geometry
from rushlight.engine.loops.plan import Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.ops.kinds.elementwise import elementwise_loop

_plans = PlanTable()
# How a kernel gets a Python number, and in which type it computes with it.
_NUMBERS = {float: ("f32", "f32"), int: ("i64", "i32")}


def computed(
    name: Any,
    body: Callable[..., Any],
    kind: dtypes.dtype,
    operands: Sequence[Any],
    stride: tuple[int, ...] | None = None,
) -> Tensor:
    """A new tensor of what a scalar function makes of operands: tensors, quantized or not, and numbers.

    Args:
        name: what tells the function from others
        body: the function; of a quantized tensor it gets the numbers
        kind: the type of the result
        operands: its arguments
        stride: the result's strides, where they do not follow from the operands'
    """
    key = name, kind, stride, *map(_look, operands)
    plan = _plans.get(key)
    if plan is None:
        plan = _plans[key] = _planned(name, body, kind, operands, stride)
    steps.Unrepeatable.note()
    return plan.produce(*operands)  # type: ignore[no-any-return]


def quantized(
    name: Any,
    body: Callable[..., Any],
    kind: dtypes.dtype,
    quantizer: Quantizer,
    operands: Sequence[Any],
    stride: tuple[int, ...] | None = None,
) -> Tensor:
    """The same for a quantized tensor."""
    return over_numbers(computed(name, body, kind.numbers, operands, stride), quantizer, kind)


def _look(operand: Any) -> Any:
    if isinstance(operand, Tensor):
        return operand._flags_, operand._size_, operand._stride_
    return type(operand)


def _planned(
    name: Any,
    body: Callable[..., Any],
    kind: dtypes.dtype,
    operands: Sequence[Any],
    stride: tuple[int, ...] | None,
) -> Plan:
    given = [t for t in operands if isinstance(t, Tensor)]
    size = geometry.broadcast_sizes(*(t._size_ for t in given))
    if stride is None:
        stride = geometry.output_strides(size, [(t._size_, t._stride_) for t in given])
    target = Template(sizes.intern(size), stride, kind)
    ins, params = [], []
    for operand in operands:
        if isinstance(operand, Tensor):
            memory = operand._dtype_.numbers.memory
            ins.append(memory)
            params.append(memory)
        else:
            memory, compute = _NUMBERS[type(operand)]
            ins.append(memory)
            params.append(compute)
    loop = elementwise_loop(
        body, [target], operands, [kind.memory], ins, params, identity=(name, kind)
    )
    return Plan(loop, [target])

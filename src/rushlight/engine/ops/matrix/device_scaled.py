"""Products of matrices of 8-bit floats that a library makes on a GPU, where each matrix has one scale."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, state
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.size import contiguous_strides, intern
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.placement import planned_for
from rushlight.engine.loops.plan import Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder
from rushlight.engine.ops.kinds.planned import signature

_plans = PlanTable()
_PLAIN = keys.CUDA | keys.AUTOGRAD


def product(
    a: Tensor, b: Tensor, scales: tuple[Tensor, Tensor], bias: Tensor | None, kind: dtype, is_fast: bool
) -> Tensor | None:  # fmt: skip
    """The product, with a vector that is added to its rows; None where the library does not make it."""
    others = () if bias is None else (bias,)
    inputs = (*others, a, b, *scales)
    if any(x._keys_ & ~_PLAIN or not x._keys_ & keys.CUDA or x.requires_grad for x in inputs):
        return None
    if any(x._numel_ != 1 or x._dtype_ is not dtypes.float32 for x in scales):
        return None
    if not all(x._numel_ for x in (a, b)) or not all(
        x._dtype_ is kind and x._stride_ == (1,) and kind is not dtypes.float32 for x in others
    ):
        return None
    with planned_for(a, "aten::_scaled_mm"):
        key = (*signature(inputs), kind, is_fast)
        plan: Plan | bool | None = _plans.get(key)
        if plan is None:
            plan = _plans[key] = _plan(inputs, kind, is_fast) or False
        if isinstance(plan, bool):
            return None
        return steps.Produced.note(plan, inputs, plan.produce(*inputs))  # type: ignore[no-any-return]


def _plan(inputs: tuple[Tensor, ...], kind: dtype, is_fast: bool) -> Plan | None:
    *others, a, b, _, _ = inputs
    size = intern((a._size_[0], b._size_[1]))
    stride = contiguous_strides(size)
    shape = a._size_[1], size[1], size[0]
    strides = [[0, stride[1], stride[0]], *([0, x._stride_[0], 0] for x in others)]
    strides += [[a._stride_[1], 0, a._stride_[0]], [*b._stride_, 0]]
    kinds = [kind, *(x._dtype_ for x in (*others, a, b))]
    loop = state.thread.planner.scaled_product_loop(kinds, shape, strides, is_fast)  # type: ignore[union-attr]
    if loop is None:
        return None
    chain = ChainBuilder(1, len(inputs))
    places: list[Any] = [("out", 0), *(("in", k) for k in range(len(inputs)))]
    if loop.room:
        places.append(chain.add_scratch((loop.room,), dtypes.uint8)[1])
    chain.add(loop, places)
    made, scratch = chain.finish()
    return Plan(made, [Template(size, stride, kind), *scratch], len(scratch))

"""Products of whole numbers of eight bits on a GPU."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.placement import planned_for
from rushlight.engine.loops.plan import Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.planned import contiguous_spec, plan_of, signature
from rushlight.engine.ops.kinds.products import Product
from rushlight.engine.ops.kinds.views import cuda

_plans = PlanTable()


@cuda("_int_mm")
def int_mm(self: Tensor, mat2: Tensor) -> Tensor:
    # What checks is loaded with quantized numbers.
    from rushlight.engine.ops.quantized.products import check_int_mm

    check_int_mm(self, mat2, (dtypes.int8,))
    with planned_for(self, "aten::_int_mm"):
        key = signature((self, mat2))
        plan: Plan | None = _plans.get(key)
        if plan is None:
            plan = _plans[key] = plan_of(_request(self, mat2))
        return steps.Produced.note(plan, (self, mat2), plan.produce(self, mat2))  # type: ignore[no-any-return]


@cuda("_int_mm.out")
def int_mm_out(self: Tensor, mat2: Tensor, out: Tensor) -> Any:
    return outputs.copy_result(out, int_mm(self, mat2))


def _request(a: Tensor, b: Tensor) -> Product:
    size = a._size_[0], b._size_[1]
    strides = [(a._stride_[1], 0, a._stride_[0]), (*b._stride_, 0)]
    shape = a._size_[1], size[1], size[0]
    return Product((a, b), shape, strides, (2, 1), [contiguous_spec(size, dtypes.int32)])

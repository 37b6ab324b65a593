"""`tril_indices` and `triu_indices`: the coordinates of the elements of a triangle.

Row by row, an upper triangle begins with rows that are whole; from then on each is an element shorter
than the one before. A lower triangle is an upper one read from its end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core import state, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.expr import Value, convert, floor, maximum, select, sqrt
from rushlight.engine.loops.plan import Plan
from rushlight.engine.loops.plans import PlanTable, notes_device_steps
from rushlight.engine.ops.creation.factories import check_layout
from rushlight.engine.ops.creation.positions import by_position
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds.elementwise import Constant
from rushlight.engine.ops.kinds.views import explicit

_plans = PlanTable()


def _upper(k: Value, col: Value, whole: Value, width: Value) -> tuple[Value, Value]:
    """Row and column of an element of an upper triangle, given its number; all are whole numbers in f64.

    Args:
        col: how many columns there are
        whole: how many rows are whole
        width: how many elements the row after those has
    """
    row = floor(k / col)
    # Beyond the whole rows, with ``i`` shortened ones before: i * width - i * (i - 1) / 2 <= t.
    t = maximum(k - whole * col, 0)
    twice = width + width + 1
    i = floor((twice - sqrt(twice * twice - t * 8)) * 0.5)
    column = col - width + i + t - (i * width - i * (i - 1) * 0.5)
    is_whole = k < whole * col
    return select(is_whole, row, whole + i), select(is_whole, k - row * col, column)


def _upper_element(p: Value, *given: Value) -> Value:
    """A coordinate of an upper triangle: all rows, and then all columns."""
    place, count, _, col, whole, width = (convert(x, "f64") for x in (p, *given))
    is_column = place >= count
    row, column = _upper(select(is_column, place - count, place), col, whole, width)
    return select(is_column, column, row)


def _lower_element(p: Value, *given: Value) -> Value:
    """A coordinate of a lower triangle."""
    place, count, row, col, whole, width = (convert(x, "f64") for x in (p, *given))
    is_column = place >= count
    k = count - 1 - select(is_column, place - count, place)
    above, before = _upper(k, col, whole, width)
    return select(is_column, col - 1 - before, row - 1 - above)


def _plan_of(element: Callable[..., Value], row: Any, col: Any, offset: Any, kind: Any) -> Plan:
    """The plan of the coordinates of an upper triangle, or of one that is read from its end."""
    whole = symbolic.minimum(symbolic.maximum(1 - offset, 0), row)
    width = symbolic.maximum(col - whole - offset, 0)
    shortened = symbolic.minimum(row - whole, width)
    count = whole * col + shortened * width - shortened * (shortened - 1) // 2
    target = tensors.template_for(sizes.intern((2, count)), kind)
    if not count:
        return Plan(None, [target])
    values = [Constant(x, "i64") for x in (count, row, col, whole, width)]
    chain, scratch = by_position(target, element, values, "i64", element)
    return Plan(chain, [target, *scratch], len(scratch))


def _register(name: str, element: Callable[..., Value], is_lower: bool) -> None:
    @explicit(name)
    @notes_device_steps
    def coordinates(
        row: int, col: int, offset: int, dtype: Any, layout: Any, device: Any, pin_memory: Any
    ) -> Tensor:
        if row < 0 or col < 0:
            which = f"row must be non-negative, got {row}"
            raise RuntimeError(which if row < 0 else f"col must be non-negative, got {col}")
        check_layout(layout)
        kind = dtype or dtypes.int64
        if kind not in (dtypes.int64, dtypes.int32):
            raise not_implemented(name, kind)
        key = (name, row, col, offset, kind)
        plan = _plans.get(key)
        if plan is None:
            above = col - row - offset if is_lower else offset
            plan = _plans[key] = _plan_of(element, row, col, above, kind)
        where = device or state.default_device()
        if where.type == "cpu" or state.thread.planner is not None:
            return steps.Produced.note(plan, (), plan.produce())  # type: ignore[no-any-return]
        if where.type in devices.memories:
            return copies._to_copy(plan.produce(), None, None, where, None, False, None)  # type: ignore[no-any-return]
        return tensors.empty(plan.templates[0].size, kind, where)


_register("tril_indices", _lower_element, True)
_register("triu_indices", _upper_element, False)

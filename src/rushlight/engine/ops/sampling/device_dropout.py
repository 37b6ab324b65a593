"""Dropout on a GPU: one kernel draws, and makes the result and the mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.expr import Value, convert, select
from rushlight.engine.loops.maths.philox import unit_singles
from rushlight.engine.loops.placement import planned_for
from rushlight.engine.loops.plan import Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.loops.ptx_philox import WORDS
from rushlight.engine.ops.kinds.views import cuda
from rushlight.engine.ops.sampling import distributions
from rushlight.engine.ops.sampling.device_draws import drawing_loop, generator_of

_plans = PlanTable()
NAME = "native_dropout"


@cuda(NAME)
def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    if not input._numel_:
        return input, creation.empty_like(input)
    # What is done depends on the chance, which is the kernel's own number besides.
    steps.ByValue.note()
    if train is False:
        return copies.clone(input), creation.fill__Scalar(_mask_of(input), True)
    distributions.check_bernoulli(1 - p)
    if p == 1:
        return creation.zero_(creation.empty_like(input)), creation.zero_(_mask_of(input))
    if not sizes.is_dense(input._size_, input._stride_):
        input = copies.clone(input, None)
    with planned_for(input, f"aten::{NAME}"):
        plan = _plan(input, 1 - p)
        return steps.Produced.note(plan, (input,), plan.produce(input))  # type: ignore[no-any-return]


def _mask_of(input: Tensor) -> Tensor:
    return creation.empty_like(input, dtypes.bool_)


def _plan(input: Tensor, stays: float) -> Plan:
    """What drops elements of such a dense tensor, each of which stays with some chance."""
    generator = generator_of(None, input._storage_.device.index or 0)
    kind = input._dtype_
    key = generator, kind, input._size_, input._stride_, stays
    plan: Plan | None = _plans.get(key)
    if plan is None:
        # Where neighbours fill a group of four, a thread takes them; else they lie apart by the number of threads.
        together = input._numel_ % WORDS == 0
        memories = kind.memory, "bool", kind.memory
        loop: Any = drawing_loop(
            generator,
            NAME,
            _units,
            memories,
            input._numel_,
            (("f32", stays),),
            _dropped,
            2,
            together,
        )
        made = [Template(input._size_, input._stride_, x) for x in (kind, dtypes.bool_)]
        plan = _plans[key] = Plan(loop, made)
    return plan


def _units(words: Sequence[Value], stays: Value) -> list[Value]:
    return unit_singles(words)


def _dropped(unit: Value, x: Any, stays: Value) -> tuple[Any, Value]:
    """An element and whether it stays, by a number between 0 and 1."""
    kept = unit < stays
    chance = convert(stays, x.type) if x.is_float else stays
    return select(kept, x * (1 / chance), x * 0.0), kept

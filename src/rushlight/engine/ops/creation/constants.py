"""Small tensors that follow from numbers alone: made once, copied when the call comes again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import state, symbolic
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch import layers
from rushlight.engine.dispatch.call_cache import recorder, steps
from rushlight.engine.loops.placement import planning
from rushlight.engine.loops.plan import Plan
from rushlight.engine.ops.creation.from_data import shown, tensor_from_data
from rushlight.engine.ops.kinds.elementwise import (
    Constant,
    copied_types,
    elementwise_loop,
    unchanged,
)

# Larger ones are not worth their memory.
MOST_ELEMENTS = 1 << 10


def remembered(make: Callable[[], Tensor]) -> Tensor:
    """What ``make`` gives; for the call cache, a plan that copies it."""
    planner = state.thread.planner
    if planner is not None:
        with planning(None):
            made = make()
        return copies._to_copy(made, None, None, planner.device, None, False, None)  # type: ignore[no-any-return]
    outer = recorder.recording.steps
    if outer is None or symbolic.trace() is not None:
        # With sizes that vary the numbers are others each time.
        return make()
    recorder.recording.steps = None
    try:
        # Numbers alone decide, so transformations have no part in it.
        with layers.without_layers():
            result = make()
            # However it was filled, it is as new as what the plan makes.
            result._storage_._version = 0
            plan = _plan_of(result)
    finally:
        recorder.recording.steps = outer
    if plan is None:
        steps.Unrepeatable.note()
        return result
    return steps.Produced.note(plan, (), result)  # type: ignore[no-any-return]


def of_numbers(values: Sequence[Any], kind: dtype) -> Tensor:
    """Nested lists of numbers as a tensor: numbers that sizes and other numbers decide."""
    return shown(remembered(lambda: tensor_from_data(values, kind)))


def _plan_of(result: Tensor) -> Plan | None:
    is_plain = type(result) is Tensor and result._keys_ == key_bits.CPU and not result._offset_
    if not is_plain or result._numel_ > MOST_ELEMENTS:
        return None
    whole = Template(result._size_, result._stride_, result._dtype_)
    if not result._numel_:
        return Plan(None, [whole])
    kinds = copied_types(result._dtype_, result._dtype_)
    held = Constant(copies.clone(result, None), kinds[1][0])
    return Plan(elementwise_loop(unchanged, [whole], [held], *kinds, identity=unchanged), [whole])

"""Parameters that are tensors: which of their elements a distribution takes.

To look at them is a step of the call, which is done again when the call is repeated.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import reduction as reductions
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import objects, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.plan import Loop
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.native import rejection
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops import answers
from rushlight.engine.ops.kinds.status_checked import StatusCheckedPlan

_plans = PlanTable()


@dataclass(frozen=True)
class Range:
    """The numbers that a distribution takes; never NaN.

    Args:
        least, most: the bounds, which are taken
        rows: whether every row must have a number above zero
    """

    least: float
    most: float
    rows: bool = False


PROBABILITIES = Range(0.0, 1.0)
NOT_NEGATIVE = Range(0.0, math.inf)
WEIGHTS = Range(0.0, sys.float_info.max, rows=True)


def in_double(tensor: Tensor) -> Tensor:
    """The elements as contiguous doubles, to be read only."""
    return copy.contiguous(copy.to_dtype(tensor, dtypes.float64), layouts.contiguous_format)


def check(parameter: Tensor, taken: Range, refuse: Callable[[], Any]) -> None:
    """Let ``refuse`` raise if some element of contiguous doubles is not taken."""
    if not parameter._numel_:
        return
    if parameter._storage_.device is not devices.cpu:
        if not _is_taken_there(parameter, taken):
            refuse()
        return
    key = parameter._size_, taken
    found = _plans.get(key)
    if found is None:
        length = parameter._size_[-1] if parameter._size_ else 1
        rows = parameter._numel_ // length

        def make(kind: int, address: int, keep: Any) -> Loop:
            return _looking(length, rows, taken, kind, address, keep)

        found = _plans[key] = StatusCheckedPlan(
            make, [tensors.template_for(sizes.intern(()), dtypes.uint8)]
        )
    found.produce([parameter], lambda _: refuse())


def _is_taken_there(parameter: Tensor, taken: Range) -> bool:
    """Whether a device's elements are all taken."""
    if not answers.are_within(parameter, taken.least, taken.most):
        return False
    if not taken.rows:
        return True
    positive = maps.gt_Scalar(parameter, 0)
    return answers.are_all(
        reductions.any_dim(positive, -1, False) if parameter._size_ else positive
    )


def _looking(length: int, rows: int, taken: Range, kind: int, address: int, keep: Any) -> Loop:
    """The loop that looks for an element that is not taken; its last operand is the report."""
    bounds = [(ctypes.c_double * 1)(bound) for bound in (taken.least, taken.most)]
    needs_positive = (ctypes.c_int64 * 1)(taken.rows)
    held = [*bounds, needs_positive]
    kinds = [(objects.TENSOR_OPERAND, 1), (objects.TENSOR_OPERAND, 8)]
    kinds += [*[(objects.CONSTANT_OPERAND, 8)] * 3, (kind, 8)]
    return Loop(
        rejection.module.address(rejection.find_fault), [length, rows], [[0, 0]] * 6, kinds, 2, [],
        8 * length * rows, [0, 0, *map(symbolic.memory, held), address], (held, keep),
    )  # fmt: skip

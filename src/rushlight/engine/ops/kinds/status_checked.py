"""Calls whose kernel may find a fault in what it reads, and then says so in a few words."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import objects, symbolic
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.plan import STATUS_WORDS, Loop, Plan

# The loop whose last operand is a report of the given kind, at an address if it is a constant.
Make = Callable[[int, int, Any], Loop]


class _Report(threading.local):
    """Words of this thread's own: whether there was a fault, and the value at fault."""

    def __init__(self) -> None:
        self.words = (ctypes.c_int64 * 2)()
        self.address = ctypes.addressof(self.words)


_report = _Report()


class StatusCheckedPlan:
    """A plan for results that are only good if the kernel has found no fault.

    It has a report of its own too, so that machine code may repeat the call, one thread at a time.
    """

    def __init__(self, make: Make, templates: Sequence[Template]) -> None:
        loop = make(objects.POINTER_OPERAND, 0, None)
        self.plan = Plan(loop, templates)
        words = symbolic.words([0] * STATUS_WORDS)
        place = ctypes.addressof(words)
        self.own = Plan(make(objects.CONSTANT_OPERAND, place, words), templates), place

    def produce(self, inputs: Sequence[Tensor], refuse: Callable[[int], Any]) -> Any:
        """The results; ``refuse`` raises for a value at fault."""
        report = _report
        made = self.plan.produce(*inputs, report.address)
        if report.words[0]:
            report.words[0] = 0
            steps.Unrepeatable.note()
            refuse(report.words[1])
        plan, place = self.own
        steps.StatusChecked.note(plan, inputs, place, made)
        return made

"""Statements of programs that say what holds: where elements decide it, the program checks it when it runs."""

from __future__ import annotations

import dis
import functools
import sys
from types import CodeType, FrameType
from typing import Any

from rushlight.engine.core.symbolic import SymBool
from rushlight.fx.experimental.symbolic_shapes import ShapeEnv

__all__ = ["AssertingShapes"]


class AssertingShapes(ShapeEnv):
    """Takes for granted what a program asserts of elements, and notes that it has to be checked."""

    def _unknown(self, operation: int, a: Any, b: Any, is_flipped: bool) -> bool | None:
        stated = self._stated(operation, a, b, is_flipped)
        return super()._unknown(operation, a, b, is_flipped) if stated is None else stated

    def _stated(self, operation: int, a: Any, b: Any, is_flipped: bool) -> bool | None:
        """Whether a comparison holds that the program asserts now; None if it does not assert it."""
        frame = _frame_of_program()
        if frame is None or frame.f_lasti not in _assertions(frame.f_code):
            return None
        comparison = SymBool(self._trace, operation, a, b)
        comparison.is_flipped = is_flipped
        return self.expect_true(comparison)


def _frame_of_program() -> FrameType | None:
    """The innermost frame that is not the library's."""
    inside = sys.modules["rushlight"].__path__[0]
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((inside, "<rushlight")):
        frame = frame.f_back
    return frame


@functools.lru_cache(1024)
def _assertions(code: CodeType) -> frozenset[int]:
    """The places of instructions that ask for the truth of what an ``assert`` states."""
    steps = [
        step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "NOT_TAKEN")
    ]
    raising = {step.offset for step in steps if _raises(step)}
    found = set()
    for place, step in enumerate(steps):
        if "JUMP" not in step.opname or "IF" not in step.opname:
            continue
        follows = place + 1 < len(steps) and steps[place + 1].offset in raising
        if follows or step.argval in raising:
            found.add(step.offset)
            # From 3.13 on, it is not the jump that asks.
            if place and steps[place - 1].opname in ("TO_BOOL", "COMPARE_OP"):
                found.add(steps[place - 1].offset)
    return frozenset(found)


def _raises(step: dis.Instruction) -> bool:
    """Whether an instruction begins the raising of an `AssertionError`."""
    if step.opname == "LOAD_COMMON_CONSTANT":
        return step.argrepr == "AssertionError"
    return step.opname == "LOAD_ASSERTION_ERROR"

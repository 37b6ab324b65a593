"""What happens during one call: generated functions entered, steps noted, kernels written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, NamedTuple

from rushlight.engine.dispatch import call_cache
from rushlight.engine.dispatch.call_cache import recorder
from rushlight.engine.loops import plans
from rushlight.engine.loops.expr import Value, format_expression
from rushlight.engine.native import machine, observe


class Place(NamedTuple):
    """A line of a generated function."""

    code: CodeType
    line: int


class Kernel(NamedTuple):
    """One kernel as it was written: its expression, its text, and how the text is compiled."""

    expression: str
    ir: str
    optimise: int


class Watched:
    """One call, watched with every remembered plan forgotten, so that all of it is done anew."""

    def __init__(self) -> None:
        self.steps = _Steps()
        self.functions: list[CodeType] = []
        # Which line called a generated function; None is the program itself.
        self.callers: list[tuple[Place | None, CodeType]] = []
        self.expressions: list[str] = []
        self.kernels: list[Kernel] = []
        # The bodies of loops, and for each of its values the lines that were printed for it.
        self.programs: list[Any] = []
        self.printed: dict[int, list[tuple[Value, list[str]]]] = {}

    def call(self, run: Callable[[], Any]) -> Any:
        """Make a call and watch all of it; what it gives."""
        outer, recorder.recording.steps = recorder.recording.steps, self.steps
        sys.setprofile(self._enter)
        try:
            return self.listen(run)
        finally:
            sys.setprofile(None)
            recorder.recording.steps = outer

    def listen(self, run: Callable[[], Any]) -> Any:
        """Make a call and watch the kernels being written only; what it gives."""
        plans.forget_all()
        call_cache.forget_calls()
        with observe.listening(self._hear):
            return run()

    def kernel_at(self, address: int) -> int | None:
        """Which of the kernels lies at an address."""
        for number, kernel in enumerate(self.kernels):
            if machine.address(kernel.ir, kernel.optimise) == address:
                return number
        return None

    def _hear(self, kind: str, value: Any) -> None:
        if kind == "expression":
            self.expressions.append(format_expression(value))
        elif kind == "program":
            self.programs.append(value)
        elif kind == "printed":
            program, of, lines = value
            self.printed.setdefault(id(program), []).append((of, lines))
        elif kind == "ir":
            ir, optimise = value
            expression = self.expressions[-1] if self.expressions else ""
            self.kernels.append(Kernel(expression, ir, optimise))

    def _enter(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event != "call" or not is_generated(code):
            return
        if code not in self.functions:
            self.functions.append(code)
        self.callers.append((place_of(frame.f_back), code))


class _Steps(list[Any]):
    """Noted steps, and beside each the generated line that led to it."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[Place | None] = []

    def append(self, step: Any) -> None:
        super().append(step)
        self.places.append(place_of(sys._getframe(1)))

    def extend(self, steps: Any) -> None:
        place = place_of(sys._getframe(1))
        for step in steps:
            super().append(step)
            self.places.append(place)


def is_generated(code: CodeType) -> bool:
    """Whether a function was written by the code generator or by the dispatcher."""
    name = code.co_filename.replace("\\", "/")
    return name.startswith("<rushlight") or "/engine/generated/" in name


def place_of(frame: FrameType | None) -> Place | None:
    """The innermost line of a generated function from a frame outwards."""
    while frame is not None:
        if is_generated(frame.f_code):
            return Place(frame.f_code, frame.f_lineno)
        frame = frame.f_back
    return None

"""What happens during one call: generated functions entered, steps noted, kernels written.

Who wrote an operation of a kernel is found from the frames that are active when its `Value` is made.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, NamedTuple

import rushlight
from rushlight.engine.bindings import public
from rushlight.engine.dispatch import call_cache
from rushlight.engine.dispatch.call_cache import recorder
from rushlight.engine.dispatch.operator import Operator, Table
from rushlight.engine.loops import casts, expr, plans
from rushlight.engine.loops.expr import Value, format_expression
from rushlight.engine.native import machine, observe

# Where values are made on behalf of others: by the operators on values, and by rewriting.
_MAKERS = ("/engine/loops/expr.py", "/engine/loops/dual.py", "/engine/loops/casts.py")
# Functions that make values in place of the one that they call `value`.
_REWRITERS = (expr.schedule.__code__, casts.lower.__code__)
_MADE = Value.__init__.__code__
_PACKAGE = os.path.dirname(rushlight.__file__)


class Place(NamedTuple):
    """A line of a function."""

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
        # The operators whose call functions were entered, by these.
        self.operators: dict[CodeType, Operator] = {}
        self.expressions: list[str] = []
        self.kernels: list[Kernel] = []
        # The bodies of loops, and for each of its values the lines that were printed for it.
        self.programs: list[Any] = []
        self.printed: dict[int, list[tuple[Value, list[str]]]] = {}
        # Values, and the lines that they come from, the innermost first.
        self._sources: dict[int, tuple[Value, tuple[Place, ...]]] = {}

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
        with observe.listening(self._hear), public.written_at_once():
            return run()

    def kernel_at(self, address: int) -> int | None:
        """Which of the kernels lies at an address."""
        for number, kernel in enumerate(self.kernels):
            if machine.address(kernel.ir, kernel.optimise) == address:
                return number
        return None

    def sources_of(self, value: Value) -> tuple[Place, ...]:
        """The lines of a scalar function that made a value, and who called these; innermost first."""
        return self._sources[id(value)][1] if id(value) in self._sources else ()

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
        if event != "call":
            return
        if code is _MADE:
            self._note_value(frame.f_locals["self"], frame.f_back)
        if not is_generated(code):
            return
        if code not in self.functions:
            self.functions.append(code)
            for table in map(frame.f_globals.get, code.co_names):
                if isinstance(table, Table):
                    self.operators[code] = table.op
        self.callers.append((place_of(frame.f_back), code))

    def _note_value(self, value: Value, frame: FrameType | None) -> None:
        places = []
        while frame is not None:
            code = frame.f_code
            if code in _REWRITERS:
                stands_for = frame.f_locals["value"]
                self._sources[id(value)] = value, self.sources_of(stands_for)
                return
            if is_mathematics(code):
                places.append(Place(code, frame.f_lineno))
            elif not code.co_filename.replace("\\", "/").endswith(_MAKERS):
                break
            frame = frame.f_back
        self._sources[id(value)] = value, tuple(places)


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
    """Whether a function was made from text while the program runs; not the text that makes it."""
    return code.co_filename.startswith("<rushlight") and code.co_name != "<module>"


def is_mathematics(code: CodeType) -> bool:
    """Whether a function that makes values says what is computed for one element.

    Those are the functions of families and of mathematics here, and all of programs.
    """
    name = code.co_filename.replace("\\", "/")
    is_family = "/engine/ops/" in name and "/engine/ops/kinds/" not in name
    is_ours = name.startswith(_PACKAGE)
    return not is_ours or is_family or "/engine/loops/maths/" in name


def place_of(frame: FrameType | None) -> Place | None:
    """The innermost line of a generated function from a frame outwards."""
    while frame is not None:
        if is_generated(frame.f_code):
            return Place(frame.f_code, frame.f_lineno)
        frame = frame.f_back
    return None

"""Programs: the segments of a function that were captured, found again by their guards."""

from __future__ import annotations

import collections
import functools
import inspect
import logging
import threading
import types
import warnings
from collections.abc import Callable
from typing import Any

from rushlight import _logging
from rushlight._capture import tracebacks
from rushlight._capture.breaks import GraphCompileReason, Uncapturable
from rushlight._capture.frames import Frame, binder, parameters, read
from rushlight._capture.interpreter import Interpreter, Raised
from rushlight._capture.segments import MISSED, Segment, Settings, capture
from rushlight._capture.status import status, under_way
from rushlight._capture.varying import History
from rushlight._dynamo import config
from rushlight._dynamo.exc import (
    BackendCompilerFailed,
    FailOnRecompileLimitHit,
    InternalTorchDynamoError,
    RecompileError,
    TorchDynamoException,
    Unsupported,
)
from rushlight._dynamo.utils import counters
from rushlight._state import interrupts
from rushlight.engine.core.guard_programs import ANOTHER_WAY, ProgramOwner
from rushlight.engine.native.forks import hold_over_fork
from rushlight.engine.native.garbage import uncollected
from rushlight.fx._symbolic_trace import is_fx_symbolic_tracing
from rushlight.fx.experimental._shape_contexts import ConstraintViolationError

_log = logging.getLogger("torch._dynamo")
_graph_breaks = _logging.getArtifactLogger(__name__, "graph_breaks")
_recompiles = _logging.getArtifactLogger(__name__, "recompiles")
_settings = vars(config)
# Held while a thread says which segment is tried first: in Python and by machine code it has to be the same.
_choosing = threading.Lock()
hold_over_fork(_choosing)
# Errors that say what is wrong with how a program uses capture.
_OF_USE = (BackendCompilerFailed, ConstraintViolationError, TorchDynamoException)


class _Entry:
    """How calls of a function begin. Its code or its defaults may be others later.

    Args:
        function: the function
    """

    def __init__(self, function: types.FunctionType) -> None:
        self.code, self.defaults = function.__code__, function.__defaults__
        self.keyword_defaults = function.__kwdefaults__
        read_code = read(self.code)
        self.is_capturable = read_code.is_known and not self.code.co_flags & inspect.CO_GENERATOR
        self.bind = binder(function, self.defaults, self.keyword_defaults)
        self.names = parameters(self.code)
        kinds = self.code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
        is_plain = not (self.code.co_kwonlyargcount or kinds)
        # So many arguments without names are what the function gets; -1 if there is more to it.
        self.count = self.code.co_argcount if is_plain else -1
        # Or it gets them as a tuple, however many there are.
        self.takes_any = len(self.names) == 1 and kinds == inspect.CO_VARARGS
        self.place = ((read_code, 0, 0, *self.names),)


def _misses(*given: Any) -> Any:
    return MISSED


class Captured(ProgramOwner):
    """A function with the segments that are known of it.

    Args:
        function: the function
        settings: how it is compiled
    """

    def __init__(self, function: types.FunctionType, settings: Settings) -> None:
        super().__init__()
        self.function, self.settings = function, settings
        self.entry = _Entry(function)
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        # That of the whole call that was the last one to do.
        self.latest: Callable[..., Any] = _misses
        self.show(None)
        # By the places of the frames: the segments that begin there.
        self.segments: dict[Any, list[Segment]] = {}
        self.histories: dict[Any, History] = collections.defaultdict(History)
        # Where nothing more is captured, and why.
        self.given_up: dict[Any, str] = {}
        self.reasons: list[GraphCompileReason] = []

    def through(
        self, entry: _Entry, given: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """A call segment by segment, with what no graph has between them."""
        function = self.function
        frames = [Frame(function, dict(zip(entry.names, given)), function.__closure__ or ())]
        place: Any = entry.place
        while True:
            segment, result = self._segment(place, frames, given)
            if segment is None:
                if self._is_new(frames):
                    return function(*args, **kwargs)
                return self._for_real(frames)
            if segment.ends:
                return result
            frames = result
            ended, value = self._break(frames)
            if ended:
                return value
            place = tuple((f.code, f.place, len(f.stack), *f.locals) for f in frames)
            given = (frames,)

    @staticmethod
    def _is_new(frames: list[Frame]) -> bool:
        return len(frames) == 1 and frames[0].place == 0

    def _segment(
        self, place: Any, frames: list[Frame], given: tuple[Any, ...]
    ) -> tuple[Segment | None, Any]:
        """The segment for frames, and what it gives.

        Args:
            place: where the frames are
            frames: the calls that are being interpreted
            given: what functions of segments get there
        """
        begins = place is self.entry.place
        known = self.segments.setdefault(place, [])
        for number, segment in enumerate(known):
            result = segment.attempt(*given)
            if result is not MISSED:
                if number:
                    # Calls that follow each other are mostly alike.
                    self.segments[place] = [segment, *(one for one in known if one is not segment)]
                if begins:
                    self._try_first(segment)
                return segment, result
        if config.error_on_nested_fx_trace and is_fx_symbolic_tracing():
            raise RuntimeError(
                "Detected that you are using FX to symbolically trace a dynamo-optimized function. This is not supported at the moment."
            )
        if place in self.given_up or self._is_too_many(place, known, frames):
            return None, None
        made = self._captured_from(place, frames, begins)
        if made is None:
            return None, None
        if not made.ends:
            self._note_break(made)
        known.append(made)
        result = made.attempt(*given)
        if result is MISSED:
            return None, None
        if begins:
            self._try_first(made)
        return made, result

    def _try_first(self, segment: Segment) -> None:
        """Let the next call begin with a segment, if that is a whole call."""
        if segment.ends:
            with _choosing:
                # What goes ends behind the lock.
                before = self.latest, self._kept
                self.latest = segment.attempt
                self.show(segment.program)
            del before

    def _captured_from(self, place: Any, frames: list[Frame], begins: bool) -> Segment | None:
        """A new segment; None if nothing can be captured there."""
        try:
            with interrupts.deferred(), uncollected():
                return capture(frames, self.settings, self.histories[place], begins)
        except Uncapturable as refusal:
            if self.settings.whole:
                raise Unsupported(str(refusal)) from None
            self.given_up[place] = str(refusal)
            _graph_breaks.debug("Nothing is captured: %s", refusal)
        except _OF_USE as error:
            if not config.suppress_errors:
                raise
            self._give_up(place, error)
        except Exception as error:
            if self.settings.whole and not config.suppress_errors:
                raise InternalTorchDynamoError(f"{type(error).__name__}: {error}") from error
            # The program can go on, and whoever reads the warning can tell us.
            self._give_up(place, error)
        return None

    def _note_break(self, made: Segment) -> None:
        if self.settings.whole:
            where = tracebacks.text(made.trail)
            raise Unsupported(f"the function is not one graph: {made.reason}\n\n{where}")
        self.reasons.append(GraphCompileReason(made.reason, tracebacks.stack(made.trail)))
        counters["graph_break"][made.reason] += 1
        _graph_breaks.debug(
            "Graph break in user code\nGraph Break Reason: %s\nUser code traceback:\n%s",
            made.reason, tracebacks.text(made.trail),
        )  # fmt: skip

    def _give_up(self, place: Any, error: BaseException) -> None:
        self.given_up[place] = f"{type(error).__name__}: {error}"
        warnings.warn(
            f"{self.function.__qualname__} is not compiled here: capture failed with "
            f"{self.given_up[place]}",
            RuntimeWarning,
            stacklevel=5,
        )

    def _is_too_many(self, place: Any, known: list[Segment], frames: list[Frame]) -> bool:
        """Whether no further segment is made here; if it is made, that is told."""
        if not known:
            return False
        code = self.function.__code__
        if config.error_on_recompile or _recompiles.isEnabledFor(logging.DEBUG):
            failed = "\n".join(f"        - {one.failing(frames)}" for one in known)
            told = (
                f"Recompiling function {code.co_name} in {code.co_filename}:{code.co_firstlineno}\n"
                f"    triggered by the following guard failure(s):\n{failed}"
            )
            _recompiles.debug("%s", told)
            if config.error_on_recompile:
                raise RecompileError(told)
        count = sum(map(len, self.segments.values()))
        if len(known) >= config.recompile_limit:
            name, limit = "recompile_limit", config.recompile_limit
        elif count >= config.accumulated_recompile_limit:
            name, limit = "accumulated_recompile_limit", config.accumulated_recompile_limit
        else:
            return False
        self.given_up[place] = f"{name} ({limit})"
        _log.warning(
            "torch._dynamo hit config.%s (%s)\n   function: '%s' (%s:%s)\n   last reason: %s\n"
            'To log all recompilation reasons, use TORCH_LOGS="recompiles".',
            name, limit, code.co_name, code.co_filename, code.co_firstlineno,
            known[-1].failing(frames),
        )  # fmt: skip
        if config.fail_on_recompile_limit_hit or self.settings.whole:
            del self.given_up[place]
            which = (
                "fail_on_recompile_limit_hit"
                if config.fail_on_recompile_limit_hit
                else "fullgraph=True"
            )
            raise FailOnRecompileLimitHit(f"Hard failure due to {which}")
        return True

    def _break(self, frames: list[Frame]) -> tuple[bool, Any]:
        """Do the instruction that no graph has; whether the function has ended, and its result."""
        interpreter = Interpreter(frames)
        _do(interpreter, 1)
        return interpreter.is_done, interpreter.result

    def _for_real(self, frames: list[Frame]) -> Any:
        """Interpret the rest."""
        interpreter = Interpreter(frames)
        _do(interpreter, None)
        return interpreter.result


def _do(interpreter: Any, steps: int | None) -> None:
    """Do so many instructions, or all."""
    raised: Any = None
    try:
        while not interpreter.is_done and steps != 0:
            interpreter.step()
            steps = None if steps is None else steps - 1
    except Raised as found:
        raised = found
    if raised is not None:
        # Raised out here, it has the context that it has in the program. Nothing here may hold it: its traceback
        # holds what is here.
        interpreter.forget()
        try:
            raise tracebacks.shown(raised.error, raised.trail)
        finally:
            del raised


def compiled_function(function: types.FunctionType, settings: Settings) -> Any:
    """A function that captures and runs another one."""
    known = Captured(function, settings)

    # Machine code makes a call that is remembered. Where it cannot, this is all of the call but its segment: each
    # function more that it went through would be felt.
    @functools.wraps(function)
    def compiled(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            result = known.call(*args)
            if result is not ANOTHER_WAY:
                return result
        if (under_way and status.is_capturing) or _settings["disable"]:
            return function(*args, **kwargs)
        entry = known.entry
        if (
            function.__code__ is not entry.code
            or function.__defaults__ is not entry.defaults
            or function.__kwdefaults__ is not entry.keyword_defaults
        ):
            entry = known.entry = _Entry(function)
        if not entry.is_capturable:
            if known.settings.whole and not read(function.__code__).is_known:
                raise Unsupported(
                    f"the function is not one graph: {function.__qualname__} has instructions, or asks for its frame "
                    "in ways, that are not interpreted"
                )
            return function(*args, **kwargs)
        given: tuple[Any, ...]
        if not kwargs and len(args) == entry.count:
            given = args
        elif not kwargs and entry.takes_any:
            given = (args,)
        else:
            given = entry.bind(*args, **kwargs)
        result = known.latest(*given)
        return known.through(entry, given, args, kwargs) if result is MISSED else result

    compiled._captured = known  # type: ignore[attr-defined]
    return compiled

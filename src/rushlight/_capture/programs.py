"""Programs: the segments of a function that were captured, found again by their guards."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
import warnings
from collections.abc import Callable
from typing import Any

from rushlight._capture import guarding
from rushlight._capture.breaks import Break, Uncapturable
from rushlight._capture.capturing import Capture
from rushlight._capture.frames import NULL, Frame, Unread, bound, read
from rushlight._capture.interpreter import Interpreter, Raised
from rushlight._capture.reading import HELPERS, Reader
from rushlight._capture.rebuilding import Rebuilder
from rushlight._capture.recording import Recorder
from rushlight._capture.status import status
from rushlight._dynamo.exc import (
    BackendCompilerFailed,
    InternalTorchDynamoError,
    Unsupported,
)
from rushlight.engine.core import state
from rushlight.engine.dispatch.source import define
from rushlight.fx.graph_module import GraphModule

Backend = Callable[[GraphModule, list[Any]], Callable[..., Any]]


@dataclasses.dataclass(slots=True)
class Settings:
    """How a function is compiled.

    Args:
        backend: makes a graph a function
        whole: refuse functions that are not one graph
        limit: so many segments begin at one place
    """

    backend: Backend
    whole: bool
    limit: int


@dataclasses.dataclass(slots=True)
class Segment:
    """A graph with what must hold for it, and how the program goes on behind it.

    Args:
        inputs: the graph's inputs, of the frames; None where the guards do not hold
        run: the compiled graph
        rebuild: of the frames and the graph's results: the result of the whole, or the frames
        ends: whether that is the result
        reason: why the graph ended
    """

    inputs: Callable[[Any], tuple[Any, ...] | None]
    run: Callable[..., Any]
    rebuild: Callable[[Any, Any], Any]
    ends: bool
    reason: str


def thread_facts() -> tuple[Any, ...]:
    """What decides what operators do, besides their arguments."""
    thread = state.thread
    return (
        thread.grad_enabled, thread.inference, thread.included, thread.excluded,
        len(thread.modes), len(thread.layers), state.default_dtype(), state.deterministic,
    )  # fmt: skip


class Captured:
    """A function with the segments that are known of it.

    Args:
        function: the function
        settings: how it is compiled
    """

    def __init__(self, function: types.FunctionType, settings: Settings) -> None:
        self.function, self.settings = function, settings
        # By the places of the frames: the segments that begin there.
        self.segments: dict[Any, list[Segment]] = {}
        # Where nothing more is captured, and why.
        self.given_up: dict[Any, str] = {}
        self.reasons: list[str] = []

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        function = self.function
        if status.is_capturing:
            return function(*args, **kwargs)
        code = function.__code__
        if not read(code).is_known or code.co_flags & inspect.CO_GENERATOR:
            return function(*args, **kwargs)
        named = bound(function, args, kwargs, function.__defaults__, function.__kwdefaults__)
        frames = [Frame(function, named, function.__closure__ or ())]
        while True:
            place = tuple((f.code, f.place, len(f.stack), *f.locals) for f in frames)
            segment, inputs = self._segment(place, frames)
            if segment is None or inputs is None:
                if self._is_new(frames):
                    return function(*args, **kwargs)
                return self._for_real(frames)
            result = segment.rebuild(frames, segment.run(*inputs))
            if segment.ends:
                return result
            frames = result
            ended, value = self._break(frames)
            if ended:
                return value

    @staticmethod
    def _is_new(frames: list[Frame]) -> bool:
        return len(frames) == 1 and frames[0].place == 0

    def _segment(self, place: Any, frames: list[Frame]) -> tuple[Segment | None, Any]:
        """The segment for frames, and its graph's inputs."""
        known = self.segments.setdefault(place, [])
        for segment in known:
            inputs = segment.inputs(frames)
            if inputs is not None:
                return segment, inputs
        if place in self.given_up:
            return None, None
        if len(known) >= self.settings.limit:
            self.given_up[place] = "too many segments"
            return None, None
        try:
            made = capture(frames, self.settings)
        except Uncapturable as refusal:
            if self.settings.whole:
                raise Unsupported(str(refusal)) from None
            self.given_up[place] = str(refusal)
            return None, None
        except BackendCompilerFailed:
            raise
        except Exception as error:
            if self.settings.whole:
                raise InternalTorchDynamoError(f"{type(error).__name__}: {error}") from error
            # The program can go on, and whoever reads the warning can tell us.
            self.given_up[place] = f"{type(error).__name__}: {error}"
            warnings.warn(
                f"{self.function.__qualname__} is not compiled here: capture failed with "
                f"{self.given_up[place]}",
                RuntimeWarning,
                stacklevel=4,
            )
            return None, None
        if not made.ends:
            if self.settings.whole:
                raise Unsupported(f"the function is not one graph: {made.reason}")
            self.reasons.append(made.reason)
        known.append(made)
        return made, made.inputs(frames)

    def _break(self, frames: list[Frame]) -> tuple[bool, Any]:
        """Do the instruction that no graph has; whether the function has ended, and its result."""
        interpreter = Interpreter(frames)
        try:
            interpreter.step()
        except Raised as raised:
            raise raised.error from None
        return interpreter.is_done, interpreter.result

    def _for_real(self, frames: list[Frame]) -> Any:
        """Interpret the rest."""
        interpreter = Interpreter(frames)
        try:
            while not interpreter.is_done:
                interpreter.step()
        except Raised as raised:
            raise raised.error from None
        return interpreter.result


def capture(frames: list[Frame], settings: Settings) -> Segment:
    """The segment that begins where frames are."""
    recorder = Recorder()
    reader = Reader(recorder.admit)
    shown = [_unread(frame, number) for number, frame in enumerate(frames)]
    capturing = Capture(shown, reader, recorder)
    if state.active:
        reader.guard(f"thread_facts() == {reader.name(thread_facts())}")
    else:
        reader.guard("not state.active")
        reader.guard(f"thread.grad_enabled is {state.thread.grad_enabled}")
        reader.guard(f"state._default_dtype is {reader.name(state.default_dtype())}")
    reason = ""
    before = state.thread.grad_enabled
    status.is_capturing = True
    try:
        with recorder.fakes, recorder:
            while not capturing.is_done:
                reason = _step(capturing, recorder)
                if reason:
                    break
    finally:
        status.is_capturing = False
        recorder.grad_mode = state.thread.grad_enabled
        state.set_grad(before)
    return _made(capturing, reader, recorder, settings, reason)


def _unread(frame: Frame, number: int) -> Frame:
    """A frame in which everything is still to be read."""
    made = Frame.__new__(Frame)
    made.function, made.code, made.globals = frame.function, frame.code, frame.globals
    here = f"F[{number}]"
    made.locals = {k: Unread(v, f"{here}.locals[{k!r}]") for k, v in frame.locals.items()}
    made.cells = {}
    for name, cell in frame.cells.items():
        try:
            value = cell.cell_contents
        except ValueError:
            raise Uncapturable(f"the variable {name} has no value yet") from None
        made.cells[name] = Unread(value, f"{here}.cells[{name!r}].cell_contents")
    made.stack = [
        x if x is NULL else Unread(x, f"{here}.stack[{k}]") for k, x in enumerate(frame.stack)
    ]
    made.place, made.names = frame.place, frame.names
    made.gives = frame.gives if frame.gives is NULL else Unread(frame.gives, f"{here}.gives")
    made.source, made.generator = here, None
    return made


def _step(capturing: Capture, recorder: Recorder) -> str:
    """Capture one instruction; why the graph ends before it, if it does."""
    frame, depth = capturing.frame, len(capturing.frames)
    kept = frame.snapshot()
    last = next(reversed(recorder.graph.nodes), None)
    try:
        capturing.step()
        return ""
    except Break as found:
        reason = f"{found.reason} ({frame.function.__qualname__}, line {kept_line(frame, kept)})"
    del capturing.frames[depth:]
    frame.restore(kept)
    for node in reversed(recorder.graph.nodes):
        if node is last:
            break
        if node.op != "placeholder":
            recorder.graph.erase_node(node)
    return reason


def kept_line(frame: Frame, kept: tuple[Any, ...]) -> int:
    return frame.code.instructions[kept[1]].line


def _made(
    capturing: Capture, reader: Reader, recorder: Recorder, settings: Settings, reason: str
) -> Segment:
    """The segment of what was captured."""
    rebuilder = Rebuilder(reader, recorder)
    for number, frame in enumerate(capturing.frames):
        if frame.source is not None:
            reader.know(frame.function, f"F[{number}].function", frame.function)
    if capturing.is_done:
        result = rebuilder.text(capturing.result)
    else:
        result = rebuilder.frames(capturing.frames)
    result = rebuilder.keep(result)
    effects = rebuilder.effects()
    if recorder.grad_mode is not state.thread.grad_enabled:
        # The graph ends within a block.
        effects.append(f"set_grad({recorder.grad_mode})")
    reader.guard_apart()
    run = _compiled(recorder, rebuilder, settings)
    given = "".join(f"{source}, " for source in reader.tensors)
    kept: dict[str, Any] = {"state": state, "thread": state.thread, **HELPERS}
    kept |= {f"O{number}": item for number, item in enumerate(reader.objects)}
    kept |= {"thread_facts": thread_facts, "set_grad": state.set_grad}
    lines = [
        "def inputs(F):",
        "    try:",
        *(f"        {line}" for line in guarding.statements(reader.guards, f"({given})")),
        "    except (AttributeError, KeyError, IndexError, TypeError):",
        "        return None",
        "def rebuild(F, G):",
        *(f"    {line}" for line in (*rebuilder.lines, *effects)),
        f"    return {result}",
        "return inputs, rebuild",
    ]
    text = "def functions():\n" + "".join(f"    {line}\n" for line in lines)
    inputs, rebuild = define("functions", text, kept, "guards of a graph")()
    return Segment(inputs, run, rebuild, capturing.is_done, reason)


def _compiled(recorder: Recorder, rebuilder: Rebuilder, settings: Settings) -> Callable[..., Any]:
    graph = recorder.graph
    graph.output(tuple(rebuilder.outputs))
    if not any(node.op not in ("placeholder", "output") for node in graph.nodes):
        # Nothing is computed.
        places = [n for n in graph.nodes if n.op == "placeholder"]
        taken = [places.index(node) for node in rebuilder.outputs]
        return lambda *given: [given[k] for k in taken]
    graph.lint()
    module = GraphModule({}, graph)
    examples = [n.meta["example_value"] for n in graph.nodes if n.op == "placeholder"]
    try:
        return settings.backend(module, examples)
    except Exception as error:
        raise BackendCompilerFailed(settings.backend, error) from error


def compiled_function(function: types.FunctionType, settings: Settings) -> Any:
    """A function that captures and runs another one."""
    known = Captured(function, settings)

    @functools.wraps(function)
    def compiled(*args: Any, **kwargs: Any) -> Any:
        return known(args, kwargs)

    compiled._captured = known  # type: ignore[attr-defined]
    return compiled

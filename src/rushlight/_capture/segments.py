"""Segments: what is captured of a program from one place on, made to be run again."""

from __future__ import annotations

import logging
import re
import types
from collections.abc import Callable, Iterable
from typing import Any

from rushlight import _logging
from rushlight._C import _set_grad_enabled
from rushlight._capture import guarding, machine_guards, tracebacks
from rushlight._capture.breaks import Break, Spoilt, Uncapturable
from rushlight._capture.calling import Capture
from rushlight._capture.frames import Frame
from rushlight._capture.interpreter import Generator
from rushlight._capture.modes import switch_of
from rushlight._capture.naming import shown_source
from rushlight._capture.reading import HELPERS, Reader
from rushlight._capture.rebuilding import Rebuilder
from rushlight._capture.recording import Recorder
from rushlight._capture.status import making_a_graph
from rushlight._capture.tracebacks import Place
from rushlight._capture.varying import History, Variation
from rushlight._dynamo import config
from rushlight._dynamo.exc import BackendCompilerFailed
from rushlight._dynamo.utils import counters
from rushlight.engine.core import state
from rushlight.engine.core.guard_programs import Program
from rushlight.engine.dispatch import autocasting
from rushlight.engine.dispatch.source import define, forget_with
from rushlight.engine.native.records import dataclass
from rushlight.fx._lazy_graph_module import _LazyGraphModule
from rushlight.fx.graph_module import GraphModule

# What a segment gives that is not for these frames.
MISSED = object()
Backend = Callable[[GraphModule, list[Any]], Callable[..., Any]]
_log = logging.getLogger("torch._dynamo")
_graph_code = _logging.getArtifactLogger(__name__, "graph_code")
_guards = _logging.getArtifactLogger(__name__, "guards")
_output_code = _logging.getArtifactLogger(__name__, "output_code")


@dataclass(slots=True)
class Settings:
    """How a function is compiled.

    Args:
        backend: makes a graph a function
        whole: refuse functions that are not one graph
        dynamic: whether sizes are symbols from the start; if None, once they have varied
    """

    backend: Backend
    whole: bool
    dynamic: bool | None


@dataclass(slots=True)
class Segment:
    """A graph with what must hold for it, and how the program goes on behind it.

    Args:
        attempt: `MISSED` where the guards do not hold; else it runs the graph and gives the result of the whole, or the
            frames. It is called with the frames, or, where a call begins, with the call's arguments
        ends: whether that is the result
        reason: why the graph ended
        trail: where in the program that was
        guards: the guards one by one, and the names in them
        program: does the same as machine code, if it can
    """

    attempt: Callable[..., Any]
    ends: bool
    reason: str
    trail: list[Place]
    guards: tuple[list[str], dict[str, Any]]
    program: Program | None

    def failing(self, frames: Any) -> str:
        """The first guard that does not hold, as programs know it."""
        texts, names = self.guards
        for text in texts:
            try:
                holds = eval(text, {**names, "F": frames})
            except (AttributeError, KeyError, IndexError, TypeError):
                holds = False
            if not holds:
                return _shown_guard(text, names)
        return "no guard"


def _shown_guard(text: str, names: dict[str, Any]) -> str:
    """A guard with sources as programs know them, and what stays the same by itself."""
    found = re.sub(r"\bO\d+\b", lambda m: _brief(names[m[0]]), text)
    return shown_source(found).replace("._size_", ".size()").replace("._dtype_", ".dtype")


def _brief(value: Any) -> str:
    found = value.__name__ if isinstance(value, (type, types.FunctionType)) else repr(value)
    return found if len(found) < 80 else f"<{type(value).__name__}>"


def thread_facts() -> tuple[Any, ...]:
    """What decides what operators do, besides their arguments."""
    thread = state.thread
    return (
        thread.grad_enabled, thread.inference, thread.included, thread.excluded,
        len(thread.modes), len(thread.layers), state.default_dtype(), state.deterministic,
        autocasting.dtype_of("cpu"),
    )  # fmt: skip


def capture(
    frames: list[Frame], settings: Settings, history: History, begins: bool = False
) -> Segment:
    """The segment that begins where frames are.

    Args:
        frames: the calls that are being interpreted
        settings: how the function is compiled
        history: the sizes that this place has seen
        begins: whether a call begins there, so that there is nothing yet but its arguments
    """
    machine_guards.compile_ahead()
    found = interpreted(frames, settings.dynamic, history, settings.whole)
    try:
        return _made(found, settings, frames, _arguments(frames[0], found.reader) if begins else {})
    finally:
        # These know one another, and so would keep the program's tensors until garbage is looked for.
        found.reader.forget()
        found.recorder.forget()
        found.capturing.frames.clear()


def _arguments(frame: Frame, reader: Reader) -> dict[str, str]:
    """How a function that gets the arguments of a call names what is in a frame that begins."""
    named = {f"F[0].locals[{name!r}]": f"a{k}" for k, name in enumerate(frame.locals)}
    named |= {f"F[0].cells[{name!r}]": reader.name(cell) for name, cell in frame.cells.items()}
    return {**named, "F[0].function": reader.name(frame.function)}


@dataclass(slots=True)
class Interpreted:
    """What was done from a place of a program to the end of a graph.

    Args:
        capturing: the interpreter
        reader: what has been read
        recorder: the graph
        reason: why it ends, if the program does not
        trail: where in the program that is
        modes: what is to be switched behind the graph
    """

    capturing: Capture
    reader: Reader
    recorder: Recorder
    reason: str
    trail: list[Place]
    modes: list[Any]


def interpreted(
    frames: list[Frame], dynamic: bool | None, history: History, whole: bool = False
) -> Interpreted:
    """What is done from where frames are to the end of a graph.

    Args:
        frames: the calls that are being interpreted
        dynamic: whether sizes are symbols from the start; if None, once they have varied
        history: the sizes that this place has seen
        whole: whether elements, and sizes that they decide, are symbols rather than the graph's end
    """
    stop: tuple[int, str] | None = None
    while True:
        recorder = Recorder(Variation(history, dynamic), whole)
        try:
            return _attempt(frames, recorder, stop)
        except Spoilt as found:
            if stop is not None and stop[0] <= recorder.steps:
                raise Uncapturable(found.reason) from None
            stop = recorder.steps, found.reason


def _attempt(frames: list[Frame], recorder: Recorder, stop: tuple[int, str] | None) -> Interpreted:
    """Capture up to an instruction, if one is known that cannot be in the graph."""
    reader = Reader(recorder)
    capturing = Capture(_unread(frames, reader), reader, recorder)
    if state.active:
        reader.guard(f"thread_facts() == {reader.name(thread_facts())}")
    else:
        reader.guard("not state.active")
        reader.guard(guarding.RECORDING.format(state.thread.grad_enabled))
        reader.guard(f"state._default_dtype is {reader.name(state.default_dtype())}")
    if _log.isEnabledFor(logging.DEBUG):
        _log.debug("capture begins:\n%s", tracebacks.text(tracebacks.places(frames)))
    before = state.thread.grad_enabled
    try:
        with making_a_graph():
            with recorder.fakes, recorder:
                reason, trail = _walk(capturing, recorder, stop)
            modes = _restored(capturing, recorder, before)
    finally:
        for manager, _ in reversed(capturing.open_modes):
            manager.__exit__(None, None, None)
        state.set_grad(before)
    return Interpreted(capturing, reader, recorder, reason, trail, modes)


def _walk(
    capturing: Capture, recorder: Recorder, stop: tuple[int, str] | None
) -> tuple[str, list[Place]]:
    """Interpret until the program or the graph ends; why the graph does, and where in the program that is."""
    while not capturing.is_done:
        if stop is not None and recorder.steps == stop[0]:
            reason = _with_place(stop[1], capturing.frame)
        else:
            reason = _step(capturing, recorder)
        recorder.steps += 1
        if reason:
            return reason, tracebacks.places(capturing.frames)
    return "", []


def _restored(capturing: Capture, recorder: Recorder, before: bool) -> list[Any]:
    """Let the graph leave what it has switched; what is to be switched again behind it."""
    for manager, node in reversed(capturing.open_modes):
        switch = switch_of(manager)
        if switch is not None:
            recorder.note(switch.end, node)
    after = state.thread.grad_enabled
    if after is not before:
        recorder.note(_set_grad_enabled, before)
    return [manager for manager, _ in capturing.open_modes] + [after] * (after is not before)


def _unread(frames: list[Frame], reader: Reader) -> list[Frame]:
    """Frames in which everything is still to be read."""
    made = [frame.unread(f"F[{number}]", reader.cell) for number, frame in enumerate(frames)]
    for number, (frame, shown) in enumerate(zip(frames, made)):
        reader.know(frame.function, f"F[{number}].function", frame.function)
        if frame.generator is not None:
            shown.generator = Generator(shown)
            reader.know_running(frame.generator, shown.generator, f"F[{number}].generator")
    return made


def _step(capturing: Capture, recorder: Recorder) -> str:
    """Capture one instruction; why the graph ends before it, if it does."""
    if capturing.only_moves():
        capturing.step()
        return ""
    frame, frames = capturing.frame, [*capturing.frames]
    kept = frame.snapshot()
    # Ending, or giving an item, it changes the one that waits for it.
    waiting = frames[-2].snapshot() if len(frames) > 1 else None
    last = recorder.last
    try:
        capturing.step()
        return ""
    except Break as found:
        reason = found.reason
    capturing.frames[:] = frames
    frame.restore(kept)
    reason = _with_place(reason, frame)
    if waiting is not None:
        frames[-2].restore(waiting)
    if frame.generator is not None:
        frame.generator.is_done = False
    recorder.take_back(last)
    return reason


def _with_place(reason: str, frame: Frame) -> str:
    return f"{reason} ({frame.function.__qualname__}, line {frame.next.line})"


def _made(
    found: Interpreted, settings: Settings, frames: list[Frame], arguments: dict[str, str]
) -> Segment:
    """The segment of what was captured."""
    capturing, reader, recorder = found.capturing, found.reader, found.recorder
    rebuilder = Rebuilder(reader, recorder)
    rebuilt = rebuilding(found, rebuilder)
    reader.guard_apart()
    run = _compiled(recorder, rebuilder, settings)
    reader.guard_distinct(recorder.tensors)
    recorder.variation.check()
    for text in recorder.guards():
        reader.guard(text)
    kept, guards = known_names(reader), reader.guards
    asked, named = guarding.with_tensors_at_once(guards, reader.tensors)
    in_program = _raiser(found, frames)
    attempt = _attempt_function(
        asked, given(recorder), rebuilt, arguments, {**kept, **named}, run, in_program
    )
    program = None
    if arguments and capturing.is_done:
        program = _program(found, guards, rebuilt, arguments, kept, run, in_program, frames[0])
    if _guards.isEnabledFor(logging.DEBUG):
        _guards.debug("GUARDS:\n%s", "\n".join(_shown_guard(one, kept) for one in guards))
    return Segment(
        attempt, capturing.is_done, found.reason, found.trail, (list(guards), kept), program
    )


def _program(
    found: Interpreted, guards: Iterable[str], after: list[str], arguments: dict[str, str],
    kept: dict[str, Any], run: Callable[..., Any], in_program: Callable[[Exception], BaseException],
    frame: Frame,
) -> Program | None:  # fmt: skip
    """A segment that is a whole call as machine code; see `_attempt_function`."""
    reader, recorder = found.reader, found.recorder

    def failed(error: Exception) -> None:
        try:
            raise in_program(error)
        finally:
            del error

    return machine_guards.program_of(
        frame.function,
        [_renamed(text, arguments) for text in guards],
        {
            _renamed(source, arguments): (expected, [_renamed(text, arguments) for text in texts])
            for source, (expected, texts) in reader.tensors.items()
        },
        [_renamed(source, arguments) for source in recorder.inputs],
        [_renamed(line, arguments) for line in after],
        _taken(arguments),
        kept,
        run,
        failed,
    )


def _renamed(text: str, arguments: dict[str, str]) -> str:
    """A text with the names of arguments for what is in a frame that begins."""
    for place, name in arguments.items():
        text = text.replace(place, name)
    return text


def _taken(arguments: dict[str, str]) -> list[str]:
    """The names of the arguments themselves."""
    return [name for place, name in arguments.items() if place.startswith("F[0].locals[")]


def _attempt_function(
    guards: Iterable[str], inputs: str, after: list[str], arguments: dict[str, str], kept: dict[str, Any],
    run: Callable[..., Any], in_program: Callable[[Exception], BaseException],
) -> Callable[..., Any]:  # fmt: skip
    """The function of a segment.

    Args:
        guards: what must hold
        inputs: the graph's inputs
        after: what makes the result of that of the graph
        arguments: the arguments' names for what is in the frame; empty where the function gets the frames
        kept: the names in all of these
        run: the compiled graph
        in_program: an error of the graph as one of the program
    """

    def named(text: str) -> str:
        return _renamed(text, arguments)

    lines = [
        "    try:",
        *(f"        {line}" for line in guarding.statements(map(named, guards), named(inputs))),
        "    except (AttributeError, KeyError, IndexError, TypeError):",
        "        return MISSED",
        "    try:",
        "        G = run(*given)",
        "    except Exception as error:",
        "        found = error",
        "    else:",
        *(f"        {named(line)}" for line in after),
        # Outside of the handler, it has the context that it has in the program; and nothing here may hold it.
        "    try:",
        "        raise in_program(found)",
        "    finally:",
        "        del found",
    ]
    head = f"def attempt({', '.join(_taken(arguments)) if arguments else 'F'}):"
    text = "".join(f"{line}\n" for line in (head, *lines))
    _output_code.debug("%s", text)
    names = {**kept, "MISSED": MISSED, "run": run, "in_program": in_program}
    made = define("attempt", text, names, tracebacks.SEGMENT)
    forget_with(made)
    return made


def _raiser(found: Interpreted, frames: list[Frame]) -> Callable[[Exception], BaseException]:
    """What gives an error of the graph the lines of the program in its traceback."""
    begin, trails = tracebacks.places(frames), found.recorder.trails

    def in_program(error: Exception) -> BaseException:
        trail = trails.get(tracebacks.line_in_graph(error) or "")
        return tracebacks.shown(error, trail or begin)

    return in_program


def rebuilding(found: Interpreted, rebuilder: Rebuilder) -> list[str]:
    """The statements of a function of the frames and of a graph's results: how the program goes on.

    Args:
        found: what was captured
        rebuilder: writes them
    """
    capturing = found.capturing
    if capturing.is_done:
        result = rebuilder.text(capturing.result)
    else:
        result = rebuilder.frames(capturing.frames)
    result = rebuilder.keep(result)
    effects = rebuilder.effects() if config.replay_side_effects else []
    modes = rebuilder.modes(found.modes)
    return [*rebuilder.lines, *effects, *modes, f"return {result}"]


def given(recorder: Recorder) -> str:
    """A tuple of the graph's inputs, over the frames."""
    return "(" + "".join(f"{source}, " for source in recorder.inputs) + ")"


def known_names(reader: Reader) -> dict[str, Any]:
    """What the names mean that guards, sources and statements have."""
    kept: dict[str, Any] = {"state": state, "thread": state.thread, **HELPERS}
    kept |= {f"O{number}": item for number, item in enumerate(reader.objects)}
    return kept | {"thread_facts": thread_facts}


def _compiled(recorder: Recorder, rebuilder: Rebuilder, settings: Settings) -> Callable[..., Any]:
    graph = recorder.graph
    graph.output(tuple(rebuilder.outputs))
    if not any(node.op not in ("placeholder", "output") for node in graph.nodes):
        # Nothing is computed.
        places = [n for n in graph.nodes if n.op == "placeholder"]
        taken = [places.index(node) for node in rebuilder.outputs]
        return lambda *given: [given[k] for k in taken]
    graph.lint()
    module = _LazyGraphModule(recorder.modules, graph)
    counters["stats"]["unique_graphs"] += 1
    counters["stats"]["calls_captured"] += sum(
        node.op in ("call_function", "call_method", "call_module") for node in graph.nodes
    )
    if _graph_code.isEnabledFor(logging.DEBUG):
        shown = module.print_readable(print_output=False)
        _graph_code.debug("TRACED GRAPH\n%s", shown)
    try:
        return settings.backend(module, recorder.examples())
    except Exception as error:
        raise BackendCompilerFailed(settings.backend, error) from error

"""Records the operators that a thread calls, and the blocks that it names."""

from __future__ import annotations

import itertools
import threading
import time
from typing import Any

from rushlight.autograd import profiler as marks
from rushlight.autograd.profiler_util import EventList, FunctionEvent, in_time
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.engine.native import memory


class _Watching(modes.TorchDispatchMode):
    """Sees every operator call and takes its time."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        recorder = self.recorder
        before = memory.words.current if recorder.with_memory else 0
        start = time.perf_counter_ns()
        result = func(*args, **(kwargs or {}))
        end = time.perf_counter_ns()
        shapes = [list(a.shape) if isinstance(a, Tensor) else [] for a in args]
        recorder.add(
            func.full_name.partition(".")[0],
            start,
            end,
            input_shapes=shapes if recorder.with_shapes else None,
            cpu_memory_usage=memory.words.current - before if recorder.with_memory else 0,
        )
        return result


# Those that are started, the latest last.
started: list[Recorder] = []


class Recorder:
    """Collects events of this thread while it is started."""

    def __init__(self, with_shapes: bool, with_memory: bool) -> None:
        self.with_shapes, self.with_memory = with_shapes, with_memory
        self.events: list[FunctionEvent] = []
        self._numbers = itertools.count(1)
        self._mode: _Watching | None = None

    def start(self) -> None:
        if self._mode is None:
            self._mode = _Watching(self)
            modes.push(self._mode)
            marks.listeners.append(self._note_block)
            started.append(self)

    def stop(self) -> None:
        if self._mode is not None:
            modes.pop()
            marks.listeners.remove(self._note_block)
            started.remove(self)
            self._mode = None

    def clear(self) -> None:
        self.events.clear()

    def add(self, name: str, start: int, end: int, **facts: Any) -> None:
        """Note an event; times are in nanoseconds."""
        thread = threading.get_ident()
        event = FunctionEvent(next(self._numbers), name, thread, start / 1000, end / 1000, **facts)
        self.events.append(event)

    def found(self) -> EventList:
        """All events in the order of time."""
        return in_time(self.events)

    def _note_block(self, name: str, arguments: str | None, start: int, end: int) -> None:
        self.add(name, start, end, is_user_annotation=True)

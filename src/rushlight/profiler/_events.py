"""What a profiler records, and how it is added up and shown."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rushlight.autograd import profiler as marks
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.engine.native import memory


@dataclass
class Event:
    """One call or block; times are in nanoseconds."""

    name: str
    start: int
    end: int
    thread: int
    input_shapes: list[Any] = field(default_factory=list)
    memory: int = 0
    children_time: int = 0
    is_user_annotation: bool = False

    @property
    def key(self) -> str:
        return self.name

    @property
    def cpu_time_total(self) -> float:
        """Microseconds from its start to its end."""
        return (self.end - self.start) / 1000

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds outside of what was called within."""
        return (self.end - self.start - self.children_time) / 1000


@dataclass
class Average:
    """All calls of one name."""

    key: str
    input_shapes: list[Any]
    count: int = 0
    cpu_time_total: float = 0.0
    self_cpu_time_total: float = 0.0
    cpu_memory_usage: int = 0

    @property
    def cpu_time(self) -> float:
        return self.cpu_time_total / self.count if self.count else 0.0

    def add(self, event: Event) -> None:
        self.count += 1
        self.cpu_time_total += event.cpu_time_total
        self.self_cpu_time_total += event.self_cpu_time_total
        self.cpu_memory_usage += event.memory


def _time_text(microseconds: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3f}{unit}"
    return f"{microseconds:.3f}us"


def _memory_text(size: int) -> str:
    for unit, factor in (("Gb", 1 << 30), ("Mb", 1 << 20), ("Kb", 1 << 10)):
        if abs(size) >= factor:
            return f"{size / factor:.2f} {unit}"
    return f"{size} b"


class EventList(list[Any]):
    """Events or averages, with ways to show them."""

    def key_averages(self, group_by_input_shapes: bool = False, **others: Any) -> EventList:
        found: dict[Any, Average] = {}
        for event in self:
            shapes = event.input_shapes if group_by_input_shapes else []
            key = (event.name, str(shapes))
            found.setdefault(key, Average(event.name, shapes)).add(event)
        return EventList(found.values())

    def total_average(self) -> Average:
        total = Average("Total", [])
        for event in self:
            if isinstance(event, Event):
                total.add(event)
            else:
                total.count += event.count
                total.cpu_time_total += event.cpu_time_total
                total.self_cpu_time_total += event.self_cpu_time_total
        return total

    @property
    def self_cpu_time_total(self) -> float:
        return float(sum(event.self_cpu_time_total for event in self))

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_name_column_width: int = 55,
        **others: Any,
    ) -> str:
        """Names, times and counts as text, the largest first if ``sort_by`` names a column."""
        rows = list(self)
        if rows and isinstance(rows[0], Event):
            rows = list(self.key_averages())
        if sort_by is not None:
            attribute = sort_by.replace("cuda", "cpu").replace("device", "cpu")
            rows.sort(key=lambda row: getattr(row, attribute), reverse=True)
        rows = rows[: row_limit if row_limit >= 0 else None]
        total = self.self_cpu_time_total or 1.0
        with_memory = any(row.cpu_memory_usage for row in rows)
        lines = [_titles(with_memory)]
        lines += [_cells(row, total, with_memory, max_name_column_width) for row in rows]
        return _aligned(lines) + f"\nSelf CPU time total: {_time_text(self.self_cpu_time_total)}\n"

    def __str__(self) -> str:
        return self.table()

    def trace(self) -> list[dict[str, Any]]:
        """The events as Chrome's trace viewer reads them."""
        made = []
        for event in self:
            arguments = {"Input Dims": event.input_shapes} if event.input_shapes else {}
            made.append(
                {
                    "ph": "X",
                    "cat": "user_annotation" if event.is_user_annotation else "cpu_op",
                    "name": event.name,
                    "pid": os.getpid(),
                    "tid": event.thread,
                    "ts": event.start / 1000,
                    "dur": (event.end - event.start) / 1000,
                    "args": arguments,
                }
            )
        return made

    def export_chrome_trace(self, path: str) -> None:
        import json

        with open(path, "w") as file:
            json.dump(self.trace(), file)


def _titles(with_memory: bool) -> list[str]:
    titles = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
    return [*titles, *(["CPU Mem"] if with_memory else []), "# of Calls"]


def _cells(row: Average, total: float, with_memory: bool, width: int) -> list[str]:
    name = row.key if len(row.key) <= width else row.key[: width - 3] + "..."
    cells = [
        name,
        f"{100 * row.self_cpu_time_total / total:.2f}%",
        _time_text(row.self_cpu_time_total),
        f"{100 * row.cpu_time_total / total:.2f}%",
        _time_text(row.cpu_time_total),
        _time_text(row.cpu_time),
    ]
    return [*cells, *([_memory_text(row.cpu_memory_usage)] if with_memory else []), str(row.count)]


def _aligned(lines: list[list[str]]) -> str:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    rule = "  ".join("-" * width for width in widths)
    shown = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines]
    return "\n".join([rule, shown[0], rule, *shown[1:], rule])


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
        event = Event(func.full_name.partition(".")[0], start, end, threading.get_ident())
        if recorder.with_shapes:
            event.input_shapes = [list(a.shape) if isinstance(a, Tensor) else [] for a in args]
        if recorder.with_memory:
            event.memory = memory.words.current - before
        recorder.events.append(event)
        return result


# Those that are started, the latest last.
started: list[Recorder] = []


class Recorder:
    """Collects events of this thread while it is started."""

    def __init__(self, with_shapes: bool, with_memory: bool) -> None:
        self.with_shapes, self.with_memory = with_shapes, with_memory
        self.events: list[Event] = []
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

    def _note_block(self, name: str, arguments: str | None, start: int, end: int) -> None:
        """A named block has ended: what was called within counts as its part."""
        inside = [e for e in self.events if start <= e.start and e.end <= end]
        event = Event(name, start, end, threading.get_ident(), is_user_annotation=True)
        event.children_time = _covered(inside)
        self.events.append(event)


def _covered(events: Iterable[Event]) -> int:
    """How long at least one of the events was going on."""
    total, reached = 0, 0
    for event in sorted(events, key=lambda e: e.start):
        start = max(event.start, reached)
        total += max(0, event.end - start)
        reached = max(reached, event.end)
    return total

"""What a profiler has recorded: events, lists of them, and sums by name."""

from __future__ import annotations

import json
import os
from typing import Any

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]


def _format_time(time_us: float) -> str:
    """Microseconds as a text, in the unit that suits them."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if time_us >= size:
            return f"{time_us / size:.3f}{unit}"
    return f"{time_us:.3f}us"


def _format_time_share(time_us: float, total_time_us: float) -> str:
    """A part of a time in percent."""
    if total_time_us == 0:
        return "NaN"
    return f"{time_us * 100.0 / total_time_us:.2f}%"


def _format_memory(nbytes: int) -> str:
    """Bytes as a text, in the unit that suits them."""
    for unit, factor in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(nbytes) >= factor:
            return f"{nbytes / factor:.2f} {unit}"
    return f"{nbytes} B"


class Interval:
    """From one time to another, in microseconds."""

    __slots__ = ("end", "start")

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        return self.end - self.start


class FunctionEvent:
    """One call or block.

    Args:
        id: its number
        name: what was called
        thread: where
        start_us, end_us: when, in microseconds
        input_shapes: sizes of the tensors among the arguments
        cpu_memory_usage: bytes that were there more at its end than at its start
        is_user_annotation: whether it is a block that the program has named
        others: further facts, which become attributes
    """

    count = 1
    node_id = sequence_nr = -1
    is_async = is_remote = is_legacy = False
    overload_name = ""
    fwd_thread: int | None = None
    device_time_total = self_device_time_total = 0.0

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        input_shapes: list[Any] | None = None,
        cpu_memory_usage: int = 0,
        is_user_annotation: bool = False,
        **others: Any,
    ) -> None:
        self.id, self.name, self.thread = id, name, thread
        self.time_range = Interval(start_us, end_us)
        self.input_shapes = input_shapes or []
        self.cpu_memory_usage = cpu_memory_usage
        self.is_user_annotation = is_user_annotation
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        vars(self).update(others)

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Tell that another event took place within this one."""
        self.cpu_children.append(child)
        child.cpu_parent = self

    @property
    def key(self) -> str:
        return self.name

    @property
    def cpu_time_total(self) -> float:
        """Microseconds from its start to its end."""
        return self.time_range.elapsed_us()

    cpu_time = cpu_time_total

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds outside of what was called within."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def cpu_time_total_str(self) -> str:
        return _format_time(self.cpu_time_total)

    @property
    def self_cpu_memory_usage(self) -> int:
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_total_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} thread={self.thread} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage}>"
        )


class FunctionEventAvg:
    """All calls of one name.

    Args:
        key: the name
        input_shapes: the sizes that they have in common, if they are told apart by them
    """

    def __init__(self, key: str | None = None, input_shapes: list[Any] | None = None) -> None:
        self.key, self.input_shapes = key, input_shapes or []
        self.count = self.cpu_memory_usage = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0

    @property
    def cpu_time(self) -> float:
        return self.cpu_time_total / self.count if self.count else 0.0

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        self.key = other.key if self.key is None else self.key
        self.count += other.count
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.cpu_memory_usage += other.cpu_memory_usage
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={_format_time(self.self_cpu_time_total)} "
            f"cpu_time={_format_time(self.cpu_time)} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage}>"
        )


class EventList(list[Any]):
    """Events or averages, with ways to show them."""

    def _populate_cpu_children(self) -> None:
        """Find out which events took place within which others of their thread."""
        by_thread: dict[int, list[FunctionEvent]] = {}
        for event in self:
            by_thread.setdefault(event.thread, []).append(event)
        for events in by_thread.values():
            open_events: list[FunctionEvent] = []
            for event in sorted(events, key=_in_time):
                while open_events and not _is_within(event, open_events[-1]):
                    open_events.pop()
                if open_events:
                    open_events[-1].append_cpu_child(event)
                open_events.append(event)

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, **others: Any
    ) -> EventList:
        """Sums by name, or by name and sizes."""
        found: dict[Any, FunctionEventAvg] = {}
        for event in self:
            shapes = event.input_shapes if group_by_input_shapes else []
            average = found.setdefault(
                (event.key, str(shapes)), FunctionEventAvg(event.key, shapes)
            )
            average.add(event)
        return EventList(found.values())

    def total_average(self) -> FunctionEventAvg:
        """The sum of all."""
        total = FunctionEventAvg("Total")
        for event in self:
            total.add(event)
        return total

    @property
    def self_cpu_time_total(self) -> float:
        return float(sum(event.self_cpu_time_total for event in self))

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """Names, times and counts as text.

        Args:
            sort_by: the column by which the largest come first
            row_limit: how many rows; all if negative
            max_src_column_width: accepted; sources are not recorded
            max_name_column_width: how long names may be
            max_shapes_column_width: accepted
            header: a line above
            top_level_events_only: leave out events within others
            time_unit: accepted; each time has the unit that suits it
        """
        rows = list(self)
        if top_level_events_only:
            rows = [row for row in rows if getattr(row, "cpu_parent", None) is None]
        if rows and isinstance(rows[0], FunctionEvent):
            rows = list(EventList(rows).key_averages())
        if sort_by is not None:
            attribute = sort_by.replace("cuda", "cpu").replace("device", "cpu")
            rows.sort(key=lambda row: getattr(row, attribute), reverse=True)
        rows = rows[: row_limit if row_limit >= 0 else None]
        total = self.self_cpu_time_total
        with_memory = any(row.cpu_memory_usage for row in rows)
        lines = [_titles(with_memory)]
        lines += [_cells(row, total, with_memory, max_name_column_width) for row in rows]
        above = "" if header is None else f"{header}\n"
        return above + _aligned(lines) + f"\nSelf CPU time total: {_format_time(total)}\n"

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
                    "ts": event.time_range.start,
                    "dur": event.cpu_time_total,
                    "args": arguments,
                }
            )
        return made

    def export_chrome_trace(self, path: str) -> None:
        """Write the events for ``chrome://tracing``."""
        with open(path, "w") as file:
            json.dump(self.trace(), file)


def _in_time(event: FunctionEvent) -> tuple[float, float]:
    """Earlier events first, and of those that begin together, the longest."""
    return event.time_range.start, -event.time_range.end


def _is_within(event: FunctionEvent, other: FunctionEvent) -> bool:
    """Whether an event that began later took place within another one."""
    end = other.time_range.end
    return event.time_range.start < end and event.time_range.end <= end


def in_time(events: list[FunctionEvent]) -> EventList:
    """Events in the order of time, which know what took place within them."""
    for event in events:
        event.cpu_children, event.cpu_parent = [], None
    found = EventList(sorted(events, key=_in_time))
    found._populate_cpu_children()
    return found


def _titles(with_memory: bool) -> list[str]:
    titles = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
    return [*titles, *(["CPU Mem"] if with_memory else []), "# of Calls"]


def _cells(row: Any, total: float, with_memory: bool, width: int) -> list[str]:
    name = row.key if len(row.key) <= width else row.key[: width - 3] + "..."
    cells = [
        name,
        _format_time_share(row.self_cpu_time_total, total),
        _format_time(row.self_cpu_time_total),
        _format_time_share(row.cpu_time_total, total),
        _format_time(row.cpu_time_total),
        _format_time(row.cpu_time),
    ]
    memory = [_format_memory(row.cpu_memory_usage)] if with_memory else []
    return [*cells, *memory, str(row.count)]


def _aligned(lines: list[list[str]]) -> str:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    rule = "  ".join("-" * width for width in widths)
    shown = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines]
    return "\n".join([rule, shown[0], rule, *shown[1:], rule])

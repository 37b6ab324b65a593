"""What a profiler has recorded: events, lists of them, and sums by name."""

from __future__ import annotations

import enum
import os
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["DeviceType", "EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "Kernel"]


class DeviceType(enum.Enum):
    """Where an event took place."""

    CPU = 0
    CUDA = 1
    MKLDNN = 2
    OPENGL = 3
    OPENCL = 4
    IDEEP = 5
    HIP = 6
    FPGA = 7
    MAIA = 8
    XLA = 9
    Vulkan = 10
    Metal = 11
    XPU = 12
    MPS = 13
    Meta = 14
    HPU = 15
    VE = 16
    Lazy = 17
    IPU = 18
    MTIA = 19
    PrivateUse1 = 20

    def __str__(self) -> str:
        return f"DeviceType.{self.name}"


class Kernel(NamedTuple):
    """Work on a device that a call has asked for; the duration is in microseconds."""

    name: str
    device: int
    duration: float


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


class _Times:
    """Averages and texts of what has times and a count."""

    count: int

    @property
    def cpu_time(self) -> float:
        return float(self.cpu_time_total / self.count) if self.count else 0.0  # type: ignore[attr-defined]

    @property
    def device_time(self) -> float:
        return float(self.device_time_total / self.count) if self.count else 0.0  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:
        """Times as texts; those of devices under the older names of PyTorch, too."""
        if name.endswith("_str"):
            return _format_time(getattr(self, name.removesuffix("_str")))
        if "cuda_" in name:
            return getattr(self, name.replace("cuda_", "device_"))
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


class FunctionEvent(_Times):
    """One call or block, or a piece of work on a device.

    Args:
        id: its number
        name: what was called
        thread: where
        start_us, end_us: when, in microseconds
        input_shapes: sizes of the tensors among the arguments
        cpu_memory_usage: bytes that were there more at its end than at its start
        device_memory_usage: the same of devices
        is_user_annotation: whether it is a block that the program has named
        category: what traces call its kind
        device_type: where it took place
        device_index: the number of the device, or of the process
        device_resource_id: the number of the stream, or of the thread
        facts: what else traces say about it
        others: further facts, which become attributes
    """

    count = 1
    node_id = sequence_nr = -1
    is_async = is_remote = is_legacy = False
    overload_name = ""
    fwd_thread: int | None = None
    use_device: str | None = None
    flops = 0

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        input_shapes: list[Any] | None = None,
        cpu_memory_usage: int = 0,
        device_memory_usage: int = 0,
        is_user_annotation: bool = False,
        category: str = "cpu_op",
        device_type: DeviceType = DeviceType.CPU,
        device_index: int | None = None,
        device_resource_id: int | None = None,
        facts: dict[str, Any] | None = None,
        **others: Any,
    ) -> None:
        self.id, self.name, self.thread = id, name, thread
        self.time_range = Interval(start_us, end_us)
        self.input_shapes = input_shapes or []
        self.cpu_memory_usage, self.device_memory_usage = cpu_memory_usage, device_memory_usage
        self.is_user_annotation = is_user_annotation
        self.category = "user_annotation" if is_user_annotation else category
        self.device_type = device_type
        self.device_index = os.getpid() if device_index is None else device_index
        self.device_resource_id = thread if device_resource_id is None else device_resource_id
        self.facts = facts or {}
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.kernels: list[Kernel] = []
        vars(self).update(others)

    @property
    def is_on_cpu(self) -> bool:
        return self.device_type is DeviceType.CPU

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Tell that another event took place within this one."""
        self.cpu_children.append(child)
        child.cpu_parent = self

    def append_kernel(self, name: str, device: int, duration: float) -> None:
        """Tell that this call has asked a device for work."""
        self.kernels.append(Kernel(name, device, duration))

    @property
    def key(self) -> str:
        return self.name

    @property
    def cpu_time_total(self) -> float:
        """Microseconds from its start to its end; 0 for work of a device."""
        return self.time_range.elapsed_us() if self.is_on_cpu else 0.0

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds outside of what was called within."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def device_time_total(self) -> float:
        """Microseconds for which devices worked on what it has asked for, or has done."""
        if not self.is_on_cpu:
            return self.time_range.elapsed_us()
        return self.self_device_time_total + sum(c.device_time_total for c in self.cpu_children)

    @property
    def self_device_time_total(self) -> float:
        """The same without what was asked for within."""
        if not self.is_on_cpu:
            return self.time_range.elapsed_us()
        return sum(kernel.duration for kernel in self.kernels)

    @property
    def self_cpu_memory_usage(self) -> int:
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_device_memory_usage(self) -> int:
        inner = sum(child.device_memory_usage for child in self.cpu_children)
        return self.device_memory_usage - inner

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} device_type={self.device_type} "
            f"cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} "
            f"{self.use_device}_time={self.device_time_str} thread={self.thread} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
            f"{self.use_device}_memory_usage={self.device_memory_usage}>"
        )


# What is added up of all calls of one name.
_SUMMED = (
    "count", "cpu_time_total", "self_cpu_time_total", "device_time_total", "self_device_time_total",
    "cpu_memory_usage", "self_cpu_memory_usage", "device_memory_usage", "self_device_memory_usage", "flops",
)  # fmt: skip


class FunctionEventAvg(_Times):
    """All calls of one name.

    Args:
        key: the name
        input_shapes: the sizes that they have in common, if they are told apart by them
    """

    def __init__(self, key: str | None = None, input_shapes: list[Any] | None = None) -> None:
        self.key, self.input_shapes = key, input_shapes or []
        self.device_type = DeviceType.CPU
        self.use_device: str | None = None
        self.is_user_annotation = False
        for name in _SUMMED:
            setattr(self, name, 0)

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        if not self.count:
            self.key = other.key if self.key is None else self.key
            self.device_type, self.use_device = other.device_type, other.use_device
            self.is_user_annotation = other.is_user_annotation
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        device = self.use_device or "cuda"
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} "
            f"self_{device}_time={self.self_device_time_total_str} "
            f"{device}_time={self.device_time_str} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} "  # type: ignore[attr-defined]
            f"{device}_memory_usage={self.device_memory_usage}>"  # type: ignore[attr-defined]
        )


class EventList(list[Any]):
    """Events or averages, with ways to show them."""

    def _populate_cpu_children(self) -> None:
        """Find out which events took place within which others of their thread."""
        by_thread: dict[int, list[FunctionEvent]] = {}
        for event in self:
            if event.is_on_cpu:
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
            kind = event.key, event.device_type, event.is_user_annotation, str(shapes)
            average = found.setdefault(kind, FunctionEventAvg(event.key, shapes))
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
            rows.sort(key=lambda row: getattr(row, sort_by), reverse=True)
        # Calls have the time of what they have asked for; the sum is that of the work itself.
        work = sum(
            row.self_device_time_total
            for row in rows
            if not row.is_user_annotation and row.device_type is not DeviceType.CPU
        )
        columns = _columns(rows, self.self_cpu_time_total, work)
        rows = rows[: row_limit if row_limit >= 0 else None]
        lines = [["Name", *columns]]
        for row in rows:
            name = row.key
            if len(name) > max_name_column_width:
                name = name[: max_name_column_width - 3] + "..."
            lines.append([name, *(show(row) for show in columns.values())])
        above = "" if header is None else f"{header}\n"
        below = f"\nSelf CPU time total: {_format_time(self.self_cpu_time_total)}\n"
        if work:
            below += f"Self {_device_name(rows)} time total: {_format_time(work)}\n"
        return above + _aligned(lines) + below

    def __str__(self) -> str:
        return self.table()

    def trace(self) -> list[dict[str, Any]]:
        """The events as Chrome's trace viewer reads them: a lane for each thread and each stream, arrows between."""
        made: list[dict[str, Any]] = []
        for event in self:
            arguments = {"External id": event.id, **event.facts}
            if event.input_shapes:
                arguments["Input Dims"] = event.input_shapes
            place = {"pid": event.device_index, "tid": event.device_resource_id}
            span = {"ts": event.time_range.start, "dur": event.time_range.elapsed_us()}
            named = {"ph": "X", "cat": event.category, "name": event.name}
            made.append({**named, **place, **span, "args": arguments})
            if "correlation" in event.facts:
                # From the call that asks for work to the work.
                ends = {"ph": "s"} if event.is_on_cpu else {"ph": "f", "bp": "e"}
                arrow = {"id": event.facts["correlation"], "cat": "ac2g", "name": "ac2g"}
                made.append({**ends, **arrow, **place, "ts": event.time_range.start})
        return [*_lanes(self), *made]

    def export_chrome_trace(self, path: str) -> None:
        """Write the events for ``chrome://tracing``."""
        # Programs that write no traces need not load it.
        import json

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
        event.cpu_children, event.cpu_parent, event.kernels = [], None, []
    found = EventList(sorted(events, key=_in_time))
    found._populate_cpu_children()
    return found


def _lanes(events: list[FunctionEvent]) -> list[dict[str, Any]]:
    """What traces call devices and their streams."""
    made: list[dict[str, Any]] = []
    streams = {(e.device_index, e.device_resource_id) for e in events if not e.is_on_cpu}
    for device, stream in sorted(streams):
        said = {
            "process_labels": {"labels": f"GPU {device}"},
            "thread_name": {"name": f"stream {stream}"},
        }
        for name, arguments in said.items():
            made.append({"ph": "M", "name": name, "pid": device, "tid": stream, "args": arguments})
    return made


def _device_name(rows: list[Any]) -> str:
    found = {row.use_device for row in rows} - {None}
    return str(found.pop()).upper() if found else "CUDA"


def _columns(rows: list[Any], total: float, work: float) -> dict[str, Callable[[Any], str]]:
    """The titles of columns, and what each shows of a row."""
    found: dict[str, Callable[[Any], str]] = {
        "Self CPU %": lambda row: _format_time_share(row.self_cpu_time_total, total),
        "Self CPU": lambda row: str(row.self_cpu_time_total_str),
        "CPU total %": lambda row: _format_time_share(row.cpu_time_total, total),
        "CPU total": lambda row: str(row.cpu_time_total_str),
        "CPU time avg": lambda row: str(row.cpu_time_str),
    }
    device = _device_name(rows)
    if any(row.device_time_total for row in rows):
        found[f"Self {device}"] = lambda row: str(row.self_device_time_total_str)
        found[f"Self {device} %"] = lambda row: _format_time_share(row.self_device_time_total, work)
        found[f"{device} total"] = lambda row: str(row.device_time_total_str)
        found[f"{device} time avg"] = lambda row: str(row.device_time_str)
    if any(row.cpu_memory_usage for row in rows):
        found["CPU Mem"] = lambda row: _format_memory(row.cpu_memory_usage)
        found["Self CPU Mem"] = lambda row: _format_memory(row.self_cpu_memory_usage)
    if any(row.device_memory_usage for row in rows):
        found[f"{device} Mem"] = lambda row: _format_memory(row.device_memory_usage)
        found[f"Self {device} Mem"] = lambda row: _format_memory(row.self_device_memory_usage)
    found["# of Calls"] = lambda row: str(row.count)
    return found


def _aligned(lines: list[list[str]]) -> str:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    rule = "  ".join("-" * width for width in widths)
    shown = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines]
    return "\n".join([rule, shown[0], rule, *shown[1:], rule])

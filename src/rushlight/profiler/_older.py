"""The profiler of the older namespace, `torch.autograd.profiler.profile`."""

from __future__ import annotations

from typing import Any, Self

from rushlight.autograd.profiler_util import EventList, FunctionEventAvg
from rushlight.profiler._events import Recorder


class profile:
    """Records operators and named blocks within its ``with`` block.

    Args:
        enabled: whether it does anything
        record_shapes: keep the shapes of inputs
        profile_memory: keep how much memory calls take
        others: accepted
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        record_shapes: bool = False,
        profile_memory: bool = False,
        **others: Any,
    ) -> None:
        self.enabled = enabled
        self.entered = False
        self.record_shapes, self.profile_memory = record_shapes, profile_memory
        self._recorder = Recorder(record_shapes, profile_memory)
        self._events: EventList | None = None

    def __enter__(self) -> Self | None:  # type: ignore[return]
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        self._recorder.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self.enabled:
            self._recorder.stop()
            self._events = self._recorder.found()

    @property
    def function_events(self) -> EventList:
        """All that was recorded, in the order of time."""
        if self._events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self._events

    @property
    def self_cpu_time_total(self) -> float:
        return self.function_events.self_cpu_time_total

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, **others: Any
    ) -> EventList:
        """What was recorded, added up by name."""
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n)

    def total_average(self) -> FunctionEventAvg:
        """The sum of all that was recorded."""
        return self.function_events.total_average()

    def table(self, *args: Any, **kwargs: Any) -> str:
        """What was recorded as text; see `EventList.table`."""
        return self.function_events.table(*args, **kwargs)

    def export_chrome_trace(self, path: str) -> None:
        """Write what was recorded for ``chrome://tracing``."""
        self.function_events.export_chrome_trace(path)

    def __repr__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self._events is None else repr(self._events)

    def __str__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self._events is None else str(self._events)

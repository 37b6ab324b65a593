"""The profilers of the older namespace, `torch.autograd.profiler`."""

from __future__ import annotations

import warnings
from typing import Any, Self

from rushlight.autograd import profiler as marks
from rushlight.autograd.profiler_util import EventList, FunctionEventAvg
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.profiler._events import Recorder, is_there


class profile:
    """Records operators and named blocks within its ``with`` block.

    Args:
        enabled: whether it does anything
        record_shapes: keep the shapes of inputs
        profile_memory: keep how much memory calls take
        use_device: whose work is looked at besides; only ``"cuda"``
        use_cuda: the older way to say so
        use_cpu: whether calls are noted
        others: accepted
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        record_shapes: bool = False,
        profile_memory: bool = False,
        use_device: str | None = None,
        use_cuda: bool = False,
        use_cpu: bool = True,
        **others: Any,
    ) -> None:
        self.enabled = enabled
        self.entered = False
        self.record_shapes, self.profile_memory = record_shapes, profile_memory
        if use_cuda:
            warnings.warn(
                "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
                FutureWarning,
                stacklevel=2,
            )
            use_device = "cuda"
        self.use_device = use_device
        if use_device is not None and not (enabled and is_there(use_device)):
            self.use_device = None
        if not use_cpu and self.use_device is None:
            raise AssertionError("No activities specified for the profiler")
        self._recorder = Recorder(record_shapes, profile_memory, use_cpu, bool(self.use_device))
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


class _Ranges(modes.TorchDispatchMode):
    """Makes a range of every operator call.

    Args:
        with_shapes: have the sizes of inputs in the message
    """

    def __init__(self, with_shapes: bool) -> None:
        self.with_shapes = with_shapes

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from rushlight.cuda import nvtx

        message = func.full_name.partition(".")[0]
        if self.with_shapes:
            sizes = [list(a.shape) if isinstance(a, Tensor) else [] for a in args]
            message += f", sizes = {sizes}"
        with nvtx.range("{}", message):
            return func(*args, **(kwargs or {}))


class emit_nvtx:
    """Names operators and blocks for NVIDIA's profiler within its ``with`` block.

    Args:
        enabled: whether it does anything
        record_shapes: have the sizes of inputs in the names
    """

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.entered, self.record_shapes = enabled, False, record_shapes

    def __enter__(self) -> Self | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("NVTX annotation context manager is not reentrant")
        self.entered = True
        from rushlight import cuda

        cuda.synchronize()
        modes.push(_Ranges(self.record_shapes))
        marks.with_ranges += 1
        return self

    def __exit__(self, *exception: object) -> None:
        if not self.enabled:
            return
        from rushlight import cuda

        modes.pop()
        marks.with_ranges -= 1
        cuda.synchronize()

"""Records the operators that a thread calls, the blocks that it names, and the work of devices."""

from __future__ import annotations

import itertools
import threading
import time
import warnings
from typing import Any

from rushlight.autograd import profiler as marks
from rushlight.autograd.profiler_util import DeviceType, EventList, FunctionEvent, in_time
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.engine.native import memory


class _Watching(modes.TorchDispatchMode):
    """Sees every operator call and takes its time."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        recorder = self.recorder
        before = recorder.memory_in_use()
        start = time.perf_counter_ns()
        result = func(*args, **(kwargs or {}))
        end = time.perf_counter_ns()
        shapes = [list(a.shape) if isinstance(a, Tensor) else [] for a in args]
        on_host, on_devices = (after - b for after, b in zip(recorder.memory_in_use(), before))
        recorder.add(
            func.full_name.partition(".")[0],
            start,
            end,
            input_shapes=shapes if recorder.with_shapes else None,
            cpu_memory_usage=on_host,
            device_memory_usage=on_devices,
        )
        return result


# Those that are started, the latest last.
started: list[Recorder] = []


class Recorder:
    """Collects events of this thread, and the work of CUDA devices, while it is started.

    Args:
        with_shapes: keep the sizes of inputs
        with_memory: keep how much memory calls take
        with_calls: note calls and blocks
        with_devices: note what devices do
    """

    def __init__(
        self,
        with_shapes: bool,
        with_memory: bool,
        with_calls: bool = True,
        with_devices: bool = False,
    ) -> None:
        self.with_shapes, self.with_memory = with_shapes, with_memory
        self.events: list[FunctionEvent] = []
        self._numbers = itertools.count(1)
        self._mode = _Watching(self) if with_calls else None
        self._timeline = _timeline() if with_devices else None
        # Work of devices, with the call that has asked for it; streams by the numbers that they have here.
        self._pairs: list[tuple[FunctionEvent, FunctionEvent]] = []
        self._streams: dict[tuple[int, int], int] = {}
        self._is_started = False

    def start(self) -> None:
        if not self._is_started:
            self._is_started = True
            if self._timeline is not None:
                self._timeline.open()
            if self._mode is not None:
                modes.push(self._mode)
                marks.listeners.append(self._note_block)
            started.append(self)

    def stop(self) -> None:
        if self._is_started:
            self._is_started = False
            if self._mode is not None:
                modes.pop()
                marks.listeners.remove(self._note_block)
            if self._timeline is not None:
                self._timeline.close()
            started.remove(self)

    def clear(self) -> None:
        self.events.clear()
        self._pairs.clear()
        if self._timeline is not None:
            self._timeline.clear()

    def add(self, name: str, start: float, end: float, **facts: Any) -> FunctionEvent:
        """Note an event; times are in nanoseconds."""
        event = self._event(name, threading.get_ident(), start, end, **facts)
        self.events.append(event)
        return event

    def _event(
        self, name: str, thread: int, start: float, end: float, **facts: Any
    ) -> FunctionEvent:
        made = FunctionEvent(next(self._numbers), name, thread, start / 1000, end / 1000, **facts)
        made.use_device = None if self._timeline is None else "cuda"
        return made

    def memory_in_use(self) -> tuple[int, int]:
        """How many bytes the host's tensors have, and those of devices; zeros if nobody wants to know."""
        if not self.with_memory:
            return 0, 0
        return memory.words.current, 0 if self._timeline is None else _memory_of_devices()

    def found(self) -> EventList:
        """All events in the order of time."""
        if self._timeline is None:
            return in_time(self.events)
        works = self._timeline.found()
        self._pairs += [self._of_device(work) for work in works[len(self._pairs) :]]
        made = in_time([*self.events, *itertools.chain(*self._pairs)])
        for call, work in self._pairs:
            if call.cpu_parent is not None:
                call.cpu_parent.append_kernel(
                    work.name, work.device_index, work.time_range.elapsed_us()
                )
        return made

    def _number(self, device: int, stream: int) -> int:
        """The number of a stream here: 0 for a device's default one."""
        if not stream:
            return 0
        before = sum(known == device for known, _ in self._streams)
        return self._streams.setdefault((device, stream), before + 1)

    def _of_device(self, work: Any) -> tuple[FunctionEvent, FunctionEvent]:
        """The call that has asked for a piece of work, and the work."""
        stream = self._number(work.device, work.stream)
        call = self._event(
            work.call, work.thread, work.asked, work.answered, category="cuda_driver"
        )
        call.facts["correlation"] = call.id
        facts = {"correlation": call.id, "device": work.device, "stream": stream, **work.facts}
        made = self._event(
            work.name, work.thread, work.start, work.end, category=work.kind, facts=facts,
            device_type=DeviceType.CUDA, device_index=work.device, device_resource_id=stream,
        )  # fmt: skip
        return call, made

    def _note_block(self, name: str, arguments: str | None, start: int, end: int) -> None:
        self.add(name, start, end, is_user_annotation=True)


def has_cuda() -> bool:
    """Whether there is a CUDA device."""
    from rushlight.engine.cuda import context

    return context.count() > 0


def is_there(device: str) -> bool:
    """Whether the work of a kind of device can be noted; warns if not."""
    if device != "cuda":
        warnings.warn(f"The {device} is not a valid device option.", stacklevel=3)
        return False
    if not has_cuda():
        warnings.warn("CUDA is not available, disabling CUDA profiling", stacklevel=3)
        return False
    return True


def _timeline() -> Any:
    """What devices do; loaded only when somebody wants to know."""
    from rushlight.engine.cuda.timeline import Timeline

    return Timeline()


def _memory_of_devices() -> int:
    from rushlight.engine.cuda import caching

    caching.settle()
    return sum(a.statistics.current("allocated_bytes") for a in caching.known())

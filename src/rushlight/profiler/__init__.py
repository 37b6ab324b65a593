"""How long operators and the work of devices take: tables, traces for a browser, and schedules of what to look at."""

from __future__ import annotations

import enum
import gzip
import json
import os
import socket
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Self

from rushlight.autograd.profiler import record_function
from rushlight.autograd.profiler_util import DeviceType, EventList
from rushlight.profiler._events import Recorder, has_cuda, is_there

__all__ = [
    "DeviceType",
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "profiler",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


class ProfilerActivity(enum.Enum):
    """What can be looked at; here calls on the CPU, and CUDA devices."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """What is done in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities() -> set[ProfilerActivity]:
    """What can be profiled: calls on the CPU, and the work of CUDA devices if there are any."""
    found = {ProfilerActivity.CPU}
    return found | {ProfilerActivity.CUDA} if has_cuda() else found


def kineto_available() -> bool:
    """Whether `profile` of this namespace can record; always."""
    return True


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0,
    skip_first_wait: int = 0,
) -> Callable[[int], ProfilerAction]:  # fmt: skip
    """What to do in each step: cycles of waiting, warming up and recording.

    Args:
        wait: steps without anything
        warmup: steps whose records are dropped
        active: steps that are recorded; after the last of them results are handed on
        repeat: how many cycles; without end if 0
        skip_first: steps before the first cycle
        skip_first_wait: if not 0, the first cycle does not wait
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError("Invalid profiler schedule arguments")

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait != 0:
            step += wait
        length = wait + warmup + active
        if repeat > 0 and step >= repeat * length:
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        is_last = place == length - 1
        return ProfilerAction.RECORD_AND_SAVE if is_last else ProfilerAction.RECORD

    return action


def _always(step: int) -> ProfilerAction:
    return ProfilerAction.RECORD


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[profile], None]:
    """A function for ``on_trace_ready`` that writes traces into a folder."""

    def write(profiler: profile) -> None:
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        ending = "json.gz" if use_gzip else "json"
        name = f"{worker}.{time.time_ns()}.pt.trace.{ending}"
        profiler.export_chrome_trace(os.path.join(dir_name, name))

    return write


class profile:
    """Records operators and named blocks within its ``with`` block.

    Args:
        activities: what to look at; everything that is there if None
        schedule: what to do in each step, see `schedule`; all is recorded if None
        on_trace_ready: called with the profiler when a cycle of the schedule is over
        record_shapes: keep the shapes of inputs
        profile_memory: keep how much memory calls take
        with_stack: accepted
        with_flops: accepted
        with_modules: accepted
        use_cuda: the older way to say whether CUDA devices are looked at
        others: accepted
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        use_cuda: bool | None = None,
        **others: Any,
    ) -> None:
        self.activities = set(activities or supported_activities())
        if use_cuda is not None:
            warnings.warn(
                "`use_cuda` is deprecated, use `activities` argument instead",
                FutureWarning,
                stacklevel=2,
            )
            add = set.add if use_cuda else set.discard
            add(self.activities, ProfilerActivity.CUDA)
        self.use_device = "cuda" if ProfilerActivity.CUDA in self.activities else None
        if self.use_device is not None and not is_there(self.use_device):
            self.use_device = None
        with_calls = ProfilerActivity.CPU in self.activities
        if not with_calls and self.use_device is None:
            raise AssertionError("No activities specified for the profiler")
        self.schedule = schedule or _always
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self._has_steps = schedule is not None
        self._recorder = Recorder(
            record_shapes, profile_memory, with_calls, self.use_device is not None
        )
        self._metadata: dict[str, Any] = {}
        self._step_block: Any = None
        self.current_action = ProfilerAction.NONE

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    # -- steps --

    def start(self) -> None:
        self._begin(self.schedule(self.step_num))

    def _begin(self, action: ProfilerAction) -> None:
        self.current_action = action
        if action is not ProfilerAction.NONE:
            self._recorder.start()
        if self._has_steps:
            self._step_block = record_function(f"ProfilerStep#{self.step_num}")
            self._step_block.__enter__()

    def _end(self) -> None:
        if self._step_block is not None:
            self._step_block.__exit__(None, None, None)
            self._step_block = None

    def step(self) -> None:
        """Tell that a step is over."""
        self._end()
        before = self.current_action
        self.step_num += 1
        following = self.schedule(self.step_num)
        if before is ProfilerAction.RECORD_AND_SAVE:
            self._recorder.stop()
            self._hand_on()
        elif following is ProfilerAction.NONE:
            self._recorder.stop()
        if before is ProfilerAction.WARMUP or (
            before in (ProfilerAction.NONE, ProfilerAction.RECORD_AND_SAVE)
            and following is not ProfilerAction.NONE
        ):
            self._recorder.clear()
        self._begin(following)

    def stop(self) -> None:
        self._end()
        self._recorder.stop()
        recorded = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if self.current_action in recorded:
            self._hand_on()
        self.current_action = ProfilerAction.NONE

    def _hand_on(self) -> None:
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    # -- results --

    def events(self) -> EventList:
        """All that was recorded, in order."""
        return self._recorder.found()

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, **others: Any
    ) -> EventList:
        """What was recorded, added up by name."""
        return self.events().key_averages(group_by_input_shape)

    def add_metadata(self, key: str, value: str) -> None:
        """A text that traces carry."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        self._metadata[key] = json.loads(value)

    def export_chrome_trace(self, path: str) -> None:
        """Write what was recorded for ``chrome://tracing``; compressed if the path ends in .gz."""
        document = {
            "schemaVersion": 1,
            "deviceProperties": [] if self.use_device is None else _properties(),
            "traceEvents": self.events().trace(),
            "displayTimeUnit": "ms",
            **self._metadata,
        }
        text = json.dumps(document)
        if str(path).endswith(".gz"):
            with gzip.open(path, "wt") as file:
                file.write(text)
        else:
            with open(path, "w") as file:
                file.write(text)


def _properties() -> list[dict[str, Any]]:
    """The devices, as traces describe them."""
    from rushlight.engine.cuda import context

    found = []
    for k in range(context.count()):
        known = context.properties(k)
        found.append({
            "id": k, "name": known["name"], "totalGlobalMem": known["total_memory"],
            "computeMajor": known["major"], "computeMinor": known["minor"],
            "maxThreadsPerBlock": known["max_threads_per_block"], "warpSize": known["warp_size"],
            "numSms": known["multi_processor_count"],
        })  # fmt: skip
    return found


from rushlight.profiler import profiler  # noqa: E402

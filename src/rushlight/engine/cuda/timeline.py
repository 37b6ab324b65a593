"""When work on devices begins and ends: an event on each side of all that is queued, while somebody looks.

Who looks opens a `Timeline`. Whatever queues work does so in a `work` block, which is nothing while no timeline
is open. Machine code launches nothing meanwhile, so that Python sees every launch.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from rushlight.engine.cuda import context, driver, launcher, streams
from rushlight.engine.cuda.streams import Event, Stream

KERNEL, COPY, FILL = "kernel", "gpu_memcpy", "gpu_memset"
# So many pieces of work may wait for their times: each has two of the driver's events.
MOST_WAITING = 8192


class Work(NamedTuple):
    """A piece of work on a device; times are the host's, in nanoseconds.

    Args:
        kind: `KERNEL`, `COPY` or `FILL`
        name: what it is called
        device: where it ran
        stream: the driver's handle of its stream
        start: when it began
        end: when it ended
        call: what it was asked for by
        asked: when
        answered: when that call was over
        thread: who asked
        facts: what else is known, by the names of traces
    """

    kind: str
    name: str
    device: int
    stream: int
    start: float
    end: float
    call: str
    asked: int
    answered: int
    thread: int
    facts: dict[str, Any]


class _Waiting(NamedTuple):
    """Work whose times are not known yet; those of `work` are 0."""

    work: Work
    begin: Event
    end: Event


class Timeline:
    """What devices do between `open` and `close`."""

    def __init__(self) -> None:
        self._done: list[Work] = []
        self._waiting: list[_Waiting] = []

    def open(self) -> None:
        """Look from now on."""
        if not _open:
            launcher.hold()
        _open.append(self)

    def close(self) -> None:
        """Look no more."""
        self._settle()
        _open.remove(self)
        if not _open:
            launcher.let_go()
            _origins.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self._done, self._waiting = [], []

    def found(self) -> list[Work]:
        """What was seen, in the order in which it was asked for; waits for what is not done."""
        self._settle()
        return self._done

    def _settle(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._done += [_timed(entry) for entry in waiting]

    def add(self, entry: _Waiting) -> None:
        """Note what was queued."""
        self._waiting.append(entry)
        if len(self._waiting) > MOST_WAITING:
            self._settle()


_open: list[Timeline] = []
# An event of each device that came at a known time of the host; with the driver that has it.
_origins: dict[int, tuple[Any, Event, int]] = {}


def _origin(device: int) -> tuple[Event, int]:
    """An event of a device that others are compared with, and the host's time when it came."""
    owner, event, moment = _origins.get(device, (None, None, 0))
    if event is None or owner is not driver.library:
        event = Event(timing=True)
        with driver.relaxed():
            event.record(streams.default(device))
            event.synchronize()
        moment = time.perf_counter_ns()
        _origins[device] = driver.library, event, moment
    return event, moment


def _timed(entry: _Waiting) -> Work:
    origin, moment = _origin(entry.work.device)
    entry.end.synchronize()
    start = moment + origin.elapsed_time(entry.begin) * 1e6
    return entry.work._replace(start=start, end=start + entry.begin.elapsed_time(entry.end) * 1e6)


@contextlib.contextmanager
def _seen(kind: str, name: str, stream: Stream, call: str, facts: dict[str, Any]) -> Iterator[None]:
    context.enter(stream.device)
    _origin(stream.device)
    begin, end = Event(timing=True), Event(timing=True)
    begin.record(stream)
    asked = time.perf_counter_ns()
    try:
        yield
    finally:
        answered = time.perf_counter_ns()
        end.record(stream)
    work = Work(
        kind, name, stream.device, stream.handle, 0.0, 0.0, call, asked, answered, threading.get_ident(), facts
    )  # fmt: skip
    for timeline in _open:
        timeline.add(_Waiting(work, begin, end))


_UNSEEN = contextlib.nullcontext()


def work(
    kind: str, name: str, stream: Stream, call: str, **facts: Any
) -> contextlib.AbstractContextManager[None]:
    """A block that queues a piece of work on a stream; see `Work`.

    What a graph records is no work yet: its replay is.
    """
    if not _open or stream.is_capturing():
        return _UNSEEN
    return _seen(kind, name, stream, call, facts)

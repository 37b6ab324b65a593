"""Parts of a device's processors: what is queued while one is the current context runs on them alone."""

from __future__ import annotations

import sys
from collections.abc import Callable

from rushlight.cuda import streams
from rushlight.engine.cuda import context, driver, processor_parts
from rushlight.engine.cuda import streams as engine

__all__ = ["GreenContext"]


class GreenContext:
    """A part of a device's processors, made by `create`."""

    def __init__(self, *, part: processor_parts.Part) -> None:
        self._part = part
        self._driver = driver.library
        # The streams that were current when it became so.
        self._before: list[engine.Stream] = []

    @staticmethod
    def create(
        *,
        num_sms: int | None = None,
        workqueue_scope: str | None = None,
        workqueue_concurrency_limit: int | None = None,
        device_id: int | None = None,
    ) -> GreenContext:
        """A part of a device.

        Args:
            num_sms: how many processors; None: all
            workqueue_scope: who shares its work queues: ``"device_ctx"``, all of the device, or ``"balanced"``, no other part that
                is balanced; None leaves them as they are
            workqueue_concurrency_limit: how many streams' work its queues hold apart
            device_id: which device; None is the current one
        """
        if num_sms is None and workqueue_scope is None:
            raise RuntimeError("At least one of num_sms or workqueue_scope must be specified")
        if workqueue_scope is not None and workqueue_scope not in processor_parts.SCOPES:
            raise RuntimeError(
                f'workqueue_scope is {workqueue_scope!r}, and "device_ctx" or "balanced" is expected'
            )
        if workqueue_concurrency_limit is not None and workqueue_scope is None:
            raise RuntimeError("workqueue_concurrency_limit requires workqueue_scope to be set")
        part = processor_parts.part(
            _index_of(device_id), num_sms, workqueue_scope, workqueue_concurrency_limit
        )
        return GreenContext(part=part)

    @staticmethod
    def max_workqueue_concurrency(device_id: int | None = None) -> int:
        """How many streams' work a device's queues hold apart.

        Args:
            device_id: which device; None is the current one
        """
        return processor_parts.most_workloads(_index_of(device_id))

    def set_context(self) -> None:
        """Queue what follows here; it begins after what the current stream has now."""
        stream = self._part.stream
        before = engine.current(stream.device)
        self._before.append(before)
        _follow(before, stream)
        engine.set_current(stream)

    def pop_context(self) -> None:
        """Queue what follows where it was queued before; it begins after what was queued here."""
        stream = self._part.stream
        if not self._before or engine.current(stream.device) != stream:
            raise RuntimeError(
                "expected the green context's stream to be current before it is popped"
            )
        before = self._before.pop()
        _follow(stream, before)
        engine.set_current(before)

    def Stream(self) -> streams.Stream:
        """Where its work is queued."""
        stream = self._part.stream
        return streams.ExternalStream(stream.handle, stream.device)

    def __del__(self, is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        # A default, because modules may be gone when the interpreter ends.
        if is_over() or not hasattr(self, "_part") or not context.is_started():
            return
        if self._driver is driver.library:
            processor_parts.end(self._part)


def _index_of(device: int | None) -> int:
    return context.current() if device is None else device


def _follow(first: engine.Stream, second: engine.Stream) -> None:
    event = engine.Event()
    event.record(first)
    event.wait(second)

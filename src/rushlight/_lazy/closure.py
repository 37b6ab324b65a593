"""Functions that are called at the end of a step, when the values that they look at are there."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rushlight._lazy.device_context import DeviceContext, get_device_context

__all__ = ["AsyncClosureHandler", "ClosureHandler", "add_step_closure", "run_step_closures"]


class ClosureHandler:
    """Calls closures where it is."""

    def run(self, closure: Callable[[], Any]) -> None:
        """Call one."""
        closure()

    def __call__(self, closures: Iterable[Callable[[], Any]]) -> None:
        for closure in closures:
            self.run(closure)


class AsyncClosureHandler(ClosureHandler):
    """Calls closures in a thread, in order.

    Args:
        max_queue_size: so many may wait; ``LTC_MAX_ASYNC_QUEUE`` in the environment says otherwise
    """

    def __init__(self, max_queue_size: int = 100) -> None:
        most = int(os.environ.get("LTC_MAX_ASYNC_QUEUE", max_queue_size))
        self._waiting: queue.Queue[Callable[[], Any]] = queue.Queue(most)
        self._failures: queue.SimpleQueue[BaseException] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def run(self, closure: Callable[[], Any]) -> None:
        """Have one called; RuntimeError if an earlier one has failed."""
        with self._lock:
            if not self._failures.empty():
                raise RuntimeError(
                    "Cannot run asynchronous closure due to previously raised exception"
                ) from self._failures.get()
            if self._thread is None:
                self._thread = threading.Thread(target=self._call_all, daemon=True)
                self._thread.start()
        self._waiting.put(closure)

    def _call_all(self) -> None:
        while True:
            closure = self._waiting.get()
            try:
                closure()
            except Exception as error:
                self._failures.put(error)
            finally:
                self._waiting.task_done()


def add_step_closure(
    closure: Callable[..., Any], args: Sequence[Any] = (), run_async: bool = False
) -> None:
    """Have a function called at the end of the step.

    Args:
        closure: the function
        args: what it is called with; lazy tensors among them are computed by then
        run_async: whether it is called in a thread
    """
    context = get_device_context()
    closures = context.async_step_closures if run_async else context.step_closures
    closures.append(lambda: closure(*args))


def run_step_closures() -> DeviceContext:
    """Call what was to be called at the end of the step."""
    context = get_device_context()
    later, context.async_step_closures = context.async_step_closures, []
    if later:
        if context.async_closure_handler is None:
            context.async_closure_handler = AsyncClosureHandler()
        context.async_closure_handler(later)
    now, context.step_closures = context.step_closures, []
    if now:
        if context.closure_handler is None:
            context.closure_handler = ClosureHandler()
        context.closure_handler(now)
    return context

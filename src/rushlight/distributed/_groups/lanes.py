"""Lanes: what is asked of a group is done one after the other, by who asks or by a thread beside."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from rushlight.futures import Future

__all__ = ["Lane"]

Job = Callable[[], Any]


class Lane:
    """Does jobs in the order in which they were given.

    Args:
        name: what its thread is called
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._changed = threading.Condition()
        self._waiting: deque[tuple[Job, Future[Any]]] = deque()
        # Jobs that have not ended, the one that is being done included.
        self._open = 0
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self, job: Job) -> Any:
        """Do a job now, after those that were given before; its result."""
        with self._changed:
            is_free = self._open == 0
            if is_free:
                self._open = 1
        if not is_free:
            return self.submit(job).wait()
        try:
            return job()
        finally:
            self._end_one()

    def submit(self, job: Job) -> Future[Any]:
        """Have a job done beside what the caller does."""
        future: Future[Any] = Future()
        with self._changed:
            if self._closed:
                raise RuntimeError("the process group has been destroyed")
            self._open += 1
            self._waiting.append((job, future))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return future

    def wait_until_idle(self) -> None:
        """Wait until every job has ended."""
        with self._changed:
            self._changed.wait_for(lambda: self._open == 0)

    def close(self) -> None:
        """Take no more jobs; those that were given are done."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _end_one(self) -> None:
        with self._changed:
            self._open -= 1
            self._changed.notify_all()

    def _is_due(self) -> bool:
        # a job that is done by who asked comes first
        return bool(self._waiting) and self._open == len(self._waiting)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._is_due() or (self._closed and not self._waiting)
                )
                if not self._waiting:
                    return
                job, future = self._waiting.popleft()
            try:
                result, error = job(), None
            # whatever a job raises belongs to who waits for it
            except BaseException as raised:
                result, error = None, raised
            self._end_one()
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)

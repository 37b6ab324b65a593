"""Results that may not be there yet."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")
S = TypeVar("S")


class Future(Generic[T]):
    """A result that somebody sets, once; others wait for it or ask to be called then.

    Args:
        devices: the devices on which the result may be; only the CPU is there
    """

    def __init__(self, *, devices: Any = None) -> None:
        if any(str(d) != "cpu" for d in devices or ()):
            raise ValueError(f"Expected devices of the CPU, got {list(devices)}")
        self._changed = threading.Condition()
        self._is_done = False
        self._result: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future[T]], Any]] = []

    def done(self) -> bool:
        """Whether there is a result, or an exception instead of it."""
        return self._is_done

    def wait(self) -> T:
        """The result, when it is there; raises the exception that was set instead."""
        with self._changed:
            self._changed.wait_for(self.done)
        return self.value()

    def _wait_at_most(self, seconds: float) -> bool:
        """Wait for the result, but not longer; whether it is there."""
        with self._changed:
            return self._changed.wait_for(self.done, seconds)

    def value(self) -> T:
        """The result of a future that is done."""
        if not self._is_done:
            raise RuntimeError("value() of a future that is not done; wait() waits for it")
        if self._error is not None:
            raise self._error
        result: T = self._result
        return result

    def set_result(self, result: T) -> None:
        """Set the result, call those who asked for it and wake those who wait."""
        self._finish(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Set an exception, which whoever asks for the result gets raised."""
        if not isinstance(result, BaseException):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def _finish(self, result: Any, error: BaseException | None) -> None:
        with self._changed:
            if self._is_done:
                raise RuntimeError("Future can only be marked completed once")
            self._result, self._error, self._is_done = result, error, True
            callbacks, self._callbacks = self._callbacks, []
            self._changed.notify_all()
        for callback in callbacks:
            callback(self)

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Call a function with this future when it is done, at once if it is already."""
        with self._changed:
            if not self._is_done:
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: Callable[[Future[T]], S]) -> Future[S]:
        """A future of what the function makes of this one when it is done."""
        following: Future[S] = Future()

        def follow(done: Future[T]) -> None:
            try:
                result = callback(done)
            # whatever is raised belongs to who waits for the following future
            except Exception as error:
                following.set_exception(error)
            else:
                following.set_result(result)

        self.add_done_callback(follow)
        return following


def collect_all(futures: list[Future[Any]]) -> Future[list[Future[Any]]]:
    """A future of all the futures, done when the last of them is."""
    result: Future[list[Future[Any]]] = Future()
    lock, missing = threading.Lock(), [len(futures)]

    def count(_: Future[Any]) -> None:
        with lock:
            missing[0] -= 1
            is_last = missing[0] == 0
        if is_last:
            result.set_result(futures)

    for future in futures:
        future.add_done_callback(count)
    if not futures:
        result.set_result(futures)
    return result


def wait_all(futures: list[Future[T]]) -> list[T]:
    """The results of all; raises the first exception among them."""
    return [future.wait() for future in collect_all(futures).wait()]

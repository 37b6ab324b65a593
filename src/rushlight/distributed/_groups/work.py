"""Work: what a call of a group gives, which may still be going on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from rushlight.distributed._groups.options import NO_TIMEOUT, OpType
from rushlight.engine.core.errors import DistBackendError
from rushlight.futures import Future

__all__ = ["DoneWork", "FutureWork", "Work"]


class Work:
    """Something that a group does. Backends derive from it; a program's own backend too."""

    def __init__(self, rank: int = -1, op_type: OpType = OpType.UNKNOWN) -> None:
        self._rank, self._op_type = rank, op_type

    def is_completed(self) -> bool:
        """Whether it has ended."""
        return self.get_future().done()

    def is_success(self) -> bool:
        """Whether it has ended well."""
        return self.is_completed() and self.exception() is None

    def exception(self) -> BaseException | None:
        """How it failed, if it did."""
        return None

    def wait(self, timeout: timedelta = NO_TIMEOUT) -> bool:
        """Wait until it has ended; raises what it failed with."""
        self.get_future().wait()
        return True

    def synchronize(self) -> None:
        """Make what follows come after it."""
        self.wait()

    def block_current_stream(self) -> None:
        """The same, for devices with streams."""
        self.wait()

    def result(self) -> list[Any]:
        """The tensors that it wrote."""
        found: list[Any] = self.get_future().wait()
        return found

    def get_future(self) -> Future[Any]:
        """A future of its tensors."""
        raise NotImplementedError(f"{type(self).__name__} has no future")

    def get_future_result(self) -> Future[Any]:
        """A future of how it ended."""
        return self.get_future().then(lambda future: future.value() is not None)

    def source_rank(self) -> int:
        """Whose message a receive got."""
        return self._rank

    _source_rank = source_rank

    def _get_op_type(self) -> OpType:
        return self._op_type

    def _get_duration(self) -> float:
        raise RuntimeError("getDuration is not supported: nobody takes the time of collectives")

    def boxed(self) -> Work:
        """The work as programs hand it on."""
        return self

    @staticmethod
    def unbox(work: Work) -> Work:
        """The work that was handed on."""
        return work


class DoneWork(Work):
    """Work that has ended already: most collectives that are waited for at once."""

    def __init__(
        self, tensors: list[Any], op_type: OpType = OpType.UNKNOWN, rank: int = -1
    ) -> None:
        self._tensors, self._op_type, self._rank = tensors, op_type, rank

    def is_completed(self) -> bool:
        return True

    def wait(self, timeout: timedelta = NO_TIMEOUT) -> bool:
        return True

    def result(self) -> list[Any]:
        return self._tensors

    def get_future(self) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(self._tensors)
        return future


class FutureWork(Work):
    """Work that somebody ends by a future.

    Args:
        future: of its tensors
        op_type: which collective it is
        cancel: what to call if a wait runs out of time
    """

    def __init__(
        self,
        future: Future[Any],
        op_type: OpType = OpType.UNKNOWN,
        cancel: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(op_type=op_type)
        self._future, self._cancel = future, cancel

    def exception(self) -> BaseException | None:
        return self._future._error if self._future.done() else None

    def wait(self, timeout: timedelta = NO_TIMEOUT) -> bool:
        seconds = timeout.total_seconds()
        if seconds > 0 and not self._future._wait_at_most(seconds):
            if self._cancel is not None:
                self._cancel()
            raise DistBackendError(
                f"wait: {self._op_type.name} took longer than {seconds:g} seconds"
            )
        self._future.wait()
        return True

    def get_future(self) -> Future[Any]:
        return self._future

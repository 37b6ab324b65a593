"""Why a worker failed, in a file that its launcher reads.

A launcher names the file by ``TORCHELASTIC_ERROR_FILE`` in the worker's environment; without one
nothing is written.
"""

from __future__ import annotations

import faulthandler
import functools
import json
import os
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import field
from typing import Any, ParamSpec, TypeVar

from rushlight.engine.native.records import dataclass

__all__ = ["ChildFailedError", "ErrorHandler", "ProcessFailure", "get_error_handler", "record"]

P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class ProcessFailure:
    """How a worker failed.

    Args:
        local_rank: its rank on this machine
        pid: its process
        exitcode: what it ended with; negative for a signal
        error_file: where it may have said why
    """

    local_rank: int
    pid: int
    exitcode: int
    error_file: str
    error_file_data: Any = field(init=False, default=None)
    message: str = field(init=False, default="")
    timestamp: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.timestamp = int(time.time())
        if os.path.isfile(self.error_file):
            with open(self.error_file) as file:
                self.error_file_data = json.load(file)
            self._read(self.error_file_data.get("message"))
        elif self.exitcode < 0:
            self.message = (
                f"Signal {-self.exitcode} ({self.signal_name()}) received by PID {self.pid}"
            )
        else:
            self.message = (
                "no traceback: decorate the main function with "
                "torch.distributed.elastic.multiprocessing.errors.record to have one here"
            )

    def _read(self, said: Any) -> None:
        if not isinstance(said, dict):
            self.message = str(said)
            return
        extra = said.get("extraInfo", {})
        self.message = extra.get("py_callstack") or said.get("message", "")
        self.timestamp = int(extra.get("timestamp", self.timestamp))

    def signal_name(self) -> str:
        """The name of the signal that ended it."""
        return signal.Signals(-self.exitcode).name if self.exitcode < 0 else "<N/A>"

    def timestamp_isoformat(self) -> str:
        """When it failed."""
        return time.strftime("%Y-%m-%d_%H:%M:%S", time.localtime(self.timestamp))


class ChildFailedError(Exception):
    """Workers have failed; the first failure is what matters.

    Args:
        name: what was started
        failures: the failures by global rank
    """

    def __init__(self, name: str, failures: dict[int, ProcessFailure]) -> None:
        if not failures:
            raise AssertionError("there has to be a failure")
        self.name, self.failures = name, failures
        super().__init__(self._text())

    def get_first_failure(self) -> tuple[int, ProcessFailure]:
        """The rank that failed first, and how."""
        rank = min(self.failures, key=lambda r: (self.failures[r].timestamp, r))
        return rank, self.failures[rank]

    def _text(self) -> str:
        first, root = self.get_first_failure()
        lines = [f"{self.name} FAILED", "Root Cause (first observed failure):"]
        lines += self._about(first, root)
        others = [rank for rank in sorted(self.failures) if rank != first]
        if others:
            lines.append("Other failures:")
        for rank in others:
            lines += self._about(rank, self.failures[rank])
        return "\n".join(lines)

    @staticmethod
    def _about(rank: int, failure: ProcessFailure) -> list[str]:
        return [
            f"  time      : {failure.timestamp_isoformat()}",
            f"  rank      : {rank} (local_rank: {failure.local_rank})",
            f"  exitcode  : {failure.exitcode} (pid: {failure.pid})",
            f"  error_file: {failure.error_file}",
            f"  traceback : {failure.message}",
        ]


class ErrorHandler:
    """Writes an exception into the error file of its process."""

    def _get_error_file_path(self) -> str | None:
        return os.environ.get("TORCHELASTIC_ERROR_FILE")

    def initialize(self) -> None:
        """Called before the worker's function: a crash shows the frames of every thread."""
        if self._get_error_file_path() is not None:
            faulthandler.enable(all_threads=True)

    def record_exception(self, e: BaseException) -> None:
        """Write what ``e`` says, where it was raised and when."""
        path = self._get_error_file_path()
        if path is None:
            return
        details = {"py_callstack": "".join(traceback.format_exception(e))}
        message = {
            "message": f"{type(e).__name__}: {e}",
            "extraInfo": {**details, "timestamp": str(int(time.time()))},
        }
        with open(path, "w") as file:
            json.dump({"message": message}, file)


def get_error_handler() -> ErrorHandler:
    """The handler of this process."""
    return ErrorHandler()


def record(fn: Callable[P, R], error_handler: ErrorHandler | None = None) -> Callable[P, R]:
    """Make a worker's main function write its exception into the error file.

    Args:
        fn: the function
        error_handler: what writes it
    """
    handler = error_handler or get_error_handler()

    @functools.wraps(fn)
    def recorded(*args: P.args, **kwargs: P.kwargs) -> R:
        handler.initialize()
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            handler.record_exception(error)
            raise

    return recorded

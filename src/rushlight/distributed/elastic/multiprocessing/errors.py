"""Why a worker failed, in a file that its launcher reads.

A launcher names the file by ``TORCHELASTIC_ERROR_FILE`` in the worker's environment; without one
nothing is written.
"""

from __future__ import annotations

import faulthandler
import functools
import json
import os
import time
import traceback
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["ErrorHandler", "get_error_handler", "record"]

P = ParamSpec("P")
R = TypeVar("R")


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

"""The error of a checkpoint that some processes could not save or load."""

from __future__ import annotations

import traceback
from typing import Any

__all__ = ["CheckpointException"]

WRAPPED_EXCEPTION = tuple[BaseException, traceback.StackSummary]


def _wrap_exception(exc: BaseException) -> WRAPPED_EXCEPTION:
    """An exception as it goes to another process."""
    return exc, traceback.extract_tb(exc.__traceback__)


def _is_wrapped_exception(obj: Any) -> bool:
    return (
        isinstance(obj, tuple)
        and len(obj) == 2
        and isinstance(obj[0], BaseException)
        and isinstance(obj[1], traceback.StackSummary)
    )


class CheckpointException(BaseException):
    """Some processes failed; all of them raise this.

    Args:
        msg: which step it was
        failures: by rank, the exception and where it was raised
    """

    def __init__(self, msg: str, failures: dict[int, WRAPPED_EXCEPTION]) -> None:
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict[int, WRAPPED_EXCEPTION]:
        """By rank, the exception and where it was raised."""
        return self._failures

    def __str__(self) -> str:
        told = [f"CheckpointException ranks:{self._failures.keys()}\n"]
        for rank, (error, stack) in self._failures.items():
            told.append(f"Traceback (most recent call last): (RANK {rank})\n")
            told += stack.format()
            told += traceback.format_exception_only(type(error), error)
        return "".join(told)

"""Exceptions that are carried to another thread or process, with what their traceback says."""

from __future__ import annotations

import sys
import traceback
from typing import Any, NoReturn


class KeyErrorMessage(str):
    """A text that a KeyError shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """An exception that was caught in one place and is to be raised in another.

    Args:
        exc_info: what `sys.exc_info` gave; that of the exception being handled if None
        where: the place, as it stands in a sentence
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        kind: Any
        kind, error, trace = sys.exc_info() if exc_info is None else exc_info
        self.exc_type: type[BaseException] = kind
        self.exc_msg = "".join(traceback.format_exception(kind, error, trace))
        self.where = where

    def reraise(self) -> NoReturn:
        """Raise the exception here; a RuntimeError if its class wants other arguments."""
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if issubclass(self.exc_type, KeyError):
            raise self.exc_type(KeyErrorMessage(text))
        try:
            error = self.exc_type(text)
        except Exception:
            # The class is somebody else's: what it does with one text cannot be foreseen.
            raise RuntimeError(text) from None
        raise error

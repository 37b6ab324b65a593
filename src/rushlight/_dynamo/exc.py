"""Errors of capture."""

from __future__ import annotations

import enum
from typing import Any

__all__ = [
    "BackendCompilerFailed",
    "FailOnRecompileLimitHit",
    "InternalTorchDynamoError",
    "InvalidBackend",
    "RecompileError",
    "ResetRequired",
    "TorchDynamoException",
    "TorchRuntimeError",
    "UncapturedHigherOrderOpError",
    "Unsupported",
    "UserError",
    "UserErrorType",
]


class TorchDynamoException(RuntimeError):
    """The base of all errors of capture."""


class InternalTorchDynamoError(TorchDynamoException):
    """A fault of capture itself."""


class ResetRequired(TorchDynamoException):
    """Something was changed that needs ``torch._dynamo.reset()``."""


class TorchRuntimeError(TorchDynamoException):
    """An operator raised while it was being captured."""


class FailOnRecompileLimitHit(Exception):
    """A function was compiled too often."""


class RecompileError(TorchDynamoException):
    """A function was compiled again although it must not be."""


class InvalidBackend(TorchDynamoException):
    """There is no back end of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends."
        )


class BackendCompilerFailed(TorchDynamoException):
    """A back end raised an error.

    Args:
        backend_fn: the back end
        inner_exception: its error
    """

    def __init__(self, backend_fn: Any, inner_exception: BaseException, *_: Any) -> None:
        self.backend_name = getattr(backend_fn, "__name__", "?")
        self.inner_exception = inner_exception
        super().__init__(
            f"backend={self.backend_name!r} raised:\n{type(inner_exception).__name__}: "
            f"{inner_exception}"
        )


class Unsupported(TorchDynamoException):
    """A graph ends where it must not."""

    def __init__(self, msg: str, **_: Any) -> None:
        super().__init__(msg)
        self.msg = msg


class UncapturedHigherOrderOpError(Unsupported):
    """What an operator that takes functions was given cannot be captured."""


class UserErrorType(enum.Enum):
    """What kind of use of capture cannot be."""

    DYNAMIC_CONTROL_FLOW = enum.auto()
    ANTI_PATTERN = enum.auto()
    STANDARD_LIBRARY = enum.auto()
    CONSTRAINT_VIOLATION = enum.auto()
    DYNAMIC_DIM = enum.auto()
    INVALID_INPUT = enum.auto()
    INVALID_OUTPUT = enum.auto()
    UNSUPPORTED_ALIASED_MUTATED_DYNAMIC_INPUTS = enum.auto()


class UserError(Unsupported):
    """A program uses capture in a way that cannot be.

    Args:
        error_type: what kind of use
        msg: what was wrong
    """

    def __init__(self, error_type: Any, msg: str, case_name: str | None = None) -> None:
        super().__init__(msg)
        self.error_type, self.message = error_type, msg

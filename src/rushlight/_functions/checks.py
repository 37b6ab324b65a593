"""Conditions that programs state and that raise where they do not hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.core import size as sizes
from rushlight.engine.core.symbolic import SymBool
from rushlight.engine.core.tensor import Tensor
from rushlight.overrides import handle_torch_function, has_torch_function

__all__ = [
    "_assert",
    "_assert_async",
    "_check",
    "_check_index",
    "_check_is_size",
    "_check_not_implemented",
    "_check_tensor_all",
    "_check_tensor_all_with",
    "_check_type",
    "_check_value",
    "_check_with",
    "_debug_has_internal_overlap",
]

# What `_debug_has_internal_overlap` answers.
_NO, _YES, _HARD_TO_TELL = range(3)
Message = Callable[[], Any] | None


def _check_with(kind: type[Exception], cond: Any, message: Message = None) -> None:
    """Raise an exception of this kind unless the condition holds."""
    if isinstance(cond, SymBool):
        cond = _symbolic(cond)
    if not isinstance(cond, (bool, int)):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise kind("Expected cond to be True, but got False.")
    if not callable(message):
        raise TypeError("message must be a callable")
    raise kind(str(message()))


def _symbolic(cond: SymBool) -> bool:
    """Whether a condition on sizes holds; of what elements decide, it is taken to."""
    from rushlight.fx.experimental.symbolic_shapes import expect_true

    return expect_true(cond)


def _check(cond: Any, message: Message = None) -> None:
    _check_with(RuntimeError, cond, message)


def _check_index(cond: Any, message: Message = None) -> None:
    _check_with(IndexError, cond, message)


def _check_value(cond: Any, message: Message = None) -> None:
    _check_with(ValueError, cond, message)


def _check_type(cond: Any, message: Message = None) -> None:
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: Any, message: Message = None) -> None:
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i: int, message: Message = None, *, max: int | None = None) -> None:
    """Raise unless a number can be a size."""
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_tensor_all_with(kind: type[Exception], cond: Any, message: Message = None) -> None:
    """Raise unless all elements hold."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    _check_with(kind, bool(cond.all()), message)  # type: ignore[attr-defined]


def _check_tensor_all(cond: Any, message: Message = None) -> None:
    _check_tensor_all_with(RuntimeError, cond, message)


def _assert(condition: Any, message: str) -> None:
    """Raise an `AssertionError` with the message unless the condition holds.

    A statement that tracers see, where ``assert`` would be one that they do not.
    """
    if type(condition) is not Tensor and has_torch_function((condition,)):
        handle_torch_function(_assert, (condition,), condition, message)
        return
    if not condition:
        raise AssertionError(message)


def _assert_async(
    self: Tensor, assert_msg: str = "Expected Tensor with single nonzero value, but got zero"
) -> None:
    """Raise unless a tensor's only element is nonzero; on a device it could raise later."""
    if not self.is_meta and not self:
        raise RuntimeError(assert_msg)


def _debug_has_internal_overlap(tensor: Tensor) -> int:
    """Whether one element has several indices: 0 for no, 1 for yes, 2 where only a search tells."""
    if sizes.is_dense(tensor._size_, tensor._stride_):
        return _NO
    repeats = any(n > 1 and step == 0 for n, step in zip(tensor._size_, tensor._stride_))
    return _YES if repeats else _HARD_TO_TELL

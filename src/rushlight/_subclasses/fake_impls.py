"""Operators whose results for fake tensors no kernel tells: elements decide, or a program says."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.engine.dispatch.operator import Operator

__all__ = ["has_op_impl", "implementation", "op_implementations_dict", "register_op_impl"]

aten = rushlight.ops.aten

# What operators do for fakes: ``(mode, operator, *args, **kwargs)``.
op_implementations_dict: dict[Operator, Callable[..., Any]] = {}
# The same for all operators that a function says yes to.
op_implementations_checks: list[tuple[Callable[[Operator], bool], Callable[..., Any]]] = []


def register_op_impl(
    run_impl_check: Callable[[Operator], bool] | Operator | list[Operator] | tuple[Operator, ...],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of functions that answer for operators on fakes."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if isinstance(run_impl_check, Operator):
            op_implementations_dict[run_impl_check] = function
        elif isinstance(run_impl_check, (list, tuple)):
            for op in run_impl_check:
                register_op_impl(op)(function)
        else:
            op_implementations_checks.append((run_impl_check, function))
            implementation.cache_clear()
        return function

    return register


@functools.lru_cache(4096)
def _by_check(op: Operator) -> Callable[..., Any] | None:
    for check, function in op_implementations_checks:
        if check(op):
            return function
    return None


class _Lookup:
    """What answers for an operator, or None."""

    def __call__(self, op: Operator) -> Callable[..., Any] | None:
        return op_implementations_dict.get(op) or _by_check(op)

    def cache_clear(self) -> None:
        _by_check.cache_clear()


implementation = _Lookup()


def has_op_impl(op: Operator) -> bool:
    """Whether there is a function for an operator."""
    return implementation(op) is not None


def answer_of_program(mode: Any, func: Operator, args: Any, kwargs: Any) -> Any:
    """What the function says that a program has registered for an operator on fakes."""
    assert func.fake is not None
    return func.fake(*args, **kwargs)


def _tagged(tag: str) -> Callable[[Operator], bool]:
    return lambda op: tag in op.declared_tags


@register_op_impl(_tagged("dynamic_output_shape"))
def _unknown_size(mode: Any, func: Operator, *args: Any, **kwargs: Any) -> Any:
    from rushlight._subclasses.fake_tensor import DynamicOutputShapeException

    raise DynamicOutputShapeException(func)


@register_op_impl(_tagged("data_dependent_output"))
def _unknown_value(mode: Any, func: Operator, *args: Any, **kwargs: Any) -> Any:
    from rushlight._subclasses.fake_tensor import DataDependentOutputException

    raise DataDependentOutputException(func)

"""View operators: new metadata over the same storage.

A view operator is a rule from a tensor's geometry to another. `view` makes the operator of the rule
for every backend, since no element is touched; `composite` serves operators that only call others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import EXPLICIT, IMPLICIT
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.pinning import pinning

Geometry = tuple[tuple[int, ...], tuple[int, ...], int]
Function = Callable[..., Any]


def view(*names: str) -> Callable[[Callable[..., Geometry]], Callable[..., Geometry]]:
    """Register a rule ``(tensor, ...) -> (size, stride, offset)`` as view operators.

    In-place forms of the operators, which change the tensor's own geometry, are registered too.
    """

    def decorate(rule: Callable[..., Geometry]) -> Callable[..., Geometry]:
        def make_view(self: Tensor, *args: Any) -> Tensor:
            return steps.View.note(self, tensors.view_of(self, *rule(self, *args)))

        def change(self: Tensor, *args: Any) -> Tensor:
            tensors.set_geometry(self, *rule(self, *args))
            tensors.bump_version(self)
            return self

        make_view.notes_device_steps = True  # type: ignore[attr-defined]
        make_view.__name__ = change.__name__ = rule.__name__
        for name in names:
            operators.when_needed(name, partial(_install_view, name, make_view, change))
        return rule

    return decorate


def _install_view(name: str, make_view: Callable[..., Any], change: Callable[..., Any]) -> None:
    op = operators.operator(name)
    operators.register_kernel(op.full_name, EXPLICIT, make_view)
    for inplace in outputs.variants(op)[0]:
        operators.register_kernel(inplace.full_name, EXPLICIT, change)


def explicit(*names: str) -> Callable[[Function], Function]:
    """Register a function for every backend; it is a step of its own for the keys above."""
    return _making(EXPLICIT, names)


def composite(*names: str) -> Callable[[Function], Function]:
    """Register a function that calls other operators, for every key."""
    return _making(IMPLICIT, names)


def cpu(*names: str) -> Callable[[Function], Function]:
    """Register a function for CPU tensors."""
    return _registering("CPU", names)


def meta(*names: str) -> Callable[[Function], Function]:
    """Register a function for meta tensors."""
    return _registering("Meta", names)


def cuda(*names: str) -> Callable[[Function], Function]:
    """Register a function for tensors on a GPU."""
    return _registering("CUDA", names)


def _making(key: str, names: tuple[str, ...]) -> Callable[[Function], Function]:
    """`_registering`, for functions that may be asked for new tensors in pinned memory."""
    register = _registering(key, names)

    def decorate(function: Function) -> Function:
        register(pinning(function))
        return function

    return decorate


def _registering(key: str, names: tuple[str, ...]) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        for name in names:
            operators.register_kernel(name, key, function)
        return function

    return decorate

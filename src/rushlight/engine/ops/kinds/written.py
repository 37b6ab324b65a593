"""Operators whose in-place form is the one that is written; the others follow from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from rushlight.engine.core import layout as layouts
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import EXPLICIT
from rushlight.engine.loops.plans import notes_device_steps
from rushlight.engine.ops.kinds import outputs

Function = TypeVar("Function", bound=Callable[..., Tensor])


def in_place(*names: str, keeps_strides: bool = False) -> Callable[[Function], Function]:
    """Register a function that changes its first argument as the in-place form of operators.

    The functional form is the same on a copy, contiguous or with the tensor's strides; the ``out=`` form on a copy that the output holds.
    """

    def decorate(function: Function) -> Function:
        for name in names:
            operators.when_needed(name, partial(_install, name, function, keeps_strides))
        return function

    return decorate


def _install(name: str, function: Callable[..., Tensor], keeps_strides: bool) -> None:
    op = operators.operator(name)
    inplace, out = outputs.variants(op)
    for form in inplace:
        operators.register_kernel(form.full_name, EXPLICIT, function)
    change = inplace[0]
    operators.register_kernel(op.full_name, EXPLICIT, _functional(change, keeps_strides))
    for form in out:
        operators.register_kernel(form.full_name, EXPLICIT, _into_output(change))


def _functional(change: operators.Operator, keeps_strides: bool) -> Callable[..., Tensor]:
    clone = operators.operator("clone")
    layout = layouts.preserve_format if keeps_strides else layouts.contiguous_format

    @notes_device_steps
    def functional(self: Tensor, *args: Any) -> Tensor:
        made: Tensor = change.call(clone.call(self, layout), *args)
        return made

    return functional


def _into_output(change: operators.Operator) -> Callable[..., Tensor]:
    copy = operators.operator("copy_")

    def into(self: Tensor, *args: Any) -> Tensor:
        *rest, out = args
        outputs.check_exact(out, self._dtype_)
        outputs.check_apart(out, *(a for a in rest if isinstance(a, Tensor)))
        outputs.resize_output(out, self._size_)
        outputs.check_written_once(out)
        if out is not self:
            copy.call(out, self, False)
        made: Tensor = change.call(out, *rest)
        return made

    return into

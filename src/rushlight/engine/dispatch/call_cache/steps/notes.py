"""Notes about a call that are no steps of their own."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from rushlight.engine.core import keys, symbolic
from rushlight.engine.core.tensor import Tensor, shadow
from rushlight.engine.dispatch.call_cache.recorder import recording, unnoted
from rushlight.engine.dispatch.call_cache.step import Step


class Record(Step):
    """``record(made, *operands)`` gave the result of the last step a history, and then the result."""

    __slots__ = ("made", "operands", "record")
    takes_sizes = True

    def __init__(self, record: Any, arguments: tuple[Any, ...], made: Any) -> None:
        self.record, self.operands, self.made = record, arguments, made

    @property
    def is_of_change(self) -> bool:
        """Whether the result is an argument whose elements were changed."""
        return getattr(self.record, "changes", False)


class Shadow(Step):
    """A kernel is given ``shadow`` for an argument: the same elements, no history."""

    __slots__ = ("shadow", "tensor")
    takes_sizes = True

    def __init__(self, tensor: Tensor, shadow: Tensor) -> None:
        self.tensor, self.shadow = tensor, shadow


def without_history(value: Any) -> Any:
    """An argument as a kernel may see it that calls operators: the same elements, no history.

    A tensor whose class answers for it is given as it is: it is asked below autograd.
    """
    if isinstance(value, Tensor):
        if value._keys_ & keys.PYTHON:
            return value
        return Shadow.note(value, shadow(value)) if value._keys_ & keys.AUTOGRAD else value
    if type(value) in (list, tuple):
        return [without_history(item) for item in value]
    return value


class Constant(Step):
    """A tensor that is never written, so that a call that is repeated keeps it."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    @staticmethod
    def of(make: Callable[[], Any]) -> Any:
        """What ``make`` gives, noted as such a tensor."""
        return Constant.note(unnoted(make))


class OfSizes(Constant):
    """A constant that follows from sizes: a program makes it anew, by steps of its own."""

    __slots__ = ()
    takes_sizes = True

    @staticmethod
    def of(make: Callable[[], Any]) -> Any:
        """What ``make`` gives, noted as such a tensor."""
        is_constant = recording.steps is not None and symbolic.trace() is None
        return OfSizes.note(unnoted(make)) if is_constant else make()


class ByValue(Step):
    """The values of numbers, not only their types, decided what was done."""

    __slots__ = ()
    takes_sizes = True


class Unrepeatable(Step):
    """Something was done that must not be repeated from a record, such as reading an element."""

    __slots__ = ()


def warn(text: str, stacklevel: int) -> None:
    """Warn, in a call that is not remembered: a repeated one would be silent."""
    Unrepeatable.note()
    recording.warnings += 1
    warnings.warn(text, UserWarning, stacklevel=stacklevel + 1)


def without_notes(steps: list[Step], kind: type[Step]) -> list[Step]:
    return [step for step in steps if type(step) is not kind]


def without_shadows(steps: list[Step]) -> list[Step]:
    """The steps as if kernels had been given the arguments themselves."""
    owners = {id(step.shadow): step.tensor for step in steps if isinstance(step, Shadow)}
    if not owners:
        return steps

    def own(value: Any) -> Any:
        if type(value) is tuple and any(id(x) in owners for x in value):
            return tuple(owners.get(id(x), x) for x in value)
        return owners.get(id(value), value)

    return [step.over(own) for step in without_notes(steps, Shadow)]

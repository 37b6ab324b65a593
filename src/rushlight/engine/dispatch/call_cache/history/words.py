"""The history that a repeated step gives its result: as words for machine code, or as a function."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import objects, symbolic
from rushlight.engine.core.size import Size
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache.step import MACHINE_ONLY, position_of
from rushlight.engine.dispatch.call_cache.steps import Record
from rushlight.engine.dispatch.source import define


def words_of(step: Record, flat_args: list[Any], numbers: list[Any]) -> Any:
    """What the recorded step kept and where its gradients go, as words; None if it takes Python.

    Args:
        step: the recorded step
        flat_args: what there is when the step is repeated
        numbers: those of the flattened arguments that are plain numbers and may be others then
    """
    made = step.made if type(step.made) is tuple else (step.made,)
    if all(isinstance(x, Tensor) and x._autograd_ is None for x in made):
        # Whole numbers have no history, whatever they were made of.
        return None
    if any(map(_is_other_view, made)):
        # Sizes and strides do not say how it comes from its base.
        return None
    places: list[int | None] = []
    for k, value in enumerate(step.operands):
        place = position_of(value, flat_args)
        is_leaf = isinstance(value, Tensor) or any(value is n for n in numbers)
        is_leaf = is_leaf and not _is_left_out(step, k)
        places.append(place if place >= 0 and is_leaf else None)
    in_words = getattr(step.record, "machine_words", None)
    words = None if in_words is None else in_words(places, list(step.operands), step.made)
    return None if words is None else symbolic.words(words)


def _is_other_view(made: Any) -> bool:
    """Whether a tensor differs from the one it is a view of in more than its geometry."""
    if not isinstance(made, Tensor) or made._base is None:
        return False
    differs = (made._keys_ ^ made._base._keys_) & objects.NOT_AUTOGRAD
    return bool(differs) or made._dtype_ is not made._base._dtype_


def _is_left_out(step: Record, k: int) -> bool:
    """Whether an argument is a default that only happens to be the same number as another one.

    In ``1 - x``, the factor 1 that nobody gave is the very object that was given.
    """
    value, defaults = step.operands[k], getattr(step.record, "defaults", ())
    if type(value) not in (int, float) or k >= len(defaults) or defaults[k] != value:
        return False
    return any(other is value for j, other in enumerate(step.operands) if j != k)


def function_of(step: Record, flat_args: list[Any], numbers: list[Any]) -> Any:
    """A function of a result and the flattened arguments of a call that gives the result its history.

    What the step had as arguments are flattened arguments or, decided by the key, always the same values.
    """
    kept: dict[str, Any] = {"record": step.record}
    parts = [
        _source(value, [] if _is_left_out(step, k) else flat_args, numbers, kept)
        for k, value in enumerate(step.operands)
    ]
    if None in parts:
        return None
    if symbolic.trace() is not None and any(map(_is_symbolic, kept.values())):
        return MACHINE_ONLY
    names = ", ".join(f"flat_arg{i}" for i in range(len(flat_args)))
    text = (
        f"def recorded(result, {names}):\n    return record(result, {', '.join(map(str, parts))})\n"
    )
    return define("recorded", text, kept, "record of a call")


def left_to_machine(function: Any, words: Any) -> Any:
    """`MACHINE_ONLY` for what machine code can record in calls of a class, whatever the function keeps.

    Whether that is a size of one call cannot be seen where it is a plain number.
    """
    is_class = symbolic.trace() is not None
    return MACHINE_ONLY if is_class and function is not None and words is not None else function


def _is_symbolic(value: Any) -> bool:
    if type(value) in (tuple, list, Size):
        return any(map(_is_symbolic, value))
    return type(value) is symbolic.SymInt


def _source(
    value: Any, flat_args: list[Any], numbers: list[Any], kept: dict[str, Any]
) -> str | None:
    """An argument as source: one of the call, or a name for what is always the same; None for neither."""
    if type(value) in (list, tuple) and any(isinstance(x, Tensor) for x in value):
        parts = [_source(x, flat_args, numbers, kept) for x in value]
        return None if None in parts else f"[{', '.join(map(str, parts))}]"
    place = position_of(value, flat_args)
    if isinstance(value, Tensor):
        return None if place < 0 else f"flat_arg{place}"
    if place >= 0 and any(value is n for n in numbers):
        return f"flat_arg{place}"
    name = f"kept{len(kept)}"
    kept[name] = value
    return name

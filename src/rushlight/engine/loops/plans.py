"""Tables of plans, and the record of what a call boiled down to.

While a call is recorded (see `dispatch.call_cache`), every plan and view that it makes is noted; a
call that turns out to be one plan over its own arguments can be repeated by machine code alone.
"""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any

from rushlight.engine.core import keys, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor

_REMEMBERED = 4096
_tables: weakref.WeakSet[PlanTable] = weakref.WeakSet()


class PlanTable(dict[Any, Any]):
    """Signature -> plan; emptied when it grows too large or when defaults change."""

    __slots__ = ("__weakref__",)

    def __init__(self) -> None:
        super().__init__()
        _tables.add(self)

    __hash__ = object.__hash__  # type: ignore[assignment]

    def get(self, key: Any, default: Any = None) -> Any:
        """The plan of a signature; a trace plans anew."""
        return default if symbolic.trace() is not None else super().get(key, default)

    def __setitem__(self, key: Any, plan: Any) -> None:
        if symbolic.trace() is not None:
            return
        if len(self) >= _REMEMBERED:
            self.clear()
        super().__setitem__(key, plan)


def forget_all() -> None:
    """Drop every plan, after a change of something that plans are built on."""
    for table in list(_tables):
        table.clear()


def calls_nothing(kernel: Any) -> Any:
    """Say that a kernel calls no operator, so that autograd need not hide histories from it."""
    kernel.calls_nothing = True
    return kernel


class Recording(threading.local):
    """The steps of the call that this thread is recording, if any."""

    steps: list[tuple[Any, ...]] | None = None
    # How often calls of this thread have warned.
    warnings = 0


recording = Recording()


def is_recorded() -> bool:
    """Whether this thread's call is being recorded: it has come before.

    Steps pay where calls repeat; for a shape that is new each time, one call of numpy costs less than
    a plan for every step.
    """
    return recording.steps is not None


def note_plan(plan: Any, inputs: Any, result: Any) -> Any:
    """Note that ``result`` was produced from ``inputs``; gives ``result``."""
    steps = recording.steps
    if steps is not None:
        steps.append(("plan", plan, tuple(inputs), result))
    return result


def note_checked(plan: Any, inputs: Any, result: Any, status: int) -> None:
    """Note that a plan gave the result, unless the word at ``status`` is not 0 after it ran."""
    steps = recording.steps
    if steps is not None:
        steps.append(("checked", plan, tuple(inputs), result, status))


def note_sized(sized: Any, inputs: Any, result: Any) -> None:
    """Note that ``result``, whose length the inputs' elements decide, is what a `Sized` gives."""
    steps = recording.steps
    if steps is not None:
        steps.append(("sized", sized, tuple(inputs), result))


def note_loop(loop: Any, operands: Any, outputs: int, status: int = 0) -> None:
    """Note that existing tensors were written, unless the word at ``status`` is not 0 afterwards."""
    steps = recording.steps
    if steps is not None:
        steps.append(("loop", loop, tuple(operands), outputs, status))


def without_history(value: Any) -> Any:
    """An argument as a kernel may see it that calls operators: the same elements, no history."""
    if isinstance(value, Tensor):
        if not value._keys & keys.AUTOGRAD:
            return value
        shadow = tensors.shadow(value)
        steps = recording.steps
        if steps is not None:
            steps.append(("shadow", shadow, value))
        return shadow
    if type(value) in (list, tuple):
        return [without_history(item) for item in value]
    return value


def without_shadows(steps: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The steps as if kernels had been given the arguments themselves."""
    owners = {id(step[1]): step[2] for step in steps if step[0] == "shadow"}
    if not owners:
        return steps

    def own(value: Any) -> Any:
        if type(value) is tuple and any(id(x) in owners for x in value):
            return tuple(owners.get(id(x), x) for x in value)
        return owners.get(id(value), value)

    return [(step[0], *map(own, step[1:])) for step in steps if step[0] != "shadow"]


def note_constant(make: Callable[[], Any]) -> Any:
    """What ``make`` gives: a tensor that is never written, so that a call that repeats keeps it."""
    made = unnoted(make)
    steps = recording.steps
    if steps is not None:
        steps.append(("constant", made))
    return made


def note_view(base: Any, result: Any) -> Any:
    """Note that ``result`` is a view of ``base`` that depends on its metadata alone."""
    steps = recording.steps
    if steps is not None:
        steps.append(("view", base, result))
    return result


# Where a view begins: as far from its base's beginning as now, or from the storage's; or as now, and
# only of bases that begin where this one does.
RELATIVE, ABSOLUTE, EXACT = 0, 1, 2


def note_other_view(base: Any, result: Any, place: int = RELATIVE) -> Any:
    """Note a view with another element type or other keys, or one at a place of its own."""
    steps = recording.steps
    if steps is not None:
        steps.append(("other view", base, result, place))
    return result


def note_place(base: Any, places: tuple[Any, ...], result: Any) -> Any:
    """Note that ``result`` is a view of ``base`` whose place integers in tensors name.

    For each of them ``places`` has the tensor, its value, and the size and stride of its dimension.
    """
    steps = recording.steps
    if steps is not None:
        steps.append(("place", base, places, result))
    return result


def note_views(base: Any, results: tuple[Any, ...]) -> Any:
    """Note that a call gave these views of ``base``, which depend on its metadata alone."""
    steps = recording.steps
    if steps is not None:
        steps.append(("views", base, results))
    return results


def note_same(tensor: Any) -> Any:
    """Note that a call gave its argument back."""
    steps = recording.steps
    is_news = not steps or steps[-1][0] != "same" or steps[-1][1] is not tensor
    if steps is not None and is_news:
        steps.append(("same", tensor))
    return tensor


def note_rows(source: Any, index: Any, result: Any, words: Any) -> Any:
    """Note that ``result`` is rows of a tensor, named by an index; ``words`` describe the move."""
    steps = recording.steps
    if steps is not None:
        steps.append(("rows", source, index, result, words))
    return result


def unnoted(compute: Any) -> Any:
    """What a function gives, without a note of its steps: the caller notes the whole."""
    outer, recording.steps = recording.steps, None
    try:
        return compute()
    finally:
        recording.steps = outer


def note_record(record: Any, arguments: tuple[Any, ...], result: Any) -> None:
    """Note that ``record(result, *arguments)`` has given the result of the last step a history."""
    steps = recording.steps
    if steps is not None:
        steps.append(("record", record, arguments, result))


def note_element(tensor: Any, value: Any) -> Any:
    """Note that ``value`` is the only element of a tensor."""
    steps = recording.steps
    if steps is not None:
        steps.append(("element", tensor, value))
    return value


def note_adopted(array: Any, result: Any) -> Any:
    """Note that ``result`` is a tensor over the memory of a numpy array."""
    steps = recording.steps
    if steps is not None:
        steps.append(("adopt", array, result))
    return result


def note_array(tensor: Any, array: Any) -> Any:
    """Note that a call gave a numpy array over a tensor's memory."""
    steps = recording.steps
    if steps is not None:
        steps.append(("array", tensor, array))
    return array


def note_known(value: Any) -> Any:
    """Note that the call's result is decided by the metadata of its arguments, and never changes."""
    steps = recording.steps
    if steps is not None:
        steps.append(("known", value))
    return value


def note_list(tensor: Any, value: Any) -> Any:
    """Note that ``value`` is nested lists of a tensor's elements."""
    steps = recording.steps
    if steps is not None:
        steps.append(("list", tensor, value))
    return value


def outlives_call(step: tuple[Any, ...]) -> bool:
    """Whether a step changes something besides its operands: the state of a generator."""
    return step[0] in ("plan", "loop") and getattr(
        getattr(step[1], "loop", step[1]), "draws", False
    )


def note_by_value() -> None:
    """Note that the values of numbers, not only their types, decided what was done."""
    steps = recording.steps
    if steps is not None:
        steps.append(("by_value",))


def warn(text: str, stacklevel: int) -> None:
    """Warn, in a call that is not remembered: a repeated one would be silent."""
    note_other()
    recording.warnings += 1
    warnings.warn(text, UserWarning, stacklevel=stacklevel + 1)


def note_other() -> None:
    """Note something that must not be repeated from a record, such as reading an element."""
    steps = recording.steps
    if steps is not None:
        steps.append(("other",))

"""What a recorded step becomes when it is remembered: an action, its words, and what these point to.

A step is a tuple of `loops.plans`; the leaves of a call are its arguments, with lists and tuples
replaced by their items.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import objects, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.objects import TEMPLATE
from rushlight.engine.core.size import Size
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.named_results import NamedResult
from rushlight.engine.dispatch.replay import (
    ADOPT_ACTION,
    ARRAY_ACTION,
    ELEMENT_ACTION,
    IDENTITY_ACTION,
    KNOWN_ACTION,
    LIST_ACTION,
    LOOP_ACTION,
    PLAN_ACTION,
    ROWS_ACTION,
    SIZED_ACTION,
    VIEW_ACTION,
    VIEWS_ACTION,
)
from rushlight.engine.dispatch.source import define
from rushlight.engine.native import array_objects

# In place of a record in Python, where what it keeps are sizes of one call: what machine code cannot
# record is then done the long way.
MACHINE_ONLY = object()


def id_of(record: Any) -> int:
    if record is None:
        return 0
    return id(None) if record is MACHINE_ONLY else symbolic.own(record)


def address_of(words: Any) -> int:
    return 0 if words is None else ctypes.addressof(words)


def numbers_of(step: tuple[Any, ...]) -> list[Any]:
    """The plain numbers that a step takes anew each time; all others are decided by the key."""
    operands = step[2] if step[0] in ("plan", "loop") else ()
    return [x for x in operands if type(x) in (int, float)]


def step_words(step: tuple[Any, ...], leaves: list[Any], numbers: list[Any]) -> Any:
    """What `recorder_of` does, as words for machine code; None if it takes Python."""
    _, record, arguments, result = step
    made = result if type(result) is tuple else (result,)
    if all(isinstance(x, Tensor) and x._autograd is None for x in made):
        # Whole numbers have no history, whatever they were made of.
        return None
    places: list[int | None] = []
    for k, value in enumerate(arguments):
        place = position_of(value, leaves)
        is_leaf = isinstance(value, Tensor) or any(value is n for n in numbers)
        is_leaf = is_leaf and not _is_left_out(record, arguments, k)
        places.append(place if place >= 0 and is_leaf else None)
    in_words = getattr(record, "machine_words", None)
    words = None if in_words is None else in_words(places, list(arguments), result)
    return None if words is None else symbolic.words(words)


def _is_left_out(record: Any, arguments: tuple[Any, ...], k: int) -> bool:
    """Whether an argument is a default that only happens to be the same number as another one.

    In ``1 - x``, the factor 1 that nobody gave is the very object that was given.
    """
    value, defaults = arguments[k], getattr(record, "defaults", ())
    if type(value) not in (int, float) or k >= len(defaults) or defaults[k] != value:
        return False
    return any(other is value for j, other in enumerate(arguments) if j != k)


def recorder_of(step: tuple[Any, ...], leaves: list[Any], numbers: list[Any]) -> Any:
    """A function of a result and the leaves of a call that gives the result its history.

    What the step had as arguments are leaves or, decided by the key, always the same values.
    """
    _, record, arguments, _ = step
    kept: dict[str, Any] = {"record": record}

    parts = [
        _source(value, [] if _is_left_out(record, arguments, k) else leaves, numbers, kept)
        for k, value in enumerate(arguments)
    ]
    if None in parts:
        return None
    if symbolic.trace() is not None and any(map(_is_symbolic, kept.values())):
        return MACHINE_ONLY
    names = ", ".join(f"leaf{i}" for i in range(len(leaves)))
    text = (
        f"def recorded(result, {names}):\n    return record(result, {', '.join(map(str, parts))})\n"
    )
    return define("recorded", text, kept, "record of a call")


def left_to_machine(record: Any, words: Any) -> Any:
    """`MACHINE_ONLY` for what machine code can record in calls of a class, whatever the record keeps.

    Whether that is a size of one call cannot be seen where it is a plain number.
    """
    is_class = symbolic.trace() is not None
    return MACHINE_ONLY if is_class and record is not None and words is not None else record


def _is_symbolic(value: Any) -> bool:
    if type(value) in (tuple, list, Size):
        return any(map(_is_symbolic, value))
    return type(value) is symbolic.SymInt


def _source(value: Any, leaves: list[Any], numbers: list[Any], kept: dict[str, Any]) -> str | None:
    """An argument as source: a leaf, or a name for what is always the same; None for neither."""
    if type(value) in (list, tuple) and any(isinstance(x, Tensor) for x in value):
        parts = [_source(x, leaves, numbers, kept) for x in value]
        return None if None in parts else f"[{', '.join(map(str, parts))}]"
    place = position_of(value, leaves)
    if isinstance(value, Tensor):
        return None if place < 0 else f"leaf{place}"
    if place >= 0 and any(value is n for n in numbers):
        return f"leaf{place}"
    name = f"kept{len(kept)}"
    kept[name] = value
    return name


def leaves_of(given: list[Any]) -> list[Any]:
    """The arguments, with lists and tuples replaced by their items."""
    return [x for a in given for x in (a if type(a) in (tuple, list) else (a,))]


def addressed(leaf: Any) -> Any:
    """What must stay alive because the key holds its address; never a tensor itself."""
    if isinstance(leaf, np.ndarray):
        return leaf.dtype
    return (leaf._size, leaf._stride) if isinstance(leaf, Tensor) else leaf


def position_of(item: Any, given: list[Any]) -> int:
    return next((i for i, other in enumerate(given) if other is item), -1)


def _same_items(a: Any, b: Any) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b))


def _independence(view: Tensor) -> int:
    """How far a view counts as a tensor of its own, as `ENTRY.status` says."""
    return 0 if view._base is not None else 1 if view._counter is None else 2


def _describe_memory(
    step: tuple[Any, ...], given: list[Any], result: Any
) -> tuple[int, list[int], Any] | None:
    """A tensor over an array's memory, or an array over a tensor's."""
    name, source, made = step
    place = position_of(source, given)
    if made is not result or place == -1 or not array_objects.usable():
        return None
    if name == "adopt":
        if made._keys != key_bits.CPU or made._offset or not made._storage._nbytes:
            return None
        template = Template(made._size, made._stride, made._dtype)
        words = list(tensors.template_words(template))
        words[TEMPLATE.nbytes // 8] = made._storage._nbytes
        table = symbolic.words(words)
        return ADOPT_ACTION, [place, ctypes.addressof(table)], (table, template)
    dims = made.ndim
    sizes, strides = symbolic.words(made.shape), symbolic.words(made.strides)
    words = [place, made.dtype.num, dims, ctypes.addressof(sizes), ctypes.addressof(strides)]
    return ARRAY_ACTION, [*words, made.itemsize], (sizes, strides)


def moves_of_places(
    held: tuple[Any, ...], given: list[Any]
) -> tuple[list[tuple[int, ...]], int] | None:
    """The words of integers in tensors, as `replay.MOVE` says, and by how much they move a view now."""
    rows: list[tuple[int, ...]] = []
    for tensor, _, size, stride in held:
        rows.append((position_of(tensor, given), tensor._dtype.itemsize, size, stride, 0))
    if any(row[0] < 0 for row in rows):
        return None
    return rows, sum(value * stride for _, value, _, stride in held)


def describe(
    step: tuple[Any, ...], given: list[Any], result: Any
) -> tuple[int, list[int], Any] | None:
    """The action, words and objects to keep for a recorded step, or None if it is not the call."""
    if step[0] == "plan":
        _, plan, inputs, produced = step
        positions = [position_of(x, given) for x in inputs]
        named = type(result) is not type(produced) and isinstance(result, NamedResult)
        # The others of several results are like scratch to a call that gives only the first.
        first = type(produced) is tuple and produced[0] is result
        whole = produced is result or (named and _same_items(produced, result))
        if -1 in positions or not (whole or first):
            return None
        indices = symbolic.words(positions, ctypes.c_uint8)
        shown = 1 if first else plan.outputs
        counts = shown | (plan.outputs + plan.scratch - shown) << 16
        address = 0 if plan.loop is None else plan.loop.address
        words = [address, plan.templates_address, counts, len(positions)]
        words += [ctypes.addressof(indices), id(type(result)) if named else 0]
        return PLAN_ACTION, words, (plan, indices, type(result))
    if step[0] == "checked":
        _, plan, inputs, produced, status = step
        found = describe(("plan", plan, inputs, produced), given, result)
        return None if found is None else (found[0], [*found[1], status], found[2])
    if step[0] in ("adopt", "array"):
        return _describe_memory(step, given, result)
    if step[0] == "sized":
        _, sized, inputs, produced = step
        positions = [position_of(x, given) for x in inputs]
        if -1 in positions or produced is not result:
            return None
        indices = symbolic.words(positions, ctypes.c_uint8)
        words = [sized.counting.address, sized.address, 0, len(positions)]
        return SIZED_ACTION, [*words, ctypes.addressof(indices)], (sized, indices)
    if step[0] == "loop":
        _, loop, operands, outputs, status = step
        positions = [position_of(x, given) for x in operands]
        if -1 in positions or (result is not None and position_of(result, given) == -1):
            return None
        indices = symbolic.words(positions, ctypes.c_uint8)
        words = [loop.address, 0, outputs, len(positions), ctypes.addressof(indices)]
        place = -1 if result is None else position_of(result, given)
        return LOOP_ACTION, [*words, place, status], (loop, indices)
    if step[0] == "view":
        _, base, made = step
        if made is not result or position_of(base, given) == -1 or type(made) is not Tensor:
            return None
        if made._dtype is not base._dtype or (made._keys ^ base._keys) & objects.NOT_AUTOGRAD:
            return None
        words = [
            position_of(base, given),
            symbolic.address(made._size),
            symbolic.address(made._stride),
        ]
        words += [made._offset - base._offset, made._numel, made._flags, _independence(made)]
        return VIEW_ACTION, words, (made._size, made._stride)
    if step[0] == "place":
        _, base, held, made = step
        described = describe(("view", base, made), given, result)
        moves = moves_of_places(held, given)
        if described is None or moves is None:
            return None
        rows, shift = moves
        places = symbolic.words([len(rows), *(word for row in rows for word in row)])
        action, words, keep = described
        words[3] -= shift
        return action, [*words, ctypes.addressof(places)], (keep, places)
    if step[0] == "views":
        _, base, made = step
        if made is not result or position_of(base, given) == -1 or type(base) is not Tensor:
            return None
        table = [
            word for v in made
            for word in (
                symbolic.address(v._size), symbolic.address(v._stride),
                v._offset - base._offset, v._numel, v._flags,
            )
        ]  # fmt: skip
        buffer = symbolic.words(table)
        words = [position_of(base, given), ctypes.addressof(buffer), len(made)]
        return VIEWS_ACTION, words, (buffer, [(v._size, v._stride) for v in made])
    if step[0] == "known":
        _, value = step
        return (KNOWN_ACTION, [symbolic.address(value)], value) if value is result else None
    if step[0] == "same":
        _, base = step
        if base is not result or position_of(base, given) == -1:
            return None
        return IDENTITY_ACTION, [position_of(base, given)], None
    if step[0] == "rows":
        _, source, index, made, description = step
        places = position_of(source, given), position_of(index, given)
        if made is not result or -1 in places or type(source) is not Tensor:
            return None
        address = ctypes.addressof(description.words)
        return ROWS_ACTION, [places[0], address, 0, 0, 0, places[1]], description
    if step[0] in ("element", "list"):
        _, source, value = step
        handled = source._dtype in objects.ELEMENT_TYPES and type(source) is Tensor
        if value is not result or position_of(source, given) == -1 or not handled:
            return None
        action = ELEMENT_ACTION if step[0] == "element" else LIST_ACTION
        return action, [position_of(source, given)], None
    return None

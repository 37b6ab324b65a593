"""Dispatch modes: objects that see every operator call of a thread.

The innermost mode is asked first. While it runs it is off, so the calls it makes go to the modes
around it and then to the kernels.
"""

from __future__ import annotations

import functools
import importlib
import operator
import weakref
from collections.abc import Sequence
from typing import Any, Self

from rushlight.engine.core import keys, state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.boxing import box, tensors_in
from rushlight.engine.dispatch.operator import Operator, find

# What has been done by the time a mode or a subclass is asked. What elements stand for is each
# tensor's own. Modes around a call have been asked and are off by the time a class is; one that the
# class turns on is asked.
_OF_TENSORS = keys.CONJUGATE | keys.NEGATIVE | keys.NESTED
ABOVE = ~((keys.PYTHON_MODE << 1) - 1) & ((1 << 62) - 1) & ~_OF_TENSORS


class TorchDispatchMode:
    """Subclass it, write `__torch_dispatch__(self, func, types, args=(), kwargs=None)`, use `with`."""

    # Modes that stand for a way to run programs are asked after those of users, in this order: the
    # lowest last. None for modes of users.
    rank: int | None = None

    def __torch_dispatch__(
        self, func: Operator, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define __torch_dispatch__")

    def __enter__(self) -> Self:
        push(self)
        return self

    def __exit__(self, *exception: object) -> None:
        pop() if self.rank is None else remove(self)


def push(mode: TorchDispatchMode) -> None:
    """Let a mode see calls: above all others, or at the place of its rank."""
    found = state.thread.modes
    place = len(found)
    if mode.rank is not None:
        while place and (found[place - 1].rank is None or found[place - 1].rank > mode.rank):
            place -= 1
    found.insert(place, mode)
    update(+1)


def remove(mode: TorchDispatchMode) -> None:
    """Let a mode see no more calls, wherever it is among others."""
    found = state.thread.modes
    place = max(k for k, other in enumerate(found) if other is mode)
    del found[place]
    update(-1)


def pop() -> TorchDispatchMode:
    mode: TorchDispatchMode = state.thread.modes.pop()
    update(-1)
    return mode


def update(change: int) -> None:
    """Keep the thread's keys and the count of active threads in step with its modes."""
    if state.thread.modes:
        state.thread.included |= keys.PYTHON_MODE
    else:
        state.thread.included &= ~keys.PYTHON_MODE
    state.activate(change)


def stack() -> list[TorchDispatchMode]:
    """This thread's modes, innermost last."""
    return list(state.thread.modes)


@functools.cache
def shown(op: Operator) -> Operator:
    """The overload that is shown for one: PyTorch has numbers as tensors where its functions take both."""
    tensors = {"Scalar": ("Tensor", ""), "Scalar_mode": ("Tensor_mode",)}.get(op.overload, ())
    generated = importlib.import_module("rushlight.engine.generated.functions")
    forms = generated.FUNCTIONS.get(op.packet_name.removesuffix("_"), "")
    for overload in tensors if forms.startswith("+") and op.namespace == "aten" else ():
        found = find(f"{op.packet_name}.{overload}" if overload else op.packet_name)
        if found is not None:
            return found
    return op


def is_watched() -> bool:
    """Whether a mode of this thread is to see the calls that are made now."""
    thread = state.thread
    return state.active > 0 and bool(thread.included & ~thread.excluded & keys.PYTHON_MODE)


# For keys of calls: what a thread does while a handler runs, and nothing else.
_BELOW_MODES = state.kind_of(("below modes", ABOVE))


def may_be_told(excluded: int) -> bool:
    """Whether a handler is all that this thread's calls depend on, besides what it has excluded before."""
    thread = state.thread
    return not (excluded or thread.included or thread.layers)


def ask_mode(op: Operator, *values: Any) -> Any:
    """What the innermost mode makes of a call."""
    op = shown(op)
    args, kwargs = box(op.schema, values)
    types = subclass_types(values)
    thread = state.thread
    # The mode is off, and what is above modes has been done: the thread stays as busy as it was.
    mode = thread.modes.pop()
    included, excluded = thread.included, thread.excluded
    if not thread.modes:
        thread.included &= ~keys.PYTHON_MODE
    thread.excluded |= ABOVE
    told = may_be_told(excluded) and state.tell(_BELOW_MODES)
    try:
        rule = op.dispatch_rules.get(type(mode))
        answer = mode.__torch_dispatch__ if rule is None else functools.partial(rule, mode)
        result = answer(op, types, args, kwargs)
    finally:
        if told:
            state.untell()
        thread.modes.append(mode)
        thread.included, thread.excluded = included, excluded
    if result is NotImplemented:
        if not types:
            raise no_handler(op, [mode])
        # A class may know better; the calls that it makes are the mode's again.
        return ask_subclasses(op, *values)
    if op.schema.is_view:
        adopt(op, result, tensors_in(values)[0])
    return result


def ask_subclasses(op: Operator, *values: Any) -> Any:
    """What the first tensor subclass that does not decline makes of a call."""
    if state.thread.dispatch_disabled:
        return without_class(op, values)
    op = shown(op)
    types = subclass_types(values)
    if types and not state.active:
        # A class may know what it made of such a call: where keys say nothing, nothing is set up for that.
        again = vars(types[0]).get("_answer_again")
        result = NotImplemented if again is None or op.dispatch_rules else again(op, values)
        if result is not NotImplemented:
            if op.schema.is_view:
                adopt(op, result, tensors_in(values)[0])
            return result
    args, kwargs = box(op.schema, values)
    for kind in types:
        rule = op.dispatch_rules.get(kind)
        answer = kind.__torch_dispatch__ if rule is None else functools.partial(rule, kind)
        begun = state.begin_answer(ABOVE, _BELOW_MODES)
        try:
            result = answer(op, types, args, kwargs)
        finally:
            state.end_answer(begun)
        if result is not NotImplemented:
            if op.schema.is_view:
                adopt(op, result, tensors_in(values)[0])
            return result
    raise no_handler(op, types)


# The field of tensors, whatever a class shows in its place.
_BASE: Any = vars(Tensor)["_base"]
# What it gives has the elements, and so the version, of its argument, and follows no history.
_DETACHING = "aten::detach"


def adopt(op: Operator, result: Any, source: Tensor) -> None:
    """Let what a class gave for a view count as one, whatever it is over."""
    for item in tensors_in([result]):
        if op.full_name == _DETACHING:
            item._counter_ = source._counter_
        elif item is not source and item._base is None:
            base: Any = source if source._base is None else source._base
            _BASE.__set__(item, base)
            item._counter_ = source._counter_
            if type(base) is not Tensor and item._storage_ is not base._storage_:
                # No storage leads from one to the other.
                alive = [one for one in vars(base).get("_views_", ()) if one() is not None]
                vars(base)["_views_"] = [*alive, weakref.ref(item)]


def without_class(op: Operator, values: tuple[Any, ...]) -> Any:
    """A call on tensors as if their classes answered nothing; elements that lie nowhere are refused."""
    tensors = tensors_in(values)
    if keys.CPU in op.kernels:
        for tensor in tensors:
            tensor._storage_.check_memory()
    lower = functools.reduce(operator.or_, (tensor._keys_ for tensor in tensors))
    return op.table[lower & ~(ABOVE | keys.PYTHON)](*values)


def subclass_types(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types with `__torch_dispatch__` among the arguments: subclasses before their bases."""
    for value in values:
        if type(value) in (list, tuple):
            return _types_of(tensors_in(values))
    return _types_of(values)


def _types_of(values: Sequence[Any]) -> tuple[Any, ...]:
    found: list[type] = []
    for value in values:
        kind = type(value)
        if kind in found or kind is Tensor or not isinstance(value, Tensor):
            continue
        if not hasattr(kind, "__torch_dispatch__"):
            continue
        at = len(found)
        for index, other in enumerate(found):
            if issubclass(kind, other):
                at = index
                break
        found.insert(at, kind)
    return tuple(found)


def no_handler(op: Operator, asked: Any) -> TypeError:
    names = ", ".join(str(item if isinstance(item, type) else type(item)) for item in asked)
    return TypeError(
        f"Multiple dispatch failed for '{op}'; all __torch_dispatch__ handlers returned "
        f"NotImplemented: {names}"
    )

"""Where calls leave for `__torch_function__`: duck types, Tensor subclasses and function modes.

Bindings take their fast path only for arguments whose type is in `plain`. While a function mode is
on in any thread `plain` is empty, so every call comes to the resolver, which asks `overloaded`.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.engine.core import state
from rushlight.engine.core.symbolic_fields import SymbolicTensor
from rushlight.engine.core.tensor import Tensor, TensorMeta
from rushlight.engine.native.forks import hold_over_fork

# The types that are tensors and override nothing.
plain: set[type] = {Tensor}
known_plain: set[type] = {Tensor, SymbolicTensor}
_LISTS = {list, tuple}
# Functions in Python also know by these types that an argument overrides nothing.
_VALUES: frozenset[type] = frozenset({int, float, bool, str, type(None)})
quiet: set[type] = {Tensor, *_VALUES}
active_modes = 0
lock = threading.RLock()
hold_over_fork(lock)
# Told when the first mode comes (True) and when the last one goes (False).
watchers: list[Callable[[bool], None]] = []


class Local(threading.local):
    """One thread's modes, innermost last, and whether overrides are off."""

    def __init__(self) -> None:
        self.modes: list[Any] = []
        self.disabled = 0
        self.subclasses_disabled = 0


local = Local()


def add_plain(tensor_type: type) -> None:
    """Let bindings take their fast path for this type."""
    with lock:
        known_plain.add(tensor_type)
        if not active_modes:
            plain.add(tensor_type)
            quiet.add(tensor_type)


def look_again(tensor_type: type) -> None:
    """Let this type be asked if it wants to be by now, and not otherwise."""
    if tensor_type is Tensor:
        return
    with lock:
        known_plain.discard(tensor_type)
        if type_overrides(tensor_type):
            plain.discard(tensor_type)
            quiet.discard(tensor_type)
        else:
            add_plain(tensor_type)


TensorMeta.watchers.append(look_again)


def push_mode(mode: Any) -> None:
    _count_modes(+1)
    # Remembered calls would go past the mode.
    state.busy(+1)
    local.modes.append(mode)


def pop_mode() -> Any:
    mode = local.modes.pop()
    _count_modes(-1)
    state.busy(-1)
    return mode


def _count_modes(change: int) -> None:
    """While there is a mode in any thread, no type goes unasked."""
    global active_modes
    with lock:
        active_modes += change
        if active_modes == 0:
            plain.update(known_plain)
            quiet.update(known_plain | _VALUES)
        elif active_modes == change == 1:
            plain.clear()
            quiet.clear()
        else:
            return
        for watcher in watchers:
            watcher(active_modes > 0)


@contextmanager
def without_subclasses() -> Iterator[None]:
    """Within the block, `__torch_function__` of arguments is not asked; modes are."""
    local.subclasses_disabled += 1
    try:
        yield
    finally:
        local.subclasses_disabled -= 1


@contextmanager
def without_overrides() -> Iterator[None]:
    """Within the block, neither arguments nor modes are asked."""
    local.disabled += 1
    try:
        yield
    finally:
        local.disabled -= 1


def overrides(value: Any) -> bool:
    """True if `value` wants to be asked about calls it takes part in."""
    return type_overrides(type(value))


def type_overrides(kind: type) -> bool:
    """True if tensors, or other objects, of this type want to be asked."""
    if kind in known_plain:
        return False
    method = getattr(kind, "__torch_function__", None)
    return method is not None and getattr(method, "__func__", method) is not disabled_torch_function


def disabled_torch_function(
    cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None
) -> Any:
    """What a subclass sets as `__torch_function__` to be treated as a plain tensor."""
    with without_subclasses():
        return func(*args, **(kwargs or {}))


def overloaded(values: Iterable[Any]) -> list[Any]:
    """The arguments to ask, one of each type: subclasses before their bases, else left to right."""
    found: list[Any] = []
    if local.disabled or local.subclasses_disabled:
        return found
    for value in values:
        for item in _items(value):
            if overrides(item) and all(type(item) is not type(other) for other in found):
                at = len(found)
                for index, other in enumerate(found):
                    if issubclass(type(item), type(other)):
                        at = index
                        break
                found.insert(at, item)
    return found


def overloaded_or_tensor(values: Iterable[Any]) -> list[Any]:
    """What PyTorch's functions in Python ask: `overloaded`, among which a plain tensor counts."""
    found = overloaded(values)
    if not (local.disabled or local.subclasses_disabled):
        tensor = next(
            (item for value in values for item in _items(value) if type(item) is Tensor), None
        )
        found += [] if tensor is None else [tensor]
    return found


def overloaded_in_subscript(values: Iterable[Any]) -> list[Any]:
    """The same for a subscript, whose parts may be lists themselves."""
    owner, index, *rest = values
    parts = index if type(index) in _LISTS else ()
    return overloaded([owner, index, *(part for part in parts if type(part) in _LISTS), *rest])


def _items(value: Any) -> Any:
    """An argument, or those in a list; long lists of numbers are passed over by their types."""
    if type(value) not in _LISTS:
        return (value,)
    kinds = set(map(type, value))
    return value if Tensor in kinds or any(map(type_overrides, kinds)) else ()


def is_needed(values: Iterable[Any]) -> bool:
    """True if the call has someone to ask."""
    if local.disabled:
        return False
    return bool(local.modes) or bool(overloaded(values))


def call(
    function: Callable[..., Any], asked: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Ask the innermost mode, then each of `asked`; TypeError if all of them decline."""
    types = tuple(type(item) for item in asked)
    function, args, kwargs = as_told(function, args, kwargs)
    mode = None
    if local.modes:
        mode = pop_mode()
        try:
            result = mode.__torch_function__(function, types, args, kwargs)
        finally:
            push_mode(mode)
        if result is not NotImplemented:
            return result
    for item in asked:
        result = type(item).__torch_function__(function, types, args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(_nobody_answered(name_of(function), mode, types))


def _nobody_answered(name: str, mode: Any, types: tuple[type, ...]) -> str:
    """The error when all decline; functions written in Python have one of their own."""
    if name.startswith(("torch.nn.functional.", "torch.functional.")):
        tried = ", ".join(map(str, types))
        nor = "" if mode is None else f" nor in mode {mode}"
        return (
            f"no implementation found for '{name}' on types that implement __torch_function__: "
            f"[{tried}]{nor}"
        )
    asked = [] if mode is None else [f"  - mode object {mode}"]
    asked += [f"  - tensor subclass {kind}" for kind in types]
    lines = "\n".join(asked)
    return (
        f"Multiple dispatch failed for '{name}'; all __torch_function__ handlers returned "
        f"NotImplemented:\n\n{lines}"
    )


def _plain_name(function: Any) -> str:
    return f"{getattr(function, '__module__', '')}.{getattr(function, '__name__', function)}"


def _as_made(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    return function, args, kwargs


# How errors call a function, and what is told of a call. The namespace knows better and replaces
# both.
name_of: Callable[[Any], str] = _plain_name
as_told: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any] = _as_made


def _are_quiet(values: Iterable[Any]) -> bool:
    """Whether nobody among arguments, or in lists among them, wants to be asked."""
    for value in values:
        if type(value) not in quiet and not (type(value) in _LISTS and _is_quiet_list(value)):
            return False
    return True


def _is_quiet_list(values: Any) -> bool:
    """The same of a list, and of lists in it: each is looked at once, as one may hold itself."""
    waiting, seen = [values], {id(values)}
    for one in waiting:
        kinds = {*map(type, one)}
        if not quiet.issuperset(kinds - _LISTS):
            return False
        if not kinds.isdisjoint(_LISTS):
            for inner in one:
                if type(inner) in _LISTS and id(inner) not in seen:
                    seen.add(id(inner))
                    waiting.append(inner)
    return True


def asking(
    function: Callable[..., Any],
    told: Callable[[], Any] | None = None,
    found: Callable[[Iterable[Any]], list[Any]] = overloaded_or_tensor,
) -> Any:
    """A function written in Python that asks overrides before it runs.

    Args:
        function: what runs if nobody answers
        told: gives what the overrides are told was called, if that is not the result itself
        found: picks the arguments to ask
    """

    @functools.wraps(function)
    def ask(*args: Any, **kwargs: Any) -> Any:
        values = (*args, *kwargs.values())
        if not (quiet and _are_quiet(values)) and not local.disabled:
            asked = found(values)
            if local.modes or any(map(overrides, asked)):
                return call(ask if told is None else told(), asked, args, kwargs)
        return function(*args, **kwargs)

    ask.asks_overrides = True  # type: ignore[attr-defined]
    return ask

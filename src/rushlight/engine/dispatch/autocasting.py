"""Autocast: which element type operators compute in, and the weights cast so far.

Within a region the thread carries the key `Autocast`; `keys/autocast.py` says what it does.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import operator

LOWER = (dtypes.bfloat16, dtypes.float16)


class Settings(threading.local):
    """One thread's choices, by type of device where they differ."""

    def __init__(self) -> None:
        self.enabled: set[str] = set()
        self.dtypes: dict[str, dtypes.dtype] = {"cpu": dtypes.bfloat16}
        self.caching = True
        self.nesting = 0
        # Weights in the lower type, by the identity of the weight.
        self.cast: dict[int, tuple[weakref.ref[Tensor], Tensor]] = {}


settings = Settings()


def dtype_of(device: str) -> dtypes.dtype:
    """The lower type of a kind of device."""
    return settings.dtypes.get(device, dtypes.float16)


def switch(device: str, on: bool) -> None:
    """Turn autocast on or off in this thread for a kind of device."""
    if on is (device in settings.enabled):
        return
    if on:
        settings.enabled.add(device)
    else:
        settings.enabled.discard(device)
    # Where there are no tensors of a kind of device, nothing can change.
    is_needed = any(devices.device(kind).is_here for kind in settings.enabled)
    if is_needed is not bool(state.thread.included & keys.AUTOCAST):
        state.thread.included = state.thread.included & ~keys.AUTOCAST | is_needed * keys.AUTOCAST
        state.activate(+1 if is_needed else -1)


def is_eligible(value: Any) -> bool:
    """Whether autocast changes tensors like this one."""
    kind = value._dtype_
    return (
        kind.is_floating_point
        and kind is not dtypes.float64
        and value._storage_.device.type in settings.enabled
    )


def lower_type(values: Iterable[Any]) -> dtypes.dtype:
    """The lower type of the device that a call's tensors are on."""
    for value in values:
        if isinstance(value, Tensor) and is_eligible(value):
            return dtype_of(value._storage_.device.type)
    return dtype_of("cpu")


def cast(value: Any, wanted: dtypes.dtype) -> Any:
    """An argument in the wanted type; lists item by item, anything else as it is."""
    if isinstance(value, (list, tuple)):
        return [cast(item, wanted) for item in value]
    if not isinstance(value, Tensor) or not is_eligible(value) or value._dtype_ is wanted:
        return value
    if not _is_weight(value, wanted):
        return _converted(value, wanted)
    known = settings.cast.get(id(value))
    if known is not None and known[0]() is value:
        return known[1]
    made = _converted(value, wanted)
    if state.thread.grad_enabled:
        # One made without a history would hide the weight from later calls that record.
        settings.cast[id(value)] = (weakref.ref(value), made)
    return made


def in_full(value: Any) -> Any:
    """An argument of a composite that computes in float32 within autocast."""
    is_active = state.thread.included & keys.AUTOCAST & ~state.thread.excluded
    return cast(value, dtypes.float32) if is_active else value


def lowered(*values: Any) -> tuple[Any, ...]:
    """Arguments of a function in Python that computes in the lower type within autocast."""
    if not state.thread.included & keys.AUTOCAST & ~state.thread.excluded:
        return values
    lower = lower_type(values)
    return tuple(cast(value, lower) for value in values)


def _is_weight(value: Any, wanted: dtypes.dtype) -> bool:
    """Whether a cast is worth keeping until the region ends."""
    return (
        settings.caching
        and wanted is dtype_of(value._storage_.device.type)
        and value._dtype_ is dtypes.float32
        and value._base is None
        and value.requires_grad
        and value.is_leaf
    )


def _converted(value: Any, wanted: dtypes.dtype) -> Any:
    return operator("to.dtype").call(value, wanted, False, False, None)


def widest(values: list[Any]) -> dtypes.dtype:
    """The type that arguments of different types meet in."""
    lower = found = lower_type(values)
    for value in values:
        if not isinstance(value, Tensor) or not is_eligible(value):
            continue
        if dtypes.float32 in (found, value._dtype_):
            found = dtypes.float32
        elif value._dtype_ is not lower:
            raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return found

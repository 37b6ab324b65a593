"""Tables of plans."""

from __future__ import annotations

import weakref
from typing import Any

from rushlight.engine.core import library_settings, state, symbolic

_REMEMBERED = 4096
# Tables with plans: there are thousands, of which a program fills a few.
_filled: weakref.WeakSet[PlanTable] = weakref.WeakSet()


class PlanTable(dict[Any, Any]):
    """Signature -> plan; emptied when it grows too large or when defaults change."""

    __slots__ = ("__weakref__",)

    __hash__ = object.__hash__  # type: ignore[assignment]

    def get(self, key: Any, default: Any = None) -> Any:
        """The plan of a signature, for the device that loops are planned for; a trace plans anew."""
        if symbolic.trace() is not None:
            return default
        return super().get(_with_device(key), default)

    def __setitem__(self, key: Any, plan: Any) -> None:
        if symbolic.trace() is not None:
            return
        if len(self) >= _REMEMBERED:
            self.clear()
        super().__setitem__(_with_device(key), plan)
        # Last, so that no thread that forgets meanwhile leaves a table with plans out.
        _filled.add(self)


def _with_device(key: Any) -> Any:
    """A signature with the device that loops are planned for, and what its libraries may do."""
    planner = state.thread.planner
    return key if planner is None else (planner.device, library_settings.chosen, key)


def forget_all() -> None:
    """Drop every plan, after a change of something that plans are built on."""
    for table in list(_filled):
        _filled.discard(table)
        table.clear()


def notes_device_steps(kernel: Any) -> Any:
    """Say that a kernel's steps say all that it does on a device, too: machine code may repeat them."""
    kernel.notes_device_steps = True
    return kernel


def calls_nothing(kernel: Any) -> Any:
    """Say that a kernel calls no operator, so that autograd need not hide histories from it."""
    kernel.calls_nothing = True
    return kernel

"""The collector of cyclic garbage."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

# Finalizers there give back memory, which the end of the process does, too.
_MEMORY_ONLY = ("rushlight.engine.", "llvmlite.")


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """A block in which cyclic garbage is not looked for.

    Compiling makes many objects that live on, and each search walks through all of them in vain.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """A block of imports, whose objects are taken for old ones at once.

    Otherwise the next searches among young objects would walk through all of them, twice before they are old.
    """
    with uncollected():
        before = len(sys.modules)
        yield
        # What a program has frozen stays so.
        if len(sys.modules) > before and gc.get_freeze_count() == 0:
            gc.freeze()
            gc.unfreeze()


def import_module(name: str) -> ModuleType:
    """A module, which is imported in such a block if it is not there."""
    if name in sys.modules:
        return importlib.import_module(name)
    with importing():
        return importlib.import_module(name)


def _spare_the_end() -> None:
    """Let Python's last searches pass over everything, unless something waits for them.

    They would take every object of this package and of others apart, which can be a fifth of a short program's time.
    What is in no cycle ends as ever, without a search.
    """
    if not any(_awaits_its_end(thing) for thing in _with_finalizers()):
        gc.freeze()


def _with_finalizers() -> list[Any]:
    """Objects that do something when they go."""
    things = gc.get_objects()
    # There are far fewer classes than objects.
    kinds = {kind for kind in set(map(type, things)) if hasattr(kind, "__del__")}
    return [thing for thing in things if type(thing) in kinds]


def _awaits_its_end(thing: Any) -> bool:
    """Whether a program could miss what an object's finalizer does."""
    finalizer: Any = type(thing).__del__
    gives_memory_back = getattr(finalizer, "__module__", "").startswith(_MEMORY_ONLY)
    return not gives_memory_back and not _is_of_standard_streams(thing)


def _is_of_standard_streams(thing: Any) -> bool:
    """Whether an object is one of the three streams, or a layer of one: Python empties them by itself."""
    for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__):
        buffer = getattr(stream, "buffer", None)
        if any(thing is layer for layer in (stream, buffer, getattr(buffer, "raw", None))):
            return True
    return False


# Functions registered later, as programs do, have run by then.
atexit.register(_spare_the_end)

"""The collector of cyclic garbage."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator


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

"""Dataclasses whose methods' code is kept on disk.

Python's own decorator has a handful of texts compiled for each class. That takes longer than all else that loading a module
does, and a program loads a hundred such classes.
"""

from __future__ import annotations

import dataclasses
import threading
from typing import Any, dataclass_transform

from rushlight.engine.native import code_cache
from rushlight.engine.native.forks import hold_over_fork

_making = threading.RLock()
hold_over_fork(_making)
_functions: Any = dataclasses


@dataclass_transform(field_specifiers=(dataclasses.field,))
def dataclass(cls: Any = None, /, **options: bool) -> Any:
    """What `dataclasses.dataclass` makes of a class, which takes the same options."""

    def made(cls: type) -> type:
        with _making:
            # A name of the module's goes before the built-in function.
            _functions.exec = _execute
            try:
                return dataclasses.dataclass(cls, **options)  # type: ignore[call-overload, no-any-return]
            finally:
                del _functions.exec

    return made if cls is None else made(cls)


def _execute(text: str, names: dict[str, Any], space: dict[str, Any]) -> None:
    exec(code_cache.compiled(text, "<string>"), names, space)

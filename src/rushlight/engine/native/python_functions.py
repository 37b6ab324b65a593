"""Where Python keeps what belongs to a function, and the contents of a cell: measured on probes."""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight.engine.native import heap_types


def _made_probe() -> Any:
    inside = object()

    def probe(first: Any = (), *, second: Any = ()) -> Any:
        return inside, first, second

    return probe


def _offset_of(owner: Any, part: Any) -> int:
    """Where an object holds another one."""
    for offset in range(heap_types.HEADER, type(owner).__basicsize__, 8):
        if ctypes.c_int64.from_address(id(owner) + offset).value == id(part):
            return offset
    raise RuntimeError(
        f"a {type(owner).__name__} does not hold its {type(part).__name__} in a field"
    )


class FUNCTION:
    """Offsets of a function's fields; those of defaults may be 0 where Python shows None."""

    code: int
    defaults: int
    keyword_defaults: int
    closure: int


class CELL:
    """The offset of what a cell holds; 0 lies there while it is empty."""

    contents: int


def _measure() -> None:
    """Find the offsets; where objects are plain, nothing that uses them runs, so any will do."""
    is_supported = heap_types.supported()
    probe = _made_probe()
    (cell,) = probe.__closure__
    fields = {
        "code": probe.__code__,
        "defaults": probe.__defaults__,
        "keyword_defaults": probe.__kwdefaults__,
        "closure": probe.__closure__,
    }
    for name, part in fields.items():
        setattr(FUNCTION, name, _offset_of(probe, part) if is_supported else 0)
    CELL.contents = _offset_of(cell, cell.cell_contents) if is_supported else 0


_measure()

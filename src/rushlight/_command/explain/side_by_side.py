"""The kernels of a call with their source: lines of the kernel language beside the IR that they write."""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from types import FrameType
from typing import Any, NamedTuple

from rushlight._command.explain.watching import Place, Watched
from rushlight.engine.native.lowlevel.rewriting import HERE
from rushlight.engine.native.lowlevel.text import Text

WIDTH = 56  # of the column of source
_WRITERS = {method.__code__ for method in (Text.let, Text.do, Text.start)}


class _Written:
    """The lines of one text, each with the place that it was written from."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.places: dict[int, Place] = {}

    def lines(self) -> Iterator[tuple[str, Place | None]]:
        return ((line, self.places.get(k)) for k, line in enumerate(self.text.lines))


class _Function(NamedTuple):
    """A function of a module of IR, its head and its body's lines."""

    head: str
    body: list[str]


def side_by_side(function: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """The kernels that a call runs: on the left the kernel language, on the right its LLVM IR.

    Args:
        function: what to call, such as ``torch.add``
        args: its arguments
        kwargs: its keyword arguments
    """
    function(*args, **kwargs)
    watched, written = Watched(), dict[int, _Written]()

    def enter(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code in _WRITERS:
            text = frame.f_locals["self"]
            place = _place_of(frame.f_back)
            if place is not None:
                of = written.setdefault(id(text), _Written(text))
                of.places[len(text.lines)] = place

    sys.setprofile(enter)
    try:
        watched.listen(lambda: function(*args, **kwargs))
    finally:
        sys.setprofile(None)
    parts = []
    for kernel in watched.kernels:
        for part in _functions_of(kernel.ir):
            parts.append(part.head)
            parts += _columns(_with_places(part.body, written.values()))
            parts.append("}\n")
    return "\n".join(parts) or "no kernel is run"


def _place_of(frame: FrameType | None) -> Place | None:
    """The innermost line of the kernel language from a frame outwards."""
    while frame is not None:
        if HERE in frame.f_code.co_freevars:
            return Place(frame.f_code, frame.f_lineno)
        frame = frame.f_back
    return None


def _functions_of(ir: str) -> Iterator[_Function]:
    lines = iter(ir.splitlines())
    for line in lines:
        if line.startswith("define "):
            yield _Function(line, list(iter(lambda: next(lines), "}")))


def _with_places(body: list[str], written: Iterable[_Written]) -> list[tuple[str, Place | None]]:
    """A function's lines with their places, if one of the texts is its own."""
    own = {line for line in body if line}
    for each in written:
        if each.text.lines and own.issuperset(line for line in each.text.lines if line):
            places = {line: place for line, place in each.lines() if place}
            found: list[tuple[str, Place | None]] = []
            for line in body:
                # Labels and phi nodes belong to what is before them.
                found.append((line, places.get(line, found[-1][1] if found else None)))
            return found
    return [(line, None) for line in body]


def _columns(lines: list[tuple[str, Place | None]]) -> Iterator[str]:
    """Two columns; a line of source stands beside the first line of IR that it wrote."""
    file = ""
    for place, group in groupby(lines, lambda pair: pair[1]):
        left = ""
        if place is not None:
            name = place.code.co_filename
            if name != file:
                file = name
                yield f"{os.path.basename(name)}:".ljust(WIDTH) + " |"
            source = linecache.getline(name, place.line).strip()
            left = f"{place.line:4} {source}"
        for line, _ in group:
            yield f"{left[:WIDTH]:{WIDTH}} | {line.strip()}".rstrip()
            left = left[WIDTH:] and f"     {left[WIDTH:]}"
        while left:
            yield f"{left[:WIDTH]:{WIDTH}} |"
            left = left[WIDTH:] and f"     {left[WIDTH:]}"

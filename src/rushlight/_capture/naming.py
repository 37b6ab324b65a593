"""What the inputs of graphs are called."""

from __future__ import annotations

import re

_OF_FRAME = re.compile(r"F\[\d+\]\.(?:locals|cells)\[('[^']*')\](?:\.cell_contents)?")
_PART = re.compile(r"[^0-9A-Za-z]+")


def shown_source(source: str) -> str:
    """A source as programs know it: ``L['x']`` is what a variable holds."""
    return _OF_FRAME.sub(r"L[\1]", source)


def input_name(source: str) -> str:
    """The name of the graph's input for a value whose source programs know so."""
    return _PART.sub("_", source)

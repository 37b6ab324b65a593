"""The Python functions of a segment, as text: guards, inputs, and what makes values again.

What several expressions have in common, such as the way to a module, is computed once.
"""

from __future__ import annotations

import collections
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from rushlight.engine.core import tensor
from rushlight.engine.core.tensor_guards import Expected, Table
from rushlight.engine.native import heap_types

_TEXT = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_STEP = rf"\.[A-Za-z_]\w*|\[(?:-?\d+|{_TEXT})\]"
# A name with the attributes and items behind it, which begins neither behind a value nor within a text.
_PATH = re.compile(rf"(?P<text>\w*(?:{_TEXT}))|(?<![\w.)\]])(?P<path>[A-Za-z_]\w*(?:{_STEP})+)")
_STEPS = re.compile(rf"[A-Za-z_]\w*|{_STEP}")
# The guard on whether the thread records gradients.
RECORDING = "thread.grad_enabled is {}"
# What is named within these holds within them only.
_CLOSED = re.compile(r"\b(?:lambda|for)\b")


class _Shared:
    """Replaces attributes and items that come more than once by names.

    Args:
        texts: all expressions, each of one line
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.names: dict[str, str] = {}
        self.lines: list[str] = []
        # Each path, as the path that it goes on from and its last step.
        self._ways: dict[str, tuple[str, str]] = {}
        self._counts: dict[str, int] = collections.Counter()
        for text in texts:
            if not _CLOSED.search(text):
                for found in _PATH.finditer(text):
                    self._count(found["path"])

    def _count(self, path: str | None) -> None:
        if path is None:
            return
        if path not in self._ways:
            way, *steps = _STEPS.findall(path)
            for step in steps:
                self._ways[way + step] = way, step
                way += step
        while path in self._ways:
            self._counts[path] += 1
            path = self._ways[path][0]

    def text(self, text: str) -> str:
        """An expression after the lines that it needs."""
        return text if _CLOSED.search(text) else _PATH.sub(self._replaced, text)

    def _replaced(self, found: re.Match[str]) -> str:
        path = found["path"]
        return found["text"] if path is None else self._named(path)

    def _named(self, path: str) -> str:
        if path not in self._ways:
            return path
        name = self.names.get(path)
        if name is None:
            way, step = self._ways[path]
            made = self._named(way) + step
            if self._counts[path] < 2:
                return made
            name = self.names[path] = f"p{len(self.names)}"
            self.lines.append(f"{name} = {made}")
        return name


def statements(guards: Iterable[str], last: str) -> list[str]:
    """Statements that return `MISSED` where a guard is false, and let `given` be an expression where none is."""
    texts = [*guards, last]
    shared = _Shared(texts)
    for one in texts[:-1]:
        text = shared.text(one)
        shared.lines += [f"if not ({text}):", "    return MISSED"]
    text = shared.text(last)
    return [*shared.lines, f"given = {text}"]


def with_tensors_at_once(
    guards: Collection[str], tensors: Mapping[str, tuple[Expected, list[str]]]
) -> tuple[list[str], dict[str, Any]]:
    """Guards of which those on tensors, and on recording, are one call of machine code; and the names in that.

    Args:
        guards: all of them
        tensors: what tensors have to be like, by their sources, and the guards that say so
    """
    closed = any(_CLOSED.search(source) for source in tensors)
    if not tensors or closed or not heap_types.supported():
        return list(guards), {}
    said = {text for _, texts in tensors.values() for text in texts}
    recording = next((mode for mode in (True, False) if RECORDING.format(mode) in guards), None)
    said.add(RECORDING.format(recording))
    table = Table([expected for expected, _ in tensors.values()], recording)
    # What leads to the tensors is guarded by the others.
    # The address has a name, so that the text is the same in the next process, which has its code on disk.
    at_once = f"are_expected(tensor_table_address, {', '.join(tensors)})"
    names = {
        "are_expected": tensor.machine()["are_expected"],
        "tensor_table": table,
        "tensor_table_address": table.address,
    }
    return [*(text for text in guards if text not in said), at_once], names

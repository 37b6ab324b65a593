"""What must occur in a text, in which order, and what must not."""

from __future__ import annotations

import re
from typing import Any, Self

__all__ = ["FileCheck"]


class FileCheck:
    """Checks of a text, to be run in the order of their making.

    Each kind of check looks behind what the one before it has found.
    """

    def __init__(self) -> None:
        self._checks: list[tuple[str, str, int, bool]] = []

    def _add(self, kind: str, text: str, count: int = 1, exactly: bool = False) -> Self:
        self._checks.append((kind, text, count, exactly))
        return self

    def check(self, test_string: str) -> Self:
        """A text occurs."""
        return self._add("check", test_string)

    def check_not(self, test_string: str) -> Self:
        """A text does not occur before what the next check finds."""
        return self._add("not", test_string)

    def check_same(self, test_string: str) -> Self:
        """A text occurs in the same line."""
        return self._add("same", test_string)

    def check_next(self, test_string: str) -> Self:
        """A text occurs in the next line."""
        return self._add("next", test_string)

    def check_count(self, test_string: str, count: int, exactly: bool = False) -> Self:
        """A text occurs so often; and no more often, if that is asked."""
        return self._add("count", test_string, count, exactly)

    def check_dag(self, test_string: str) -> Self:
        """A text occurs; with other checks of this kind beside it, in any order."""
        return self._add("dag", test_string)

    def check_regex(self, pattern: str) -> Self:
        """A pattern occurs."""
        return self._add("regex", pattern)

    def check_source_highlighted(self, test_string: str) -> Self:
        """A text occurs with marks in the line below it."""
        return self._add("marked", test_string)

    def run(self, test_string: Any) -> None:
        """Check a text; raise RuntimeError for what does not hold."""
        text = str(test_string)
        absent: list[str] = []
        at = at_dag = 0
        last_dag = False
        for kind, wanted, count, exactly in self._checks:
            if kind == "not":
                absent.append(wanted)
                continue
            if kind == "dag":
                start = at_dag if last_dag else at
                begin, end = self._find(text, wanted, start, kind)
                at_dag, at = start, max(at, end)
                last_dag = True
            else:
                last_dag = False
                begin, end = at, at
                for _ in range(count):
                    begin, end = self._find(text, wanted, end, kind)
                if exactly and text.find(wanted, end) >= 0:
                    self._fail(text, f'Expected to not find "{wanted}" more than {count} times')
            self._check_absent(text, absent, at if kind != "dag" else at_dag, begin)
            absent, at = [], end
        self._check_absent(text, absent, at, len(text))

    def _find(self, text: str, wanted: str, start: int, kind: str) -> tuple[int, int]:
        if kind == "regex":
            found = re.compile(wanted).search(text, start)
            if found is not None:
                return found.span()
            self._fail(text, f'Expected to find regex "{wanted}" but did not find it')
        begin, stop = start, len(text)
        line_end = text.find("\n", start)
        line_end = len(text) if line_end < 0 else line_end
        if kind == "same":
            stop = line_end
        if kind == "next":
            begin = line_end + 1
            after = text.find("\n", begin)
            stop = len(text) if after < 0 else after
        at = text.find(wanted, begin, stop)
        if at < 0:
            self._fail(text, f'Expected to find "{wanted}" but did not find it')
        if kind == "marked":
            below = text.find("\n", at) + 1
            column = at - (text.rfind("\n", 0, at) + 1)
            marks = text[below + column : below + column + len(wanted)]
            if not below or set(marks) != {"~"}:
                self._fail(text, f'Expected to find "{wanted}" highlighted but it is not.')
        return at, at + len(wanted)

    def _check_absent(self, text: str, absent: list[str], start: int, stop: int) -> None:
        for unwanted in absent:
            if text.find(unwanted, start, stop) >= 0:
                self._fail(text, f'Expected to not find "{unwanted}" but found it')

    def _fail(self, text: str, why: str) -> Any:
        raise RuntimeError(f"{why}\nSearched string:\n{text}\nFrom checks: {self._checks}")

"""The Python functions of a segment, as text: guards, inputs, and what makes values again.

What several expressions have in common, such as the way to a module, is computed once.
"""

from __future__ import annotations

import ast
import collections
from collections.abc import Iterable, Iterator

# What is named within these holds within them only; and of what is within texts the places are not known.
_CLOSED = (
    ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp, ast.JoinedStr,
)  # fmt: skip


class _Line:
    """An expression and its text.

    Args:
        text: of one line
        tree: the expression, parsed
    """

    def __init__(self, text: str, tree: ast.expr) -> None:
        self.tree = tree
        # Places are counted in bytes.
        self.bytes = text.encode()

    def text_of(self, node: ast.AST) -> str:
        """The text of a part."""
        return self.bytes[node.col_offset : node.end_col_offset].decode()  # type: ignore[attr-defined]


def _parts(node: ast.AST) -> Iterator[ast.expr]:
    """The nearest attributes and items within an expression."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Attribute, ast.Subscript)):
            yield child
        elif not isinstance(child, _CLOSED):
            yield from _parts(child)


class _Shared:
    """Replaces attributes and items that come more than once by names.

    Args:
        counts: how often each comes, as text
    """

    def __init__(self, counts: dict[str, int]) -> None:
        self.counts = counts
        self.names: dict[str, str] = {}
        self.lines: list[str] = []

    def text(self, line: _Line) -> str:
        """An expression after the lines that it needs."""
        root = ast.Tuple([line.tree])
        return self._replaced(line, root, 0, len(line.bytes))

    def _replaced(self, line: _Line, node: ast.AST, start: int, end: int) -> str:
        """The text from one place to another, with names in it."""
        pieces, place = [], start
        for part in sorted(_parts(node), key=lambda part: part.col_offset):
            pieces += [line.bytes[place : part.col_offset].decode(), self._named(line, part)]
            place = part.end_col_offset or place
        return "".join([*pieces, line.bytes[place:end].decode()])

    def _named(self, line: _Line, part: ast.expr) -> str:
        text = line.text_of(part)
        name = self.names.get(text)
        if name is None:
            made = self._replaced(line, part, part.col_offset, part.end_col_offset or 0)
            if self.counts[text] < 2:
                return made
            name = self.names[text] = f"p{len(self.names)}"
            self.lines.append(f"{name} = {made}")
        return name


def _count(line: _Line, node: ast.AST, counts: dict[str, int]) -> None:
    for part in _parts(node):
        counts[line.text_of(part)] += 1
        _count(line, part, counts)


def statements(guards: Iterable[str], last: str) -> list[str]:
    """The body of a function that is false where a guard is, and gives an expression where none is."""
    texts = [*guards, last]
    # All at once: a parser has much to do before it begins.
    trees = ast.parse("\n".join(texts)).body
    lines = [_Line(text, tree.value) for text, tree in zip(texts, trees, strict=True)]  # type: ignore[attr-defined]
    counts: dict[str, int] = collections.Counter()
    for line in lines:
        _count(line, ast.Tuple([line.tree]), counts)
    shared = _Shared(counts)
    for line in lines[:-1]:
        text = shared.text(line)
        shared.lines += [f"if not ({text}):", "    return None"]
    text = shared.text(lines[-1])
    return [*shared.lines, f"return {text}"]

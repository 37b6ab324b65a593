"""The Python functions of a segment, as text: guards, inputs, and what makes values again.

What several expressions have in common, such as the way to a module, is computed once.
"""

from __future__ import annotations

import ast
import collections
from collections.abc import Iterable


class Shared(ast.NodeTransformer):
    """Replaces attributes and items that come more than once by names.

    Args:
        counts: how often each comes, as text
    """

    def __init__(self, counts: dict[str, int]) -> None:
        self.counts = counts
        self.names: dict[str, str] = {}
        self.lines: list[str] = []

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, (ast.Attribute, ast.Subscript)):
            return super().generic_visit(node)
        text = ast.unparse(node)
        name = self.names.get(text)
        if name is None:
            made = ast.unparse(super().generic_visit(node))
            if self.counts[text] < 2:
                return ast.parse(made, mode="eval").body
            name = self.names[text] = f"p{len(self.names)}"
            self.lines.append(f"{name} = {made}")
        return ast.Name(name, ast.Load())

    def text(self, tree: ast.expr) -> str:
        """An expression after the lines that it needs."""
        return ast.unparse(self.visit(tree))


def statements(guards: Iterable[str], last: str) -> list[str]:
    """The body of a function that is false where a guard is, and gives an expression where none is."""
    trees = [ast.parse(text, mode="eval").body for text in (*guards, last)]
    counts: dict[str, int] = collections.Counter()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, (ast.Attribute, ast.Subscript)):
                counts[ast.unparse(node)] += 1
    shared = Shared(counts)
    for tree in trees[:-1]:
        text = shared.text(tree)
        shared.lines += [f"if not ({text}):", "    return None"]
    text = shared.text(trees[-1])
    return [*shared.lines, f"return {text}"]

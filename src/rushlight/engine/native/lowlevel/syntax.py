"""Pieces of Python's syntax, as `rewriting` takes them apart and puts them together."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from rushlight.engine.native.lowlevel.source import Refusal

# What rewritten functions know the language as: no name of Python's begins like this.
HERE = "__language__"
LOAD, STORE = ast.Load(), ast.Store()
# Statements behind which control does not go on to the next one.
ENDS = (ast.Return, ast.Break, ast.Continue)
_NAMES = re.compile(r"[^\W\d]\w*")
# Parts of nodes that have no place.
_PLACELESS = frozenset(("ctx", "op", "ops"))


# -- nodes --


def named(name: str) -> ast.Name:
    return ast.Name(name, LOAD)


def stored(name: str) -> ast.Name:
    return ast.Name(name, STORE)


def tuple_of(names: Sequence[str]) -> ast.Tuple:
    return ast.Tuple([ast.Name(name, LOAD) for name in names], LOAD)


def field(made: str, name: str) -> ast.Attribute:
    """What an object that a local name means has."""
    return ast.Attribute(ast.Name(made, LOAD), name, LOAD)


def call(method: str, *arguments: ast.expr, of: Any, made: str = HERE) -> ast.Call:
    """A call of what the language has, or of a method of an object that a local name means."""
    made_call: ast.Call = at(ast.Call(field(made, method), [*arguments], []), of)
    if isinstance(of, ast.stmt) and of.end_lineno != of.lineno:
        # It is made where a block begins. CPython gives a method that spans lines its last one.
        made_call.end_lineno, made_call.end_col_offset = of.lineno, of.col_offset
    return made_call


def arguments(parameters: list[ast.arg]) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[]
    )


def loaded(target: ast.expr) -> ast.expr:
    """What is at a target, to be read."""
    match target:
        case ast.Name(id=name):
            return at(named(name), target)  # type: ignore[no-any-return]
        case ast.Attribute(value=base, attr=name):
            return at(ast.Attribute(base, name, LOAD), target)  # type: ignore[no-any-return]
        case ast.Subscript(value=base, slice=index):
            return at(ast.Subscript(base, index, LOAD), target)  # type: ignore[no-any-return]
    raise Refusal(target, "cannot be assigned")


# -- places --


def at(node: Any, of: Any) -> Any:
    """A node that is written where another is."""
    node.lineno, node.col_offset = of.lineno, of.col_offset
    node.end_lineno, node.end_col_offset = of.end_lineno, of.end_col_offset
    return node


def give_places(node: ast.AST, place: tuple[int, int, int | None, int | None]) -> None:
    """Give a place to every node that has none: that of what is around it."""
    held = node.__dict__
    if "lineno" in held:
        place = held["lineno"], held["col_offset"], held["end_lineno"], held["end_col_offset"]
    elif "lineno" in node._attributes:
        held["lineno"], held["col_offset"], held["end_lineno"], held["end_col_offset"] = place
    if type(node) is ast.Name:
        return
    for name in node._fields:
        inner = held.get(name)
        if type(inner) is list:
            for one in inner:
                if isinstance(one, ast.AST):
                    give_places(one, place)
        elif isinstance(inner, ast.AST) and name not in _PLACELESS:
            give_places(inner, place)


# -- what statements do --


def targets_of(target: ast.expr) -> list[str]:
    """The names that an assignment to a target changes."""
    match target:
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
            return [] if name == "_" else [name]
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            return [name for inner in targets for name in targets_of(inner)]
    return []


class Facts:
    """What statements do to names and to where control goes, found once for each statement.

    ``lines`` are those of the function, the first of which has the number ``first``.
    """

    def __init__(self, lines: Sequence[str], first: int) -> None:
        self._lines: dict[str, list[int]] = {}
        for number, line in enumerate(lines, first):
            for name in _NAMES.findall(line):
                self._lines.setdefault(name, []).append(number)
        self._names: dict[int, list[str]] = {}
        self._ends: dict[int, bool] = {}

    def assigned(self, statements: Sequence[ast.stmt]) -> list[str]:
        """The names that statements may change, in order."""
        return [*dict.fromkeys(name for s in statements for name in self._assigned(s))]

    def carried(self, node: ast.stmt, statements: Sequence[ast.stmt]) -> list[str]:
        """The names that parts of a statement may change and that occur outside it."""
        first, last = node.lineno, node.end_lineno or node.lineno
        return [
            name
            for name in self.assigned(statements)
            if self._lines[name][0] < first or self._lines[name][-1] > last
        ]

    def may_end(self, node: ast.stmt) -> bool:
        """Whether control may leave a statement without going on to the next one."""
        found = self._ends.get(id(node))
        if found is None:
            found = isinstance(node, ENDS) or any(map(self.may_end, _inside(node)))
            self._ends[id(node)] = found
        return found

    def _assigned(self, node: ast.stmt) -> list[str]:
        found = self._names.get(id(node))
        if found is None:
            targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
            found = [name for target in targets if target for name in targets_of(target)]
            found += self.assigned(_inside(node))
            self._names[id(node)] = found
        return found


def _inside(node: ast.stmt) -> list[ast.stmt]:
    """The statements that a statement has."""
    return [*getattr(node, "body", ()), *getattr(node, "orelse", ())]

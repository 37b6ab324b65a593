"""Where functions are written: their source, parsed, and the places that errors name."""

from __future__ import annotations

import ast
import inspect
import linecache
import types
from collections.abc import Callable
from typing import Any, NoReturn


class Refusal(Exception):
    """Something that is no part of the language, with the place where it is written."""

    def __init__(self, node: ast.AST, why: str) -> None:
        super().__init__(why)
        self.node = node


def definition_of(source: Callable[..., Any]) -> tuple[ast.FunctionDef, list[str]]:
    """What was written for a function, and its lines. These are parsed alone: files say much else.

    Its nodes have the lines that they have in the file, without the function's margin.
    """
    code = code_of(source)
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    margin = _margin(lines[0]) if lines else 0
    heads = (i for i, line in enumerate(lines) if line[margin:].startswith("def "))
    head = next(heads, None)
    if head is None:
        raise TypeError(f"{code.co_name} has no source that could be read, at {code.co_filename}")
    behind = (i for i in range(head + 1, len(lines)) if _begins_anew(lines[i], margin))
    own = lines[: next(behind, len(lines))]
    # Comments may stand further to the left.
    text = "".join(line[margin:] if _margin(line) >= margin else "\n" for line in own)
    (definition,) = ast.parse("\n" * (code.co_firstlineno - 1) + text).body
    assert isinstance(definition, ast.FunctionDef)
    return definition, own[head:]


def code_of(source: Callable[..., Any]) -> types.CodeType:
    return inspect.unwrap(source).__code__  # type: ignore[attr-defined, no-any-return]


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _begins_anew(line: str, margin: int) -> bool:
    """Whether a line is behind a function with this margin: it is no deeper, and closes no bracket."""
    first = line.lstrip()[:1]
    if not first or first == "#":
        return False
    return _margin(line) < margin or (_margin(line) == margin and first not in ")]}")


def refuse(source: Callable[..., Any], error: Exception) -> NoReturn:
    """Say which line of a function cannot be translated, and why."""
    name, code = source.__name__, code_of(source)
    if isinstance(error, Refusal):
        line = getattr(error.node, "lineno", code.co_firstlineno)
        raise SyntaxError(f"{name}, line {line}: {error}: {ast.unparse(error.node)}") from error
    place = _place_of(error, code)
    if place is None:
        raise error
    raise SyntaxError(f"{name}, line {place[0]}: {error}: {place[1]}") from error


def _place_of(error: Exception, code: types.CodeType) -> tuple[int, str] | None:
    """The line of a function's file that an error comes from, and what is written there."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == code.co_filename:
            found = trace
        trace = trace.tb_next
    if found is None:
        return None
    line = linecache.getline(code.co_filename, found.tb_lineno)
    positions = [*found.tb_frame.f_code.co_positions()][found.tb_lasti // 2]
    first, last, start, stop = positions
    if first != last or start is None or stop is None or start == stop:
        return found.tb_lineno, line.strip()
    # Columns are those of the function alone, without its margin.
    margin = _margin(linecache.getline(code.co_filename, code.co_firstlineno))
    return found.tb_lineno, line[margin + start : margin + stop]

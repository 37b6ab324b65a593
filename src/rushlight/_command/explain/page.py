"""The page of `explain`: layers as columns, and links between lines of one and lines of the next.

The page needs no network: its style and its script are in it. Each line that is linked names the
lines that it became (``data-to``); the script follows these names in both directions.
"""

from __future__ import annotations

import html
import inspect
import itertools
import re
from collections.abc import Sequence
from dataclasses import field
from importlib import resources
from types import CodeType

from rushlight._command.explain import assembly, texts
from rushlight._command.explain.watching import Place, Watched
from rushlight.engine.loops.expr import format_values
from rushlight.engine.native.records import dataclass

_OPERAND = re.compile(r"= getelementptr ptr, ptr %data, i64 (\d+)$")


def page_of(call: Sequence[str], gradient: Sequence[tuple[str, str]], watched: Watched) -> str:
    """The page of one watched call.

    Args:
        call: lines about the call itself, the call first
        gradient: what is said of its gradient, with titles
        watched: what was seen
    """
    page = _Page()
    first, schemas = _add_call(page, call, gradient, watched)
    places = _add_python(page, watched, first, schemas)
    plan = _add_plan(page, watched, places, first)
    sources = _add_sources(page, watched)
    bodies = _add_bodies(page, watched, sources)
    _add_kernels(page, watched, plan, bodies)
    return page.html(call[0])


class _Page:
    """Columns of blocks of lines."""

    def __init__(self) -> None:
        self.columns: list[tuple[str, list[str]]] = []
        self._links: dict[str, dict[str, None]] = {}
        self._lines: dict[str, str] = {}

    def column(self, title: str) -> None:
        self.columns.append((title, []))

    def block(self, title: str, lines: Sequence[str]) -> list[str]:
        """Add lines under a title to the last column; their names."""
        parts = self.columns[-1][1]
        if title:
            parts.append(f"<h2>{html.escape(title)}</h2>")
        names = [f"l{len(self._lines) + k}" for k in range(len(lines))]
        self._lines.update(zip(names, lines))
        parts += names
        return names

    def link(self, above: str, below: str) -> None:
        """A line became another one, further down."""
        if above != below:
            self._links.setdefault(above, {})[below] = None

    def html(self, title: str) -> str:
        columns = "\n".join(
            f'<section><h1>{html.escape(name)}</h1><div class="lines">\n'
            + "\n".join(self._line(part) for part in parts)
            + "\n</div></section>"
            for name, parts in self.columns
            if parts
        )
        here = resources.files("rushlight._command.explain")
        style, script = ((here / f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{html.escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
            f"<header><b>{html.escape(title)}</b> "
            "<span>point at a line to see what it came from and what it became; "
            "click to bring these lines into view</span></header>\n"
            f"<main>\n{columns}\n</main>\n<script>\n{script}</script>\n</body>\n</html>\n"
        )

    def _line(self, part: str) -> str:
        if part not in self._lines:
            return part
        to = self._links.get(part)
        linked = f' data-to="{" ".join(to)}"' if to else ""
        return f'<div id="{part}"{linked}>{html.escape(self._lines[part]) or "&nbsp;"}</div>'


@dataclass
class _Body:
    """A loop's body: its lines with what each became, and the functions that it was written as."""

    lines: list[tuple[str, list[str]]]
    heads: dict[str, None] = field(default_factory=dict)


def _add_call(
    page: _Page, call: Sequence[str], gradient: Sequence[tuple[str, str]], watched: Watched
) -> tuple[str, dict[CodeType, str]]:
    """The call itself; the names of its line and of the schemas, by their functions."""
    page.column("Call")
    first = page.block("", call)[0]
    operators = watched.operators
    names = page.block("schemas", [texts.schema_text(op) for op in operators.values()])
    for name in names:
        page.link(first, name)
    for title, text in gradient:
        page.block(title, text.splitlines())
    return first, dict(zip(operators, names))


def _add_python(
    page: _Page, watched: Watched, first: str, schemas: dict[CodeType, str]
) -> dict[Place, str]:
    """The generated functions; the names of their lines."""
    page.column("Generated Python")
    places: dict[Place, str] = {}
    heads = {}
    for code in watched.functions:
        lines = texts.source_of(code) or [f"{code.co_name}: no source"]
        names = page.block(texts.file_of(code), lines)
        heads[code] = names[0]
        places |= {Place(code, code.co_firstlineno + k): name for k, name in enumerate(names)}
    for place, code in watched.callers:
        page.link(first if place is None else places.get(place, heads[place.code]), heads[code])
    for code, schema in schemas.items():
        page.link(schema, heads[code])
    for place in [p for p, _ in watched.callers] + watched.steps.places:
        if place in places:
            page.link(heads[place.code], places[place])
    return places


def _add_plan(
    page: _Page, watched: Watched, places: dict[Place, str], first: str
) -> list[tuple[str, int | None, int | None]]:
    """The steps; for each line that names a kernel or an operand: name, kernel, operand."""
    page.column("Plan")
    found = []
    for number, (step, place) in enumerate(zip(watched.steps, watched.steps.places), 1):
        lines = texts.step_lines(step)
        title = f"step {number}" if len(watched.steps) > 1 else ""
        names = page.block(title, [line.text for line in lines])
        page.link(first if place is None else places.get(place, first), names[0])
        kernel = None
        for name, line in zip(names, lines):
            if line.kernel:
                kernel = watched.kernel_at(line.kernel)
                page.link(names[0], name)
            if line.kernel or line.operand is not None:
                found.append((name, kernel, line.operand))
    return found


def _add_sources(page: _Page, watched: Watched) -> dict[Place, str]:
    """The scalar functions and what they call, in Python; the names of their lines."""
    page.column("Kernel source")
    chains = dict.fromkeys(
        watched.sources_of(value)
        for program in watched.programs
        if id(program) in watched.printed
        for value in program.order
    )
    names: dict[Place, str] = {}
    heads: dict[CodeType, str] = {}
    for place in (place for chain in chains for place in reversed(chain)):
        if place.code not in heads:
            lines, start = _written(place.code)
            block = page.block(texts.file_of(place.code), lines)
            heads[place.code] = block[0]
            names |= {Place(place.code, start + k): name for k, name in enumerate(block)}
    for chain in chains:
        lines_of_chain = [names.get(place, heads[place.code]) for place in chain]
        for inner, outer in itertools.pairwise(lines_of_chain):
            page.link(outer, inner)
        for place, name in zip(chain[-1:], lines_of_chain[-1:]):
            page.link(heads[place.code], name)
    return names | {Place(code, 0): name for code, name in heads.items()}


def _written(code: CodeType) -> tuple[list[str], int]:
    """A function's source and its first line's number; its name only, if it was typed in."""
    try:
        lines, start = inspect.getsourcelines(code)
    except OSError:
        return [f"{code.co_name}: no source"], code.co_firstlineno
    return [line.rstrip("\n") for line in lines], start


def _add_bodies(page: _Page, watched: Watched, sources: dict[Place, str]) -> list[_Body]:
    """The bodies of the loops, in the operations that are printed."""
    page.column("Loop body")
    programs = [p for p in watched.programs if id(p) in watched.printed]
    found = []
    for number, program in enumerate(programs, 1):
        printed: dict[int, list[str]] = {}
        for value, lines in watched.printed[id(program)]:
            printed.setdefault(id(value), []).extend(lines)
        title = f"body {number}" if len(programs) > 1 else ""
        names = page.block(title, format_values(program.order))
        body = _Body([(n, printed.get(id(v), [])) for n, v in zip(names, program.order)])
        for name, value in zip(names, program.order):
            chain = watched.sources_of(value)
            if chain:
                head = sources[Place(chain[0].code, 0)]
                page.link(sources.get(chain[0], head), name)
                body.heads[sources[Place(chain[-1].code, 0)]] = None
        found.append(body)
    return found


def _add_kernels(
    page: _Page,
    watched: Watched,
    plan: Sequence[tuple[str, int | None, int | None]],
    bodies: Sequence[_Body],
) -> None:
    """Every kernel's text, and its machine code."""
    page.column("LLVM IR")
    kernels = []
    for number, kernel in enumerate(watched.kernels):
        lines = kernel.ir.splitlines()
        names = page.block(_kernel_title(watched, number), lines)
        kernels.append(names)
        where = {line: name for name, line in zip(names, lines)}
        own = [(name, operand) for name, of, operand in plan if of == number]
        _link_plan(page, own, lines, names)
        for body in bodies:
            if all(line in where for _, became in body.lines for line in became):
                _link_body(page, body, where, [name for name, operand in own if operand is None])
    page.column("Machine code")
    for number, kernel in enumerate(watched.kernels):
        code = assembly.lines_of(kernel.ir, kernel.optimise)
        names = page.block(_kernel_title(watched, number), [line.text for line in code])
        for name, line in zip(names, code):
            if line.source is not None:
                page.link(kernels[number][line.source], name)


def _link_plan(
    page: _Page,
    plan: Sequence[tuple[str, int | None]],
    lines: Sequence[str],
    names: Sequence[str],
) -> None:
    """From the lines of the plan to the start of the kernel, and to where addresses are read."""
    start = next(name for name, line in zip(names, lines) if "@KERNEL(" in line)
    # The place of an address in the table, and on the next line the reading of it.
    operands = {
        int(found[1]): names[k : k + 2]
        for k, line in enumerate(lines)
        if (found := _OPERAND.search(line))
    }
    for above, operand in plan:
        for below in [start] if operand is None else operands.get(operand, []):
            page.link(above, below)


def _link_body(page: _Page, body: _Body, where: dict[str, str], loops: list[str]) -> None:
    """From the loops that run a body to its source and lines, and from these to what they became."""
    for loop in loops:
        for name in (*body.heads, *(name for name, _ in body.lines)):
            page.link(loop, name)
    for name, became in body.lines:
        for line in became:
            page.link(name, where[line])


def _kernel_title(watched: Watched, number: int) -> str:
    return f"kernel {number + 1}" if len(watched.kernels) > 1 else ""

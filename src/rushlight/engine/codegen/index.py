"""Writes the operator index."""

from __future__ import annotations

from rushlight.engine.codegen.model import Entry

HEADER = '"""{what} Written by `python -m rushlight.engine.codegen`; do not edit."""\n\n'


def index_source(entries: list[Entry]) -> str:
    """`OPERATORS`: overload name -> what an `Operator` is made from."""
    lines = [HEADER.format(what="Every built-in operator.") + "OPERATORS = {"]
    for entry in entries:
        lines.append(f"    {entry.schema.full_name!r}: {entry.facts!r},")
    return "\n".join([*lines, "}", ""])

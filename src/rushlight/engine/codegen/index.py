"""Writes the operator index and the call functions."""

from __future__ import annotations

from rushlight.engine.codegen.model import Entry
from rushlight.engine.dispatch.calls import call_source
from rushlight.engine.dispatch.source import identifier

HEADER = '"""{what} Written by `python -m rushlight.engine.codegen`; do not edit."""\n\n'


def index_source(entries: list[Entry]) -> str:
    """`OPERATORS`: overload name -> what an `Operator` is made from."""
    lines = [HEADER.format(what="Every built-in operator.") + "OPERATORS = {"]
    for entry in entries:
        lines.append(f"    {entry.schema.base_name!r}: {entry.facts!r},")
    return "\n".join([*lines, "}", ""])


def calls_source(family: str, entries: list[Entry]) -> str:
    """The call functions of one family."""
    lines = [
        HEADER.format(what=f"Call functions of the family {family}."),
        "from rushlight.engine.core import state",
        "from rushlight.engine.dispatch import constants",
        "from rushlight.engine.dispatch.operator import factory_keys, operator",
        "",
    ]
    for entry in entries:
        name = identifier(entry.schema.base_name)
        lines.append(f"\nt_{name} = operator({entry.schema.base_name!r}).table\n\n")
        lines.append(call_source(entry.schema, name, f"t_{name}"))
    return "\n".join(lines)

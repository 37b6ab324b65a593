"""Which files are generated: path under the package -> text."""

from __future__ import annotations

from rushlight.engine.codegen.index import calls_source, index_source
from rushlight.engine.codegen.model import Entry


def everything(entries: list[Entry]) -> dict[str, str]:
    files = {"engine/generated/__init__.py": "", "engine/generated/calls/__init__.py": ""}
    files["engine/generated/operators.py"] = index_source(entries)
    for family in sorted({entry.family for entry in entries}):
        members = [entry for entry in entries if entry.family == family]
        files[f"engine/generated/calls/{family}.py"] = calls_source(family, members)
    return files

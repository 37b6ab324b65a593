"""Which files are generated: path under the package -> text."""

from __future__ import annotations

from rushlight.engine.codegen.index import calls_source, index_source
from rushlight.engine.codegen.model import Entry
from rushlight.engine.codegen.namespaces import function_bindings, methods_source, module_source


def everything(entries: list[Entry]) -> dict[str, str]:
    files = {"engine/generated/__init__.py": "", "engine/generated/calls/__init__.py": ""}
    files["engine/generated/operators.py"] = index_source(entries)
    for family in sorted({entry.family for entry in entries}):
        members = [entry for entry in entries if entry.family == family]
        files[f"engine/generated/calls/{family}.py"] = calls_source(family, members)
    files["engine/generated/methods.py"] = methods_source(entries)
    for module in sorted({entry.python_module for entry in entries}):
        name = f"{module}_functions" if module else "functions"
        what = f"Functions of the namespace {module or 'torch'}."
        source = module_source(what, function_bindings(entries, module))
        files[f"engine/generated/{name}.py"] = source
    return files

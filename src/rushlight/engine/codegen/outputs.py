"""Which files are generated: path under the package -> text."""

from __future__ import annotations

from rushlight.engine.bindings import signs
from rushlight.engine.codegen.derivatives import derivatives_source
from rushlight.engine.codegen.forms import bindings
from rushlight.engine.codegen.index import index_source
from rushlight.engine.codegen.kernel_files import kernel_files_source
from rushlight.engine.codegen.model import Entry
from rushlight.engine.codegen.namespaces import (
    function_bindings,
    functions_source,
    methods_source,
)
from rushlight.engine.codegen.stubs import methods_stub_source, stub_source


def everything(entries: list[Entry]) -> dict[str, str]:
    files = {"engine/generated/__init__.py": ""}
    files["engine/generated/operators.py"] = index_source(entries)
    files["engine/generated/kernel_files.py"] = kernel_files_source()
    files["engine/generated/derivatives.py"] = derivatives_source(entries)
    methods = bindings(entries, is_method=True)
    files["engine/generated/methods.py"] = methods_source(methods, function_bindings(entries, ""))
    files["engine/generated/methods.pyi"] = methods_stub_source(methods, signs.NAMES)
    # Operators of a namespace of their own have no Python names.
    for module in sorted({e.python_module for e in entries if not e.schema.namespace}):
        name = f"engine/generated/{module}_functions" if module else "engine/generated/functions"
        what = f"Functions of the namespace {module or 'torch'}."
        found = function_bindings(entries, module)
        files[f"{name}.py"] = functions_source(what, found)
        files[f"{name}.pyi"] = stub_source(what, found)
    return files

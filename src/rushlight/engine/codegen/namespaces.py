"""Writes the modules that hold bindings: one for each Python namespace, one for the methods."""

from __future__ import annotations

from rushlight.engine.codegen.bindings import binding_source
from rushlight.engine.codegen.forms import Binding, bindings
from rushlight.engine.codegen.index import HEADER
from rushlight.engine.codegen.model import Entry

HELPERS = (
    "MISSING, Device, Dtype, Layout, MemoryFormat, Resolver, check_owner, check_whole, comparable,\n"
    "    constants, int_list, integers, named_result, number_types, plain, reflected, resolve, sequence_types,"
)


def namespace_entries(entries: list[Entry], module: str) -> list[Entry]:
    return [entry for entry in entries if entry.python_module == module]


def function_bindings(entries: list[Entry], module: str) -> list[Binding]:
    return bindings(namespace_entries(entries, module), is_method=False)


def module_source(what: str, found: list[Binding], tail: str = "", imports: str = "") -> str:
    """A module with these bindings, and `NAMES`, which lists them."""
    lines = [HEADER.format(what=what)]
    lines.append(f"from rushlight.engine.dispatch.bindings import (\n    {HELPERS}\n)")
    lines += [imports, *call_imports(found)]
    for binding in found:
        lines.append("\n" + binding_source(binding))
    names = [binding.name for binding in found]
    lines.append(tail + f"\n\nNAMES = {names!r}\n")
    return "\n".join(lines)


def call_imports(found: list[Binding]) -> list[str]:
    """The families' call functions, under names that bindings do not hide."""
    families = sorted({s.entry.family for binding in found for s in binding.signatures})
    return [f"from rushlight.engine.calls import {family} as c_{family}" for family in families]


def methods_source(found: list[Binding], signs: dict[str, str]) -> str:
    """The methods of tensors, and those behind operator signs, listed in `SIGNS`."""
    tail = "\n\n" + "\n\n".join(signs.values())
    imports = "from rushlight.engine.generated import functions"
    source = module_source("Methods of tensors.", found, tail, imports)
    return source + f"SIGNS = {list(signs)!r}\n"

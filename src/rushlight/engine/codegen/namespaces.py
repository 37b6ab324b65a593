"""Writes the modules of functions, one for each Python namespace, and that of methods."""

from __future__ import annotations

import textwrap
from dataclasses import replace

from rushlight.engine.bindings.signatures import Binding
from rushlight.engine.codegen.forms import bindings
from rushlight.engine.codegen.index import HEADER
from rushlight.engine.codegen.model import Entry

IMPORT = "from rushlight.engine.bindings import public\n"


def function_bindings(entries: list[Entry], module: str) -> list[Binding]:
    """The functions of a Python namespace; that of torch has no name."""
    return bindings([e for e in entries if e.python_module == module], is_method=False)


def functions_source(what: str, found: list[Binding]) -> str:
    """A module of functions."""
    lines = [HEADER.format(what=what) + IMPORT, *_table("FUNCTIONS", found)]
    return "\n".join([*lines, "globals().update(public.functions(FUNCTIONS, __name__))", ""])


def methods_source(found: list[Binding], functions: list[Binding]) -> str:
    """The module of methods, which has their resolvers."""
    words = {binding.name: _without_out(binding) for binding in functions}
    shared = [b for b in found if words.get(b.name) == b.text]
    names = textwrap.fill(" ".join(b.name for b in shared), 110, break_on_hyphens=False)
    lines = [HEADER.format(what="Methods of tensors.") + IMPORT.rstrip()]
    lines.append("from rushlight.engine.generated.functions import FUNCTIONS\n")
    lines.append("# Those with the overloads of the function of their name.")
    lines.append(f'SHARED = """\\\n{names}""".split()')
    lines += _table("METHODS", [b for b in found if b not in shared])
    return "\n".join([*lines, "RESOLVERS = public.methods(METHODS, SHARED, FUNCTIONS)", ""])


def _table(name: str, found: list[Binding]) -> list[str]:
    return [f"{name} = {{", *(f"    {b.name!r}: {b.text!r}," for b in found), "}"]


def _without_out(binding: Binding) -> str:
    """The words of a method with a function's overloads."""
    overloads = [replace(s, out=None, is_method=True) for s in binding.signatures]
    return replace(binding, is_method=True, signatures=tuple(overloads)).text

"""Which of PyTorch's names a program uses, and which of them are missing here.

The program is read, not run. Names are those that can be reached from its imports of torch:
``torch.nn.Linear``, ``F.relu`` after ``import torch.nn.functional as F``, and so on.
"""

from __future__ import annotations

import ast
import importlib
import sys
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from rushlight._names.absent import is_absent

_ROOT = "torch"


class _Names(ast.NodeVisitor):
    """Collects what a program takes from torch: the full name of each use."""

    def __init__(self) -> None:
        # What the program calls a part of torch: its own name -> the full one.
        self.known: dict[str, str] = {}
        self.used: Counter[str] = Counter()

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name.split(".")[0] == _ROOT:
                self.used[alias.name] += 1
                self.known[alias.asname or _ROOT] = alias.name if alias.asname else _ROOT

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or not node.module or node.module.split(".")[0] != _ROOT:
            return
        for alias in node.names:
            if alias.name == "*":
                self.used[node.module] += 1
                continue
            full = f"{node.module}.{alias.name}"
            self.used[full] += 1
            self.known[alias.asname or alias.name] = full

    def visit_Attribute(self, node: ast.Attribute) -> None:
        full = self._full_name(node)
        if full is None:
            self.generic_visit(node)
        else:
            self.used[full] += 1

    def visit_Name(self, node: ast.Name) -> None:
        full = self.known.get(node.id)
        if full is not None and full != _ROOT and isinstance(node.ctx, ast.Load):
            self.used[full] += 1

    def _full_name(self, node: ast.expr) -> str | None:
        """The full name of a chain of attributes that starts at a part of torch."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.known:
            return None
        return ".".join([self.known[node.id], *reversed(parts)])


def names_used(source: str, file: str = "<program>") -> Counter[str]:
    """The full names of torch that a program uses, with how often."""
    tree = ast.parse(source, file)
    names = _Names()
    # Imports first: a function may use what is imported further down.
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.visit_Import(node)
        elif isinstance(node, ast.ImportFrom):
            names.visit_ImportFrom(node)
    imports = Counter(names.used)
    names.used.clear()
    names.visit(tree)
    for name, count in imports.items():
        # The second visit has met the imports again.
        names.used[name] = max(names.used[name], count)
    return names.used


def known_part(name: str) -> tuple[str, bool]:
    """A name as far as it is one of a namespace, and whether it is there.

    What follows a class or a function in the name belongs to objects, of which nothing is known.
    """
    import rushlight

    found: Any = rushlight
    parts = name.split(".")
    for index, part in enumerate(parts[1:], start=1):
        is_module = isinstance(found, ModuleType)
        if not is_module and found is not rushlight.Tensor:
            return ".".join(parts[:index]), True
        following = _member(found, part)
        if following is None:
            return ".".join(parts[: index + 1]), False
        found = following[0]
    return name, True


def _member(owner: Any, name: str) -> tuple[Any] | None:
    """A member, or a module below; None if there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = getattr(owner, name)
            return None if is_absent(found) else (found,)
        except (AttributeError, NotImplementedError):
            pass
        if not isinstance(owner, ModuleType):
            return None
        try:
            return (importlib.import_module(f"{owner.__name__}.{name}"),)
        except ImportError:
            return None


def examine(paths: Iterable[Path]) -> tuple[Counter[str], Counter[str]]:
    """The names that are there and those that are missing, with how often they are used."""
    there: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    for path in paths:
        for name, count in names_used(path.read_text(encoding="utf-8"), str(path)).items():
            part, is_there = known_part(name)
            (there if is_there else missing)[part] += count
    return there, missing


def report(program: str) -> int:
    """Print what a script, or all scripts of a folder, use; 0 if nothing is missing, else 1."""
    path = Path(program)
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    if not files or not all(file.is_file() for file in files):
        print(f"rushlight doctor: no such file: {program}", file=sys.stderr)
        return 2
    try:
        there, missing = examine(files)
    except SyntaxError as error:
        print(f"rushlight doctor: {error.filename}:{error.lineno}: {error.msg}", file=sys.stderr)
        return 2
    rows = [(name, count, "missing") for name, count in missing.items()]
    rows += [(name, count, "") for name, count in there.items()]
    rows.sort(key=lambda row: (row[2] == "", -row[1], row[0]))
    print("uses  name")
    for name, count, remark in rows:
        print(f"{count:4}  {name}{'  (missing)' if remark else ''}")
    total = len(there) + len(missing)
    print(f"{total} names, {len(missing)} missing")
    return 1 if missing else 0

"""Classes under the files in which PyTorch has them.

Programs import from these files, and pickles speak of classes by their names there.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# The file's module of a class that is written in another one.
homes: dict[Any, str] = {}


def file_of(module: str) -> ModuleType:
    """The module of a file, which is made if there is none."""
    if module in sys.modules or importlib.util.find_spec(module):
        return importlib.import_module(module)
    made = ModuleType(module, "Classes that are written in other files.")
    made.__spec__ = ModuleSpec(module, None)
    made.__dict__["__all__"] = []
    sys.modules[module] = made
    parent, _, name = module.rpartition(".")
    setattr(sys.modules[parent], name, made)
    return made


def also_in(package: str, names: dict[str, Iterable[str]], given: dict[str, Any]) -> None:
    """Put objects into further files of a package.

    Args:
        package: the package's name
        names: what belongs into each file
        given: the objects by their names
    """
    for file, wanted in names.items():
        module = file_of(f"{package}.{file}")
        for name in wanted:
            vars(module).setdefault(name, given[name])
            homes[given[name]] = module.__name__
            _rename(given[name], module.__name__)
            listed = module.__dict__.setdefault("__all__", [])
            if name not in listed and not name.startswith("_"):
                listed.append(name)


def _rename(found: Any, home: str) -> None:
    """Let a class that says that it is the alias's (`alias.rename_classes`) name this file."""
    root = found.__module__.partition(".")[0]
    if isinstance(found, type) and root != "rushlight":
        set_module(found, home.replace("rushlight", root, 1))


def set_module(kind: Any, name: str) -> None:
    """Let a class name another module, and say still where its source begins, which Python forgets from 3.13 on."""
    line = vars(kind).get("__firstlineno__")
    kind.__module__ = name
    if line is not None:
        kind.__firstlineno__ = line

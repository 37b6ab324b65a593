"""Lets ``import torch`` mean rushlight.

`install` puts a finder in front of Python's own: ``torch`` and everything below it are then the
modules of rushlight under that name, the same objects. A name that rushlight does not have raises
the error that a missing module raises. Child processes get a folder on their path whose `torch.py`
does the same; it also holds the metadata that `importlib.metadata.version("torch")` reads. The folder
is on this process's path as well: `multiprocessing` gives a child its parent's path in place of the
child's own.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rushlight._names import class_files

if TYPE_CHECKING:
    import importlib.metadata

_OURS = "rushlight"
_ENGINE = _OURS + ".engine"
_HEAP_TYPE = 1 << 9
# Classes that say that they are the alias's, and what they said before.
_renamed: dict[type, str] = {}
_FOR_CHILDREN = os.path.join(os.path.dirname(__file__), "_names", "as_torch")


class _Alias:
    """Finds ``torch.x.y`` as ``rushlight.x.y``; another package may stand for a part of ours.

    A finder and a loader by its methods: the classes of `importlib.abc` for them load fifty modules.
    """

    def __init__(self, name: str, ours: str = _OURS) -> None:
        self.name, self.ours = name, ours

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if self.ours == _OURS and fullname.startswith(_OURS + "."):
            return _find_renamed(self.name, fullname, path)
        if fullname != self.name and not fullname.startswith(self.name + "."):
            return None
        ours = self.ours + fullname[len(self.name) :]
        try:
            found = importlib.util.find_spec(ours)
        except ModuleNotFoundError:
            found = None
        if found is None:
            raise ModuleNotFoundError(
                f"No module named '{fullname}': rushlight has no '{ours}' yet", name=fullname
            )
        is_package = found.submodule_search_locations is not None
        loader: Any = self
        spec = importlib.machinery.ModuleSpec(
            fullname, loader, origin=found.origin, is_package=is_package
        )
        spec.has_location = found.has_location
        return spec

    def find_distributions(
        self, context: importlib.metadata.DistributionFinder.Context
    ) -> Iterable[importlib.metadata.Distribution]:
        """The metadata of the package that is not installed."""
        # Whoever asks has imported it.
        from importlib.metadata import PathDistribution
        from pathlib import Path

        if context.name in (None, self.name):
            for folder in Path(_FOR_CHILDREN).glob(f"{self.name}-*.dist-info"):
                yield PathDistribution(folder)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return importlib.import_module(self.ours + spec.name[len(self.name) :])

    def get_code(self, fullname: str) -> types.CodeType | None:
        """What ``python -m`` runs of a module."""
        ours = self.ours + fullname[len(self.name) :]
        found = importlib.util.find_spec(ours)
        loader: Any = found and found.loader
        code: types.CodeType | None = loader.get_code(ours)
        return code

    def exec_module(self, module: types.ModuleType) -> None:
        # The import system has put the alias's spec on the module, which keeps its own.
        assert module.__spec__ is not None
        alias = module.__spec__.name
        ours = self.ours + alias[len(self.name) :]
        restore_spec(module, ours)
        _name_children(alias, ours)
        if ours == _OURS:
            stand_for(module, alias)


class _Renamed(importlib.machinery.SourceFileLoader):
    """Loads a module of ours, whose classes are then called as the alias says."""

    alias: str
    # The module, while somebody loads it again who only wanted it under the alias.
    _loaded: types.ModuleType | None = None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        # Another finder may import the module in order to find it; Python then loads by its spec.
        self._loaded = sys.modules.get(spec.name)
        return self._loaded

    def exec_module(self, module: types.ModuleType) -> None:
        loaded, self._loaded = self._loaded, None
        if module is loaded:
            return
        super().exec_module(module)
        rename_classes(self.alias, self.name)


def _find_renamed(
    alias: str, name: str, path: Sequence[str] | None
) -> importlib.machinery.ModuleSpec | None:
    """Where a module of ours is, if it has classes for programs."""
    if name.startswith(_ENGINE):
        return None
    spec = importlib.machinery.PathFinder.find_spec(name, path)
    if spec is not None and type(spec.loader) is importlib.machinery.SourceFileLoader:
        spec.loader = _Renamed(spec.loader.name, spec.loader.path)
        spec.loader.alias = alias
    return spec


def rename_classes(alias: str, name: str) -> None:
    """Let the classes of a module say that they are the alias's.

    Programs ask a class for its module to know whose tensors or layers they were given, and look the
    module up by that name.
    """
    module = sys.modules[name]
    public = name == _OURS
    for found in list(vars(module).values()):
        # Only the classes that Python's own statements have made may be told so.
        if not isinstance(found, type) or not found.__flags__ & _HEAP_TYPE:
            continue
        own = found.__module__
        if own == name or (public and own.startswith(_ENGINE)):
            home = _OURS if public else class_files.homes.get(found, own)
            _renamed[found] = own
            class_files.set_module(found, alias + home[len(_OURS) :])
    sys.modules.setdefault(alias + name[len(_OURS) :], module)


def own_module(kind: type) -> str:
    """The module of a class by its own name, whatever the class says for programs."""
    return _renamed.get(kind, kind.__module__)


def stand_for(package: types.ModuleType, name: str) -> None:
    """Let the package say what programs that import it as torch expect."""
    from rushlight.torch_version import __version__

    # Programs find the package again by what it says that it is called.
    package.__name__ = name
    package.__version__ = __version__  # type: ignore[attr-defined]
    for known in [m for m in sys.modules if m == _OURS or m.startswith(_OURS + ".")]:
        # What finds our modules is ours, whatever these are called.
        if not known.startswith(_ENGINE) and known != __name__:
            rename_classes(name, known)


def _name_children(alias: str, ours: str) -> None:
    """Give modules that are loaded already their other name too.

    An import would do so, but also make the module an attribute of its package. There a function of
    the same name may be, such as `multiprocessing.spawn`.
    """
    for known in [name for name in sys.modules if name.startswith(ours + ".")]:
        sys.modules.setdefault(alias + known[len(ours) :], sys.modules[known])


def restore_spec(module: types.ModuleType, name: str) -> None:
    """Give a module back the spec that it was found with under its own name."""
    finder = importlib.machinery.PathFinder
    parent, _, _ = name.rpartition(".")
    path = sys.modules[parent].__path__ if parent else None
    module.__spec__ = finder.find_spec(name, path)
    module.__loader__ = None if module.__spec__ is None else module.__spec__.loader


def install(name: str = "torch") -> None:
    """From now on, ``import torch`` gives rushlight."""
    loaded = sys.modules.get(name)
    if loaded is not None and loaded is not sys.modules.get(_OURS):
        raise ImportError(f"cannot let {name} mean rushlight: {name} itself is imported already")
    if not any(isinstance(f, _Alias) and f.name == name for f in sys.meta_path):
        sys.meta_path.insert(0, _Alias(name))
    if name == "torch" and not any(_is_alias(f, "functorch") for f in sys.meta_path):
        sys.meta_path.insert(0, _Alias("functorch", f"{_OURS}.functorch"))
    _set_children(name == "torch")


def _is_alias(finder: object, name: str) -> bool:
    return isinstance(finder, _Alias) and finder.name == name


def _set_children(wanted: bool) -> None:
    """Let child processes find the alias on their path, or no longer."""
    before = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    parts = _with_folder([part for part in before if part], wanted)
    os.environ["PYTHONPATH"] = os.pathsep.join(parts)
    if not parts:
        del os.environ["PYTHONPATH"]
    # Programs find what lies beside them by the path's first entry, which is their folder.
    own = 0 if sys.flags.safe_path else 1
    sys.path[own:] = _with_folder(sys.path[own:], wanted)


def _with_folder(path: list[str], wanted: bool) -> list[str]:
    """A search path that begins with the folder for children, or does not have it."""
    others = [part for part in path if part != _FOR_CHILDREN]
    return [_FOR_CHILDREN, *others] if wanted else others


def uninstall(name: str = "torch") -> None:
    """Take `install` back."""
    names = (name, "functorch") if name == "torch" else (name,)
    sys.meta_path[:] = [f for f in sys.meta_path if not any(_is_alias(f, n) for n in names)]
    package = sys.modules.get(_OURS)
    if package is not None and package.__name__ == name:
        from rushlight.version import own_version

        package.__name__ = _OURS
        package.__version__ = own_version  # type: ignore[attr-defined]
        for kind, own in _renamed.items():
            class_files.set_module(kind, own)
        _renamed.clear()
    for known in [m for m in sys.modules if m.partition(".")[0] in names]:
        if sys.modules[known].__name__.split(".")[0] == _OURS:
            del sys.modules[known]
    if name == "torch":
        _set_children(False)

"""By which path a program has reached a module: one that is in several places of a model has several names."""

from __future__ import annotations

from collections.abc import ItemsView, ValuesView
from typing import Any

from rushlight.nn import Module
from rushlight.nn.modules.container import _Row

__all__ = ["ModulePaths"]


class ModulePaths:
    """A block within which it is noted by which path modules are reached.

    A part of a `Sequential` or `ModuleList` is a module of its own, with a path that says which part.

    Args:
        root: the model
    """

    def __init__(self, root: Module) -> None:
        self._owners = list(root.modules())
        self._first = {id(m): path for path, m in root.named_modules()}
        self._reached: dict[int, str] = {}
        self._tables: list[tuple[Module, dict[str, Any]]] = []

    def path_of(self, module: Any) -> str | None:
        """The path by which a module was reached last; None if it is no part of the model."""
        return self._reached.get(id(module), self._first.get(id(module)))

    def reach(self, owner: Module, name: str, module: Any) -> None:
        """Note that a module is reached as one that another one has."""
        path = self.path_of(owner)
        self._reached[id(module)] = f"{path}.{name}" if path else name

    def _watch(self, owner: Module) -> None:
        table = owner.__dict__["_modules"]
        self._tables.append((owner, table))
        owner.__dict__["_modules"] = _Table(table, owner, self)

    def __enter__(self) -> ModulePaths:
        for owner in self._owners:
            self._watch(owner)
        item = self._item = _Row.__getitem__

        def part(row: _Row, index: Any) -> Any:
            found = item(row, index)
            if isinstance(index, slice) and self.path_of(row) is not None:
                self._watch(found)
                self.reach(row, f"slice({index.start}, {index.stop}, {index.step})", found)
            return found

        _Row.__getitem__ = part  # type: ignore[method-assign]
        return self

    def __exit__(self, *error: Any) -> None:
        _Row.__getitem__ = self._item  # type: ignore[method-assign]
        for owner, table in reversed(self._tables):
            watched = owner.__dict__["_modules"]
            if table != watched:
                table.clear()
                table.update(dict.items(watched))
            owner.__dict__["_modules"] = table
        self._tables.clear()


class _Table(dict[str, Any]):
    """The modules of a module, which notes whenever one of them is looked up."""

    def __init__(self, items: dict[str, Any], owner: Module, paths: ModulePaths) -> None:
        super().__init__(items)
        self._owner, self._paths = owner, paths

    def __getitem__(self, name: str) -> Any:
        found = super().__getitem__(name)
        self._paths.reach(self._owner, name, found)
        return found

    def get(self, name: str, default: Any = None) -> Any:
        if name not in self:
            return default
        return self[name]

    def values(self) -> Any:
        return ValuesView(self)

    def items(self) -> Any:
        return ItemsView(self)

    def __reduce__(self) -> Any:
        # A copy of the module is no part of the model.
        return dict, (dict(dict.items(self)),)

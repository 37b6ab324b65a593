"""Modules of graphs whose code is written when it is asked for: a compiler reads most graphs as graphs only."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from rushlight.fx.graph_module import GraphModule

__all__ = ["_LazyGraphModule", "_make_graph_module", "_use_lazy_graph_module"]

_are_lazy = False
_may_be_lazy = True


@contextlib.contextmanager
def _use_lazy_graph_module(should_use: bool) -> Iterator[None]:
    """Within the block, `_make_graph_module` makes lazy modules, or none.

    Args:
        should_use: which of both
    """
    global _are_lazy
    before, _are_lazy = _are_lazy, should_use and _may_be_lazy
    try:
        yield
    finally:
        _are_lazy = before


@contextlib.contextmanager
def _force_skip_lazy_graph_module() -> Iterator[None]:
    """Within the block, nobody makes lazy modules."""
    global _are_lazy, _may_be_lazy
    before = _are_lazy, _may_be_lazy
    _are_lazy = _may_be_lazy = False
    try:
        yield
    finally:
        _are_lazy, _may_be_lazy = before


def _get_graph_module_cls() -> type[GraphModule]:
    return _LazyGraphModule if _are_lazy else GraphModule


def _make_graph_module(*args: Any, graph_module_cls: Any = None, **kwargs: Any) -> GraphModule:
    made: GraphModule = (graph_module_cls or _get_graph_module_cls())(*args, **kwargs)
    return made


class _Unwritten:
    """`forward` of a module whose code is still to be written."""

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            return _write_and_call
        instance.real_recompile()
        return instance.forward


def _write_and_call(self: Any, *args: Any, **kwargs: Any) -> Any:
    return self.forward(*args, **kwargs)


class _LazyGraphModule(GraphModule):
    """A module of a graph. Its code is written when it is read or called for the first time.

    Args:
        root: the module, or what paths lead to, that the graph uses
        graph: the graph
        class_name: what the class is called
    """

    forward = _Unwritten()

    @classmethod
    def from_graphmodule(cls, gm: GraphModule) -> GraphModule:
        """A module of this class."""
        return gm if isinstance(gm, _LazyGraphModule) else cls(gm, gm.graph)

    @staticmethod
    def force_recompile(gm: Any) -> None:
        """See that the code of a module is written, if it is a lazy one."""
        if isinstance(gm, _LazyGraphModule):
            gm.real_recompile()

    def recompile(self) -> Any:
        """Forget the code; it is written anew when it is asked for."""
        self._note_layout()
        if not self._needs_recompile():
            del type(self).forward

    def real_recompile(self) -> None:
        """See that the code is written."""
        if self._needs_recompile():
            self._real_recompile()

    @classmethod
    def _needs_recompile(cls) -> bool:
        return "forward" not in vars(cls)

    @property
    def code(self) -> str:
        """The code."""
        self.real_recompile()
        return self._code

"""Making modules of graphs."""

from __future__ import annotations

from typing import Any

from rushlight.fx.graph_module import GraphModule

__all__ = ["_LazyGraphModule", "_make_graph_module"]


class _LazyGraphModule(GraphModule):
    """A module of a graph. Its code is written when it is made: that takes little time."""

    @classmethod
    def from_graphmodule(cls, gm: GraphModule) -> GraphModule:
        """A module of this class."""
        return gm if isinstance(gm, _LazyGraphModule) else cls(gm, gm.graph)

    @staticmethod
    def force_recompile(gm: Any) -> None:
        """See that the code is written: it is."""

    def real_recompile(self) -> None:
        """See that the code is written: it is."""

    def _needs_recompile(self) -> bool:
        return False


def _make_graph_module(*args: Any, graph_module_cls: Any = None, **kwargs: Any) -> GraphModule:
    made: GraphModule = (graph_module_cls or GraphModule)(*args, **kwargs)
    return made

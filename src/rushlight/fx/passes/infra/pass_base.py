"""What a pass is."""

from __future__ import annotations

import abc
from typing import NamedTuple

from rushlight.fx.graph_module import GraphModule

__all__ = ["PassBase", "PassResult"]


class PassResult(NamedTuple):
    """What a pass made of a module, and whether it changed something."""

    graph_module: GraphModule
    modified: bool


class PassBase(abc.ABC):
    """A pass. Subclasses define `call`; `requires` and `ensures` may check before and after."""

    def __call__(self, graph_module: GraphModule) -> PassResult | None:
        """Check, run the pass, check."""
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module: GraphModule) -> PassResult | None:
        """Run the pass."""

    def requires(self, graph_module: GraphModule) -> None:  # noqa: B027
        """Raise an error if the pass cannot be run on a module."""

    def ensures(self, graph_module: GraphModule) -> None:  # noqa: B027
        """Raise an error if the pass did not do what it should."""

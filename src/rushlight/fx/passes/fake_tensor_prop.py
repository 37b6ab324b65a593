"""What is known of the values of nodes without running them: fakes for all of them."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from rushlight.fx.experimental.symbolic_shapes import (
    compute_unbacked_bindings,
    rebind_unbacked,
)
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node, map_aggregate

__all__ = ["FakeTensorProp"]


class FakeTensorProp(Interpreter):
    """Runs a graph on fakes; beside each node is then the fake of its value (``meta["val"]``).

    Args:
        module: the module
        mode: the mode of the fakes; a new one if not given
    """

    def __init__(self, module: Any, mode: FakeTensorMode | None = None) -> None:
        super().__init__(module)
        if mode is None:
            mode = FakeTensorMode()
        self._mode = mode
        mode.epoch += 1

    def run_node(self, n: Node) -> Any:
        """What a node gives, which is noted beside it."""
        result = super().run_node(n)
        rebind_unbacked(self._mode.shape_env, n, result)

        def known(value: Any) -> Any:
            if isinstance(value, FakeTensor):
                return value.as_it_is_now()
            is_told = isinstance(
                value, (rushlight.Tensor, int, float, bool, rushlight.SymInt, rushlight.SymFloat)
            )
            return value if is_told else None

        meta = map_aggregate(result, known)
        if meta is not None:
            n.meta["val"] = meta
            bindings = compute_unbacked_bindings(self._mode.shape_env, result)
            if bindings:
                n.meta["unbacked_bindings"] = bindings
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph on fakes of tensors."""
        fakes = [self._mode.from_tensor(a) if isinstance(a, rushlight.Tensor) else a for a in args]
        return self.propagate_dont_convert_inputs(*fakes)

    def propagate_dont_convert_inputs(self, *args: Any) -> Any:
        """Run the graph on the arguments as they are."""
        with self._mode:
            return super().run(*args)

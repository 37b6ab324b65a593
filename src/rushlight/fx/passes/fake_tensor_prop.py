"""What is known of the values of nodes without running them, which needs fake tensors."""

from __future__ import annotations

from typing import Any

from rushlight.fx.interpreter import Interpreter

__all__ = ["FakeTensorProp"]


class FakeTensorProp(Interpreter):
    """Would note what is known of values. There are no fake tensors yet; `ShapeProp` runs the graph."""

    def __init__(self, module: Any, mode: Any = None) -> None:
        raise NotImplementedError(
            "FakeTensorProp is not supported: there are no fake tensors yet. "
            "torch.fx.passes.shape_prop.ShapeProp runs the graph instead"
        )

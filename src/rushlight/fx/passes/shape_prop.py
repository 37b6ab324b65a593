"""What is known of the values of nodes, by running the graph."""

from __future__ import annotations

import traceback
from typing import Any, NamedTuple

import rushlight
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """What is known of a tensor."""

    shape: Any
    dtype: Any
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any | None
    is_quantized: bool
    qparams: dict[str, Any]


# A tensor is described by the first of these that its strides are in.
_FORMATS = (
    rushlight.contiguous_format,
    rushlight.channels_last,
    rushlight.channels_last_3d,
)


def _extract_tensor_metadata(result: Any, include_contiguity: bool = True) -> TensorMetadata:
    """What is known of a tensor."""
    strided = result.layout is rushlight.strided
    found = None
    if include_contiguity and strided:
        found = next((one for one in _FORMATS if result.is_contiguous(memory_format=one)), None)
    return TensorMetadata(
        shape=result.shape,
        dtype=result.dtype,
        requires_grad=result.requires_grad,
        stride=result.stride() if strided else (),
        memory_format=found,
        is_quantized=False,
        qparams={},
    )


class ShapeProp(Interpreter):
    """Runs a graph and notes in `meta["tensor_meta"]` what is known of each value.

    Args:
        gm: the module
        fake_mode: must be None
    """

    def __init__(self, gm: GraphModule, fake_mode: Any = None) -> None:
        super().__init__(gm)
        if fake_mode is not None:
            raise NotImplementedError(
                "ShapeProp: fake_mode is not supported: there are no fake tensors yet"
            )
        self.fake_module = None
        self.fake_mode = fake_mode
        self.real_module = self.module

    def run_node(self, n: Node) -> Any:
        """Run a node and note what is known of its value."""
        try:
            result = super().run_node(n)
        except Exception as error:
            traceback.print_exc()
            raise RuntimeError(
                f"ShapeProp error for: node={n.format_node()} with meta={n.meta}"
            ) from error
        found = False

        def described(value: Any) -> Any:
            nonlocal found
            if isinstance(value, rushlight.Tensor):
                found = True
                return _extract_tensor_metadata(value)
            return value

        meta = map_aggregate(result, described)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph; what it returns."""
        return super().run(*args)

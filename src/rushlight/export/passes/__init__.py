"""What is done with exported programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.engine.core.tensor import Tensor
from rushlight.nn import Parameter
from rushlight.utils import _pytree as pytree

__all__ = ["move_to_device_pass"]


def move_to_device_pass(ep: Any, location: Any) -> Any:
    """Let a program run on another device: its tensors, and what its graph makes.

    Args:
        ep: the program, which is changed
        location: a device, or a dictionary from the names of devices to those of others
    """

    def place(device: Any) -> str:
        return str(location.get(str(device), device) if isinstance(location, dict) else location)

    def moved(value: Any) -> Any:
        return value.to(place(value.device)) if isinstance(value, Tensor) else value  # type: ignore[attr-defined]

    for name, value in ep.state_dict.items():
        made = moved(value.detach() if isinstance(value, Parameter) else value)
        if isinstance(value, Parameter):
            made = Parameter(made, requires_grad=value.requires_grad)  # type: ignore[attr-defined]
        ep._state_dict[name] = made
    for name, value in ep.constants.items():
        ep._constants[name] = moved(value)
    if ep.example_inputs is not None:
        ep._example_inputs = pytree.tree_map(moved, ep.example_inputs)
    for module in ep.graph_module.modules():
        if isinstance(module, rushlight.fx.GraphModule):
            _move_nodes(module, place, moved)
    ep.validate()
    return ep


def _move_nodes(module: Any, place: Callable[[Any], str], moved: Callable[[Any], Any]) -> None:
    """Let the nodes of a graph be about another device."""
    for node in module.graph.nodes:
        if "device" in node.kwargs:
            node.kwargs = {**node.kwargs, "device": rushlight.device(place(node.kwargs["device"]))}
        if node.target is rushlight.ops.aten.to.device:
            node.args = (node.args[0], rushlight.device(place(node.args[1])), *node.args[2:])
        if "val" in node.meta:
            node.meta["val"] = pytree.tree_map(moved, node.meta["val"])
    module.recompile()

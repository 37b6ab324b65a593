"""The names that a captured graph has for the tensors of a module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.export._unlift import assign
from rushlight.fx.graph_module import GraphModule
from rushlight.nn import Module

__all__: list[str] = []


def _restore_state_dict(
    original_module: Module | Callable[..., Any], traced_module: GraphModule
) -> None:
    """Give the tensors of a graph that are those of a module the names that they have there, in its order.

    Args:
        original_module: the module, or a method of it
        traced_module: the graph that was captured from it
    """
    module = getattr(original_module, "__self__", original_module)
    if not isinstance(module, Module):
        raise TypeError(
            f"Expected nn.Module or bound method of nn.Module, got {type(original_module)}"
        )
    own = [*module.named_parameters(remove_duplicate=False),
           *module.named_buffers(remove_duplicate=False)]  # fmt: skip
    first = {id(tensor): name for name, tensor in reversed(own)}
    held = [*traced_module.named_parameters(remove_duplicate=False),
            *traced_module.named_buffers(remove_duplicate=False)]  # fmt: skip
    renamed = {name: first[id(tensor)] for name, tensor in held if id(tensor) in first}
    for name in renamed:
        owner, _, last = name.rpartition(".")
        delattr(traced_module.get_submodule(owner), last)
    found = {id(tensor) for _, tensor in held}
    for name, tensor in own:
        if id(tensor) in found:
            assign(traced_module, name, tensor)
    for node in traced_module.graph.find_nodes(op="get_attr"):
        node.target = renamed.get(node.target, node.target)
    traced_module.recompile()

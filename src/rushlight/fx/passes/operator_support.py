"""Which nodes a backend can run."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rushlight.fx.node import Node
from rushlight.fx.passes.shape_prop import TensorMetadata
from rushlight.fx.passes.tools_common import CALLABLE_NODE_OPS, get_node_target

__all__ = [
    "OpSupports",
    "OperatorSupport",
    "OperatorSupportBase",
    "any_chain",
    "chain",
    "create_op_support",
]

SupportedArgumentDTypes = tuple[Sequence[Sequence[Any]], dict[str, Sequence[Any]]] | None
SupportDict = Mapping[str, SupportedArgumentDTypes]
IsNodeSupported = Callable[[Mapping[str, Any], Node], bool]


class OperatorSupportBase(abc.ABC):
    """Says which nodes can be run."""

    @abc.abstractmethod
    def is_node_supported(self, submodules: Mapping[str, Any], node: Node) -> bool:
        """Whether a node can be run.

        Args:
            submodules: the modules by their paths
            node: the node
        """
        raise NotImplementedError


class OperatorSupport(OperatorSupportBase):
    """Says it by a dictionary of targets, with the element types of their arguments.

    Args:
        support_dict: for each target the types of its arguments, or None if any will do
    """

    _support_dict: SupportDict

    def __init__(self, support_dict: SupportDict | None = None) -> None:
        self._support_dict = support_dict or {}

    def is_node_supported(self, submodules: Mapping[str, Any], node: Node) -> bool:
        """Whether a node's target is known, and its arguments have types that go with it."""
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        wanted = self._support_dict[target]
        if wanted is None:
            return True
        by_position, by_name = wanted
        for index, kinds in enumerate(by_position):
            if len(node.args) <= index:
                break
            if isinstance(node.args[index], Node) and _get_arg_dtype(node.args[index]) not in kinds:
                return False
        for name, kinds in by_name.items():
            value = node.kwargs.get(name)
            if isinstance(value, Node) and _get_arg_dtype(value) not in kinds:
                return False
        return True


class _Functional(OperatorSupportBase):
    def __init__(self, function: IsNodeSupported) -> None:
        self._function = function

    def is_node_supported(self, submodules: Mapping[str, Any], node: Node) -> bool:
        return self._function(submodules, node)


def create_op_support(is_node_supported: IsNodeSupported) -> OperatorSupportBase:
    """What says it by a function."""
    return _Functional(is_node_supported)


def chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """What says yes if all say yes."""

    def all_agree(submodules: Mapping[str, Any], node: Node) -> bool:
        return all(one.is_node_supported(submodules, node) for one in op_support)

    return create_op_support(all_agree)


def any_chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """What says yes if one says yes."""

    def any_agrees(submodules: Mapping[str, Any], node: Node) -> bool:
        return any(one.is_node_supported(submodules, node) for one in op_support)

    return create_op_support(any_agrees)


class OpSupports:
    """Some that are often wanted."""

    @classmethod
    def decline_if_input_dtype(cls, dtype: Any) -> OperatorSupportBase:
        """What says no to nodes that get tensors of a type."""

        def agrees(submodules: Mapping[str, Any], node: Node) -> bool:
            return all(_get_arg_dtype(used) != dtype for used in node.all_input_nodes)

        return create_op_support(agrees)

    @classmethod
    def decline_if_node_in_names(cls, disallow_set: set[str]) -> OperatorSupportBase:
        """What says no to nodes of some names."""

        def agrees(submodules: Mapping[str, Any], node: Node) -> bool:
            return node.name not in disallow_set

        return create_op_support(agrees)


def _get_arg_dtype(arg: Node) -> Any:
    """The element type of a node's value."""
    if not isinstance(arg, Node):
        raise AssertionError(f"Expected fx.Node, got {type(arg)}")
    meta = arg.meta.get("tensor_meta")
    return (
        meta.dtype
        if isinstance(meta, TensorMetadata)
        else getattr(arg.meta.get("val"), "dtype", None)
    )

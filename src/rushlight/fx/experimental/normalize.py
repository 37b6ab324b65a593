"""Arguments by the parameters of what is called, and functions in the place of operators."""

from __future__ import annotations

import operator
from typing import Any

import rushlight
from rushlight.fx.experimental.schema_type_annotation import AnnotateTypesWithSchema
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Transformer
from rushlight.fx.node import Node, map_aggregate
from rushlight.fx.operator_schemas import create_type_hint, normalize_function, normalize_module
from rushlight.fx.proxy import Proxy

__all__ = ["NormalizeArgs", "NormalizeOperators"]


class NormalizeArgs(Transformer):
    """Gives calls all arguments that their functions have.

    Args:
        module: the module
        normalize_to_only_use_kwargs: whether all come by keyword
    """

    def __init__(self, module: GraphModule, normalize_to_only_use_kwargs: bool = True) -> None:
        super().__init__(module)
        self.node_map: dict[Proxy, Node] = {}
        self.normalize_to_only_use_kwargs = normalize_to_only_use_kwargs

    def run_node(self, n: Node) -> Any:
        """Run a node with its arguments brought into order."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)

        def kind_of(value: Any) -> Any:
            if isinstance(value, Node):
                return value.meta.get("type")
            return type(value)

        if n.op == "call_function":
            arg_types = map_aggregate(n.args, kind_of)
            if not isinstance(arg_types, tuple):
                raise AssertionError(f"Expected tuple, got {type(arg_types)}")
            kwarg_types = {name: kind_of(value) for name, value in n.kwargs.items()}
            hints = tuple(create_type_hint(kind) for kind in arg_types)
            made = self.call_function(n.target, args, kwargs, hints, kwarg_types)
        else:
            made = super().run_node(n)
        if n.op != "output":
            self.node_map[made] = n
            made.node.meta = n.meta
            made.node.type = n.type
        return made

    def call_function(
        self,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        arg_types: tuple[Any, ...] | None = None,
        kwarg_types: dict[str, Any] | None = None,
    ) -> Any:
        """A call of a function with all its arguments."""
        if not callable(target):
            raise AssertionError(f"Expected callable, got {type(target)}")
        ordered = normalize_function(
            target, args, kwargs, arg_types, kwarg_types, self.normalize_to_only_use_kwargs
        )
        if ordered is None:
            return super().call_function(target, args, kwargs)
        return self.tracer.create_proxy("call_function", target, ordered.args, ordered.kwargs)

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a module with all its arguments."""
        if not isinstance(target, str):
            raise AssertionError(f"Expected str, got {type(target)}")
        ordered = normalize_module(
            self.module, target, args, kwargs, self.normalize_to_only_use_kwargs
        )
        if ordered is None:
            return super().call_module(target, args, kwargs)
        return super().call_module(target, ordered.args, ordered.kwargs)


class NormalizeOperators(AnnotateTypesWithSchema):
    """Puts the library's functions in the place of Python's operators."""

    binary_magic_method_remap: dict[Any, Any] = {
        rushlight.add: operator.add,
        rushlight.mul: operator.mul,
        rushlight.sub: operator.sub,
        rushlight.div: operator.truediv,
        rushlight.floor_divide: operator.floordiv,
        rushlight.remainder: operator.mod,
        rushlight.eq: operator.eq,
        rushlight.ne: operator.ne,
        rushlight.lt: operator.lt,
        rushlight.le: operator.le,
        rushlight.gt: operator.gt,
        rushlight.ge: operator.ge,
    }

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The operator's call for the function's, if it has two arguments and no others."""
        if not callable(target):
            raise AssertionError(f"Expected callable, got {type(target)}")
        if target in self.binary_magic_method_remap and len(args) == 2:
            # Only tensors have the operators.
            first, second = args
            return super().call_function(
                target=self.binary_magic_method_remap[target], args=(first, second), kwargs={}
            )
        return super().call_function(target, args, kwargs)

"""Types of nodes from the signatures of what they call."""

from __future__ import annotations

import inspect
from typing import Any

import rushlight
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Transformer
from rushlight.fx.operator_schemas import get_signature_for_torch_op
from rushlight.fx.proxy import Proxy
from rushlight.nn.modules.module import Module

__all__ = ["AnnotateTypesWithSchema"]


class AnnotateTypesWithSchema(Transformer):
    """Gives nodes the types that what they call returns.

    Args:
        module: the module
        annotate_functionals: whether calls of functions get types
        annotate_modules: whether calls of modules do
        annotate_get_attrs: whether fetched attributes do
    """

    def __init__(
        self,
        module: GraphModule,
        annotate_functionals: bool = True,
        annotate_modules: bool = True,
        annotate_get_attrs: bool = True,
    ) -> None:
        super().__init__(module)
        self.annotate_functionals = annotate_functionals
        self.annotate_modules = annotate_modules
        self.annotate_get_attrs = annotate_get_attrs

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a function, with its type."""
        made = super().call_function(target, args, kwargs)
        if self.annotate_functionals and not made.node.type:
            made.node.type = self._extract_python_return_type(target)
        return made

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a module, with its type."""
        made = super().call_module(target, args, kwargs)
        if self.annotate_modules and not made.node.type:
            called = self.fetch_attr(target)
            kind = inspect.signature(type(called).forward).return_annotation
            if isinstance(kind, str):
                kind = eval(kind, type(called).forward.__globals__)
            made.node.type = None if kind is inspect.Signature.empty else kind
        return made

    def get_attr(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A fetched attribute, with its type."""
        made = super().get_attr(target, args, kwargs)
        if self.annotate_get_attrs and isinstance(made, Proxy):
            found: Any = self.module
            for part in target.split("."):
                if not hasattr(found, part):
                    raise RuntimeError(f"Node referenced nonexistent target {target}!")
                found = getattr(found, part)
            if isinstance(found, rushlight.Tensor):
                made.node.type = rushlight.Tensor
            elif not isinstance(found, Module):
                made.node.type = type(found)
        return made

    def _extract_python_return_type(self, target: Any) -> Any | None:
        signatures = get_signature_for_torch_op(target)
        if signatures:
            kinds = {one.return_annotation for one in signatures}
            return kinds.pop() if len(kinds) == 1 else None
        try:
            kind = inspect.signature(target).return_annotation
        except (TypeError, ValueError):
            return None
        return None if kind is inspect.Signature.empty or isinstance(kind, str) else kind

"""Tracing with sizes that are known: each proxy has a tensor without elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.func import functional_call
from rushlight.fx._symbolic_trace import Tracer, _maybe_revert_all_patches
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule, _get_attr
from rushlight.fx.node import Node, map_aggregate
from rushlight.fx.proxy import Attribute, Proxy
from rushlight.nn.modules.module import Module

__all__ = ["MetaAttribute", "MetaProxy", "MetaTracer", "proxys_to_metas", "symbolic_trace"]


def proxys_to_metas(v: Any) -> Any:
    """What is known in the place of a proxy: its tensor without elements, or its value."""
    if isinstance(v, Proxy):
        known = getattr_own(v, "_tensor_meta")
        if known is None:
            raise RuntimeError(f"No metadata could be found for {v}")
        return known
    return v


def getattr_own(proxy: Any, name: str) -> Any:
    """A field of a proxy itself, whose other attributes become nodes."""
    return proxy.__dict__.get(name)


class MetaProxy(Proxy):
    """A proxy whose value's sizes and types are known."""

    def install_tensor_meta(self, tensor_meta: Any) -> None:
        """Say what the value is like."""
        self.__dict__["_tensor_meta"] = tensor_meta

    def size(self, dim: int | None = None) -> Any:
        """The sizes, if they are known."""
        known = getattr_own(self, "_tensor_meta")
        if isinstance(known, rushlight.Tensor):
            return known.size(*[dim] if dim is not None else [])
        args = (self,) if dim is None else (self, dim)
        return self.tracer.create_proxy("call_method", "size", args, {})

    def dim(self) -> Any:
        """How many dimensions there are, if that is known."""
        known = getattr_own(self, "_tensor_meta")
        if isinstance(known, rushlight.Tensor):
            return known.dim()
        return self.tracer.create_proxy("call_method", "dim", (self,), {})

    @property
    def shape(self) -> Any:
        """The sizes, if they are known."""
        known = getattr_own(self, "_tensor_meta")
        if isinstance(known, rushlight.Tensor):
            return known.shape
        return self.tracer.create_proxy("call_function", getattr, (self, "shape"), {})

    @property
    def dtype(self) -> Any:
        """The element type, if it is known."""
        known = getattr_own(self, "_tensor_meta")
        if isinstance(known, rushlight.Tensor):
            return known.dtype
        return self.tracer.create_proxy("call_function", getattr, (self, "dtype"), {})

    def __getattr__(self, k: str) -> Any:
        return MetaAttribute(self, k)


class MetaAttribute(Attribute, MetaProxy):
    """An attribute of such a proxy."""


class MetaTracer(Tracer):
    """Traces a program, and works out what is known of each value."""

    meta_args: dict[str, Any] = {}

    def proxy(self, node: Node) -> MetaProxy:
        """A proxy that may know its value's sizes."""
        return MetaProxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any | None = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Any:
        """Add a node, and note what its value is like."""
        made = super().create_proxy(kind, target, args, kwargs, name, type_expr, proxy_factory_fn)
        if kind == "placeholder":
            if target in self.meta_args:
                made.install_tensor_meta(_without_elements(self.meta_args[target]))
            return made
        if kind == "get_attr":
            with _maybe_revert_all_patches():
                found = _get_attr(self.root, target)
            found = found.data if isinstance(found, rushlight.nn.Parameter) else found
            made.install_tensor_meta(_without_elements(found))
            return made
        if any(_knows_nothing(value) for value in (*args, *kwargs.values())):
            return made
        plain_args = map_aggregate(args, proxys_to_metas)
        plain_kwargs = map_aggregate(kwargs, proxys_to_metas)
        made.install_tensor_meta(self._result_of(kind, target, plain_args, plain_kwargs))
        return made

    def _result_of(self, kind: str, target: Any, args: Any, kwargs: Any) -> Any:
        """What a call returns for tensors without elements."""
        with _maybe_revert_all_patches(), rushlight.no_grad():
            if kind == "call_function":
                return target(*args, **kwargs)
            if kind == "call_method":
                return getattr(args[0], target)(*args[1:], **kwargs)
            module = self.root.get_submodule(target)
            state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
            plain = {name: _without_elements(value) for name, value in state.items()}
            return functional_call(module, plain, args, kwargs)

    def trace(  # type: ignore[override]
        self,
        root: Any,
        meta_args: dict[str, Any] | None = None,
        concrete_args: dict[str, Any] | None = None,
    ) -> Graph:
        """The graph of a program.

        Args:
            root: the module or function
            meta_args: what arguments are like, by their names
            concrete_args: values of arguments that the graph is made for
        """
        if not isinstance(meta_args or {}, dict):
            raise AssertionError(f"Expected dict, got {type(meta_args)}")
        self.meta_args = meta_args or {}
        return super().trace(root, concrete_args)


def _without_elements(value: Any) -> Any:
    return value.detach().to("meta") if isinstance(value, rushlight.Tensor) else value


def _knows_nothing(value: Any) -> bool:
    """Whether there is a proxy among arguments of which nothing is known."""
    if isinstance(value, Proxy):
        return getattr_own(value, "_tensor_meta") is None
    if isinstance(value, (list, tuple)):
        return any(map(_knows_nothing, value))
    return isinstance(value, dict) and any(map(_knows_nothing, value.values()))


def symbolic_trace(
    root: Any, meta_args: dict[str, Any] | None = None, concrete_args: dict[str, Any] | None = None
) -> GraphModule:
    """A module of the graph of a program whose arguments' sizes are known.

    Args:
        root: the module or function
        meta_args: what arguments are like, by their names
        concrete_args: values of arguments that the graph is made for
    """
    tracer = MetaTracer()
    graph = tracer.trace(root, meta_args, concrete_args)
    name = root.__class__.__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)

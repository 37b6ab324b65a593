"""Running a graph node by node."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.fx import traceback as fx_traceback
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, map_aggregate
from rushlight.fx.proxy import Proxy

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs the nodes of a graph. Subclasses override what a kind of node does.

    Args:
        module: the module that the graph belongs to
        garbage_collect_values: whether values are dropped after their last use
        graph: another graph to run with the module
    """

    def __init__(
        self, module: Any, garbage_collect_values: bool = True, graph: Graph | None = None
    ) -> None:
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Any = module.graph if graph is None else graph
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.args_iter: Iterator[Any] = iter(())
        if garbage_collect_values:
            self.user_to_last_uses = _last_uses(self.graph)

    def run(
        self,
        *args: Any,
        initial_env: dict[Node, Any] | None = None,
        enable_io_processing: bool = True,
    ) -> Any:
        """Run the graph.

        Args:
            *args: the arguments
            initial_env: values of nodes that are not run
            enable_io_processing: whether nested arguments and results are taken apart
        """
        self.env = {} if initial_env is None else initial_env
        if enable_io_processing:
            args = tuple(self.graph.process_inputs(*args))
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                # Known from elsewhere.
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback:
                    _tell_node(error, node)
                raise
            if self.garbage_collect_values:
                for used in self.user_to_last_uses.get(node, ()):
                    self.env.pop(used, None)
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """Run the graph with arguments from a list, which is emptied, so that they can go."""
        placeholders = self.graph.find_nodes(op="placeholder")
        if len(placeholders) != len(args_list):
            raise AssertionError(f"Expected {len(placeholders)} arguments, got {len(args_list)}")
        env = dict(zip(placeholders, args_list))
        args_list.clear()
        return self.run(initial_env=env)

    @contextmanager
    def _set_current_node(self, node: Node) -> Iterator[None]:
        with (
            fx_traceback.set_current_meta(node, f"Interpreter_{self.__class__.__name__}"),
            fx_traceback.set_current_replay_node(node),
        ):
            yield

    def run_node(self, n: Node) -> Any:
        """Run one node: the method that is called like its kind gets its target and arguments."""
        if not fx_traceback.has_preserved_node_meta():
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return getattr(self, n.op)(n.target, args, kwargs)
        with self._set_current_node(n):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return getattr(self, n.op)(n.target, args, kwargs)

    # -- kinds of nodes --

    def placeholder(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The next argument; all that are left for a starred parameter."""
        if not isinstance(target, str):
            raise AssertionError(f"Expected target to be str, got {type(target)}")
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration as error:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from error

    def get_attr(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """An attribute of the module."""
        if not isinstance(target, str):
            raise AssertionError(f"Expected target to be str, got {type(target)}")
        return self.fetch_attr(target)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a function returns."""
        if isinstance(target, str):
            raise AssertionError(f"Expected callable target, got string: {target}")
        return target(*args, **kwargs)

    def call_method(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a method of the first argument returns."""
        if not isinstance(target, str):
            raise AssertionError(f"Expected target to be str, got {type(target)}")
        owner, *others = args
        return getattr(owner, target)(*others, **kwargs)

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a submodule returns."""
        if not isinstance(target, str):
            raise AssertionError(f"Expected target to be str, got {type(target)}")
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the graph returns."""
        return args[0]

    # -- values --

    def fetch_attr(self, target: str) -> Any:
        """What a path in the module leads to."""
        found = self.module
        parts = target.split(".")
        for index, part in enumerate(parts):
            if not hasattr(found, part):
                raise RuntimeError(
                    f"Node referenced nonexistent target {'.'.join(parts[: index + 1])}"
                )
            found = getattr(found, part)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a node as values."""
        args = self.map_nodes_to_values(n.args, n)
        if not isinstance(args, tuple):
            raise AssertionError(f"Expected args to be tuple, got {type(args)}")
        kwargs = self.map_nodes_to_values(n.kwargs, n)
        if not isinstance(kwargs, dict):
            raise AssertionError(f"Expected kwargs to be dict, got {type(kwargs)}")
        return args, kwargs

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """An argument with values in place of nodes."""

        def value_of(leaf: Any) -> Any:
            if not isinstance(leaf, Node):
                return leaf
            if leaf not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {leaf}! Run Graph.lint() to diagnose "
                    f"such issues"
                )
            return self.env[leaf]

        # Lists that are plain, as a program's are: calls with those are remembered.
        return map_aggregate(args, value_of, made=list)


def _last_uses(graph: Graph) -> dict[Node, list[Node]]:
    """The nodes whose values nobody needs after each node."""
    found: dict[Node, list[Node]] = {}
    seen: set[Node] = set()
    for node in reversed(graph.nodes):
        for used in node._input_nodes:
            if used not in seen:
                seen.add(used)
                found.setdefault(node, []).append(used)
    return found


def _tell_node(error: Exception, node: Node) -> None:
    """Let an error say which node it comes from."""
    note = f"While executing {node.format_node()}\nOriginal traceback:\n{node.stack_trace}"
    text = f"{error.args[0]}\n\n{note}" if error.args else note
    error.args = (text, *error.args[1:])
    if isinstance(error, KeyError):
        raise RuntimeError(*error.args) from error


class Transformer(Interpreter):
    """Makes a graph from another by running it with proxies.

    Args:
        module: the module of the graph
    """

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)
        from rushlight.fx._symbolic_trace import Tracer

        class TransformerTracer(Tracer):
            """Adds to the new graph."""

            def __init__(self, graph: Graph) -> None:
                super().__init__()
                self.graph = graph
                self.tensor_attrs: dict[Any, str] = {}

            def is_leaf_module(self, _: Any, __: str) -> bool:
                return True

        self.tracer = TransformerTracer(self.new_graph)
        self.tracer.root = module

    def placeholder(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A parameter of the new graph."""
        if not isinstance(target, str):
            raise AssertionError(f"Expected target to be str, got {type(target)}")
        default = args[0] if args else inspect.Signature.empty
        given = () if default is inspect.Signature.empty else (default,)
        return Proxy(
            self.new_graph.placeholder(target, default_value=given[0] if given else ...),
            self.tracer,
        )

    def get_attr(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A node that fetches the attribute in the new graph."""
        if not isinstance(target, str):
            raise AssertionError(f"Expected target to be str, got {type(target)}")
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of the submodule in the new graph."""
        if not isinstance(target, str):
            raise AssertionError(f"Expected target to be str, got {type(target)}")
        module = self.fetch_attr(target)
        self.tracer.submodule_paths = {module: target}
        return self.tracer.call_module(module, module.forward, args, kwargs)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of the function in the new graph."""
        if not callable(target):
            raise AssertionError(f"Expected callable target, got {type(target)}")
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """The module of the new graph."""
        with fx_traceback.preserve_node_meta():
            result = super().run(enable_io_processing=False)
        if result is not None:

            def node_of(value: Any) -> Any:
                return value.node if isinstance(value, Proxy) else value

            made = self.new_graph.output(map_aggregate(result, node_of))
            # What is noted of the output goes over, too.
            old = self.graph.output_node()
            made.meta = dict(old.meta)
        from rushlight.fx._lazy_graph_module import _make_graph_module

        return _make_graph_module(self.module, self.new_graph)

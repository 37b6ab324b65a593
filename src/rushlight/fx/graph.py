"""Graphs: nodes in the order in which they run."""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from rushlight.fx._names import bare_name
from rushlight.fx._names import is_ours as _is_from_torch
from rushlight.fx._namespace import _custom_builtins, _Namespace, _register_custom_builtin
from rushlight.fx.codegen import (
    CodeGen,
    PythonCode,
    _BoxedCodeGen,
    _format_target,
    _parse_stack_trace,
    _ParsedStackTrace,
    _PyTreeCodeGen,
    _PyTreeInfo,
    inplace_methods,
    magic_methods,
    reflectable_magic_methods,
)
from rushlight.fx.node import Node, _get_qualified_name, _link, _type_repr, _unlink, map_arg

if TYPE_CHECKING:
    from rushlight.fx.graph_module import GraphModule

# What programs look for here is in files of its own.
__all__ = [
    "CodeGen",
    "Graph",
    "PythonCode",
    "_BoxedCodeGen",
    "_Namespace",
    "_ParsedStackTrace",
    "_PyTreeCodeGen",
    "_PyTreeInfo",
    "_custom_builtins",
    "_format_target",
    "_get_qualified_name",
    "_is_from_torch",
    "_parse_stack_trace",
    "_register_custom_builtin",
    "_snake_case",
    "_type_repr",
    "inplace_methods",
    "magic_methods",
    "reflectable_magic_methods",
]

_magic = re.compile(r"^__(.*)__$")
_between_words = re.compile(r"(?<=[a-z])([A-Z])")


def _snake_case(s: str) -> str:
    """`someName` as `some_name`."""
    return s if s.islower() else _between_words.sub(r"_\1", s).lower()


class _node_list:
    """The nodes of a graph from first to last, or back; nodes may be erased on the way."""

    def __init__(self, graph: Graph, direction: Literal["_prev", "_next"] = "_next") -> None:
        if direction not in ("_next", "_prev"):
            raise AssertionError(f"direction must be '_next' or '_prev', got {direction}")
        self.graph = graph
        self.direction = direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        direction, root = self.direction, self.graph._root
        node = getattr(root, direction)
        while node is not root:
            own = node.__dict__
            if not own["_erased"]:
                yield node
            node = own[direction]

    def __reversed__(self) -> Iterator[Node]:
        return iter(_node_list(self.graph, "_next" if self.direction == "_prev" else "_prev"))


class _InsertPoint:
    """Within the block new nodes come to another place."""

    def __init__(self, graph: Graph, new_insert: Callable[[Node], None]) -> None:
        self.graph = graph
        self.orig_insert, graph._insert = graph._insert, new_insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        self.graph._insert = self.orig_insert


class Graph:
    """A program as nodes.

    Args:
        owning_module: the module whose program it is
        tracer_cls: the class of the tracer that made it
        tracer_extras: what that tracer wants to have again
    """

    def __init__(
        self,
        owning_module: GraphModule | None = None,
        tracer_cls: type | None = None,
        tracer_extras: dict[str, Any] | None = None,
    ) -> None:
        self._graph_namespace = _Namespace()
        self._owning_module = owning_module
        self._len = 0
        self._ordered = True
        self._lookups: dict[tuple[str, Any], list[Node]] | None = None
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._codegen = CodeGen()
        self._co_fields: dict[str, Any] = {}
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._append

    @property
    def owning_module(self) -> GraphModule | None:
        """The module whose program it is."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, module: GraphModule | None) -> None:
        self._owning_module = module

    # -- nodes and their order --

    @property
    def nodes(self) -> Any:
        """The nodes in order."""
        return _node_list(self)

    def _append(self, node: Node) -> None:
        root = self._root
        last = root.__dict__["_prev"]
        node.__dict__["_position"] = last.__dict__["_position"] + 1
        _link(last, node, root)

    def _number_nodes(self) -> None:
        """Let positions say the order again."""
        if not self._ordered:
            for position, node in enumerate(self.nodes):
                node.__dict__["_position"] = position
            self._ordered = True

    def output_node(self) -> Node:
        """The node that says what is returned."""
        node = next(iter(reversed(self.nodes)))
        if node.op != "output":
            raise AssertionError(f"Expected output node, got {node.op}")
        return node

    def _forget_lookups(self) -> None:
        self._lookups = None

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Any]:
        """The nodes of a kind, and with a target; for `call_function` the target must be given.

        Args:
            op: the kind
            target: what they call or fetch
            sort: whether they come in the graph's order
        """
        if self._lookups is None:
            lookups: dict[tuple[str, Any], list[Node]] = {}
            for node in self.nodes:
                lookups.setdefault(_lookup_key(node), []).append(node)
            self._lookups = lookups
        if op == "call_function":
            if target is None:
                raise AssertionError("target must not be None for call_function op")
            found = list(self._lookups.get((op, target), ()))
        else:
            found = list(self._lookups.get((op, None), ()))
            if target is not None:
                found = [node for node in found if node.target == target]
        return sorted(found) if sort else found

    def create_node(
        self,
        op: str,
        target: Any,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        name: str | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """Add a node at the insertion point."""
        if args is None:
            args = ()
        elif not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args)}")
        if kwargs is None:
            kwargs = {}
        elif not isinstance(kwargs, dict):
            raise AssertionError(f"kwargs must be a dict, got {type(kwargs)}")
        candidate = name if name is not None else self._target_to_str(target)
        name = self._graph_namespace.create_name(candidate, None)
        node = Node(self, name, op, target, args, kwargs, type_expr)
        module = self._owning_module
        if module is not None:
            for hook in getattr(module, "_create_node_hooks", ()):
                hook(node)
        self._graph_namespace._obj_to_name[node] = name
        self._insert(node)
        if self._lookups is not None:
            self._lookups.setdefault(_lookup_key(node), []).append(node)
        self._len += 1
        return node

    def erase_node(self, to_erase: Node) -> None:
        """Take a node without users out of the graph."""
        if len(to_erase.users) > 0:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in "
                f"the graph: {to_erase.users}!"
            )
        if to_erase.graph != self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            from warnings import warn

            warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        if self._owning_module is not None:
            for hook in getattr(self._owning_module, "_erase_node_hooks", ()):
                hook(to_erase)
        if self._lookups is not None:
            self._lookups[_lookup_key(to_erase)].remove(to_erase)
        _unlink(to_erase)
        to_erase.__dict__["_erased"] = True
        self._len -= 1
        # It is no user of its arguments any more.
        to_erase._update_args_kwargs(
            map_arg(to_erase.args, lambda node: None), map_arg(to_erase.kwargs, lambda node: None)
        )

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """Let new nodes come before a node; before all if None. A statement, or a `with` block."""
        if n is None:
            return self.inserting_after(self._root)
        if n.graph != self:
            raise AssertionError("Node to insert before is not in graph.")
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """Let new nodes come behind a node; behind all if None. A statement, or a `with` block."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph != self:
            raise AssertionError("Node to insert after is not in graph.")
        return _InsertPoint(self, n.append)

    # -- kinds of nodes --

    def placeholder(
        self, name: str, type_expr: Any | None = None, default_value: Any = ...
    ) -> Node:
        """Add a parameter. A name may begin with stars."""
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any | None = None) -> Node:
        """Add a node that fetches an attribute of the module, such as `layer.weight`."""
        module = self._owning_module
        if module and not _has_path(module, qualified_name):
            import warnings

            warnings.warn(
                "Attempted to insert a get_attr Node with no underlying reference in the owning "
                "GraphModule! Call GraphModule.add_submodule to add the necessary submodule, "
                "GraphModule.add_parameter to add the necessary Parameter, or "
                "nn.Module.register_buffer to add the necessary buffer",
                stacklevel=2,
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self,
        module_name: str,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """Add a call of a submodule."""
        if self._owning_module and self._owning_module.get_submodule(module_name) is None:
            import warnings

            warnings.warn(
                "Attempted to insert a call_module Node with no underlying reference in the owning "
                "GraphModule! Call GraphModule.add_submodule to add the necessary submodule",
                stacklevel=2,
            )
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self,
        method_name: str,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """Add a call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        type_expr: Any | None = None,
        name: str | None = None,
    ) -> Node:
        """Add a call of a function."""
        return self.create_node(
            "call_function", the_function, args, kwargs, name=name, type_expr=type_expr
        )

    def output(self, result: Any, type_expr: Any | None = None) -> Node:
        """Add the node that says what is returned."""
        return self.create_node("output", "output", args=(result,), type_expr=type_expr)

    # -- copies --

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Any] = lambda x: x) -> Node:
        """Add a copy of a node, perhaps of another graph's.

        Args:
            node: the node
            arg_transform: gives this graph's node for each of the other's
        """
        args = map_arg(node.args, arg_transform)
        kwargs = map_arg(node.kwargs, arg_transform)
        if not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args)}")
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    def graph_copy(
        self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False
    ) -> Any:
        """Add copies of all nodes of a graph; gives what its output is here.

        Args:
            g: the other graph
            val_map: its nodes that have a counterpart here; the copies are added
            return_output_node: whether to give the other graph's output node too
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda n: val_map[n])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Graph:
        memo = {} if memo is None else memo
        made = Graph(tracer_cls=self._tracer_cls)
        copies = made.graph_copy(self, val_map=memo, return_output_node=True)  # type: ignore[arg-type]
        made._codegen = copy.deepcopy(self._codegen, memo)
        if copies is not None:
            if not isinstance(copies, tuple):
                raise AssertionError(f"Expected tuple, got {type(copies)}")
            result, old = copies
            output = made.output(result, type_expr=getattr(old, "type", None))
            output.meta = copy.copy(old.meta)
        return made

    # -- running --

    def process_inputs(self, *args: Any) -> Any:
        """The values of the parameters for the arguments of a call."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """What a call returns for the values of the output node."""
        return self._codegen.process_outputs(out)

    # -- code --

    def _target_to_str(self, target: Any) -> str:
        if callable(target):
            name = bare_name(target)
        else:
            if not isinstance(target, str):
                raise AssertionError(f"Expected target to be str, got {type(target)}")
            name = target
            match = _magic.match(name)
            if match:
                name = match[1]
        return _snake_case(name)

    def python_code(
        self,
        root_module: str,
        *,
        verbose: bool = False,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        expanded_def: bool = False,
        record_func: bool = False,
        additional_meta: list[str] | None = None,
    ) -> PythonCode:
        """The program as Python.

        Args:
            root_module: what the module is called in it
            verbose: whether to tell types of tensors and where nodes come from
            include_stride: whether types have strides
            include_device: whether types have devices
            colored: whether to color it for a terminal
            expanded_def: whether each parameter has a line
            record_func: whether a profiler sees each node
            additional_meta: what else of the nodes' `meta` to tell
        """
        return self._python_code(
            root_module, _Namespace(), verbose=verbose, include_stride=include_stride,
            include_device=include_device, colored=colored, expanded_def=expanded_def,
            record_func=record_func, additional_meta=additional_meta,
        )  # fmt: skip

    def _python_code(self, root_module: str, namespace: _Namespace, **options: Any) -> PythonCode:
        return self._codegen._gen_python_code(self.nodes, root_module, namespace, **options)

    def __str__(self) -> str:
        """The nodes, one in a line."""
        lines = [node.format_node() for node in self.nodes]
        return "".join(["graph():", *("\n    " + line for line in lines if line)])

    def print_tabular(self) -> None:
        """Print the nodes as a table."""
        try:
            from tabulate import tabulate
        except ImportError:
            print(
                "`print_tabular` relies on the library `tabulate`, which could not be found on "
                "this machine. Run `pip install tabulate` to install the library."
            )
            raise
        rows = [[n.op, n.name, n.target, n.args, n.kwargs] for n in self.nodes]
        print(tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"]))

    def set_codegen(self, codegen: CodeGen) -> None:
        """Let another object write the code."""
        self._codegen = codegen

    def on_generate_code(
        self, make_transformer: Callable[[Any], Callable[[list[str]], list[str]]]
    ) -> contextlib.AbstractContextManager[None]:
        """Change the lines of the code when it is written; given back by leaving the block.

        Args:
            make_transformer: gets what changed them before, or None, and gives what changes them
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextlib.contextmanager
        def given_back() -> Iterator[None]:
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return given_back()

    def _clear_nodes(self) -> None:
        for node in reversed(self.nodes):
            self.erase_node(node)

    # -- checks --

    def lint(self) -> None:
        """Raise an error if the graph is not well formed."""
        seen_names: set[str] = set()
        seen: set[Node] = set()

        def check_arg(arg: Node, node: Node) -> None:
            if arg.graph is not self:
                raise RuntimeError(
                    f"Argument '{arg}' of Node '{node}' does not belong to this Graph, but was "
                    f"used as an argument! If you are copying nodes from another graph, make sure "
                    f"to use ``arg_transform`` on node_copy() to remap values\n{self}"
                )
            if arg not in seen:
                raise RuntimeError(
                    f"Argument '{arg}' of Node '{node}' was used before it has been defined! "
                    f"Please check that Nodes in the graph are topologically ordered\n{self}"
                )

        for node in self.nodes:
            if node.op not in _KINDS:
                raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for arg in node._input_nodes:
                check_arg(arg, node)
            seen.add(node)
            if node.name in seen_names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            seen_names.add(node.name)
        if self._owning_module is not None:
            for node in self.nodes:
                if node.op in ("get_attr", "call_module"):
                    self._check_path(node)

    def _check_path(self, node: Node) -> None:
        """Raise an error if a node's target is not in the module."""
        import rushlight

        place: Any = self._owning_module
        atoms = node.target.split(".")
        for index, atom in enumerate(atoms):
            if not hasattr(place, atom):
                raise RuntimeError(
                    f"Node {node} target {node.target} references nonexistent attribute {atom} of "
                    f"{'.'.join(atoms[:index])}"
                )
            found = getattr(place, atom)
            if node.op == "call_module" and not isinstance(found, rushlight.nn.Module):
                raise RuntimeError(
                    f"Node {node} target {node.target} {atom} of {'.'.join(atoms[:index])} does "
                    f"not reference an nn.Module"
                )
            place = found

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Erase the nodes that nobody needs; True if there were any.

        Args:
            is_impure_node: says which nodes are needed without users; `Node.is_impure` if None
        """
        self.lint()
        changed = False
        for node in reversed(self.nodes):
            if node.users:
                continue
            needed = node.is_impure() if is_impure_node is None else is_impure_node(node)
            if not needed:
                self.erase_node(node)
                changed = True
        if changed:
            from rushlight.fx.graph_module import GraphModule

            for node in self.find_nodes(op="get_attr"):
                inner = _fetched(self._owning_module, node.target)
                if isinstance(inner, GraphModule):
                    inner.graph.eliminate_dead_code(is_impure_node)
                    inner.recompile()
        return changed


_KINDS = frozenset(
    ("placeholder", "call_method", "call_module", "call_function", "get_attr", "output")
)


def _lookup_key(node: Node) -> tuple[str, Any]:
    return node.op, node.target if node.op == "call_function" else None


def _fetched(module: Any, path: str) -> Any:
    for atom in path.split("."):
        module = getattr(module, atom, None)
    return module


def _has_path(module: Any, path: str) -> bool:
    """Whether a path leads to a submodule, parameter or buffer of a module."""
    import rushlight

    *inner, name = path.split(".")
    for atom in inner:
        module = getattr(module, atom, None)
        if not isinstance(module, rushlight.nn.Module):
            return False
    if not hasattr(module, name):
        return False
    found = getattr(module, name)
    return isinstance(found, (rushlight.nn.Module, rushlight.nn.Parameter)) or (
        name in module._buffers
    )

"""From a flat program back to modules within modules.

Each node knows the modules that were being called when it was made. A run of nodes of one call becomes a graph of its own:
what comes from elsewhere are its inputs, what is used elsewhere its results. Parameters are where they were.
"""

from __future__ import annotations

import abc
import contextlib
import dataclasses
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import rushlight
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.native.records import dataclass
from rushlight.export._unlift import GuardsFn, assign, checks_of, reordered
from rushlight.export.exported_program import ExportedProgram, ModuleCallSignature
from rushlight.export.graph_signature import ConstantArgument, InputKind, OutputKind
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node
from rushlight.nn import Module, Parameter
from rushlight.utils import _pytree as pytree

__all__ = [
    "FlatArgsAdapter",
    "InterpreterModule",
    "InterpreterModuleDispatcher",
    "UnflattenedModule",
    "unflatten",
]


class FlatArgsAdapter(abc.ABC):
    """Makes arguments that are nested otherwise than the exported ones fit."""

    @abc.abstractmethod
    def adapt(
        self,
        target_spec: Any,
        input_spec: Any,
        input_args: list[Any],
        metadata: dict[str, Any] | None = None,
        obj: Any | None = None,
    ) -> list[Any]:
        """The leaves that the program takes.

        Args:
            target_spec: how the exported arguments were nested
            input_spec: how the given ones are
            input_args: their leaves
            metadata: what the program's module says of itself
            obj: the module
        """

    def get_flat_arg_paths(self) -> list[str]:
        """The paths of the leaves that are taken."""
        return []


class InterpreterModule(Module):
    """A module that runs a graph.

    Args:
        graph: the graph, whose attributes the module has
        ty: the class of the module that it was exported from
    """

    def __init__(self, graph: Graph, ty: str | None = None) -> None:
        super().__init__()
        self.graph = graph
        self._ty = ty
        graph.owning_module = self  # type: ignore[assignment]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the graph gives."""
        names = [node.name for node in self.graph.find_nodes(op="placeholder")]
        given = [*args, *(kwargs[name] for name in names[len(args) :] if name in kwargs)]
        return Interpreter(self, graph=self.graph).run(*given, enable_io_processing=False)

    def type_name(self) -> str | None:
        """The class of the module that it was exported from."""
        return self._ty

    def print_readable(self, print_output: bool = True, **options: Any) -> str:
        """The graph as code."""
        text = GraphModule(self, self.graph, "InterpreterModule").print_readable(False, **options)
        if print_output:
            print(text)
        return text


class InterpreterModuleDispatcher(Module):
    """A module whose calls were exported one by one: they come in turn.

    Args:
        call_modules: what runs the calls
    """

    def __init__(self, call_modules: Sequence[InterpreterModule]) -> None:
        super().__init__()
        self._call_modules = list(call_modules)
        for name, child in call_modules[0].named_children():
            self.add_module(name, child)
        for name, parameter in call_modules[0]._parameters.items():
            self.register_parameter(name, parameter)
        for name, buffer in call_modules[0]._buffers.items():
            self.register_buffer(name, buffer)
        self._num_calls = 0

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the next call gives."""
        module = self._call_modules[self._num_calls]
        self._num_calls = (self._num_calls + 1) % len(self._call_modules)
        return module(*args, **kwargs)

    def call_modules(self) -> list[InterpreterModule]:
        """What runs the calls."""
        return self._call_modules


# -- nested arguments --


class _Flatten:
    """Takes a nest apart into its leaves."""

    def __init__(self) -> None:
        self.__name__ = self.__qualname__ = "tree_flatten"
        self.__module__ = __name__

    def __call__(self, nest: Any) -> list[Any]:
        return pytree.tree_leaves(nest)


class _Unflatten:
    """Puts leaves together to a nest."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.__name__ = self.__qualname__ = "tree_unflatten"
        self.__module__ = __name__

    def __call__(self, leaves: Any) -> Any:
        return pytree.tree_unflatten(list(leaves), self.spec)


# -- calls --


@dataclass
class _Call:
    """A call of a module.

    Args:
        name: the path of the module; with a number behind `@` for calls after the first
        place: where the module is within the one that calls it
        ty: its class
        items: nodes, and calls within
    """

    name: str
    place: str = ""
    ty: str | None = None
    items: list[Node | _Call] = dataclasses.field(default_factory=list)

    @property
    def path(self) -> str:
        """The path of the module."""
        return self.name.split("@")[0]

    def nodes(self) -> Iterable[Node]:
        """All nodes of it, and of calls within."""
        for item in self.items:
            if isinstance(item, _Call):
                yield from item.nodes()
            else:
                yield item

    def add_call(self, name: str, ty: str) -> _Call:
        """A call of a module within."""
        path = name.split("@")[0]
        place = (
            path[len(self.path) + 1 :] if self.path and path.startswith(self.path + ".") else path
        )
        count = sum(isinstance(c, _Call) and c.place.split("@")[0] == place for c in self.items)
        made = _Call(name, f"{place}@{count}" if count else place, ty)
        self.items.append(made)
        return made


def _calls(nodes: Iterable[Node]) -> _Call:
    """The call of the root, with those within."""
    stack = [_Call("")]
    for node in nodes:
        wanted = [
            (name, ty) for name, ty in (node.meta.get("nn_module_stack") or {}).values()
            if name and not name.startswith("_empty")
        ]  # fmt: skip
        if not wanted and node.target is operator.getitem:
            # A part of a result is where the result is.
            wanted = [(call.name, call.ty) for call in stack[1:]]
        depth = 1
        while (
            depth < len(stack)
            and depth <= len(wanted)
            and stack[depth].name == wanted[depth - 1][0]
        ):
            depth += 1
        del stack[depth:]
        for name, ty in wanted[depth - 1 :]:
            stack.append(stack[-1].add_call(name, ty))
        stack[-1].items.append(node)
    return stack[0]


class UnflattenedModule(Module):
    """A module with the modules that the exported one had.

    Args:
        export_module: the program
        flat_args_adapter: makes arguments fit that are nested otherwise
    """

    def __init__(
        self, export_module: ExportedProgram, flat_args_adapter: FlatArgsAdapter | None = None
    ) -> None:
        super().__init__()
        program = export_module
        self.module_call_graph = program.module_call_graph
        self.flat_args_adapter = flat_args_adapter
        self.meta = dict(program.graph_module.meta)
        self.meta["unflattened_module"] = self
        self.adapted = False
        self._names = list(program.call_spec.in_spec.child(1).context)
        signature = program.module_call_graph[0].signature
        assert signature is not None
        count = program.call_spec.in_spec.child(0).num_children
        names = signature.forward_arg_names or [f"arg_{k}" for k in range(count)] + self._names
        self.__dict__["_checks"] = GuardsFn(
            names, program.call_spec.in_spec, checks_of(program, names)
        )
        self.input_placeholders: list[Node] = []
        builder = _Builder(program, self)
        self.graph = builder.root_graph()
        self.graph.owning_module = self  # type: ignore[assignment]
        self.input_placeholders = self.graph.find_nodes(op="placeholder")

    def process_forward_inputs(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The leaves of a call's arguments, as the graph takes them."""
        spec = self.module_call_graph[0].signature.in_spec  # type: ignore[union-attr]
        leaves, given = pytree.tree_flatten((args, reordered(kwargs, spec)))
        if given != spec:
            if self.flat_args_adapter is None:
                raise TypeError(
                    "There is no flat args adapter specified. Are you sure you are calling this with the "
                    f"right arguments? Input treespec: {given}, exported treespec: {spec}"
                )
            leaves = self.flat_args_adapter.adapt(spec, given, leaves, self.meta, self)
            if len(leaves) != spec.num_leaves:
                raise TypeError(
                    f"Flat args adaption failed, number of args mismatch Adatped: {len(leaves)} \n"
                    f"Exported module: {spec.num_leaves}"
                )
            self.adapted = True
        else:
            self._checks(*leaves)
        return leaves

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the program gives."""
        leaves = self.process_forward_inputs(*args, **kwargs)
        signature = self.module_call_graph[0].signature
        found = Interpreter(self, graph=self.graph).run(*leaves, enable_io_processing=False)
        return pytree.tree_unflatten(list(found), signature.out_spec)  # type: ignore[union-attr]

    def print_readable(self, print_output: bool = True, **options: Any) -> str:
        """The graph as code."""
        text = GraphModule(self, self.graph, "UnflattenedModule").print_readable(False, **options)
        if print_output:
            print(text)
        return text


class _Builder:
    """Makes the modules of a program.

    Args:
        program: the program
        root: the module that gets them
    """

    def __init__(self, program: ExportedProgram, root: UnflattenedModule) -> None:
        self.program, self.root = program, root
        specs = program.graph_signature.input_specs
        places = program.graph.find_nodes(op="placeholder")
        self.users = [n for n, s in zip(places, specs) if s.kind is InputKind.USER_INPUT]
        self.state: dict[Node, tuple[str, Any, bool]] = {}
        # Parameters and buffers of its own; tied ones stay tied.
        own: dict[int, Any] = {}
        lifted = iter(_copied(value, own) for value in program._lifted_inputs())
        for node, spec in zip(places, specs):
            if spec.kind is not InputKind.USER_INPUT:
                assert spec.target is not None
                is_kept = (
                    spec.kind is not InputKind.CONSTANT_TENSOR and spec.persistent is not False
                )
                self.state[node] = spec.target, next(lifted), is_kept
        self.signatures = {e.fqn: e.signature for e in program.module_call_graph if e.fqn}
        self.values = {n.name: n for n in program.graph.nodes}
        self.preserved: dict[str, list[InterpreterModule]] = {}

    def root_graph(self) -> Graph:
        """The graph of the outermost call; the modules within are put into the root."""
        for target, value, is_kept in self.state.values():
            assign(self.root, target, value, is_kept)
        body = [n for n in self.program.graph.nodes if n.op not in ("placeholder", "output")]
        graph, known = Graph(), {}
        for node in self.users:
            made = known[node] = graph.placeholder(node.name)
            made.name = made.target = node.name
            made.meta = dict(node.meta)
        self._fill(_calls(body), self.root, graph, known)
        returned = self.program.graph.output_node().args[0]
        results = []
        for node, spec in zip(returned, self.program.graph_signature.output_specs):  # type: ignore[arg-type]
            value = (
                self._value(node, "", self.root, graph, known) if isinstance(node, Node) else node
            )
            if spec.kind in (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT):
                results.append(value)
            else:
                self._write(graph, spec, value, known)
        graph.output(tuple(results))
        for path, modules in self.preserved.items():
            if len(modules) > 1:
                self._put(path, InterpreterModuleDispatcher(modules))
        return graph

    def _write(self, graph: Graph, spec: Any, value: Any, known: dict[Node, Node]) -> None:
        if spec.kind is OutputKind.USER_INPUT_MUTATION:
            target: Any = known[self.values[spec.target]]
        else:
            target = graph.get_attr(spec.target)
        graph.call_function(rushlight.ops.aten.copy_.default, (target, value))

    def _fill(self, call: _Call, owner: Module, graph: Graph, known: dict[Node, Node]) -> None:
        """Put the nodes of a call into its graph."""
        for item in call.items:
            if isinstance(item, _Call):
                self._call(item, call, owner, graph, known)
                continue
            known[item] = graph.node_copy(
                item, lambda n: self._value(n, call.path, owner, graph, known)
            )
            if item.op == "get_attr":
                setattr(
                    owner, str(item.target), getattr(self.program.graph_module, str(item.target))
                )

    def _value(
        self, node: Node, path: str, owner: Module, graph: Graph, known: dict[Node, Node]
    ) -> Node:
        """What a value is in a graph: a node of it, or a parameter that it fetches."""
        if node in known:
            return known[node]
        node = self._written_to(node)
        if node in known:
            return known[node]
        if node not in self.state:
            raise RuntimeError(f"{node.name} is used within {path}, whose call does not get it")
        target, value, is_kept = self.state[node]
        inner = target[len(path) + 1 :] if path and target.startswith(path + ".") else target
        if not path or inner != target:
            place = inner
            assign(owner, place, value, is_kept)
        else:
            # Of another module, which shares it.
            place = target.replace(".", "_")
            assign(owner, place, value, False)
        first = _first(graph)
        with contextlib.nullcontext() if first is None else graph.inserting_before(first):
            made = known[node] = graph.get_attr(place)
        made.meta = {k: v for k, v in node.meta.items() if k != "nn_module_stack"}
        return made

    def _written_to(self, node: Node) -> Node:
        """The parameter or buffer that a write gives back; the node itself if it is no such write."""
        found = node
        while isinstance(found.target, Operator) and found.target.schema.mutated and found.args:
            found = found.args[0]  # type: ignore[assignment]
        return found if found in self.state else node

    def _call(
        self, call: _Call, parent: _Call, owner: Module, graph: Graph, known: dict[Node, Node]
    ) -> None:
        """The module of a call, and the node that calls it."""
        signature = self.signatures.get(call.name)
        inside = set(call.nodes())
        outputs = self._used_elsewhere(inside)
        inner_graph, inner_known = Graph(), {}
        module = self._module_of(call, inner_graph)
        if signature is None:
            inputs = list(
                dict.fromkeys(
                    a for n in call.nodes() for a in n.all_input_nodes
                    if a not in inside and self._written_to(a) not in self.state
                )
            )  # fmt: skip
            for node in inputs:
                made = inner_known[node] = inner_graph.placeholder(node.name)
                made.name = made.target = node.name
                made.meta = dict(node.meta)
        else:
            self._take_nested(signature, inner_graph, inner_known)
        self._fill(call, module, inner_graph, inner_known)
        if signature is None:
            self._return_plain(inner_graph, inner_known, outputs)
            args = tuple(self._value(n, parent.path, owner, graph, known) for n in inputs)
            self._place(owner, call.place, module)
            made = graph.call_module(call.place, args)
            self._receive_plain(made, graph, outputs, known)
        else:
            self._return_nested(signature, inner_graph, inner_known, call, module)
            base = call.place.split("@")[0]
            calls = self.preserved.setdefault(call.path, [])
            calls.append(module)
            self._place(owner, base, calls[0])
            self._call_nested(base, signature, graph, known, parent, owner)

    def _used_elsewhere(self, inside: set[Node]) -> list[Node]:
        return [
            n for n in self.program.graph.nodes
            if n in inside
            and any(u not in inside for u in n.users)
            and self._written_to(n) not in self.state
        ]  # fmt: skip

    def _module_of(self, call: _Call, graph: Graph) -> InterpreterModule:
        """The module of a call, with the parameters that its module has."""
        made = InterpreterModule(graph, call.ty)
        prefix = call.path + "."
        for target, value, is_kept in self.state.values():
            if target.startswith(prefix):
                assign(made, target[len(prefix) :], value, is_kept)
        return made

    def _place(self, owner: Module, path: str, module: Module) -> None:
        """Put a module at its place, with what of it is there already."""
        *steps, last = path.split(".")
        for step in steps:
            if not hasattr(owner, step):
                owner.add_module(step, Module())
            owner = getattr(owner, step)
        known = owner._modules.get(last)
        if known is not None and known is not module:
            for name, child in known.named_children():
                if name not in module._modules:
                    module.add_module(name, child)
        owner.add_module(last, module)

    def _put(self, path: str, module: Module) -> None:
        owner, _, last = path.rpartition(".")
        self.root.get_submodule(owner).add_module(last, module)

    @staticmethod
    def _return_plain(graph: Graph, known: dict[Node, Node], outputs: list[Node]) -> None:
        found = [known[n] for n in outputs]
        graph.output(found[0] if len(found) == 1 else tuple(found))

    @staticmethod
    def _receive_plain(
        call: Node, graph: Graph, outputs: list[Node], known: dict[Node, Node]
    ) -> None:
        if len(outputs) == 1:
            known[outputs[0]] = call
            call.meta = {**outputs[0].meta, **call.meta}
            return
        for k, node in enumerate(outputs):
            made = known[node] = graph.call_function(operator.getitem, (call, k))
            made.meta = dict(node.meta)

    # -- calls as they were --

    def _take_nested(
        self, signature: ModuleCallSignature, graph: Graph, known: dict[Node, Node]
    ) -> None:
        """Inputs as the module was called, taken apart."""
        args_spec, kwargs_spec = signature.in_spec.children()
        args = [graph.placeholder(f"_positional_arg_{k}") for k in range(args_spec.num_children)]
        named = {name: graph.placeholder(name) for name in kwargs_spec.context}
        leaves = graph.call_function(_Flatten(), ((tuple(args), named),))
        for k, arg in enumerate(signature.inputs):
            if isinstance(arg, ConstantArgument):
                continue
            node = self.values[arg.name]
            made = graph.call_function(operator.getitem, (leaves, k))
            made.meta = dict(node.meta)
            if node not in self.state:
                known.setdefault(node, made)

    def _return_nested(
        self, signature: ModuleCallSignature, graph: Graph, known: dict[Node, Node], call: _Call,
        module: Module,
    ) -> None:  # fmt: skip
        values = [
            arg.value if isinstance(arg, ConstantArgument)
            else self._value(self.values[arg.name], call.path, module, graph, known)
            for arg in signature.outputs
        ]  # fmt: skip
        graph.output(graph.call_function(_Unflatten(signature.out_spec), (values,)))

    def _call_nested(
        self, target: str, signature: ModuleCallSignature, graph: Graph, known: dict[Node, Node],
        parent: _Call, owner: Module,
    ) -> None:  # fmt: skip
        leaves = [
            arg.value if isinstance(arg, ConstantArgument)
            else self._value(self.values[arg.name], parent.path, owner, graph, known)
            for arg in signature.inputs
        ]  # fmt: skip
        nest = graph.call_function(_Unflatten(signature.in_spec), (leaves,))
        args_spec, kwargs_spec = signature.in_spec.children()
        args = graph.call_function(operator.getitem, (nest, 0))
        named = graph.call_function(operator.getitem, (nest, 1))
        given = tuple(
            graph.call_function(operator.getitem, (args, k)) for k in range(args_spec.num_children)
        )
        by_name = {
            n: graph.call_function(operator.getitem, (named, n)) for n in kwargs_spec.context
        }
        made = graph.call_module(target, given, by_name)
        parts = graph.call_function(_Flatten(), (made,))
        for k, arg in enumerate(signature.outputs):
            if isinstance(arg, ConstantArgument):
                continue
            node = self.values[arg.name]
            if node not in known and node not in self.state:
                known[node] = graph.call_function(operator.getitem, (parts, k))
                known[node].meta = dict(node.meta)


def _copied(value: Any, known: dict[int, Any]) -> Any:
    """A tensor with elements of its own; the same one for the same tensor."""
    if id(value) not in known:
        made = value.detach().clone()
        if isinstance(value, Parameter):
            made = Parameter(made, requires_grad=value.requires_grad)  # type: ignore[attr-defined]
        known[id(value)] = made
    return known[id(value)]


def _first(graph: Graph) -> Node | None:
    """Where attributes are fetched: behind the inputs."""
    return next((n for n in graph.nodes if n.op not in ("placeholder", "get_attr")), None)


def unflatten(
    module: ExportedProgram, flat_args_adapter: FlatArgsAdapter | None = None
) -> UnflattenedModule:
    """A module with the modules that the exported one had.

    Args:
        module: the program
        flat_args_adapter: makes arguments fit that are nested otherwise than the exported ones
    """
    return UnflattenedModule(module, flat_args_adapter)

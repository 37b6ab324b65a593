"""From a module and what stands for its arguments to a flat graph with what it calls on.

Parameters, buffers and arguments are placeholders from the beginning; tensors that the program has written
down become placeholders when the trace is over.
"""

from __future__ import annotations

import contextlib
import os
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import BuiltinFunctionType
from typing import Any

import rushlight
from rushlight._dynamo import config
from rushlight._dynamo.exc import UserError, UserErrorType
from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.records import dataclass
from rushlight.export import _regions
from rushlight.export._module_paths import ModulePaths
from rushlight.export._sizes import deferred_guards
from rushlight.export.graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
    argument_of,
)
from rushlight.fx._names import _as_torch
from rushlight.fx.experimental import sym_node
from rushlight.fx.experimental.proxy_tensor import (
    ProxyTorchDispatchMode,
    PythonKeyTracer,
    _key_of,
    _seeing_all,
    dispatch_trace,
)
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node
from rushlight.fx.proxy import Proxy
from rushlight.nn import Module
from rushlight.nn.utils import stateless
from rushlight.overrides import TorchFunctionMode
from rushlight.utils import _pytree as pytree

__all__ = ["Traced", "lift_constants", "named_function", "placeholder_names", "trace_module"]

# What nodes are told that are made of another node.
_CONVERSIONS = (
    rushlight.ops.aten.to.dtype,
    rushlight.ops.aten.to.device,
    rushlight.ops.aten.to.dtype_layout,
)
KEPT_META = ("nn_module_stack", "stack_trace", "torch_fn", "source_fn_stack", "custom")
SYMBOLIC = (SymInt, SymFloat, SymBool)
_PREFIX = {
    InputKind.PARAMETER: "p_", InputKind.BUFFER: "b_", InputKind.CONSTANT_TENSOR: "c_",
    InputKind.USER_INPUT: "",
}  # fmt: skip


@dataclass
class Traced:
    """A graph with what it is about.

    Args:
        module: the graph, and the graphs of functions within
        signature: what its inputs and outputs are
        constants: tensors that are inputs, by name
        in_spec: how the program's arguments are nested
        out_spec: how its results are nested
        calls: for modules whose calls are kept, how their arguments and results are nested
    """

    module: GraphModule
    signature: ExportGraphSignature
    constants: dict[str, Any]
    in_spec: Any
    out_spec: Any
    calls: dict[str, dict[str, Any]]


_LIBRARY = rushlight.__path__[0] + os.sep
_SHOWN = tuple(os.path.join(_LIBRARY, "nn", name) for name in ("modules", "functional"))


def _is_shown(filename: str) -> bool:
    """Whether a frame tells something about the program."""
    if filename.startswith(_LIBRARY):
        return filename.startswith(_SHOWN) and not filename.endswith("module.py")
    return not filename.startswith("<")


class ExportTracer(PythonKeyTracer):
    """Notes of each node the modules and the lines it comes from."""

    record_stack_traces = True

    def __init__(self, root: Module, fake_mode: FakeTensorMode) -> None:
        super().__init__()
        self.fake_mode = fake_mode
        self.record_stack_traces = True
        self._exported = root
        self.paths = ModulePaths(root)
        self._stack: list[tuple[str, tuple[str, str]]] = []
        self._calls: dict[str, int] = {}
        self._checked: set[int] = set()
        # The function that the program called last.
        self.called: tuple[str, str] | None = None
        # The node of an exported graph that is run again.
        self.current: Node | None = None

    def call_module(
        self, m: Any, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        path = self.paths.path_of(m)
        if path is None:
            return forward(*args, **kwargs)
        count = self._calls[path] = self._calls.get(path, -1) + 1
        shown = f"{path}@{count}" if count else path
        kind = type(m)
        name = f"{_as_torch(kind.__module__)}.{kind.__qualname__}"
        self._stack.append((f"L__self__{shown}", (shown, name)))
        try:
            return forward(*args, **kwargs)
        finally:
            self._stack.pop()

    def create_node(self, kind: str, *args: Any, **kwargs: Any) -> Node:
        node = super().create_node(kind, *args, **kwargs)
        if kind not in ("placeholder", "output"):
            node.meta["nn_module_stack"] = dict(self._stack)
            if self.called is not None:
                node.meta["torch_fn"] = self.called
            if self.current is not None:
                node.meta.update({k: v for k, v in self.current.meta.items() if k in KEPT_META})
        return node

    def _filter_traceback_frames(self, stack: Any) -> Any:
        """The frames of programs, and of the library's modules and functions of networks."""
        return traceback.StackSummary.from_list([f for f in stack if _is_shown(f.filename)])

    def add_checks(
        self, said: Sequence[Any] | None = None, graph_of: PythonKeyTracer | None = None
    ) -> None:
        """Let a graph check what the program has said of what elements decide.

        Args:
            said: the checks; all if None
            graph_of: makes the nodes of a function that an operator calls, if it is one of these
        """
        env, tracer = self.fake_mode.shape_env, graph_of or self
        if env is None:
            return
        if said is None:
            said = [check for found in env.deferred_runtime_asserts.values() for check in found]
        for check in said:
            condition = check.expr.value.condition
            # Of a symbol within a function, that function's graph knows.
            if id(check) in self._checked or not _is_around(tracer, condition):
                continue
            self._checked.add(id(check))
            self._kept.append(check)
            _check(tracer, condition, check.expr)

    def add_deferred_guards(self) -> None:
        """Let the graph check what its sizes were found to be, if that is wanted."""
        env = self.fake_mode.shape_env
        if env is None or config.do_not_emit_runtime_asserts:
            return
        for guard in deferred_guards(env):
            _check(self, guard.expr.value, guard.expr)


def _check(tracer: PythonKeyTracer, condition: Any, told: Any) -> None:
    """Nodes that raise where a condition does not hold.

    Args:
        tracer: makes them
        condition: the condition
        told: the same for people
    """
    found = tracer.proxy_of(condition)
    if isinstance(found, Proxy):
        text = f"Runtime assertion failed for expression {told} on node '{found.node.name}'"
        check_scalar = rushlight.ops.aten._assert_scalar.default
        tracer.create_proxy("call_function", check_scalar, (found, text), {})


def _is_around(tracer: PythonKeyTracer, value: Any) -> bool:
    """Whether what a number follows from is known where a tracer makes nodes."""
    if _key_of(value) in tracer.symnode_tracker:
        return True
    if isinstance(value, (SymBool, SymFloat)):
        return all(_is_around(tracer, x) for x in value.operands)
    return type(value) is not SymInt or tracer._can_tell(value)


class _Functions(TorchFunctionMode):
    """Lets nodes know which function of the library the program called, and how often it had by then.

    Args:
        tracer: makes the nodes
    """

    def __init__(self, tracer: ExportTracer) -> None:
        super().__init__()
        self.tracer = tracer
        self.counts: dict[Any, int] = {}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", str(func))
        count = self.counts[name] = self.counts.get(name, 0) + 1
        self.tracer.called = f"{name}_{count}", f"{_kind_of(func)}.{name}"
        return func(*args, **(kwargs or {}))


def _kind_of(function: Any) -> str:
    """What a function is in PyTorch, as files say it: one that tells what its arguments are called is Python's."""
    kind = type(function)
    if kind is not BuiltinFunctionType:
        return kind.__name__
    if getattr(Tensor, function.__name__, None) is function:
        return "method_descriptor"
    return "function" if function.__text_signature__ else kind.__name__


class ExportMode(ProxyTorchDispatchMode):
    """A tracer's mode that adds checks as soon as they are there."""

    tracer: ExportTracer

    def trace_call(self, func: Any, args: Any, kwargs: Any, run: Callable[..., Any]) -> Any:
        self.tracer.add_checks()
        return super().trace_call(func, args, kwargs, run)


class Again(Interpreter):
    """Runs a graph so that new nodes know what its nodes know.

    Args:
        module: has the graph
        tracer: makes the new nodes
    """

    def __init__(self, module: Any, tracer: Any) -> None:
        super().__init__(module)
        self.tracer = tracer

    def run_node(self, n: Node) -> Any:
        """What a node gives."""
        self.tracer.current = n
        return super().run_node(n)

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        """What a function gives; what the graph checks stays a question, although the answer is known by now."""
        asked = sym_node.compared(target, args)
        return super().call_function(target, args, kwargs) if asked is None else asked


def named_function(function: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    """A function whose parameters have certain names."""
    inner = [f"v{k}" for k in range(len(names))]
    made: Callable[..., Any] = eval(
        f"lambda {', '.join(inner)}: function({', '.join(inner)})", {"function": function}
    )
    made.__name__ = "forward"
    return made


def rename(node: Node, name: str) -> None:
    """Let a placeholder have a name, whatever else it means in Python."""
    node.graph._graph_namespace._used_names.add(name)
    node.name = node.target = name


def placeholder_names(kinds: Iterable[tuple[InputKind, str]]) -> list[str]:
    """The names of a graph's inputs.

    Args:
        kinds: of each, where it comes from and what it is called there
    """
    names: list[str] = []
    for kind, target in kinds:
        name = _PREFIX[kind] + re.sub(r"[^a-zA-Z0-9]", "_", target)
        if kind is InputKind.USER_INPUT:
            name = re.sub(r"^[^a-zA-Z_]+", "", re.sub(r"__+", "_", name)).lower() or "arg"
        base, count = name, 0
        while name in names:
            count += 1
            name = f"{base}_{count}"
        names.append(name)
    return names


def fakes_of_state(module: Module, mode: FakeTensorMode) -> dict[str, Any]:
    """What stands for parameters and buffers; tied ones are one."""
    named = {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }
    return {name: mode.from_tensor(x, static_shapes=True) for name, x in named.items()}


def trace_module(
    module: Module,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    names: Sequence[str],
    mode: FakeTensorMode,
    preserved: Sequence[str] = (),
) -> Traced:
    """The graph of a module's call.

    Args:
        module: what is called
        args: what stands for its arguments
        kwargs: and for those by name
        names: what the leaves of both are called
        mode: makes fakes
        preserved: modules within it whose calls are kept
    """
    state = fakes_of_state(module, mode)
    parameters = dict(module.named_parameters(remove_duplicate=False))
    leaves, in_spec = pytree.tree_flatten((tuple(args), dict(kwargs)))
    kinds = [
        *((InputKind.PARAMETER if n in parameters else InputKind.BUFFER, n) for n in state),
        *((InputKind.USER_INPUT, n) for n in names),
    ]
    wanted = placeholder_names(kinds)
    tracer = ExportTracer(module, mode)
    tracing = ExportMode(tracer, "symbolic", pre_dispatch=True)
    values = [*state.values(), *leaves]
    out_spec: Any = None
    calls: dict[str, dict[str, Any]] = {}

    def run(*proxies: Proxy) -> Any:
        nonlocal out_spec
        for proxy, name, value in zip(proxies, wanted, values, strict=True):
            rename(proxy.node, name)
            if isinstance(value, (Tensor, *SYMBOLIC)):
                tracer.track(value, proxy)
            proxy.node.meta["val"] = value
        given = dict(state)
        with (
            _unchanged_attributes(module),
            tracer.paths,
            stateless._reparametrize_module(module, given),
            _kept_calls(module, preserved, tracer, calls),
            mode,
            _seeing_all(tracing),
            _Functions(tracer),
        ):
            if isinstance(module, GraphModule):
                result = Again(module, tracer).run(*args, *kwargs.values())
                tracer.current = None
            else:
                result = module(*args, **kwargs)
            tracer.add_checks()
            tracer.add_deferred_guards()
        flat, out_spec = pytree.tree_flatten(result)
        for place, value in enumerate(flat):
            _check_result(place, value, result)
        _write_buffers(tracer, state, given)
        return tuple(map(tracer.proxy_of, flat))

    graph_module = dispatch_trace(named_function(run, wanted), tracer)
    graph_module.__class__.__name__ = "GraphModule"
    signature = ExportGraphSignature(_input_specs(module, kinds, graph_module), [])
    _as_plain_numbers(graph_module)
    _check_converted(graph_module)
    _eliminate_what_nobody_needs(graph_module, calls)
    constants = lift_constants(graph_module, signature, _attributes_by_tensor(module))
    replaced = _regions.replace(graph_module)
    kept = {path: _told(call, replaced) for path, call in calls.items()}
    _name_outputs(graph_module, signature)
    constants |= {
        n: b
        for n, b in module.named_buffers(remove_duplicate=False)
        if not _is_persistent(module, n)
    }
    graph_module.recompile()
    return Traced(graph_module, signature, constants, in_spec, out_spec, kept)


def _input_specs(
    module: Module, kinds: Sequence[tuple[InputKind, str]], graph_module: GraphModule
) -> list[InputSpec]:
    """What each placeholder of a graph stands for."""
    return [
        InputSpec(
            kind, _argument(node), target if kind is not InputKind.USER_INPUT else None,
            _is_persistent(module, target) if kind is InputKind.BUFFER else None,
        )
        for (kind, target), node in zip(kinds, graph_module.graph.find_nodes(op="placeholder"))
    ]  # fmt: skip


def _eliminate_what_nobody_needs(
    graph_module: GraphModule, calls: dict[str, dict[str, Any]]
) -> None:
    """Take nodes out that neither the results need nor the calls of modules that are kept."""
    told = {
        x.node for call in calls.values() for x in (*call["inputs"], *call["outputs"])
        if isinstance(x, Proxy)
    }  # fmt: skip
    graph_module.graph.eliminate_dead_code(lambda n: n in told or n.is_impure())


def _told(call: dict[str, Any], replaced: dict[Node, Node]) -> dict[str, Any]:
    """A call with what its arguments and results are in the graph."""

    def arguments(values: list[Any]) -> list[Any]:
        nodes = [x.node if isinstance(x, Proxy) else x for x in values]
        return [
            argument_of(replaced.get(n, n)) if isinstance(n, Node) else ConstantArgument("", n)
            for n in nodes
        ]

    return {**call, "inputs": arguments(call["inputs"]), "outputs": arguments(call["outputs"])}


def _argument(node: Node) -> Any:
    value = node.meta["val"]
    return (
        argument_of(node)
        if isinstance(value, (Tensor, *SYMBOLIC))
        else ConstantArgument(node.name, value)
    )


def _as_plain_numbers(graph_module: GraphModule) -> None:
    """Let inputs that are plain numbers be these wherever they are used."""
    for node in graph_module.graph.find_nodes(op="placeholder"):
        value = node.meta["val"]
        if not isinstance(value, (Tensor, *SYMBOLIC)) and node.users:
            for user in list(node.users):
                user.args = _put(user.args, node, value)
                user.kwargs = _put(user.kwargs, node, value)


def _check_converted(graph_module: GraphModule) -> None:
    """Check the types of what is converted: whether anything is done depends on them, and was settled here."""
    check = rushlight.ops.aten._assert_tensor_metadata.default
    graph = graph_module.graph
    for op in _CONVERSIONS:
        for node in graph.find_nodes(op="call_function", target=op):
            value = node.args[0].meta.get("val")
            if node.prev.target is check or not isinstance(value, Tensor):
                continue
            told = {
                "dtype": value.dtype,  # type: ignore[attr-defined]
                "device": value.device,  # type: ignore[attr-defined]
                "layout": value.layout,  # type: ignore[attr-defined]
            }
            with graph.inserting_before(node):
                made = graph.create_node("call_function", check, (node.args[0],), told)
            made.meta.update({k: v for k, v in node.meta.items() if k in KEPT_META}, val=None)


def _put(nest: Any, node: Node, value: Any) -> Any:
    from rushlight.fx.node import map_arg

    return map_arg(nest, lambda n: value if n is node else n)


def _is_persistent(module: Module, name: str) -> bool:
    owner, _, last = name.rpartition(".")
    return last not in module.get_submodule(owner)._non_persistent_buffers_set


def _check_result(place: int, value: Any, result: Any) -> None:
    if not isinstance(value, (Tensor, int, float, bool, str, type(None), *SYMBOLIC)):
        raise UserError(
            UserErrorType.INVALID_OUTPUT,
            f"It looks like one of the outputs with type `{type(value)}` is not supported or "
            f"pytree-flattenable. \nExported graphs outputs can only contain the following types: "
            "tensors, numbers, strings, None and containers of these that pytree knows.",
        )
    if isinstance(value, Tensor) and not isinstance(value, FakeTensor):
        return


def _name_outputs(graph_module: GraphModule, signature: ExportGraphSignature) -> None:
    """Say what the outputs are: all of them are the program's own."""
    returned = graph_module.graph.output_node().args[0]
    signature.output_specs[:] = [
        OutputSpec(OutputKind.USER_OUTPUT, argument_of(node), None) for node in returned
    ]


# -- what programs write to --


def _write_buffers(tracer: ExportTracer, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Let the graph write to buffers that the program has replaced."""
    for name, value in after.items():
        if value is before[name]:
            continue
        if not isinstance(value, Tensor) or value.shape != before[name].shape:  # type: ignore[attr-defined]
            raise ValueError(f"the buffer {name} was replaced by what is no tensor of its size")
        proxies = tracer.proxy_of(before[name]), tracer.proxy_of(value)
        copy = rushlight.ops.aten.copy_.default
        made = tracer.create_proxy("call_function", copy, proxies, {}, name="copy__default")
        made.node.meta["val"] = before[name]


def _tensor_attributes(module: Module) -> Iterator[tuple[Any, str, str]]:
    """Tensors that are attributes of modules, but neither parameters nor buffers: owner, path and name."""
    for path, owner in module.named_modules(remove_duplicate=False):
        for name, value in list(owner.__dict__.items()):
            if isinstance(value, Tensor):
                yield owner, f"{path}.{name}" if path else name, name


def _attributes_by_tensor(module: Module) -> dict[int, str]:
    found: dict[int, str] = {}
    for owner, path, name in _tensor_attributes(module):
        found.setdefault(id(owner.__dict__[name]), path)
    return found


@contextlib.contextmanager
def _unchanged_attributes(module: Module) -> Iterator[None]:
    """A block behind which modules have the attributes they had before; new tensors are refused."""
    before = [(owner, dict(owner.__dict__)) for owner in module.modules()]
    changed: list[str] = []
    try:
        yield
        paths = {id(m): n for n, m in module.named_modules()}
        for owner, attributes in before:
            for name, value in owner.__dict__.items():
                if isinstance(value, FakeTensor) and attributes.get(name) is not value:
                    prefix = paths.get(id(owner), "")
                    changed.append(f"self.{prefix}.{name}" if prefix else f"self.{name}")
    finally:
        for owner, attributes in before:
            owner.__dict__.clear()
            owner.__dict__.update(attributes)
    if changed:
        raise ValueError(
            f"The tensor attribute{'s' if len(changed) > 1 else ''} {', '.join(changed)} "
            f"{'were' if len(changed) > 1 else 'was'} assigned during export. Such attributes must be "
            "registered as buffers using the `register_buffer` API "
            "(https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer)."
        )


# -- calls of modules that are kept --


@contextlib.contextmanager
def _kept_calls(
    module: Module, paths: Sequence[str], tracer: ExportTracer, calls: dict[str, dict[str, Any]]
) -> Iterator[None]:
    """Within the block, what modules are called with and give is noted."""
    handles = []
    for path in paths:
        owner = module.get_submodule(path)

        def before(m: Any, args: Any, kwargs: Any, path: str = path) -> None:
            leaves, spec = pytree.tree_flatten((args, kwargs))
            name = _next_name(path, calls)
            calls[name] = {"in_spec": spec, "inputs": [tracer.proxy_of(x) for x in leaves]}

        def after(m: Any, args: Any, result: Any, path: str = path) -> None:
            leaves, spec = pytree.tree_flatten(result)
            last = [n for n in calls if n.split("@")[0] == path][-1]
            calls[last] |= {"out_spec": spec, "outputs": [tracer.proxy_of(x) for x in leaves]}

        handles.append(owner.register_forward_pre_hook(before, with_kwargs=True))
        handles.append(owner.register_forward_hook(after))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _next_name(path: str, calls: dict[str, Any]) -> str:
    count = sum(name.split("@")[0] == path for name in calls)
    return f"{path}@{count}" if count else path


# -- constants --


def lift_constants(
    graph_module: GraphModule,
    signature: ExportGraphSignature,
    paths: dict[int, str],
    known: Iterable[str] = (),
) -> dict[str, Any]:
    """Let tensors that a graph fetches be inputs of it; the tensors by name.

    Args:
        graph_module: the graph
        signature: what its inputs are
        paths: what tensors are called that are attributes of modules, by identity
        known: names that are taken
    """
    graph = graph_module.graph
    places = graph.find_nodes(op="placeholder")
    first = next(
        (n for n, s in zip(places, signature.input_specs) if s.kind is InputKind.USER_INPUT), None
    )
    if first is None:
        first = next((n for n in graph.nodes if n.op != "placeholder"), None)
    place = sum(s.kind is not InputKind.USER_INPUT for s in signature.input_specs)
    found: dict[str, Any] = {}
    lifted: dict[int, Node] = {}
    count = sum(name.startswith("lifted_tensor_") for name in known)
    for node in list(graph.nodes):
        if node.op != "get_attr":
            continue
        value = _attribute(graph_module, node.target)
        if not isinstance(value, Tensor):
            continue
        if id(value) not in lifted:
            target = paths.get(id(value))
            if target is None:
                target, count = f"lifted_tensor_{count}", count + 1
            name = placeholder_names([(InputKind.CONSTANT_TENSOR, target)])[0]
            with graph.inserting_before(first):
                made = graph.placeholder(name)
            made.meta["val"] = _fake_of_constant(node, value)
            spec = InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(made.name), target)
            signature.input_specs.insert(place, spec)
            place += 1
            lifted[id(value)] = made
            found[target] = value
        node.replace_all_uses_with(lifted[id(value)])
        graph.erase_node(node)
        if "." not in node.target and hasattr(graph_module, node.target):
            delattr(graph_module, node.target)
    return found


def _attribute(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part)
    return module


def _fake_of_constant(node: Node, value: Any) -> Any:
    for other in node.graph.nodes:
        known = other.meta.get("val")
        if isinstance(known, FakeTensor):
            return known.fake_mode.from_tensor(value, static_shapes=True)
    return FakeTensorMode().from_tensor(value)

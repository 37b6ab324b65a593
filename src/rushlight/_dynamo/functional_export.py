"""A function captured as one graph, which is called as the function is."""

from __future__ import annotations

import inspect
import types
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight import ops
from rushlight._capture import segments
from rushlight._capture.breaks import Uncapturable
from rushlight._capture.frames import Frame, bound, read
from rushlight._capture.varying import History
from rushlight._dynamo import eval_frame
from rushlight._dynamo.exc import Unsupported, UserError, UserErrorType
from rushlight._guards import TracingContext
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.codegen import _PyTreeCodeGen, _PyTreeInfo
from rushlight.fx.experimental.proxy_tensor import make_fx
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node
from rushlight.fx.traceback import preserve_node_meta
from rushlight.nn import Module
from rushlight.utils import _pytree as pytree

__all__ = ["ExportResult", "dynamo_graph_capture_for_export", "each_alone", "export", "refused"]


class ExportResult(NamedTuple):
    """What `export` gives.

    Args:
        graph_module: called as the function is
        guards: what the graph takes for granted
    """

    graph_module: GraphModule
    guards: frozenset[str]


class _Whole:
    """A call of a function as one graph.

    Args:
        target: the function or module
        args: its arguments
        kwargs: and those by name
    """

    def __init__(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        target = getattr(target, "_torchdynamo_orig_callable", target)
        if isinstance(target, eval_frame.OptimizedModule):
            target = target._orig_mod
        self.target = target
        self.args, self.kwargs = args, kwargs
        self.frames = [_frame(target, args, kwargs)]
        try:
            found = segments.interpreted(self.frames, False, History())
        except Uncapturable as refusal:
            raise Unsupported(str(refusal)) from None
        self.capturing, self.reader, self.recorder = found.capturing, found.reader, found.recorder
        if not self.capturing.is_done:
            raise Unsupported(f"the function is not one graph: {found.reason}")

    def inputs(self) -> list[Any]:
        """The program's tensors that are inputs of the graph."""
        known = {f"O{k}": item for k, item in enumerate(self.reader.objects)}
        return [eval(source, {**known, "F": self.frames}) for source in self.recorder.inputs]


def _frame(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Frame:
    """The frame of a call that begins."""
    if isinstance(target, types.MethodType) and isinstance(target.__func__, types.FunctionType):
        args, target = (target.__self__, *args), target.__func__
    if not isinstance(target, types.FunctionType):
        args, target = (target, *args), eval_frame.called
    if not read(target.__code__).is_known:
        raise Unsupported(f"the bytecode of {target.__qualname__} cannot be captured")
    named = bound(target, args, kwargs, target.__defaults__, target.__kwdefaults__)
    return Frame(target, named, target.__closure__ or ())


# Why graphs end where a trace with symbols goes on.
_OF_ELEMENTS = (": a call of ", "DynamicOutputShape", "DataDependentOutput", "a branch on a tensor")


def refused(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise `Unsupported` if a call cannot be captured as one graph.

    Questions that only elements answer are no reason: who traces with symbols has answers for them.
    """
    try:
        _Whole(target, args, kwargs)
    except Unsupported as error:
        if not any(asked in str(error) for asked in _OF_ELEMENTS):
            raise


def _names_of(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """What the parameters are called that a call gives."""
    names: list[str] = []
    try:
        signature = inspect.signature(target.forward if isinstance(target, Module) else target)
    except ValueError:
        # Functions of C do not always say what their parameters are called.
        return [*(f"arg_{k}" for k in range(len(args))), *kwargs]
    for name, value in signature.bind_partial(*args).arguments.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            names += [f"{name}_{k}" for k in range(len(value))]
        else:
            names.append(name)
    return [*names, *kwargs]


def captured_graph(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ExportResult:
    """A call of a function or module as a graph that is called like it."""
    leaves, in_spec = pytree.tree_flatten((args, kwargs))
    leaves = each_alone(leaves)
    args, kwargs = pytree.tree_unflatten(leaves, in_spec)
    whole = _Whole(target, args, kwargs)
    if any(whole.reader.effects()):
        warnings.warn(
            "the function writes to objects of the program: a graph of it does not", stacklevel=3
        )
    recorded = whole.recorder.graph
    places = recorded.find_nodes(op="placeholder")
    graph, root = Graph(), Module()
    given = [graph.placeholder(f"arg{k}") for k in range(len(leaves))]
    for node, leaf in zip(given, leaves):
        node.meta["val"] = (
            leaf if not isinstance(leaf, Tensor) else whole.recorder.fakes.from_tensor(leaf)
        )
    by_value = {id(leaf): node for leaf, node in zip(leaves, given) if isinstance(leaf, Tensor)}
    attributes = _attributes(whole.target)
    known: dict[Node, Node] = {}
    sources: dict[str, Node] = {}
    sizes = []
    for node, source, value in zip(places, whole.recorder.inputs, whole.inputs(), strict=True):
        if not isinstance(value, Tensor):
            # Sizes come before the tensors that they are of.
            sizes.append((node, source))
            continue
        if id(value) in by_value:
            known[node] = by_value[id(value)]
        else:
            known[node] = _fetched(graph, root, value, attributes)
        sources[source] = known[node]
    for node, source in sizes:
        known[node] = _size(graph, source, sources)
    for node in recorded.nodes:
        if node.op in ("call_function", "call_method"):
            known[node] = graph.node_copy(node, lambda n: known[n])
        elif node.op == "get_attr":
            known[node] = graph.node_copy(node)
    results, out_spec = pytree.tree_flatten(whole.capturing.result)
    graph.output([_result(whole, value, known) for value in results])
    names = _names_of(whole.target, args, kwargs)
    graph.set_codegen(_PyTreeCodeGen(_PyTreeInfo(names, in_spec, out_spec)))
    for name, module in whole.recorder.modules.items():
        setattr(root, name, module)
    made = GraphModule(root, graph, "GraphModule")
    for name in [n for n in made._buffers if n.startswith(_CONSTANT)]:
        # What the program has from elsewhere is no part of its state.
        setattr(made, name, made._buffers.pop(name))
    context = TracingContext(whole.recorder.fakes)
    context.tensor_to_context = whole.recorder.contexts
    made.meta.update(fake_mode=whole.recorder.fakes, tracing_context=context)
    return ExportResult(made, frozenset(whole.reader.guards))


_CONSTANT = "_tensor_constant"


def _attributes(target: Any) -> dict[int, str]:
    """The names of a module's tensors, by identity."""
    owner = target if isinstance(target, Module) else getattr(target, "__self__", None)
    if not isinstance(owner, Module):
        return {}
    found: dict[int, str] = {}
    for name, value in (*owner.named_parameters(), *owner.named_buffers()):
        found.setdefault(id(value), name)
    return found


def _fetched(graph: Graph, root: Module, tensor: Any, attributes: dict[int, str]) -> Node:
    """A node that fetches a tensor of the program."""
    from rushlight.export._unlift import assign

    name = attributes.get(id(tensor))
    if name is None:
        count = sum(n.startswith(_CONSTANT) for n in dir(root))
        name = f"{_CONSTANT}{count}"
    assign(root, name, tensor)
    return graph.get_attr(name)


def _size(graph: Graph, source: str, tensors: dict[str, Node]) -> Node:
    """A node that gives a size that is a symbol, of the tensor at whose size it was found."""
    owner, _, dim = source.removesuffix("]").rpartition("._size_[")
    if owner not in tensors or not dim.isdigit():
        raise Unsupported("an integer of the program that is a symbol")
    return graph.call_function(ops.aten.sym_size.int, (tensors[owner], int(dim)))


def each_alone(values: list[Any]) -> list[Any]:
    """Values of which no two are the same tensor, so that none stands for another in a graph."""
    seen: set[int] = set()
    found = []
    for value in values:
        is_again = isinstance(value, Tensor) and id(value) in seen
        seen.add(id(value))
        found.append(value.detach().requires_grad_(value.requires_grad) if is_again else value)  # type: ignore[attr-defined]
    return found


def _result(whole: _Whole, value: Any, known: dict[Node, Node]) -> Any:
    """What the graph returns in the place of a result."""
    if not isinstance(value, Tensor):
        if isinstance(value, (int, float, bool, str, complex, type(None))):
            return value
        raise UserError(
            UserErrorType.INVALID_OUTPUT,
            f"It looks like one of the outputs with type `{type(value)}` is not supported or pytree-flattenable.",
        )
    node = whole.recorder.node_of(value)
    if node is None:
        raise Unsupported("a result is a tensor that the graph does not know")
    return known[node]


def export(
    f: Callable[..., Any],
    *extra_args: Any,
    aten_graph: bool = False,
    pre_dispatch: bool = False,
    decomposition_table: Any = None,
    tracing_mode: str = "symbolic",
    dynamic_shapes: Any = None,
    same_signature: bool = True,
    assume_static_by_default: bool = False,
    **extra_kwargs: Any,
) -> Any:
    """A function of arguments that captures a call with them as one graph, which is called as the function is.

    Args:
        f: the function or module
        extra_args: arguments, with which the call is captured at once
        aten_graph: whether the graph has operators, and not the calls as they were written
        pre_dispatch: whether operators are seen above autograd
        decomposition_table: what operators are traced as
        tracing_mode: how they are traced: `real`, `fake` or `symbolic`
        dynamic_shapes: not there; `torch.export.export` takes it
        same_signature: accepted
        assume_static_by_default: accepted
        extra_kwargs: arguments by name
    """
    options = ("specialize_float", "disable_constraint_solver", "log_export_usage",
               "prefer_deferred_runtime_asserts_over_guards", "constraints")  # fmt: skip
    for name in options:
        extra_kwargs.pop(name, None)
    if dynamic_shapes is not None:
        raise NotImplementedError(
            "torch._dynamo.export: captured sizes are constants; torch.export.export takes dynamic_shapes"
        )
    if decomposition_table is not None and not aten_graph:
        raise AssertionError(
            "Specifying a decomposition_table table or tracing mode is illegal without setting aten_graph=True"
        )
    if pre_dispatch and not aten_graph:
        raise AssertionError("pre_dispatch=True can only be used when aten_graph=True")

    def inner(*args: Any, **kwargs: Any) -> ExportResult:
        found = captured_graph(f, args, kwargs)
        if not aten_graph:
            return found
        leaves = pytree.tree_leaves((args, kwargs))
        made = _of_operators(
            found.graph_module, leaves, decomposition_table, tracing_mode, pre_dispatch
        )
        return ExportResult(made, found.guards)

    if extra_args or extra_kwargs:
        warnings.warn(
            "export(f, *args, **kwargs) is deprecated, use export(f)(*args, **kwargs) instead.  If you "
            "don't migrate, we may break your export call in the future if your user defined kwargs "
            "conflict with future kwargs added to export(f).",
            FutureWarning,
            stacklevel=2,
        )
        return inner(*extra_args, **extra_kwargs)
    return inner


def _of_operators(
    module: GraphModule, leaves: list[Any], table: Any, tracing_mode: str, pre_dispatch: bool
) -> GraphModule:
    """The same graph with operators, whatever they are made of."""
    tensors = [k for k, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]

    def flat(*given: Any) -> Any:
        full = list(leaves)
        for k, value in zip(tensors, given):
            full[k] = value
        with preserve_node_meta():
            return Interpreter(module).run(*full, enable_io_processing=False)

    traced = make_fx(
        flat, table, tracing_mode, _allow_non_fake_inputs=True, pre_dispatch=pre_dispatch,
        record_stack_traces=True,
    )(*(leaves[k] for k in tensors))  # fmt: skip
    graph = Graph()
    given = [graph.placeholder(f"arg{k}") for k in range(len(leaves))]
    places = traced.graph.find_nodes(op="placeholder")
    known = {node: given[k] for node, k in zip(places, tensors)}
    for node, k in zip(places, tensors):
        given[k].meta = dict(node.meta)
    returned = graph.graph_copy(traced.graph, known)
    graph.output(returned)
    codegen: Any = module.graph._codegen
    graph.set_codegen(_PyTreeCodeGen(codegen.pytree_info))
    made = GraphModule(traced, graph, "GraphModule")
    made.shape_env = getattr(traced, "shape_env", None)
    return made


def dynamo_graph_capture_for_export(
    mod: Callable[..., Any], constraints: Any = None
) -> Callable[..., GraphModule]:
    """A function of arguments that captures a call of a module with them; the graph's module.

    Args:
        mod: the module
        constraints: accepted
    """

    def inner(*args: Any, **kwargs: Any) -> GraphModule:
        return captured_graph(mod, args, kwargs).graph_module

    return inner


_dynamo_graph_capture_for_export = dynamo_graph_capture_for_export

"""A function captured as one graph, which is called as the function is."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight import ops
from rushlight._capture.recording import SYMBOLIC
from rushlight._capture.whole import Whole, frames_of, get_traced_fn
from rushlight._dynamo import config
from rushlight._dynamo.exc import Unsupported, UserError, UserErrorType
from rushlight._guards import TracingContext
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.source import define
from rushlight.fx.codegen import CodeGen, _PyTreeCodeGen, _PyTreeInfo
from rushlight.fx.experimental.proxy_tensor import make_fx
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node
from rushlight.fx.traceback import preserve_node_meta
from rushlight.nn import Module
from rushlight.utils import _pytree as pytree

__all__ = ["ExportResult", "dynamo_graph_capture_for_export", "each_alone", "export"]


class ExportResult(NamedTuple):
    """What `export` gives.

    Args:
        graph_module: called as the function is
        guards: what the graph takes for granted
    """

    graph_module: GraphModule
    guards: frozenset[str]


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


def captured_graph(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], dynamic: bool = False
) -> ExportResult:
    """A call of a function or module as a graph that is called like it."""
    leaves, in_spec = pytree.tree_flatten((args, kwargs))
    leaves = each_alone(leaves)
    args, kwargs = pytree.tree_unflatten(leaves, in_spec)
    whole = Whole(target, args, kwargs, dynamic)
    if any(whole.reader.effects()):
        warnings.warn(
            "the function writes to objects of the program: a graph of it does not", stacklevel=3
        )
    results, out_spec = pytree.tree_flatten(whole.capturing.result)
    returned = [_result(whole, value) for value in results]
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
    graph.output([known[x] if isinstance(x, Node) else x for x in returned])
    for node, _ in sizes:
        if not known[node].users:
            graph.erase_node(known[node])
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


def _result(whole: Whole, value: Any) -> Any:
    """What the graph returns in the place of a result: a node, or a plain value."""
    if not isinstance(value, (Tensor, *SYMBOLIC)):
        if isinstance(value, (int, float, bool, str, complex, type(None))):
            return value
        raise UserError(
            UserErrorType.INVALID_OUTPUT,
            f"It looks like one of the outputs with type `{type(value)}` is not supported or pytree-flattenable.",
        )
    node = whole.recorder.node_of(value)
    if node is None:
        raise Unsupported("a result is a tensor that the graph does not know")
    return node


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
        assume_static_by_default: whether sizes are those of the arguments
        extra_kwargs: arguments by name
    """
    options = ("specialize_float", "disable_constraint_solver", "log_export_usage",
               "prefer_deferred_runtime_asserts_over_guards", "constraints")  # fmt: skip
    for name in options:
        extra_kwargs.pop(name, None)
    if dynamic_shapes is not None:
        raise NotImplementedError(
            "torch._dynamo.export: all sizes vary that can; torch.export.export takes dynamic_shapes"
        )
    if decomposition_table is not None and not aten_graph:
        raise AssertionError(
            "Specifying a decomposition_table table or tracing mode is illegal without setting aten_graph=True"
        )
    if pre_dispatch and not aten_graph:
        raise AssertionError("pre_dispatch=True can only be used when aten_graph=True")

    def inner(*args: Any, **kwargs: Any) -> ExportResult:
        found = captured_graph(f, args, kwargs, not assume_static_by_default)
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


def _dynamo_graph_capture_for_export(
    mod: Callable[..., Any], *, constraints: Any = None, dynamic_shapes: Any = None
) -> Callable[..., GraphModule]:
    """A function of arguments that captures a call of a module with them; a graph of nested arguments and results.

    Args:
        mod: the module
        constraints: accepted
        dynamic_shapes: accepted
    """

    def inner(*args: Any, **kwargs: Any) -> GraphModule:
        return captured_graph(mod, args, kwargs).graph_module

    return inner


class _Around:
    """What is done around a captured graph, for arguments that are given one after the other.

    Args:
        target: the function or module that was captured
        count: how many of the arguments have no names
        names: those of the others
    """

    def __init__(self, target: Any, count: int, names: list[str], made: Any) -> None:
        self.target, self.count, self.names, self._made = target, count, names, made

    def _frames(self, given: tuple[Any, ...]) -> Any:
        kwargs = dict(zip(self.names, given[self.count :]))
        return frames_of(self.target, given[: self.count], kwargs)


class _Flatten(_Around):
    """From the arguments of a function to the inputs of its graph."""

    def __call__(self, *given: Any) -> Any:
        return self._made(self._frames(given))


class _Unflatten(_Around):
    """From the results of a graph to what its function gives."""

    def __call__(self, results: Any, given: tuple[Any, ...]) -> Any:
        return self._made(self._frames(given), results)


class _DynamoBytecodeCodeGen(CodeGen):
    """Code of a graph whose inputs are found, and whose results are made, as capture has seen it in the function.

    Args:
        orig_arg_names: what the function's arguments are called
        dynamo_bytecode_flatten: gives the graph's inputs for them
        dynamo_bytecode_unflatten: gives the function's result for those of the graph and the arguments
    """

    def __init__(
        self,
        orig_arg_names: list[str],
        dynamo_bytecode_flatten: Any,
        dynamo_bytecode_unflatten: Any,
    ) -> None:
        super().__init__()
        self.orig_arg_names = orig_arg_names
        self.dynamo_bytecode_flatten = dynamo_bytecode_flatten
        self.dynamo_bytecode_unflatten = dynamo_bytecode_unflatten
        self._inputs: tuple[Any, ...] = ()

    def process_inputs(self, *args: Any) -> Any:
        self._inputs = args
        return self.dynamo_bytecode_flatten(*args)

    def process_outputs(self, outputs: Any) -> Any:
        given, self._inputs = self._inputs, ()
        return self.dynamo_bytecode_unflatten(outputs, given)

    def gen_fn_def(
        self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False
    ) -> str:
        inputs = [one.split(":")[0].split("#")[0].split(" = ")[0].strip() for one in free_vars]
        given = self.orig_arg_names
        text = super().gen_fn_def(given[:], maybe_return_annotation, expanded_def=expanded_def)
        text += f"\n    _fn_args = ({', '.join(given)}{', ' * (len(given) == 1)})"
        if inputs:
            named = " ".join(f"{name} ," for name in inputs)
            text += f"\n    {named} = self._dynamo_bytecode_flatten(*_fn_args)"
        return text

    def generate_output(
        self,
        output_args: Any,
        *,
        descs: Any | None = None,
        repr_fn: Callable[[object], str] | None = None,
    ) -> str:
        text = (repr_fn or repr)(tuple(output_args))
        return f"return self._dynamo_bytecode_unflatten({text}, _fn_args)"


def dynamo_graph_capture_for_export(
    fn: Callable[..., Any], constraints: Any = None
) -> Callable[..., GraphModule]:
    """A function of arguments that captures a call of a function with them as one graph; a module that does the same.

    The graph's inputs are all tensors that the function uses. What they are of the arguments, of the module and of other
    variables, and what the function makes of the graph's results, capture knows: arguments and results may be
    objects of any class. What the function does to objects of the program is not done.

    Args:
        fn: the function, module or operator
        constraints: accepted
    """
    if isinstance(fn, Operator):
        fn = _with_named_arguments(fn)

    def inner(*args: Any, **kwargs: Any) -> GraphModule:
        whole = Whole(fn, args, kwargs)
        if any(whole.reader.effects()):
            warnings.warn(
                "While compiling, we found certain side effects happened in the function: they write to objects of "
                "the program, which a call of the graph does not.",
                stacklevel=2,
            )
        with config.patch(replay_side_effects=False):
            inputs, rebuild, results = whole.around()
        return _self_contained(whole, inputs, rebuild, results)

    return inner


def _self_contained(whole: Whole, inputs: Any, rebuild: Any, results: list[Node]) -> GraphModule:
    """A module of a captured graph that is called as the function was, and has the tensors of its module."""
    graph, fakes = whole.recorder.graph, whole.recorder.fakes
    graph.output(tuple(results))
    names = _names_of_call(whole.target, whole.args, whole.kwargs)
    given = whole.target, len(whole.args), list(whole.kwargs)
    flatten, unflatten = _Flatten(*given, inputs), _Unflatten(*given, rebuild)
    graph.set_codegen(_DynamoBytecodeCodeGen(names, flatten, unflatten))
    made = GraphModule(whole.recorder.modules, graph)
    _adopt(made)
    made._register_deepcopy_hook(_adopt)
    fakes.allow_non_fake_inputs = True
    context = TracingContext(fakes)
    context.tensor_to_context = whole.recorder.contexts
    made.meta.update(fake_mode=fakes, tracing_context=context)
    return made


def _adopt(module: GraphModule) -> None:
    """Let a captured graph's module have what its code calls, and the tensors of the module that was captured."""
    codegen: Any = module.graph._codegen
    module._dynamo_bytecode_flatten = codegen.dynamo_bytecode_flatten
    module._dynamo_bytecode_unflatten = codegen.dynamo_bytecode_unflatten
    _, owner = get_traced_fn(codegen.dynamo_bytecode_flatten.target)
    if isinstance(owner, Module):
        # The same tables: who gives the module other tensors for a while gives them to both.
        for table in ("_parameters", "_buffers", "_non_persistent_buffers_set"):
            module.__dict__[table] = getattr(owner, table)
        module._modules.update(owner._modules)


def _names_of_call(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """What the parameters are called that a call gives, none of them as the module is in its code."""
    names = []
    for name, value in inspect.signature(target).bind_partial(*args).arguments.items():
        kind = inspect.signature(target).parameters[name].kind
        is_many = kind is inspect.Parameter.VAR_POSITIONAL
        names += [f"{name}_{k}" for k in range(len(value))] if is_many else [name]
    names += kwargs
    while "self" in names:
        other = "self_"
        while other in names:
            other += "_"
        names[names.index("self")] = other
    return names


def _with_named_arguments(operator: Operator) -> Callable[..., Any]:
    """A function that calls an operator, with the parameters of its schema."""
    texts, is_named = [], False
    for one in operator._schema.arguments:
        if one.kwarg_only and not is_named:
            is_named = True
            texts.append("*")
        default = f"={one.default_value!r}" if one.has_default_value() else ""
        texts.append(f"{one.name}{default}")
    passed = ", ".join(f"{one.name}={one.name}" for one in operator._schema.arguments)
    name = "op_overload_wrapper"
    text = f"def {name}({', '.join(texts)}):\n    return op({passed})\n"
    return define(name, text, {"op": operator}, "an operator's arguments")  # type: ignore[no-any-return]

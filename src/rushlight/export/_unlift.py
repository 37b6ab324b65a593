"""From an exported program to a module: parameters are attributes again, and arguments are nested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import rushlight
from rushlight._capture.status import status
from rushlight.engine.core.tensor import Tensor
from rushlight.export.graph_signature import InputKind, OutputKind
from rushlight.fx.codegen import _PyTreeCodeGen, _PyTreeInfo
from rushlight.fx.experimental.symbolic_shapes import FUNCTIONS
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.nn import Module, Parameter
from rushlight.utils import _pytree as pytree

__all__ = ["GuardsFn", "assign", "check_inputs_match", "unlifted"]


def reordered(kwargs: Mapping[str, Any], in_spec: Any) -> dict[str, Any]:
    """Arguments by name in the order of the exported call."""
    names = in_spec.child(1).context
    if set(names) != set(kwargs):
        return dict(kwargs)
    return {name: kwargs[name] for name in names}


def check_inputs_match(args: Any, kwargs: Any, in_spec: Any) -> list[Any]:
    """The leaves of a call's arguments; raise if they are nested otherwise than was exported."""
    leaves, spec = pytree.tree_flatten((tuple(args), reordered(kwargs or {}, in_spec)))
    if not _is_like(spec, in_spec):
        raise ValueError(
            "Trying to flatten user inputs with exported input tree spec: \n"
            f"{in_spec}\n"
            "but actually got inputs with tree spec of: \n"
            f"{spec}.\n"
            "Please check that the inputs have the same number and type of args and kwargs as the ones "
            "you used when tracing."
        )
    return leaves


def _is_like(a: Any, b: Any) -> bool:
    """Whether two structures are the same, the order of keys apart; lists within are as good as tuples of FX."""
    if a.is_leaf() or b.is_leaf():
        return bool(a.is_leaf() and b.is_leaf())
    kinds = [
        dict if k is not None and k.__name__ == "immutable_dict" else k for k in (a.type, b.type)
    ]
    kinds = [list if k is not None and k.__name__ == "immutable_list" else k for k in kinds]
    if kinds[0] is not kinds[1] or a.num_children != b.num_children:
        return False
    pairs = list(zip(a.children(), b.children()))
    if kinds[0] is dict:
        if set(a.context) != set(b.context):
            return False
        others = dict(zip(b.context, b.children()))
        pairs = [(child, others[key]) for key, child in zip(a.context, a.children())]
    elif a.context != b.context:
        return False
    return all(_is_like(one, other) for one, other in pairs)


class GuardsFn(Module):
    """Checks the sizes of a program's arguments.

    Args:
        names: what the program's arguments are called
        in_spec: how they are nested
        checks: expressions over the arguments by name (`L`)
    """

    def __init__(self, names: Sequence[str], in_spec: Any, checks: Sequence[str]) -> None:
        super().__init__()
        self.names, self.in_spec, self.checks = list(names), in_spec, list(checks)
        self._compiled = [compile(check, "<guards of a program>", "eval") for check in checks]

    def forward(self, *leaves: Any) -> None:
        """Raise `AssertionError` if a check fails; who exports again says anew what may vary."""
        if status.is_exporting:
            return
        args, kwargs = pytree.tree_unflatten(list(leaves), self.in_spec)
        given = {**dict(zip(self.names, args)), **kwargs}
        known = {**FUNCTIONS, "L": given, "torch": rushlight}
        for text, code in zip(self.checks, self._compiled):
            if not eval(code, known):
                raise AssertionError(f"Guard failed: {shown(text)}")


class _InputCheck:
    """Lets a module refuse arguments that are nested otherwise than the exported ones.

    Args:
        in_spec: how these were nested
    """

    def __init__(self, in_spec: Any) -> None:
        self.in_spec = in_spec

    def __call__(self, module: Any, args: Any, kwargs: Any) -> None:
        check_inputs_match(args, kwargs, self.in_spec)


def shown(text: str) -> str:
    """A check as a person reads it: `x.size()[0]` and not `L['x'].size()[0]`."""
    import re

    return re.sub(r"L\['(\w+)'\]", r"\1", text)


def paths_of_leaves(names: Sequence[str], in_spec: Any) -> list[str]:
    """The expressions that find the leaves of arguments among the arguments by name."""
    count = in_spec.num_leaves
    args, kwargs = pytree.tree_unflatten(list(range(count)), in_spec)
    given = {**dict(zip(names, args)), **kwargs}
    found = {
        value: f"L{pytree.keystr(path)}" for path, value in pytree.tree_leaves_with_path(given)
    }
    return [found[k] for k in range(count)]


def check_sizes(program: Any, leaves: Sequence[Any]) -> None:
    """Raise `RuntimeError` if arguments have sizes that a program does not allow."""
    places = [
        n
        for n, s in zip(
            program.graph.find_nodes(op="placeholder"), program.graph_signature.input_specs
        )
        if s.kind is InputKind.USER_INPUT
    ]
    paths = [p for p, _ in pytree.tree_leaves_with_path(_numbered(program.call_spec.in_spec))]
    ranges = {str(symbol): limits for symbol, limits in program.range_constraints.items()}
    values: dict[str, int] = {}
    for node, path, leaf in zip(places, paths, leaves):
        wanted = node.meta.get("val")
        if not isinstance(wanted, Tensor) or not isinstance(leaf, Tensor):
            continue
        place = f"*{'args' if path[0].idx == 0 else 'kwargs'}{pytree.keystr(path[1:])}"
        if len(wanted._size_) != len(leaf._size_):
            raise RuntimeError(
                f"Unexpected number of dimensions in input at {place}.shape, "
                f"expected {list(wanted._size_)}, got {list(leaf._size_)}"
            )
        for k, (size, found) in enumerate(zip(wanted._size_, leaf._size_)):
            _check_size(f"{place}.shape[{k}]", size, int(found), ranges, values)


def _numbered(in_spec: Any) -> Any:
    return pytree.tree_unflatten(list(range(in_spec.num_leaves)), in_spec)


def _check_size(
    place: str, wanted: Any, found: int, ranges: dict[str, Any], values: dict[str, int]
) -> None:
    if isinstance(wanted, int):
        if wanted != found:
            raise RuntimeError(
                f"Expected input at {place} to be equal to {wanted}, but got {found}"
            )
        return
    name = str(wanted)
    if name in values and values[name] != found:
        raise RuntimeError(
            f"Expected input at {place} to be equal to {values[name]}, but got {found}"
        )
    values[name] = found
    limits = ranges.get(name)
    if limits is None:
        return
    if isinstance(limits.lower, int) and limits.lower > 2 and found < limits.lower:
        raise RuntimeError(f"Expected input at {place} to be >= {limits.lower}, but got {found}")
    if isinstance(limits.upper, int) and found > limits.upper:
        raise RuntimeError(f"Expected input at {place} to be <= {limits.upper}, but got {found}")


def checks_of(program: Any, names: Sequence[str]) -> list[str]:
    """What a call's arguments have to fulfil: sizes that do not vary, ranges, and further guards."""
    places = [
        n
        for n, s in zip(
            program.graph.find_nodes(op="placeholder"), program.graph_signature.input_specs
        )
        if s.kind is InputKind.USER_INPUT
    ]
    found: list[str] = []
    ranges = {str(symbol): limits for symbol, limits in program.range_constraints.items()}
    for node, path in zip(places, paths_of_leaves(names, program.call_spec.in_spec)):
        value = node.meta.get("val")
        if not isinstance(value, Tensor):
            if isinstance(value, rushlight.SymInt):
                found += _limits(path, ranges.get(str(value)))
            elif value is None or isinstance(value, (bool, int, float, str)):
                found.append(f"{path} == {value!r}" if value is not None else f"{path} is None")
            continue
        for k, size in enumerate(value.shape):  # type: ignore[attr-defined]
            place = f"{path}.size()[{k}]"
            if isinstance(size, int):
                found.append(f"{place} == {size}")
            else:
                found += _limits(place, ranges.get(str(size)))
    return [*found, *program._guards_code]


def _limits(place: str, limits: Any) -> list[str]:
    if limits is None:
        return []
    found = []
    if isinstance(limits.lower, int) and limits.lower > 2:
        found.append(f"{place} >= {limits.lower}")
    if isinstance(limits.upper, int):
        found.append(f"{place} <= {limits.upper}")
    return found


def assign(root: Module, path: str, value: Any, persistent: bool = True) -> None:
    """Put a tensor at its place within a module."""
    *owners, last = path.split(".")
    for name in owners:
        if not hasattr(root, name):
            root.add_module(name, Module())
        root = getattr(root, name)
    if isinstance(value, Parameter):
        root.register_parameter(last, value)
    elif isinstance(value, Tensor):
        root.register_buffer(last, value, persistent=persistent)
    else:
        setattr(root, last, value)


def unlifted(program: Any, check_guards: bool) -> GraphModule:
    """The module of a program."""
    signature = program.graph_signature
    root = Module()
    graph = Graph()
    values: dict[Node, Node] = {}
    targets: dict[str, Node] = {}
    places = program.graph.find_nodes(op="placeholder")
    user = [(n, s) for n, s in zip(places, signature.input_specs) if s.kind is InputKind.USER_INPUT]
    for node, spec in user:
        made = values[node] = graph.node_copy(node)
        made.name = made.target = node.name
        targets[spec.arg.name] = made
    for node, spec, value in zip(
        [n for n, s in zip(places, signature.input_specs) if s.kind is not InputKind.USER_INPUT],
        [s for s in signature.input_specs if s.kind is not InputKind.USER_INPUT],
        program._lifted_inputs(),
    ):
        assert spec.target is not None
        is_kept = spec.kind is not InputKind.CONSTANT_TENSOR and spec.persistent is not False
        assign(root, spec.target, value, is_kept)
        made = values[node] = graph.get_attr(spec.target)
        made.meta = dict(node.meta)
        targets[spec.target] = made
    for name, module in program.graph_module.named_children():
        if not hasattr(root, name):
            root.add_module(name, module)
    names = _names(program, len(user))
    if check_guards:
        checks = checks_of(program, names)
        root.add_module("_guards_fn", GuardsFn(names, program.call_spec.in_spec, checks))
        if user:
            graph.call_module("_guards_fn", tuple(values[n] for n, _ in user))
    for node in program.graph.nodes:
        if node.op == "placeholder":
            continue
        if node.op == "output":
            returned = [values[n] if isinstance(n, Node) else n for n in node.args[0]]
            graph.output(tuple(_with_writes(graph, signature, returned, targets)))
        else:
            values[node] = graph.node_copy(node, lambda n: values[n])
    spec = program.call_spec
    graph.set_codegen(_PyTreeCodeGen(_PyTreeInfo(names, spec.in_spec, spec.out_spec)))
    made_module = GraphModule(root, graph, "GraphModule")
    made_module.register_forward_pre_hook(_InputCheck(spec.in_spec), with_kwargs=True)
    made_module.meta.update(program.graph_module.meta)
    made_module.train = _refuse_train.__get__(made_module)  # type: ignore[method-assign]
    made_module.eval = _refuse_eval.__get__(made_module)  # type: ignore[method-assign]
    made_module.validate_inputs = check_guards  # type: ignore[assignment]
    return made_module


def _names(program: Any, count: int) -> list[str]:
    signature = program.module_call_graph[0].signature
    if signature.forward_arg_names:
        return list(signature.forward_arg_names)
    args = signature.in_spec.child(0).num_children
    return [*(f"arg_{k}" for k in range(args)), *signature.in_spec.child(1).context]


def _with_writes(
    graph: Graph, signature: Any, returned: list[Any], targets: dict[str, Node]
) -> list[Any]:
    """Writes what the program changes; the results of the program itself."""
    kinds = (
        OutputKind.BUFFER_MUTATION,
        OutputKind.USER_INPUT_MUTATION,
        OutputKind.PARAMETER_MUTATION,
    )
    written: dict[Node, Node] = {}
    results = []
    for node, spec in zip(returned, signature.output_specs):
        if spec.kind in kinds:
            copy_ = rushlight.ops.aten.copy_.default
            made = graph.call_function(copy_, (targets[spec.target], node))
            if spec.kind is OutputKind.USER_INPUT_MUTATION:
                written[node] = made
        else:
            results.append(node)
    return [written.get(n, n) if isinstance(n, Node) else n for n in results]


def _refuse_train(self: Any, mode: bool = True) -> Any:
    raise NotImplementedError("Calling train() is not supported yet.")


def _refuse_eval(self: Any, mode: bool = True) -> Any:
    raise NotImplementedError("Calling eval() is not supported yet.")

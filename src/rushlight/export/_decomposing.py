"""Programs without writes: a program's graph is run under functionalization, and traced again.

What a program writes to becomes an output. Operators that a table has are taken apart; others that are made of
calls of others stay whole, as they are one node in the graph that is run.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import rushlight
from rushlight._capture import status
from rushlight._functorch._aot_autograd.functional_utils import from_fun, has_data_mutation, to_fun
from rushlight._guards import detect_fake_mode
from rushlight._higher_order_ops.tracing import without
from rushlight._subclasses.functional_tensor import (
    FunctionalTensor,
    FunctionalTensorMode,
    disable_functional_mode,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.export._tracing import (
    KEPT_META,
    SYMBOLIC,
    Again,
    lift_constants,
    named_function,
    rename,
)
from rushlight.export.decomp_utils import ALWAYS
from rushlight.export.exported_program import ExportedProgram
from rushlight.export.graph_signature import (
    ConstantArgument,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    argument_of,
)
from rushlight.fx.experimental.proxy_tensor import (
    ProxyTorchDispatchMode,
    PythonKeyTracer,
    decompose,
    dispatch_trace,
    get_proxy_mode,
)
from rushlight.fx.experimental.symbolic_shapes import rebind_unbacked
from rushlight.fx.node import Node
from rushlight.fx.proxy import Proxy
from rushlight.utils import _pytree as pytree

__all__ = ["decomposed"]

Table = Mapping[Any, Callable[..., Any]]
_aten = rushlight.ops.aten
_WRITES = {
    InputKind.BUFFER: OutputKind.BUFFER_MUTATION,
    InputKind.PARAMETER: OutputKind.PARAMETER_MUTATION,
    InputKind.USER_INPUT: OutputKind.USER_INPUT_MUTATION,
}


class _Tracer(PythonKeyTracer):
    """Lets new nodes know what the nodes know that they are made of."""

    current: Node | None = None

    def create_node(self, kind: str, *args: Any, **kwargs: Any) -> Node:
        node = super().create_node(kind, *args, **kwargs)
        if self.current is not None and kind != "output":
            node.meta.update({k: v for k, v in self.current.meta.items() if k in KEPT_META})
        return node


class _Run(Again):
    """Runs a program's graph on functional tensors.

    Args:
        module: the graph
        table: what operators are traced as
        tracer: makes the new nodes
        keeps: whether operators that are made of others stay whole
    """

    def __init__(self, module: Any, table: Table, tracer: _Tracer, keeps: bool = True) -> None:
        super().__init__(module, tracer)
        self.table, self.keeps = table, keeps

    def run_node(self, n: Node) -> Any:
        result = super().run_node(n)
        if n.op == "call_function":
            rebind_unbacked(self.tracer.fake_mode.shape_env, n, result)
        return result

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        found = self.table.get(target, ALWAYS.get(target))
        if found is not None and (target.composite is not None or target in ALWAYS):
            return found(*args, **kwargs)
        if self._stays_whole(target):
            return _whole(target, args, kwargs)
        return super().call_function(target, args, kwargs)

    def _stays_whole(self, target: Any) -> bool:
        """Whether an operator that is made of others is one node."""
        if not isinstance(target, Operator) or target in self.table or target.composite is None:
            return False
        if not self.keeps:
            return False
        if rushlight.is_autocast_enabled("cpu"):
            # Its parts are what is cast.
            return False
        schema = target.schema
        return not schema.mutated and not any(a.type.aliases for a in schema.arguments)


def _whole(target: Operator, args: Any, kwargs: Any) -> Any:
    """The call of an operator as one node, whatever it is made of."""
    mode = get_proxy_mode()
    assert mode is not None
    args, kwargs = pytree.tree_map_only(FunctionalTensor, from_fun, (tuple(args), dict(kwargs)))

    def run(*args: Any, **kwargs: Any) -> Any:
        return target(*args, **kwargs)

    with disable_functional_mode(), without(mode):
        found = mode.trace_call(target, args, kwargs, run)
    return pytree.tree_map_only(Tensor, to_fun, found)


def decomposed(
    program: ExportedProgram, table: Table, joint_loss_index: int | None = None
) -> ExportedProgram:
    """The program with operators of a table taken apart, and writes as outputs.

    Args:
        program: the program
        table: how operators are taken apart
        joint_loss_index: which result is a loss, whose gradients become outputs
    """
    signature = program.graph_signature
    places = program.graph.find_nodes(op="placeholder")
    values = [node.meta.get("val") for node in places]
    fake_mode = detect_fake_mode(values)
    if fake_mode is None:
        from rushlight._subclasses.fake_tensor import FakeTensorMode
        from rushlight.fx.experimental.symbolic_shapes import ShapeEnv

        fake_mode = FakeTensorMode(
            shape_env=ShapeEnv(), static_shapes=True, allow_non_fake_inputs=True, export=True
        )
    names = [node.name for node in places]
    tracer = _Tracer()
    tracer.fake_mode = fake_mode
    tracing = ProxyTorchDispatchMode(tracer, "symbolic")
    written: list[int] = []
    slopes = _Slopes(signature.input_specs, values, joint_loss_index)

    def run(*proxies: Proxy) -> Any:
        given = [v.detach() if _is_repeated(v, values[:k]) else v for k, v in enumerate(values)]
        for proxy, node, value in zip(proxies, places, given):
            rename(proxy.node, node.name)
            proxy.node.meta = dict(node.meta)
            if isinstance(value, (Tensor, *SYMBOLIC)):
                tracer.track(value, proxy)
        recording = rushlight.set_grad_enabled(slopes.are_wanted)
        with fake_mode, tracing, decompose(table), recording, status.exporting():
            wrapped = [to_fun(v) if isinstance(v, Tensor) else v for v in given]
            with FunctionalTensorMode():
                slopes.record(wrapped)
                keeps = not slopes.are_wanted
                results = _Run(program.graph_module, table, tracer, keeps).run(*wrapped)
                results = slopes.followed(results)
            tracer.current = None
            written.extend(
                k for k, v in enumerate(wrapped) if isinstance(v, Tensor) and has_data_mutation(v)
            )
            changed = [from_fun(wrapped[k]) for k in written]
            results = [*changed, *pytree.tree_map(from_fun, list(results))]
        return tuple(map(tracer.proxy_of, results))

    module = dispatch_trace(named_function(run, names), tracer)
    module.__class__.__name__ = "GraphModule"
    _without_copies(module.graph)
    module.graph.eliminate_dead_code()
    made = copy.deepcopy(signature)
    constants = {**program.constants, **lift_constants(module, made, {}, program.constants)}
    returned = module.graph.output_node().args[0]
    outputs = [
        OutputSpec(_WRITES[spec.kind], argument_of(node), _target(spec))
        for spec, node in zip((signature.input_specs[k] for k in written), returned)
    ]
    given_back = [*slopes.marked(signature.output_specs), *slopes.outputs]
    outputs += [
        OutputSpec(spec.kind, argument_of(node), spec.target)
        for spec, node in zip(given_back, returned[len(written) :])
    ]
    made.output_specs[:] = outputs
    module.meta.update(program.graph_module.meta)
    module.recompile()
    from rushlight._export.verifier import Verifier

    return program._update(module, made, constants=constants, verifiers=[Verifier])


class _Slopes:
    """The gradients of one of a program's results, as further results.

    Args:
        specs: what the program's inputs are
        values: fakes of these
        index: which result it is; None for no gradients
    """

    def __init__(
        self, specs: Sequence[InputSpec], values: Sequence[Any], index: int | None
    ) -> None:
        self.index = index
        self.are_wanted = index is not None
        self.places = [
            k
            for k, value in enumerate(values)
            if self.are_wanted and isinstance(value, Tensor) and value.requires_grad  # type: ignore[attr-defined]
        ]
        self.specs = [specs[k] for k in self.places]
        self.leaves: list[Any] = []
        # What the gradients are, after the program has run.
        self.outputs: list[OutputSpec] = []

    def record(self, values: list[Any]) -> None:
        """Let the inputs that have gradients be leaves of the history."""
        for place in self.places:
            values[place] = values[place].detach().requires_grad_()
        self.leaves = [values[place] for place in self.places]

    def followed(self, results: Any) -> Any:
        """The results without a history, and the gradients that there are."""
        if self.index is None:
            return results
        loss = results[self.index]
        if loss.numel() != 1 or not loss.requires_grad:
            raise RuntimeError(
                f"the result at index {self.index} is no loss: it must be one number with a history, "
                f"and is of size {tuple(loss.shape)}"
            )
        grads = rushlight.autograd.grad(loss, self.leaves, allow_unused=True)
        found = [(spec, grad) for spec, grad in zip(self.specs, grads) if grad is not None]
        self.outputs = [OutputSpec(*_slope_of(spec)) for spec, _ in found]
        plain = pytree.tree_map_only(Tensor, lambda x: x.detach(), list(results))
        return [*plain, *(grad for _, grad in found)]

    def marked(self, specs: Sequence[OutputSpec]) -> list[OutputSpec]:
        """What the results are: one is the loss."""
        return [
            OutputSpec(OutputKind.LOSS_OUTPUT, spec.arg, spec.target) if k == self.index else spec
            for k, spec in enumerate(specs)
        ]


def _slope_of(spec: InputSpec) -> tuple[OutputKind, Any, str | None]:
    if spec.kind is InputKind.PARAMETER:
        return OutputKind.GRADIENT_TO_PARAMETER, spec.arg, spec.target
    return OutputKind.GRADIENT_TO_USER_INPUT, spec.arg, _target(spec)


def _target(spec: InputSpec) -> str | None:
    if isinstance(spec.arg, ConstantArgument):
        raise AssertionError(f"{spec.arg.name} is a constant, which nothing writes to")
    return spec.arg.name if spec.kind is InputKind.USER_INPUT else spec.target


def _is_repeated(value: Any, before: Sequence[Any]) -> bool:
    return isinstance(value, Tensor) and any(value is x for x in before)


def _without_copies(graph: Any) -> None:
    """Let what drops a history, or is copied over all of something like it, be what it is of."""
    for op, source in (
        (_aten.detach.default, 0),
        (_aten.alias.default, 0),
        (_aten.copy.default, 1),
    ):
        for node in graph.find_nodes(op="call_function", target=op):
            value, given = node.meta.get("val"), node.args[source]
            if op is _aten.copy.default and not _is_alike(value, given.meta.get("val")):
                continue
            for user in list(node.users):
                user.replace_input_with(node, given)


def _is_alike(a: Any, b: Any) -> bool:
    return (
        isinstance(a, Tensor)
        and isinstance(b, Tensor)
        and a.dtype is b.dtype  # type: ignore[attr-defined]
        and a.shape == b.shape  # type: ignore[attr-defined]
        and a.stride() == b.stride()  # type: ignore[attr-defined]
        and a.device == b.device  # type: ignore[attr-defined]
    )

"""Calls of operators that take functions, while they are traced, run on fakes, or while changes are followed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import rushlight
from rushlight.autograd.function import Function
from rushlight.engine.core import state
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers, modes
from rushlight.overrides import TorchFunctionMode
from rushlight.utils import _pytree as pytree

if TYPE_CHECKING:
    from rushlight._higher_order_ops.operator import HigherOrderOperator

__all__ = ["UnsupportedAliasMutationException", "answer", "vjp_of"]

SYMBOLIC = (SymInt, SymFloat, SymBool)


class UnsupportedAliasMutationException(RuntimeError):
    """A function that an operator takes changes its arguments, or gives them back."""

    reason: str


@contextlib.contextmanager
def without(mode: Any) -> Iterator[None]:
    """Within the block a mode sees no calls."""
    modes.remove(mode)
    try:
        yield
    finally:
        modes.push(mode)


def _mode(kind: type) -> Any:
    return next((mode for mode in reversed(state.thread.modes) if isinstance(mode, kind)), None)


def is_functional(mode: Any) -> bool:
    from rushlight._subclasses.functional_tensor import FunctionalTensorMode

    return isinstance(mode, FunctionalTensorMode)


def answer(op: HigherOrderOperator, args: Sequence[Any], wants: bool) -> Any:
    """What a call of one of the library's operators gives."""
    from rushlight._subclasses.fake_tensor import FakeTensorMode
    from rushlight._subclasses.functional_tensor import FunctionalTensorMode
    from rushlight.fx.experimental.proxy_tensor import ProxyTorchDispatchMode

    top = layers.top()
    if top is not None and top.kind == "PreDispatch":
        return _traced(op, args, top.mode)  # type: ignore[attr-defined]
    tracer, fake = _mode(ProxyTorchDispatchMode), _mode(FakeTensorMode)
    if fake is None:
        fake = _fakes_among(args)
    follows = top is not None and top.kind == "Functionalize"
    if tracer is None and fake is None and not follows:
        return op.eager(*args)
    if state.thread.grad_enabled:
        captured = _wanting_around(op, args)
        if captured:
            args, wants = _with_captured(op, args, captured), True
    if wants:
        return _differentiably(op, args)
    if follows:
        return _below_layer(op, args, top)
    if top is not None:
        return op.eager(*args)
    functional = _mode(FunctionalTensorMode)
    if functional is not None:
        return _below_mode(op, args, functional)
    if tracer is not None:
        return _traced(op, args, tracer)
    return op.fake(*op.traced_with(args, fake.shape_env))


def _fakes_among(args: Sequence[Any]) -> Any:
    from rushlight._subclasses.fake_tensor import FakeTensor

    for leaf in pytree.tree_leaves(list(args)):
        if isinstance(leaf, FakeTensor):
            return leaf.fake_mode
    return None


# -- gradients --


def _differentiably(op: HigherOrderOperator, args: Sequence[Any]) -> Any:
    """A call as one step of a history."""
    leaves, spec = pytree.tree_flatten(list(args))
    made = _Step.apply(op, spec, *leaves)
    return made


class _Step(Function):
    @staticmethod
    def forward(ctx: Any, op: HigherOrderOperator, spec: Any, *leaves: Any) -> Any:
        ctx.op, ctx.spec, ctx.leaves = op, spec, leaves
        with rushlight.no_grad():
            return tuple(op(*pytree.tree_unflatten(list(leaves), spec)))

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        args = pytree.tree_unflatten(list(ctx.leaves), ctx.spec)
        found = iter(ctx.op.gradient(args, grads))
        tensors = [next(found) if isinstance(x, Tensor) else None for x in ctx.leaves]
        wanted = [
            grad if isinstance(x, Tensor) and x.requires_grad else None  # type: ignore[attr-defined]
            for x, grad in zip(ctx.leaves, tensors)
        ]
        return None, None, *wanted


class _Around(TorchFunctionMode):
    """Notes tensors that want gradients and come from around a function, or puts others in their place.

    Args:
        known: the function's inputs
        others: what stands for tensors from around, by their ids
    """

    def __init__(self, known: Sequence[Any] = (), others: dict[int, Any] | None = None) -> None:
        super().__init__()
        self.known = {id(x): x for x in known}
        self.others = others
        self.found: dict[int, Tensor] = {}

    def exchanged(self, x: Any) -> Any:
        """What stands for a tensor."""
        if self.others is not None:
            return self.others.get(id(x), x)
        if isinstance(x, Tensor) and id(x) not in self.known and x.requires_grad:  # type: ignore[attr-defined]
            self.found[id(x)] = x
        return x

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        args, kwargs = pytree.tree_map(self.exchanged, (tuple(args), dict(kwargs or {})))
        result = func(*args, **kwargs)
        if self.others is None:
            # What the function has made comes from within.
            made = pytree.tree_leaves(result)
            self.known.update((id(x), x) for x in made if id(x) not in self.found)
        return result


def _wanting_around(op: HigherOrderOperator, args: Sequence[Any]) -> list[Any]:
    """The tensors that want gradients and that the functions of a call take from around them."""
    from rushlight.fx.experimental.proxy_tensor import ProxyTorchDispatchMode

    found: dict[int, Any] = {}
    leaves = [x for x in pytree.tree_leaves(list(args)) if isinstance(x, Tensor)]
    tracer = _mode(ProxyTorchDispatchMode)
    with contextlib.ExitStack() as stack:
        if tracer is not None:
            stack.enter_context(without(tracer))
        stack.enter_context(rushlight.random.fork_rng())
        for index, function in enumerate(op.functions(args)):
            inputs = [
                x.detach().clone() if isinstance(x, Tensor) else x
                for x in op.inputs_of(index, args)
            ]
            around = _Around([*leaves, *inputs])
            with around:
                outs = function(*inputs)
                pytree.tree_map(around.exchanged, outs)
            found.update(around.found)
    return list(found.values())


def _with_captured(
    op: HigherOrderOperator, args: Sequence[Any], captured: Sequence[Any]
) -> tuple[Any, ...]:
    """A call whose functions get tensors from around them as arguments."""
    count = len(captured)

    def lifted(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*values: Any) -> Any:
            others = {id(x): value for x, value in zip(captured, values[-count:])}
            with _Around(others=others) as around:
                return pytree.tree_map(around.exchanged, function(*values[:-count]))

        return run

    return op.rebuilt([lifted(f) for f in op.functions(args)], args, captured)


def vjp_of(function: Callable[..., Any], count: int) -> Callable[..., tuple[Any, ...]]:
    """A function of arguments and of gradients of results that gives gradients of the arguments.

    Args:
        function: gives a sequence
        count: how many arguments it has
    """

    def run(*values: Any) -> tuple[Any, ...]:
        given = [
            x.detach().requires_grad_(x.is_floating_point() or x.is_complex())  # type: ignore[attr-defined]
            if isinstance(x, Tensor)
            else x
            for x in values[:count]
        ]
        with rushlight.enable_grad():
            outs = function(*given)
        pairs = [
            (out, grad)
            for out, grad in zip(outs, values[count:])
            if isinstance(out, Tensor) and out.requires_grad and grad is not None  # type: ignore[attr-defined]
        ]
        wanted = [x for x in given if isinstance(x, Tensor) and x.requires_grad]  # type: ignore[attr-defined]
        grads: Any = iter(())
        if pairs and wanted:
            grads = iter(
                rushlight.autograd.grad(
                    [out for out, _ in pairs],
                    wanted,
                    [grad for _, grad in pairs],
                    allow_unused=True,
                )
            )
        found = []
        for x in given:
            if not isinstance(x, Tensor):
                continue
            grad = next(grads, None) if x.requires_grad else None  # type: ignore[attr-defined]
            found.append(rushlight.zeros_like(x) if grad is None else grad.clone())
        return tuple(found)

    return run


# -- changes that are followed --


def _below_layer(op: HigherOrderOperator, args: Sequence[Any], layer: Any) -> Any:
    """A call on what the wrappers of a layer stand for."""
    names = _names_of(op)

    def functional(index: int, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*values: Any) -> Any:
            layers.push(layer)
            try:
                given = [layer.wrap(x) if isinstance(x, Tensor) else x for x in values]
                outs = function(*given)
                _check(
                    names[index],
                    given,
                    outs,
                    lambda x: x._storage_._owner.cell if layer.owns(x) else None,
                )
                return pytree.tree_map_only(Tensor, layer.opened, outs)
            finally:
                layers.pop()

        return run

    functions = [functional(k, f) for k, f in enumerate(op.functions(args))]
    inner = [pytree.tree_map_only(Tensor, layer.opened, arg) for arg in args]
    found = layers.lower(op, *op.rebuilt(functions, inner))
    return pytree.tree_map_only(Tensor, layer.wrap, found)


def _below_mode(op: HigherOrderOperator, args: Sequence[Any], mode: Any) -> Any:
    """A call on what functional tensors stand for."""
    from rushlight._functorch._aot_autograd.functional_utils import cells_of, from_fun, to_fun

    names = _names_of(op)

    def functional(index: int, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*values: Any) -> Any:
            given = [to_fun(x) for x in values]
            with mode:
                outs = function(*given)
            _check(names[index], given, outs, lambda x: next(iter(cells_of(x)), None))
            return pytree.tree_map_only(Tensor, from_fun, outs)

        return run

    functions = [functional(k, f) for k, f in enumerate(op.functions(args))]
    with without(mode):
        inner = pytree.tree_map_only(Tensor, from_fun, list(args))
        found = op(*op.rebuilt(functions, inner))
        return pytree.tree_map_only(Tensor, to_fun, found)


def _names_of(op: HigherOrderOperator) -> list[str]:
    """What functions are called in messages."""
    return list(op.graph_titles)


def _check(name: str, given: Sequence[Any], outs: Any, cell_of: Callable[[Any], Any]) -> None:
    """Raise if a function has changed what it was given, or gives it back."""
    cells = [cell_of(x) for x in given if isinstance(x, Tensor)]
    if any(cell is not None and cell.generation for cell in cells):
        raise UnsupportedAliasMutationException(f"{name} might be modifying the input!")
    for out in pytree.tree_leaves(outs):
        if isinstance(out, Tensor) and any(
            cell is cell_of(out) for cell in cells if cell is not None
        ):
            raise UnsupportedAliasMutationException(f"{name} might be aliasing the input!")


# -- graphs --


def _traced(op: HigherOrderOperator, args: Sequence[Any], mode: Any) -> Any:
    """A call as a node, whose functions are graphs of their own."""
    tracer = mode.tracer
    functions = op.functions(args)
    with _unseen(mode):
        known = mode.tracer.fake_mode is None and _fakes_among(args) is None
        env = None if known else _shape_env(args, mode)

        def inputs(place: int) -> list[Any]:
            # What one function has learned of a symbol is not so in another one.
            return op.inputs_of(place, op.traced_with(args, env))

        captured: list[Any] = []
        said: list[list[Any]] = []
        for place, function in enumerate(functions):
            # Tensors from around become arguments of all functions.
            before = _said(env)
            captured += _captured(function, inputs(place), captured, mode)
            said.append([check for check in _said(env) if check not in before])
        graphs = [_graph(f, inputs(k), captured, mode, said[k]) for k, f in enumerate(functions)]
        value = op.eager if known else op.fake
        result = value(*op.rebuilt(graphs, op.traced_with(args, env), captured))
    nodes = []
    for name, graph in zip(op.graph_names, graphs):
        place = next(k for k in range(10**6) if not hasattr(tracer.root, f"{name}_{k}"))
        setattr(tracer.root, f"{name}_{place}", graph)
        nodes.append(tracer.create_proxy("get_attr", f"{name}_{place}", (), {}))
    proxies = pytree.tree_map(tracer.proxy_of, list(op.rebuilt(functions, args, captured)))
    given, named = op.node_arguments(op.rebuilt(nodes, proxies))
    made = tracer.create_proxy("call_function", op, given, named, name=op.name())
    return tracer.track_tensor_tree(result, made)


def _unseen(mode: Any) -> Any:
    """A block in which a tracer sees no calls."""
    return layers.lowered() if mode.pre_dispatch else without(mode)


def _seeing(mode: Any) -> Any:
    """A block in which a tracer sees calls: above autograd if it is one that does."""
    from rushlight.fx.experimental.proxy_tensor import _seeing_all

    return _seeing_all(mode) if mode.pre_dispatch else mode


def _shape_env(args: Sequence[Any], mode: Any) -> Any:
    """What makes symbols in a trace, or None."""
    found = mode.tracer.fake_mode
    if found is None:
        found = _fakes_among(args)
    return None if found is None else found.shape_env


def _said(shape_env: Any) -> list[Any]:
    """What programs have said of what elements decide."""
    if shape_env is None:
        return []
    return [check for found in shape_env.deferred_runtime_asserts.values() for check in found]


def _tracer_of(parent: Any) -> Any:
    from rushlight.fx.experimental.proxy_tensor import PythonKeyTracer
    from rushlight.fx.proxy import Proxy

    class Branch(PythonKeyTracer):
        """Makes the nodes of a function, and notes what it takes from around."""

        def __init__(self) -> None:
            super().__init__()
            self.fake_mode = parent.tracer.fake_mode
            self.found: list[tuple[Any, Proxy]] = []

        def proxy_of(self, value: Any) -> Any:
            if isinstance(value, Tensor) and id(value) not in self.tensor_tracker:
                return self._from_around(value)
            if isinstance(value, SYMBOLIC):
                try:
                    return super().proxy_of(value)
                except RuntimeError:
                    return self._from_around(value)
            return super().proxy_of(value)

        def _from_around(self, value: Any) -> Any:
            with self.graph.inserting_before(self._first()):
                made = self.create_proxy("placeholder", f"lifted_{len(self.found)}", (), {})
            self.found.append((value, made))
            self.track(value, made)
            return made

        def _first(self) -> Any:
            return next((n for n in self.graph.nodes if n.op != "placeholder"), self.graph._root)

    return Branch()


def _run(
    function: Callable[..., Any],
    values: Sequence[Any],
    mode: Any,
    said: Sequence[Any] | None = None,
) -> tuple[Any, Any]:
    """The graph of a function of some values, and its tracer.

    Args:
        function: the function
        values: like its arguments
        mode: traces what is around the call
        said: what the function has said of what elements decide, if its graph is to check that
    """
    from rushlight.fx._symbolic_trace import PH
    from rushlight.fx.experimental.proxy_tensor import (
        ProxyTorchDispatchMode,
        _with_parameters,
        dispatch_trace,
    )

    tracer = _tracer_of(mode)
    branch_mode = ProxyTorchDispatchMode(tracer, mode.tracing_mode, mode.pre_dispatch)
    # The same tensor twice is two arguments.
    seen: set[int] = set()
    given = []
    for value in values:
        again = isinstance(value, Tensor) and id(value) in seen
        seen.add(id(value))
        given.append(value.detach() if again else value)

    def run(*proxies: Any) -> Any:
        for value, proxy in zip(given, proxies, strict=True):
            if isinstance(value, (Tensor, *SYMBOLIC)):
                tracer.track(value, proxy)
        before = _said(_shape_env(values, mode))
        with _seeing(branch_mode):
            outs = function(*given)
        if said is not None and hasattr(mode.tracer, "add_checks"):
            now = [check for check in _said(mode.tracer.fake_mode.shape_env) if check not in before]
            mode.tracer.add_checks([*said, *now], tracer)
        return pytree.tree_map(tracer.proxy_of, outs)

    made = dispatch_trace(_with_parameters(run, len(given)), tracer, tuple(PH for _ in given))
    return made, tracer


def _captured(
    function: Callable[..., Any], inputs: Sequence[Any], known: Sequence[Any], mode: Any
) -> list[Any]:
    """The tensors and symbols that a function takes from around, but for what it writes down itself."""
    lift = rushlight.ops.aten.lift_fresh_copy.default
    _, tracer = _run(function, inputs, mode)
    old = set(map(id, known))
    return [
        value
        for value, proxy in tracer.found
        if id(value) not in old and not all(user.target is lift for user in proxy.node.users)
    ]


def _graph(
    function: Callable[..., Any],
    inputs: Sequence[Any],
    captured: Sequence[Any],
    mode: Any,
    said: Sequence[Any],
) -> Any:
    """The graph of a function that gets what it takes from around as arguments."""
    count = len(inputs)
    made, tracer = _run(lambda *values: function(*values[:count]), [*inputs, *captured], mode, said)
    for value, proxy in tracer.found:
        # What the function writes down is kept beside its graph.
        name = tracer.get_fresh_qualname("_tensor_constant")
        setattr(made, name, value)
        node = proxy.node
        with made.graph.inserting_before(node):
            node.replace_all_uses_with(made.graph.get_attr(name))
        made.graph.erase_node(node)
    if tracer.found:
        made.recompile()
    return made


def with_context(mode: Any, rule: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """What a rule for functionalization that a program has registered gives."""
    with without(mode):
        return rule(_Context(mode), *args, **kwargs)


class _Context:
    """What a rule for functionalization gets: how to wrap and unwrap."""

    def __init__(self, mode: Any) -> None:
        self.mode = mode

    def unwrap_tensors(self, args: Any) -> Any:
        from rushlight._functorch._aot_autograd.functional_utils import from_fun

        return pytree.tree_map_only(Tensor, from_fun, args)

    def wrap_tensors(self, args: Any) -> Any:
        from rushlight._functorch._aot_autograd.functional_utils import to_fun

        return pytree.tree_map_only(Tensor, to_fun, args)

    def functionalize(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            with self.mode:
                found = function(*self.wrap_tensors(args))
            return self.unwrap_tensors(found)

        return run

    def redispatch_to_next(self) -> Any:
        return contextlib.nullcontext()

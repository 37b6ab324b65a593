"""Tracing by running: what operators do with tensors becomes a graph."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import rushlight
from rushlight._dynamo.source import ConstantSource
from rushlight._guards import detect_fake_mode
from rushlight._higher_order_ops import auto_functionalize  # noqa: F401
from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from rushlight.engine.core import expressions, state
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.dispatch import layers, modes
from rushlight.engine.dispatch.boxing import box
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.engine.dispatch.operator import Operator
from rushlight.fx._symbolic_trace import PH, Tracer
from rushlight.fx.experimental import sym_node
from rushlight.fx.experimental.sym_node import constant_of
from rushlight.fx.experimental.symbolic_shapes import (
    ShapeEnv,
    compute_unbacked_bindings,
    has_symbolic_sizes_strides,
)
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.proxy import Proxy
from rushlight.nn.modules.module import Module
from rushlight.utils import _pytree as pytree
from rushlight.utils._python_dispatch import _disable_current_modes

__all__ = [
    "ProxyTorchDispatchMode",
    "PythonKeyTracer",
    "decompose",
    "disable_proxy_modes_tracing",
    "dispatch_trace",
    "get_isolated_graphmodule",
    "get_proxy_mode",
    "make_fx",
    "maybe_handle_decomp",
    "track_tensor_tree",
]

SYMBOLIC = (SymInt, SymFloat, SymBool)
CURRENT_DECOMPOSITION_TABLE: Mapping[Operator, Callable[..., Any]] = {}


@contextlib.contextmanager
def decompose(table: Mapping[Operator, Callable[..., Any]] | None) -> Iterator[Any]:
    """Within the block operators of a table are traced as what its functions do."""
    global CURRENT_DECOMPOSITION_TABLE
    before = CURRENT_DECOMPOSITION_TABLE
    CURRENT_DECOMPOSITION_TABLE = table or {}
    try:
        yield CURRENT_DECOMPOSITION_TABLE
    finally:
        CURRENT_DECOMPOSITION_TABLE = before


class PythonKeyTracer(Tracer):
    """Makes nodes of operators; calls of modules are traced through."""

    def __init__(self) -> None:
        super().__init__(autowrap_modules=())
        # The proxies of tensors, which are kept, so that no other gets their place.
        self.tensor_tracker: dict[int, tuple[Any, Any]] = {}
        # What makes the nodes of symbols, by their places in their trace; and of others by identity.
        self.symnode_tracker: dict[Any, Callable[[], Any]] = {}
        # What is asked for symbols that follow from others, if these are nowhere.
        self._otherwise: dict[Any, Callable[[], Any]] = {}
        self._kept: list[Any] = []
        # Tensors whose elements are known.
        self.constants: dict[int, tuple[Any, Any]] = {}
        self.fake_mode: Any = None

    def call_module(
        self, m: Any, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """What the module's `forward` does."""
        return forward(*args, **kwargs)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """The attribute as it is."""
        return attr_val

    def _minds_modules(self) -> bool:
        """Only a subclass may do more than call them."""
        kind = type(self)
        plain = kind.call_module is PythonKeyTracer.call_module
        return not (plain and kind.getattr is PythonKeyTracer.getattr)

    def create_arg(self, a: Any) -> Any:
        """An argument as nodes have it: parameters become attributes, symbols what computes them."""
        if isinstance(a, rushlight.nn.Parameter):
            name = self._name_of_parameter(a)
            if name is None:
                name = self.tensor_attrs.get(a)
            if name is None:
                name = self.get_fresh_qualname("_param_constant")
                self.tensor_attrs[a] = name
                setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        if isinstance(a, SYMBOLIC):
            found = self.proxy_of(a)
            return found.node if isinstance(found, Proxy) else found
        return super().create_arg(a)

    def proxy_of(self, value: Any) -> Any:
        """The proxy of a tensor or a symbol that is traced; anything else as it is."""
        if isinstance(value, rushlight.Tensor):
            known = self.tensor_tracker.get(id(value))
            return value if known is None else known[1]
        if isinstance(value, SYMBOLIC):
            plain = constant_of(value)
            return self._symbol(value) if plain is None else plain
        return value

    def _symbol(self, value: Any) -> Any:
        """The proxy of a symbolic number: what is tracked, or nodes that compute it."""
        key = _key_of(value)
        known = self.symnode_tracker.get(key)
        if known is not None:
            return known()
        if type(value) is SymInt and value.trace.nodes[value.place][0] == expressions.CONSTANT:
            return value.value
        step = sym_node.step_of(value)
        if step is None:
            raise RuntimeError(f"{value} is the size of nothing that is traced")
        function, operands = step
        if key in self._otherwise and not all(map(self._can_tell, operands)):
            return self._otherwise[key]()
        made = self.create_proxy("call_function", function, tuple(map(self.proxy_of, operands)), {})
        made.node.meta["val"] = value
        self._track_symbol(value, lambda: made)
        return made

    def _can_tell(self, value: SymInt) -> bool:
        """Whether a symbol is the size of something, or follows from such."""
        if value.place in self.symnode_tracker or value.place in self._otherwise:
            return True
        operation, *places = value.trace.nodes[value.place]
        if operation == expressions.CONSTANT:
            return True
        return operation in sym_node.STEPS and all(
            self._can_tell(SymInt(value.trace, p, value.trace.node_values[p])) for p in places
        )

    def _track_symbol(self, value: Any, thunk: Callable[[], Any]) -> None:
        self._kept.append(value)
        key = _key_of(value)
        self.symnode_tracker.setdefault(key, thunk)

    def track(self, value: Any, proxy: Any) -> None:
        """Let a tensor or a symbol, or those in a list, stand for a proxy from now on."""
        if isinstance(value, rushlight.Tensor):
            self.tensor_tracker[id(value)] = (value, proxy)
            _describe(proxy.node, value)
            self._track_sizes(value, proxy)
        elif isinstance(value, SYMBOLIC):
            proxy.node.meta["val"] = value
            self._track_symbol(value, lambda: proxy)
        elif isinstance(value, (tuple, list)):
            if any(isinstance(x, rushlight.Tensor) for x in value):
                proxy.node.meta["val"] = [
                    _snapshot(x) if isinstance(x, rushlight.Tensor) else x for x in value
                ]
            for index, item in enumerate(value):
                if isinstance(item, (rushlight.Tensor, tuple, list, *SYMBOLIC)):
                    self.track(item, proxy[index])

    def _track_sizes(self, value: Any, proxy: Any) -> None:
        """Let the symbols of a tensor's geometry be what the tensor is asked for."""
        aten = rushlight.ops.aten
        for items, op in (
            (value._size_, aten.sym_size.int), (value._stride_, aten.sym_stride.int),
        ):  # fmt: skip
            for dim, item in enumerate(items):
                if type(item) is SymInt:
                    self._track_size(item, proxy, self._asked(op, (proxy, dim), item))
        for item, op in (
            (value._numel_, aten.sym_numel.default),
            (value._offset_, aten.sym_storage_offset.default),
        ):
            if type(item) is SymInt:
                self._track_size(item, proxy, self._asked(op, (proxy,), item))

    def _track_size(self, item: SymInt, proxy: Any, thunk: Callable[[], Any]) -> None:
        """Let a symbol be what a tensor is asked for."""
        follows = item.trace.nodes[item.place][0] in sym_node.STEPS
        if proxy.node.op == "placeholder" and follows:
            # Arguments that come later have sizes that follow from those of earlier ones.
            self._kept.append(item)
            self._otherwise.setdefault(item.place, thunk)
        else:
            self._track_symbol(item, thunk)

    def _asked(self, op: Operator, args: tuple[Any, ...], value: Any) -> Callable[[], Any]:
        @functools.cache
        def ask() -> Any:
            made = self.create_proxy("call_function", op, args, {})
            made.node.meta["val"] = value
            return made

        return ask

    def track_tensor_tree(self, value: Any, proxy: Any) -> Any:
        """`track`; the value is returned."""
        self.track(value, proxy)
        return value


def _key_of(value: Any) -> Any:
    """What symbols have in common that are the same: places in their trace, and comparisons of the same."""
    if type(value) is SymInt:
        return value.place
    if isinstance(value, SymBool) and all(type(x) in (int, SymInt) for x in value.operands):
        return value.operation, *((type(x), _place_of(x)) for x in value.operands)
    return id(value)


def _place_of(x: Any) -> int:
    return x.place if type(x) is SymInt else x


def _snapshot(tensor: Any) -> Any:
    """What is kept of a tensor beside its node: its like without elements, as it is now."""
    if not isinstance(tensor, FakeTensor):
        return tensor
    return tensor.as_it_is_now()


def _describe(node: Any, value: Any) -> None:
    """Note beside a node what its value is like."""
    if isinstance(value, FakeTensor):
        node.meta["val"] = _snapshot(value)
    if type(value) is FakeTensor and has_symbolic_sizes_strides(value):
        node.meta["tensor_meta"] = _described(node.meta["val"])
    else:
        node.meta["tensor_meta"] = _described(value)


def _described(tensor: Any) -> Any:
    from rushlight.fx.passes.shape_prop import _extract_tensor_metadata

    with _disable_current_modes():
        return _extract_tensor_metadata(tensor)


def track_tensor_tree(inner_res: Any, proxy_res: Any, *, constant: Any, tracer: Any) -> Any:
    """Let the tensors of a nest stand for proxies."""
    tracer.track(inner_res, proxy_res)
    return inner_res


def maybe_handle_decomp(
    proxy_mode: ProxyTorchDispatchMode, op: Operator, args: Any, kwargs: Any
) -> Any:
    """What the table's function does in an operator's place; NotImplemented if it has none."""
    if op not in CURRENT_DECOMPOSITION_TABLE:
        return NotImplemented
    with proxy_mode:
        return CURRENT_DECOMPOSITION_TABLE[op](*args, **kwargs)


def _with_lists(arguments: Any) -> Any:
    """Arguments of an operator, whose schemas know lists only."""
    args, kwargs = arguments

    def plain(value: Any) -> Any:
        return [plain(item) for item in value] if isinstance(value, (tuple, list)) else value

    return tuple(map(plain, args)), {name: plain(value) for name, value in kwargs.items()}


_SCALAR = rushlight.ops.aten._local_scalar_dense.default
_LIFT = rushlight.ops.aten.lift_fresh.default
_LIFT_COPY = rushlight.ops.aten.lift_fresh_copy.default


_OVERLOADS = {"Scalar": "Tensor", "Scalar_mode": "Tensor_mode"}


def _over_tensors() -> dict[Operator, Operator]:
    """Overloads that take a number, and those of the same operator that take a tensor or a number.

    PyTorch's functions know only the latter of these operators, so they are what graphs have.
    """
    found: dict[Operator, Operator] = {}
    for name in ("add", "sub", "mul", "div"):
        for packet in (getattr(rushlight.ops.aten, n) for n in (name, f"{name}_")):
            for taken, told in _OVERLOADS.items():
                if taken in packet.overloads():
                    found[getattr(packet, taken)] = getattr(packet, told)
    floor = rushlight.ops.aten.floor_divide
    found[floor.Scalar] = floor.default
    return found


_TOLD_AS = _over_tensors()


class ProxyTorchDispatchMode(TorchDispatchMode):
    """Adds each operator that is called to a graph.

    Args:
        tracer: what makes the nodes
        tracing_mode: how values are known: `real`, `fake` or `symbolic`
        pre_dispatch: whether operators are seen above autograd
    """

    rank = 1
    is_infra_mode = True

    def __init__(
        self, tracer: PythonKeyTracer, tracing_mode: str = "real", pre_dispatch: bool = False,
        **unused: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.tracer = tracer
        self.tracing_mode = tracing_mode
        self.pre_dispatch = pre_dispatch
        self.decomp_layers = 0
        self.enable_tracing = True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.trace_call(func, args, kwargs or {}, func)

    def trace_call(self, func: Any, args: Any, kwargs: Any, run: Callable[..., Any]) -> Any:
        """Add a call to the graph.

        Args:
            func: the operator
            args: its arguments
            kwargs: those with names
            run: what makes the call
        """
        if func in _TOLD_AS:
            func = _TOLD_AS[func]
            if len(args) > 2:
                # What scales the other operand comes by keyword there.
                args, kwargs = args[:2], {"alpha": args[2], **kwargs}
        done = maybe_handle_decomp(self, func, args, kwargs)
        if done is not NotImplemented:
            return done
        tracer = self.tracer
        if func is _SCALAR:
            known = tracer.constants.get(id(args[0]))
            if known is not None:
                with _disable_current_modes():
                    return known[1].item()
        proxy_args, proxy_kwargs = pytree.tree_map(tracer.proxy_of, (tuple(args), dict(kwargs)))
        if func is _SCALAR and isinstance(proxy_args[0], Proxy) and not self._may_ask(args[0]):
            raise RuntimeError(
                f"It appears that you're trying to get value out of a tracing tensor with {func} - "
                f"erroring out! It's likely that this is caused by data-dependent control flow or "
                f"similar.  It may be possible to trace this with dynamic shapes; try setting "
                f"tracing_mode='symbolic' in your make_fx call."
            )
        proxy_args, proxy_kwargs = _with_lists((proxy_args, proxy_kwargs))
        if func is _LIFT and proxy_args[0] is args[0]:
            # The graph keeps the elements as they are written down, whatever becomes of them.
            with _disable_current_modes():
                args = (args[0].clone(),)
        result = (func if run is func else run)(*args, **kwargs)
        if func is _SCALAR and not isinstance(result, SYMBOLIC):
            return result
        told = _LIFT_COPY if func is _LIFT else func
        name = tracer.graph._target_to_str(told.overloadpacket.__name__)
        made = tracer.create_proxy("call_function", told, proxy_args, proxy_kwargs, name=name)
        self._note_constants(func, args, kwargs, result)
        tracer.track(result, made)
        if tracer.fake_mode is not None and tracer.fake_mode.shape_env is not None:
            bindings = compute_unbacked_bindings(tracer.fake_mode.shape_env, result)
            if bindings:
                made.node.meta["unbacked_bindings"] = bindings
        return result

    def _may_ask(self, value: Any) -> bool:
        """Whether an element that a program asks for can be a symbol."""
        return isinstance(value, FakeTensor) and value.fake_mode.shape_env is not None

    def _note_constants(self, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        """Remember results whose elements follow from what the program has written down."""
        constants = self.tracer.constants
        if func is _LIFT and args[0].numel() <= 1 and not isinstance(args[0], FakeTensor):
            with _disable_current_modes():
                constants[id(result)] = (result, args[0].clone())
            return
        given = [x for x in pytree.tree_leaves((args, kwargs)) if isinstance(x, rushlight.Tensor)]
        if func.schema.mutated:
            for x in given:
                constants.pop(id(x), None)
            return
        is_known = bool(given) and all(id(x) in constants for x in given)
        if not is_known or "nondeterministic_seeded" in func.declared_tags:
            return
        if not isinstance(result, rushlight.Tensor) or result.numel() > 1:
            return
        with _disable_current_modes(), rushlight.no_grad():
            inner = pytree.tree_map_only(
                rushlight.Tensor, lambda x: constants[id(x)][1], (tuple(args), dict(kwargs))
            )
            constants[id(result)] = (result, func(*inner[0], **inner[1]))


class _AboveAutograd(layers.Layer):
    """Shows operators to a tracer before autograd, and before they are taken apart.

    Args:
        mode: the tracer's mode
    """

    kind = "PreDispatch"

    def __init__(self, mode: ProxyTorchDispatchMode) -> None:
        super().__init__()
        self.mode = mode
        # The blocks that have begun.
        self._blocks: list[Any] = []

    def switched(self, mode: bool) -> None:
        """Add the switch to the graph."""
        self.mode.tracer.create_proxy("call_function", rushlight._C._set_grad_enabled, (mode,), {})

    def noted(self, function: Any, *args: Any) -> None:
        """Add the beginning of a block to the graph, or the end of the innermost one."""
        tracer = self.mode.tracer
        if args:
            self._blocks.append(tracer.create_proxy("call_function", function, args, {}))
        else:
            tracer.create_proxy("call_function", function, (self._blocks.pop(),), {})

    def process(self, op: Operator, values: tuple[Any, ...]) -> Any:
        """Add a call to the graph; what it is made of goes on without."""
        op = modes.shown(op)
        args, kwargs = box(op.schema, values)

        def run(*args: Any, **kwargs: Any) -> Any:
            return layers.lower(functools.partial(op, *args, **kwargs))

        return self.mode.trace_call(op, args, kwargs, run)


def get_proxy_mode() -> ProxyTorchDispatchMode | None:
    """The tracer that records now, if there is one."""
    for mode in reversed(state.thread.modes):
        if isinstance(mode, ProxyTorchDispatchMode):
            return mode
    return None


@contextlib.contextmanager
def disable_proxy_modes_tracing() -> Iterator[Any]:
    """Within the block nothing is added to graphs."""
    with _disable_current_modes() as taken:
        yield taken


def dispatch_trace(
    root: Any, tracer: Tracer, concrete_args: tuple[Any, ...] | None = None
) -> GraphModule:
    """The module of what a function over proxies does."""
    graph: Graph = tracer.trace(root, concrete_args)  # type: ignore[arg-type]
    name = root.__class__.__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


def _with_parameters(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """A function of so many parameters that calls another."""
    names = ", ".join(f"arg{index}" for index in range(count))
    made: Callable[..., Any] = eval(f"lambda {names}: function({names})", {"function": function})
    return made


def _mode_of_fakes(tracing_mode: str, args: Any, allow_real: bool) -> Any:
    """The mode whose fakes a function is traced with; None for real tensors."""
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise AssertionError(f"tracing_mode must be real/fake/symbolic, got {tracing_mode}")
    found = detect_fake_mode(args)
    if tracing_mode == "real" or found is not None:
        return found
    return FakeTensorMode(
        allow_fallback_kernels=True,
        allow_non_fake_inputs=allow_real,
        shape_env=ShapeEnv(),
        static_shapes=tracing_mode == "fake",
    )


def _as_inputs(mode: Any, tracing_mode: str, args: Any) -> Any:
    """Arguments that a function is traced with: fakes, and symbols in the place of integers."""
    if mode is None or tracing_mode == "real":
        return args
    count = 0

    def wrap(value: Any) -> Any:
        nonlocal count
        if isinstance(value, rushlight.Tensor):
            source = ConstantSource(f"input{count}")
            count += 1
            return mode.from_tensor(value, source=source)
        if type(value) is int and tracing_mode == "symbolic":
            source = ConstantSource(f"input{count}")
            count += 1
            env = mode.shape_env
            symbol = env.create_symbol(value, source, positive=None)
            return env.create_symintnode(symbol, hint=value, source=source)
        return value

    return pytree.tree_map(wrap, args)


def make_fx(
    f: Callable[..., Any],
    decomposition_table: Mapping[Operator, Callable[..., Any]] | None = None,
    tracing_mode: str = "real",
    _allow_non_fake_inputs: bool = False,
    *,
    pre_dispatch: bool = False,
    record_module_stack: bool = False,
    _allow_fake_constant: bool = False,
    _error_on_data_dependent_ops: bool = True,
    record_stack_traces: bool = False,
    proxy_module_inputs: bool = False,
    _disable_torch_fn_metadata_mode: bool = False,
) -> Callable[..., GraphModule]:
    """A function that runs another and gives the graph of the operators that it called.

    Args:
        f: the function
        decomposition_table: what operators are traced as
        tracing_mode: `real`: with the arguments; `fake`: with fake tensors of their sizes;
            `symbolic`: with fake tensors whose sizes are symbols
        pre_dispatch: whether operators are seen above autograd, and not taken apart
        record_module_stack: accepted
        record_stack_traces: whether nodes know where in the program they come from
    """
    _mode_of_fakes(tracing_mode, None, False)

    @functools.wraps(f)
    def wrapped(*args: Any) -> GraphModule:
        tracer = PythonKeyTracer()
        tracer.record_stack_traces = record_stack_traces
        fake_mode = _mode_of_fakes(tracing_mode, args, _allow_non_fake_inputs)
        tracer.fake_mode = fake_mode
        mode = ProxyTorchDispatchMode(tracer, tracing_mode, pre_dispatch)
        places = pytree.tree_map(lambda _: PH, args)
        given = _as_inputs(fake_mode, tracing_mode, args)
        plain = inspect.unwrap(f)
        function: Any = f
        if not hasattr(plain, "__code__") or plain.__code__.co_flags & inspect.CO_VARARGS:
            function = _with_parameters(f, len(args))

        @functools.wraps(function)
        def run(*proxies: Any) -> Any:
            values = pytree.tree_leaves(given)
            for value, proxy in zip(values, pytree.tree_leaves(list(proxies)), strict=True):
                if isinstance(value, (rushlight.Tensor, *SYMBOLIC)):
                    tracer.track(value, proxy)
            with contextlib.ExitStack() as stack:
                stack.enter_context(decompose(decomposition_table))
                if fake_mode is not None:
                    stack.enter_context(fake_mode)
                stack.enter_context(_seeing_all(mode) if pre_dispatch else mode)
                result = f(*given)
            return pytree.tree_map(tracer.proxy_of, result)

        made = dispatch_trace(run, tracer, tuple(places))
        made.shape_env = None if fake_mode is None else fake_mode.shape_env
        return made

    return wrapped


@contextlib.contextmanager
def _seeing_all(mode: ProxyTorchDispatchMode) -> Iterator[None]:
    """Within the block a tracer sees operators above autograd."""
    layers.push(_AboveAutograd(mode))
    try:
        yield
    finally:
        layers.pop()


def get_isolated_graphmodule(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    tracing_mode: str = "real",
    decomposition_table: Mapping[Operator, Callable[..., Any]] | None = None,
) -> GraphModule:
    """The graph of a call, traced apart from a trace that goes on."""
    leaves, spec = pytree.tree_flatten((args, kwargs))

    def flat(inner: Any) -> Any:
        given, named = pytree.tree_unflatten(inner, spec)
        return func(*given, **named)

    with disable_proxy_modes_tracing():
        return make_fx(flat, decomposition_table, tracing_mode)(leaves)

"""Tracing by running: what operators do with tensors becomes a graph."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import rushlight
from rushlight.engine.core import state
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.engine.dispatch.operator import Operator
from rushlight.fx._symbolic_trace import PH, Tracer
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

    def call_module(
        self, m: Any, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """What the module's `forward` does."""
        return forward(*args, **kwargs)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """The attribute as it is."""
        return attr_val

    def create_arg(self, a: Any) -> Any:
        """An argument as nodes have it: parameters become attributes."""
        if isinstance(a, rushlight.nn.Parameter):
            name = self._name_of_parameter(a)
            if name is None:
                name = self.tensor_attrs.get(a)
            if name is None:
                name = self.get_fresh_qualname("_param_constant")
                self.tensor_attrs[a] = name
                setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)

    def proxy_of(self, value: Any) -> Any:
        """The proxy of a tensor that is traced; anything else as it is."""
        if isinstance(value, rushlight.Tensor):
            known = self.tensor_tracker.get(id(value))
            return value if known is None else known[1]
        return value

    def track(self, value: Any, proxy: Any) -> None:
        """Let a tensor, or the tensors in a list, stand for a proxy from now on."""
        if isinstance(value, rushlight.Tensor):
            self.tensor_tracker[id(value)] = (value, proxy)
            proxy.node.meta["tensor_meta"] = _described(value)
        elif isinstance(value, (tuple, list)):
            for index, item in enumerate(value):
                self.track(item, proxy[index])


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
        tracing_mode: how values are known; only `real`
    """

    def __init__(self, tracer: PythonKeyTracer, tracing_mode: str = "real") -> None:
        super().__init__()
        self.tracer = tracer
        self.tracing_mode = tracing_mode
        self.decomp_layers = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in _TOLD_AS:
            func = _TOLD_AS[func]
            if len(args) > 2:
                # What scales the other operand comes by keyword there.
                args, kwargs = args[:2], {"alpha": args[2], **kwargs}
        done = maybe_handle_decomp(self, func, args, kwargs)
        if done is not NotImplemented:
            return done
        tracer = self.tracer
        proxy_args, proxy_kwargs = pytree.tree_map(tracer.proxy_of, (tuple(args), dict(kwargs)))
        if func is _SCALAR and isinstance(proxy_args[0], Proxy):
            raise RuntimeError(
                f"It appears that you're trying to get value out of a tracing tensor with {func} - "
                f"erroring out! It's likely that this is caused by data-dependent control flow or "
                f"similar.  It may be possible to trace this with dynamic shapes; try setting "
                f"tracing_mode='symbolic' in your make_fx call."
            )
        proxy_args, proxy_kwargs = _with_lists((proxy_args, proxy_kwargs))
        result = func(*args, **kwargs)
        if func is _SCALAR:
            return result
        name = tracer.graph._target_to_str(func.overloadpacket.__name__)
        made = tracer.create_proxy("call_function", func, proxy_args, proxy_kwargs, name=name)
        tracer.track(result, made)
        return result


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


def _checked_mode(mode: str) -> None:
    if mode not in ("real", "fake", "symbolic"):
        raise AssertionError(f"tracing_mode must be real/fake/symbolic, got {mode}")
    if mode != "real":
        raise NotImplementedError(
            f"make_fx: tracing_mode='{mode}' is not supported: there are no fake tensors yet; "
            f"tracing_mode='real' runs the function"
        )


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
        tracing_mode: `real`: with the values of the arguments; others wait for fake tensors
        pre_dispatch: must be False
        record_module_stack: accepted
        record_stack_traces: whether nodes know where in the program they come from
    """
    _checked_mode(tracing_mode)
    if pre_dispatch:
        raise NotImplementedError(
            "make_fx: pre_dispatch is not supported: operators are seen below autograd"
        )

    @functools.wraps(f)
    def wrapped(*args: Any) -> GraphModule:
        tracer = PythonKeyTracer()
        tracer.record_stack_traces = record_stack_traces
        mode = ProxyTorchDispatchMode(tracer, tracing_mode)
        places = pytree.tree_map(lambda _: PH, args)
        plain = inspect.unwrap(f)
        function: Any = f
        if not hasattr(plain, "__code__") or plain.__code__.co_flags & inspect.CO_VARARGS:
            function = _with_parameters(f, len(args))

        @functools.wraps(function)
        def run(*proxies: Any) -> Any:
            values = pytree.tree_leaves(args)
            for value, proxy in zip(values, pytree.tree_leaves(list(proxies)), strict=True):
                if isinstance(value, rushlight.Tensor):
                    tracer.track(value, proxy)
            with decompose(decomposition_table), mode:
                result = f(*args)
            return pytree.tree_map(tracer.proxy_of, result)

        return dispatch_trace(run, tracer, tuple(places))

    return wrapped


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

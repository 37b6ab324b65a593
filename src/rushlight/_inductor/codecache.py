"""What compiled graphs are found again by: a text of all that decides what becomes of a graph.

The text names objects (operators, classes, functions of rushlight) with their address, so who keeps a text keeps the
objects, too. What a text cannot be written of (`BypassFxGraphCache`) is compiled each time.
"""

from __future__ import annotations

import ctypes
import enum
import types
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight._dynamo.utils import counters
from rushlight._inductor import config
from rushlight.engine.core import keys, library_settings, state
from rushlight.engine.core.symbolic import SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import autocasting
from rushlight.engine.dispatch.call_cache import validity
from rushlight.engine.dispatch.call_cache.binding import Binding
from rushlight.engine.dispatch.operator import Operator, OperatorPacket
from rushlight.engine.loops import placement
from rushlight.engine.native.digest import digest
from rushlight.engine.native.records import dataclass
from rushlight.fx.experimental.sym_node import Expression, symbols_of
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node

__all__ = [
    "BypassFxGraphCache",
    "FxGraphCache",
    "FxGraphHashDetails",
    "GuardedCache",
    "compiled_fx_graph_hash",
    "guards_on",
    "holds",
]

_PLAIN = (type(None), bool, int, float, complex, str, bytes, types.EllipsisType)
_NAMED = (
    rushlight.dtype, rushlight.device, rushlight.layout, rushlight.memory_format, enum.Enum,
)  # fmt: skip
# Packages whose functions do the same for the same arguments.
_OURS = ("rushlight", "torch", "operator", "_operator", "math", "builtins")
# What passes read of nodes that are captured.
_MARKS = ("recompute", "ac_graph_id", "custom", "partitioner_tag")
# Settings that are functions, and change graphs.
_PASSES = (
    "pre_grad_custom_pass", "joint_custom_pre_pass", "joint_custom_post_pass", "post_grad_custom_pre_pass",
    "post_grad_custom_post_pass", "custom_partitioner_fn",
)  # fmt: skip


class BypassFxGraphCache(Exception):
    """What becomes of a graph depends on more than can be written down."""


class FxGraphHashDetails:
    """The text of a graph, of the arguments it is compiled for, and of the settings in force.

    Args:
        gm: the graph
        example_inputs: its arguments
        fx_kwargs: settings of its own
        inputs_to_check: the places of arguments that are looked at when it runs
    """

    def __init__(
        self,
        gm: GraphModule,
        example_inputs: Sequence[Any],
        fx_kwargs: Any = None,
        inputs_to_check: Sequence[int] = (),
    ) -> None:
        self.lines: list[str] = []
        # The objects whose addresses are in the text, and the symbols of arguments in their order.
        self.held: list[Any] = []
        self.symbols: dict[str, SymInt] = {}
        self._tensors: dict[int, int] = {}
        self._storages: dict[int, int] = {}
        self._of_storage: dict[int, list[Any]] = {}
        for value in example_inputs:
            self._add("input", self._argument(value))
        self._shared_bases()
        self._graph(gm)
        self._add("kwargs", self.text(fx_kwargs or {}))
        self._add("inputs to check", self.text(list(inputs_to_check)))
        self._thread()
        for name, value in config.get_config_copy().items():
            self._add(name, self.text(value))
        for name in _PASSES:
            self._add(name, self._pass(getattr(config, name, None)))

    @property
    def key(self) -> str:
        """What tells texts apart."""
        return digest("\n".join(self.lines).encode()).hex()

    def _add(self, what: str, text: str) -> None:
        self.lines.append(f"{what}: {text}")

    # -- arguments --

    def _argument(self, value: Any) -> str:
        if not isinstance(value, Tensor):
            return self.text(value)
        known = self._tensors.get(id(value))
        if known is not None:
            return f"tensor {known}"
        self._tensors[id(value)] = len(self._tensors)
        self.held.append(value)
        self._of_storage.setdefault(id(value._storage_), []).append(value)
        return self._metadata(value) + self._parts(value) + self._viewed(value._base)

    def _metadata(self, x: Any) -> str:
        if x.layout is not rushlight.strided or state.duals:
            raise BypassFxGraphCache(
                f"an argument is a tensor of layout {x.layout}, or has a tangent"
            )
        storage = self._storages.setdefault(id(x._storage_), len(self._storages))
        parts = (
            x.dtype, x.device, list(x._size_), list(x._stride_), x._offset_, storage, x._keys_, x.requires_grad,
            x.is_leaf, x.is_inference(),
        )  # fmt: skip
        return self.text(parts)

    def _viewed(self, base: Any) -> str:
        """What a view is a view of. Its sizes do not matter to a program that has only this view."""
        if base is None:
            return ""
        known = self._tensors.get(id(base))
        if known is not None:
            return f" of tensor {known}"
        facts = base.dtype, base._keys_, base.requires_grad, base.is_leaf, base.is_inference()
        return f" of {self.text(facts)}{self._parts(base)}"

    def _shared_bases(self) -> None:
        """Arguments that share elements may become views of their base, or of all of their memory, whose size matters then."""
        for members in self._of_storage.values():
            if len(members) > 1:
                bases = [self._metadata(x._base) for x in members if x._base is not None]
                memory = self.text(members[0].untyped_storage().nbytes())
                self._add("shared", ", ".join([memory, *bases]))

    def _parts(self, x: Any) -> str:
        """The class of a tensor, and the tensors that it is made of."""
        from rushlight._subclasses.fake_tensor import FakeTensor

        if isinstance(x, FakeTensor) and x.constant is not None:
            raise BypassFxGraphCache("the elements of an argument are known")
        if type(x) in (Tensor, FakeTensor, rushlight.nn.Parameter):
            return ""
        if not hasattr(x, "__tensor_flatten__"):
            raise BypassFxGraphCache(f"an argument is of the class {type(x).__name__}")
        names, facts = x.__tensor_flatten__()
        inner = ", ".join(f"{name}={self._argument(getattr(x, name))}" for name in names)
        return f" {self.named(type(x))}({inner}; {self.text(facts)})"

    # -- graphs --

    def _graph(self, gm: GraphModule) -> None:
        if not isinstance(gm, GraphModule):
            raise BypassFxGraphCache(f"{type(gm).__name__} is no graph")
        numbers: dict[Node, int] = {}
        for node in gm.graph.nodes:
            numbers[node] = len(numbers)
            target = self._target(node, gm)
            given = "" if node.op == "placeholder" else self.text((node.args, node.kwargs), numbers)
            marks = {name: node.meta[name] for name in _MARKS if name in node.meta}
            self._add(f"%{numbers[node]}", f"{node.op} {target} {given} {self.text(marks)}")

    def _target(self, node: Node, gm: GraphModule) -> str:
        if node.op in ("placeholder", "output"):
            return ""
        if node.op == "call_method":
            return str(node.target)
        if node.op == "call_function":
            return self._function(node.target)
        found = _attribute(gm, str(node.target))
        if isinstance(found, Tensor):
            return self._held_tensor(found)
        if not isinstance(found, GraphModule):
            raise BypassFxGraphCache(f"the graph has {node.target}, which is no graph")
        self._graph(found)
        return "the graph above"

    def _held_tensor(self, x: Tensor) -> str:
        """A tensor of a graph: one of the arguments, or else a constant, whose elements count."""
        if id(x) in self._tensors:
            return self._argument(x)
        if type(x) not in (Tensor, rushlight.nn.Parameter) or not x._keys_ & keys.CPU:
            raise BypassFxGraphCache(f"the elements of a {type(x).__name__} of the graph")
        storage = x._storage_
        elements = ctypes.string_at(storage._ptr, storage._nbytes) if storage._nbytes else b""
        return f"constant {self._metadata(x)} {digest(elements).hex()}"

    def _function(self, target: Any) -> str:
        """A function that does the same for the same arguments, whenever it is called."""
        from rushlight._higher_order_ops.operator import HigherOrderOperator

        owner = getattr(target, "__self__", None)
        if isinstance(owner, Binding):
            return f"{target.__name__} of {self.named(owner)}"
        module = (getattr(target, "__module__", None) or "").partition(".")[0]
        is_operator = isinstance(target, (Operator, OperatorPacket, HigherOrderOperator))
        is_function = isinstance(target, (types.FunctionType, types.BuiltinFunctionType, type))
        if not is_operator and not (module in _OURS and is_function):
            raise BypassFxGraphCache(
                f"the graph calls {target}, which may be something else next time"
            )
        return self.named(target)

    def named(self, value: Any) -> str:
        """An object by its name and its address."""
        self.held.append(value)
        name = getattr(value, "__qualname__", None) or getattr(
            value, "__name__", type(value).__name__
        )
        return f"{name}@{id(value):x}"

    # -- values --

    def text(self, value: Any, numbers: dict[Node, int] | None = None) -> str:
        """A value that graphs and settings are made of."""
        if isinstance(value, Node):
            return f"%{(numbers or {})[value]}"
        if isinstance(value, _NAMED) or type(value) in _PLAIN:
            return repr(value)
        if type(value) is SymInt:
            return self._expression(value)
        if isinstance(value, dict):
            items = (f"{self.text(k, numbers)}: {self.text(x, numbers)}" for k, x in value.items())
            return "{" + ", ".join(items) + "}"
        if isinstance(value, slice):
            return f"slice{self.text((value.start, value.stop, value.step), numbers)}"
        if isinstance(value, (list, tuple, range)):
            items = (self.text(x, numbers) for x in value)
            kind = "" if type(value) in (list, tuple) else self.named(type(value))
            ends = "()" if isinstance(value, tuple) else "[]"
            return f"{kind}{ends[0]}{', '.join(items)}{ends[1]}"
        raise BypassFxGraphCache(f"a value of {type(value).__name__}: {value!r}")

    def _expression(self, value: SymInt) -> str:
        text = str(Expression(value))
        found = sorted(symbols_of(value), key=lambda s: -len(str(s)))
        for symbol in found:
            name = str(Expression(symbol))
            if name not in self.symbols:
                self._symbol(name, symbol)
        for symbol in found:
            name = str(Expression(symbol))
            text = text.replace(name, f"<{list(self.symbols).index(name)}>")
        return text

    def _symbol(self, name: str, symbol: SymInt) -> None:
        env = symbol.node.shape_env
        if env is None or not env.has_hint(symbol):
            raise BypassFxGraphCache(f"{name} has no value yet")
        self.symbols[name] = symbol
        self._add(f"symbol {len(self.symbols) - 1}", str(env.bound_sympy(symbol)))

    # -- what is in force --

    def _thread(self) -> None:
        """The switches that decide what operators do."""
        mine, cast = state.thread, autocasting.settings
        if mine.layers or mine.saved_hooks or mine.dispatch_disabled:
            raise BypassFxGraphCache("transformations or hooks are around the compiler")
        for mode in mine.modes:
            if mode.rank is None:
                raise BypassFxGraphCache(f"{type(mode).__name__} sees calls")
        found = (
            mine.grad_enabled, mine.inference, mine.included, mine.excluded, sorted(cast.enabled), cast.dtypes,
            cast.caching, rushlight.get_default_dtype(), list(mine.default_devices), state.deterministic,
            state.deterministic_warns, state.fills_memory, self.meaning_of_operators(),
        )  # fmt: skip
        self._add("switches", self.text(found))
        # Which kernel makes an attention is decided while a program is traced.
        allowed = library_settings.attention
        kernels = allowed.flash, allowed.math, allowed.efficient, allowed.cudnn, _version_of_cudnn()
        self._add("kernels of attention", self.text(kernels))

    def meaning_of_operators(self) -> int:
        """What changes whenever operators mean something else."""
        return int(validity.generation())

    def _pass(self, change: Any) -> str:
        if change is None:
            return "None"
        identity: Callable[[], Any] | None = getattr(change, "uuid", None)
        found = identity() if identity is not None else None
        if found is None:
            raise BypassFxGraphCache(f"{change} changes graphs, and has no uuid()")
        return repr(found)


def _version_of_cudnn() -> int | None:
    """The version of the library where a GPU is used and it is installed."""
    if "cuda" not in placement.planners:
        return None
    # Loaded where there is a GPU.
    from rushlight.engine.cuda import cudnn

    return cudnn.version()


def _attribute(module: Any, path: str) -> Any:
    for name in path.split("."):
        module = getattr(module, name)
    return module


def compiled_fx_graph_hash(
    gm: GraphModule, example_inputs: Sequence[Any], fx_kwargs: Any, inputs_to_check: Sequence[int]
) -> tuple[str, list[str]]:
    """What tells a graph and the arguments it is compiled for from others, and the text that this is made of.

    Args:
        gm: the graph
        example_inputs: its arguments
        fx_kwargs: settings of its own
        inputs_to_check: the places of arguments that are looked at when it runs
    """
    details = FxGraphHashDetails(gm, example_inputs, fx_kwargs, inputs_to_check)
    return "f" + details.key, list(details.lines)


@dataclass
class _Entry:
    """What was made for a key.

    Args:
        made: what was made
        guards: what it needs of the symbols among the arguments, as a text; None if nothing
        held: the objects whose addresses are in the key
    """

    made: Any
    guards: str | None
    held: list[Any]


class GuardedCache:
    """What was made of graphs lately, found again by their key and by what symbols are.

    Args:
        most: so many keys are kept, those that were asked for last
    """

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._entries: OrderedDict[str, list[_Entry]] = OrderedDict()

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()

    def lookup(self, key: str, symbols: Sequence[SymInt] = ()) -> Any | None:
        """What was made for a key, or None. What it needs of symbols is guarded.

        Args:
            key: of the graph
            symbols: those of the arguments, in their order
        """
        for entry in tuple(self._entries.get(key, ())):
            if holds(entry.guards, symbols):
                self._entries.move_to_end(key)
                return entry.made
        return None

    def save(self, key: str, details: FxGraphHashDetails, made: Any) -> None:
        """Keep what was made.

        Args:
            key: of the graph
            details: what the key was made of
            made: what was made
        """
        guards = guards_on(list(details.symbols.values()))
        self._entries.setdefault(key, []).append(_Entry(made, guards, details.held))
        while len(self._entries) > self._most:
            self._entries.popitem(last=False)


def guards_on(symbols: Sequence[SymInt]) -> str | None:
    """What a program has found out about symbols, as an expression over them in turn; None if nothing."""
    if not symbols:
        return None
    # What it has found out about other symbols is guarded by whoever captured it.
    env = symbols[0].node.shape_env
    found: str | None = env.produce_guards_expression(
        symbols, guards=env.get_pruned_guards(symbols)
    )
    return found


def holds(guards: str | None, symbols: Sequence[SymInt]) -> bool:
    """Whether an expression of `guards_on` holds for the values of symbols; if so, it is guarded."""
    if guards is None:
        return True
    env = symbols[0].node.shape_env
    if not env.evaluate_guards_expression(guards, [env.size_hint(s) for s in symbols]):
        return False
    return bool(env.evaluate_guards_expression(guards, symbols))


class FxGraphCache:
    """The functions that were made of graphs of operators in this process; sizes are numbers in these graphs."""

    _made = GuardedCache()

    @classmethod
    def clear(cls) -> None:
        """Forget all functions."""
        cls._made.clear()

    @classmethod
    def load_with_key(
        cls,
        key: str,
        debug_lines: list[str],
        example_inputs: Sequence[Any],
        local: bool,
        remote_cache: Any,
        is_backward: bool,
        constants: Any,
        evaluate_guards: Callable[..., bool] | None = None,
    ) -> tuple[Any | None, dict[str, Any]]:
        """The function of a graph, or None, and what is known of it.

        Args:
            key: the graph's
            debug_lines: the text that the key is made of
            example_inputs: accepted; the key says what they are like
            local: whether this process may be asked
            remote_cache: accepted; there is no cache elsewhere
            is_backward: accepted; the key says it
            constants: accepted; graphs have none
            evaluate_guards: accepted; sizes are numbers
        """
        made = cls._made.lookup(key) if local else None
        found = "miss" if made is None else "hit"
        return made, {"key": key, "cache_state": found, "components": debug_lines}

    @classmethod
    def load(
        cls, gm: GraphModule, example_inputs: Sequence[Any], compile_graph: Callable[..., Any]
    ) -> Any:
        """The function of a graph, made if there is none yet.

        Args:
            gm: the graph
            example_inputs: its arguments
            compile_graph: makes functions of graphs and arguments
        """
        try:
            details = FxGraphHashDetails(gm, example_inputs)
            if details.symbols:
                raise BypassFxGraphCache("sizes are symbols")
        except BypassFxGraphCache:
            counters["inductor"]["fxgraph_cache_bypass"] += 1
            return compile_graph(gm, example_inputs)
        key = "f" + details.key
        made, info = cls.load_with_key(key, details.lines, example_inputs, True, None, False, None)
        counters["inductor"][f"fxgraph_cache_{info['cache_state']}"] += 1
        if made is None:
            made = compile_graph(gm, example_inputs)
            cls._made.save(key, details, made)
        return made

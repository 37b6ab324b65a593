"""Recording: what is done to fakes becomes nodes of a graph."""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight import overrides
from rushlight._C import DisableTorchFunction
from rushlight._capture import tracebacks
from rushlight._capture.breaks import Break
from rushlight._capture.naming import input_name, shown_source
from rushlight._capture.varying import Variation
from rushlight._dynamo import config
from rushlight._dynamo.source import ConstantSource
from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.experimental import sym_node
from rushlight.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv
from rushlight.fx.graph import Graph
from rushlight.fx.node import Node, map_aggregate
from rushlight.utils import _pytree as pytree

SYMBOLIC = (SymInt, SymFloat, SymBool)
_SYMBOL = re.compile(r"\b[su]\d+\b")

# Methods behind Python's signs, as functions of `operator`.
SIGNS: dict[str, Any] = {
    f"__{name}__": getattr(operator, name)
    for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor",
        "lshift", "rshift", "neg", "pos", "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge",
        "iadd", "isub", "imul", "itruediv", "getitem", "setitem",
    )
}  # fmt: skip
SIGNS |= {"__and__": operator.and_, "__or__": operator.or_}
SWAPPED = {"__radd__": operator.add, "__rmul__": operator.mul, "__rsub__": operator.sub}
# What ends a graph: it asks for elements, or goes back through what the graph records.
ENDS = {
    "backward", "item", "tolist", "numpy", "__bool__", "__int__", "__float__", "__index__",
    "__complex__", "__array__", "data_ptr", "register_hook", "requires_grad_", "retain_grad",
    "grad", "set_", "share_memory_", "__contains__", "is_nonzero", "storage",
    "untyped_storage", "set_default_dtype", "manual_seed", "seed", "save", "load",
}  # fmt: skip


class Recorder(overrides.TorchFunctionMode):
    """Notes calls with fakes as nodes; a mode of the thread while a graph is being made."""

    def __init__(self, variation: Variation) -> None:
        self.graph = Graph()
        self.variation = variation
        self.shapes = ShapeEnv(
            assume_static_by_default=True,
            allow_scalar_outputs=config.capture_scalar_outputs,
            allow_dynamic_output_shape_ops=config.capture_dynamic_output_shape_ops,
        )
        self.fakes = FakeTensorMode(shape_env=self.shapes)
        # Sources of the graph's inputs, in their order.
        self.inputs: list[str] = []
        # Where symbols are found, by their names.
        self.symbols: dict[str, str] = {}
        self._nodes: dict[int, tuple[Node, Any]] = {}
        # Of symbolic numbers, by their places in the trace of symbols; of others by identity.
        self._numbers: dict[Any, tuple[Node, Any]] = {}
        self._last_input: Node | None = None
        # Where the program is, which capture tells; and where nodes come from.
        self.where: Callable[[], list[tracebacks.Place]] = list
        self.trails: dict[str, list[tracebacks.Place]] = {}

    def admit(self, tensor: Tensor, source: str, is_fixed: bool) -> Any:
        """The fake of a tensor of the program: an input of the graph.

        Args:
            tensor: the tensor
            source: where it is
            is_fixed: whether it belongs to a module
        """
        context = self.variation.context(tensor, source, is_fixed)
        with DisableTorchFunction():
            fake = self.fakes.from_tensor(
                tensor, source=ConstantSource(shown_source(source)), symbolic_context=context
            )
        self.variation.promise(tensor, fake, source)
        for field in ("_size_", "_stride_"):
            for k, number in enumerate(getattr(fake, field)):
                if type(number) is SymInt:
                    self._open(number, f"{source}.{field}[{k}]")
        if type(fake._offset_) is SymInt:
            self._open(fake._offset_, f"{source}._offset_")
        node = self._input(input_name(source), source)
        node.meta["example_value"] = fake
        self.track(fake, node)
        return fake

    def admit_integer(self, number: int, source: str) -> Any:
        """The symbol for an integer of the program: an input of the graph."""
        where = ConstantSource(shown_source(source))
        symbol = self.shapes.create_unspecified_symbol(number, where, DimDynamic.DYNAMIC)
        made = self.shapes.create_symintnode(symbol, hint=number, source=where)
        self._open(made, source, input_name(source))
        return made

    def _open(self, number: SymInt, source: str, name: str | None = None) -> None:
        """Let a symbol be an input of the graph, unless it is one or follows from others."""
        symbol = str(number)
        if symbol in self.symbols or _SYMBOL.fullmatch(symbol) is None:
            return
        self.symbols[symbol] = source
        node = self._input(name or symbol, source)
        node.meta["example_value"] = number
        self._numbers[number.place] = node, number

    def _input(self, name: str, source: str) -> Node:
        first = next(iter(self.graph.nodes), None)
        place = self.graph.inserting_before(first) if self._last_input is None else (
            self.graph.inserting_after(self._last_input)
        )  # fmt: skip
        with place:
            node = self.graph.placeholder(name)
        self._last_input = node
        self.inputs.append(source)
        return node

    def written(self, number: Any) -> str:
        """The text of a symbolic number over the sources of its symbols."""
        return _SYMBOL.sub(lambda m: self.symbols.get(m[0], m[0]), str(number))

    def is_at(self, number: Any, source: str) -> bool:
        """Whether a number is the symbol that is found at a source."""
        return self.symbols.get(str(number)) == source

    def guards(self) -> list[str]:
        """What holds of the symbols, as texts over their sources."""
        found = [self.written(guard.expr) for guard in self.shapes.guards]
        for key, limits in self.shapes.var_to_range.items():
            source = self.symbols.get(str(key))
            if source is not None and type(limits.lower) is int and limits.lower > 0:
                found.append(f"{source} >= {limits.lower}")
        return found

    def track(self, fake: Any, node: Node) -> None:
        self._nodes[id(fake)] = node, fake

    def node_of(self, value: Any) -> Node | None:
        """The node of a fake or a symbolic number; the latter's may be made."""
        if isinstance(value, SYMBOLIC):
            return self._node_of_number(value)
        found = self._nodes.get(id(value))
        return None if found is None else found[0]

    def _node_of_number(self, number: Any) -> Any:
        """The node of a symbolic number, and those that compute it; the plain number, if it is always the same."""
        plain = sym_node.constant_of(number)
        if plain is not None:
            return plain
        key = number.place if type(number) is SymInt else id(number)
        known = self._numbers.get(key)
        if known is not None and not known[0]._erased:
            return known[0]
        step = sym_node.step_of(number)
        if step is None:
            raise Break(f"the symbol {number} is the size of nothing in the graph")
        function, operands = step
        node = self.graph.call_function(function, tuple(map(self._as_node, operands)))
        node.meta["example_value"] = number
        self._numbers[key] = node, number
        return node

    def _track_number(self, number: Any, node: Node) -> None:
        node.meta["example_value"] = number
        key = number.place if type(number) is SymInt else id(number)
        self._numbers.setdefault(key, (node, number))

    def note(self, target: Callable[..., Any], *args: Any) -> None:
        """A call that gives no tensor but changes how those behind it are made."""
        self.graph.call_function(target, args)

    # -- calls --

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return self.call(func, args, kwargs or {})

    def as_one(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function that is one node, whatever it calls itself."""
        with overrides._pop_mode_temporarily():
            return self.call(func, args, kwargs)

    def call(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function with fakes: a node of the graph."""
        name = getattr(func, "__name__", str(func))
        if name in ENDS and not (name == "item" and config.capture_scalar_outputs):
            raise Break(f"a call of {name}")
        values, _ = pytree.tree_flatten((args, kwargs))
        for value in values:
            if isinstance(value, Tensor) and self.node_of(value) is None:
                raise Break(f"{name} with a tensor that the graph does not know")
        result = func(*args, **kwargs)
        found = [r for r in pytree.tree_leaves(result) if isinstance(r, FakeTensor)]
        if not found and name not in ("__setitem__", "manual_seed", "item"):
            return result
        node = self._created(func, name, args, kwargs)
        node.meta["example_value"] = result
        self._locate(node, func)
        self._track_results(result, node)
        return result

    def _locate(self, node: Node, function: Any) -> None:
        """Note where in the program a node comes from."""
        trail = self.trails[node.name] = self.where()
        node.meta["stack_trace"] = tracebacks.text(trail)
        target = function if node.op == "call_function" else node.target
        node.meta["source_fn_stack"] = [(node.name, target)]

    def _track_results(self, result: Any, node: Node) -> None:
        if isinstance(result, FakeTensor):
            self.track(result, node)
            self._track_sizes(result, node)
        elif isinstance(result, SYMBOLIC):
            self._track_number(result, node)
        elif isinstance(result, (tuple, list)):
            for place, item in enumerate(result):
                if pytree.tree_leaves(item):
                    part = self.graph.call_function(operator.getitem, (node, place))
                    part.meta["example_value"] = item
                    self._track_results(item, part)
        elif isinstance(result, dict):
            for key, item in result.items():
                part = self.graph.call_function(operator.getitem, (node, key))
                self._track_results(item, part)

    def _track_sizes(self, fake: Any, node: Node) -> None:
        """Let the sizes that elements decide be what the tensor is asked for."""
        for k, size in enumerate(fake._size_):
            if type(size) is SymInt and str(size).startswith("u") and str(size) not in self.symbols:
                known = self._numbers.get(size.place)
                if known is None or known[0]._erased:
                    asked = self.graph.call_function(rushlight.ops.aten.sym_size.int, (node, k))
                    asked.meta["example_value"] = size
                    self._numbers[size.place] = asked, size

    def _created(self, func: Any, name: str, args: tuple[Any, ...], kwargs: Any) -> Node:
        given, named = map_aggregate((args, kwargs), self._as_node)
        if name in SWAPPED and len(given) == 2:
            return self.graph.call_function(SWAPPED[name], given[::-1])
        if name in SIGNS:
            return self.graph.call_function(SIGNS[name], given, named)
        if name == "__get__":
            return self.graph.call_function(getattr, (given[0], _attribute_of(func)))
        is_method = hasattr(Tensor, name) and getattr(Tensor, name) == func
        if is_method and isinstance(args[0], Tensor):
            return self.graph.call_method(name, given, named)
        return self.graph.call_function(func, given, named)

    def _as_node(self, value: Any) -> Any:
        return self.node_of(value) if isinstance(value, (Tensor, *SYMBOLIC)) else value


def _attribute_of(getter: Any) -> str:
    """The name of the attribute that a descriptor's ``__get__`` reads."""
    for name in dir(Tensor):
        if inspect.getattr_static(Tensor, name) is getter.__self__:
            return name
    raise Break("an attribute without a name is read")

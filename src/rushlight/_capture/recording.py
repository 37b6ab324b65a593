"""Recording: what is done to fakes becomes nodes of a graph."""

from __future__ import annotations

import contextlib
import inspect
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

import rushlight
from rushlight import overrides
from rushlight._capture import tracebacks
from rushlight._capture.arrays import Array
from rushlight._capture.breaks import Break
from rushlight._capture.interpreter import done
from rushlight._capture.naming import input_name, shown_source
from rushlight._capture.varying import Variation
from rushlight._dynamo import config
from rushlight._dynamo.source import ConstantSource
from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight._higher_order_ops.wrap import InlineOperator
from rushlight._subclasses.fake_tensor import (
    FakeTensor,
    FakeTensorMode,
    unset_fake_temporarily,
)
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers, overrides_hook
from rushlight.fx.experimental import sym_node
from rushlight.fx.experimental._shape_contexts import DimDynamic
from rushlight.fx.experimental._shape_env import ShapeEnv
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, map_aggregate
from rushlight.overrides import DisableTorchFunction
from rushlight.utils import _pytree as pytree
from rushlight.utils.weak import WeakTensorKeyDictionary

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
    "untyped_storage", "set_default_dtype", "manual_seed", "seed", "save", "load", "is_inference",
}  # fmt: skip


# Of these, what asks for the element of a tensor, which may be known.
OF_ELEMENTS = {
    "item", "tolist", "__bool__", "__int__", "__float__", "__index__", "__complex__", "is_nonzero",
}  # fmt: skip


@contextlib.contextmanager
def outside() -> Iterator[None]:
    """Within the block calls are made and not noted."""
    with overrides_hook.without_overrides(), unset_fake_temporarily():
        yield


def is_known(value: Any) -> bool:
    """Whether a fake's elements are known, as those that a program has written down."""
    return isinstance(value, FakeTensor) and value.constant is not None


class Recorder(overrides.TorchFunctionMode):
    """Notes calls with fakes as nodes; a mode of the thread while a graph is being made."""

    def __init__(self, variation: Variation, whole: bool = False) -> None:
        # The graph, and those of functions that operators are given, the innermost last.
        self._levels = [Level()]
        self._counts: dict[str, int] = {}
        # The operators whose functions are being interpreted, with their names.
        self._operators: list[tuple[str, Any]] = []
        self.variation = variation
        self.shapes = ShapeEnv(
            assume_static_by_default=True,
            allow_scalar_outputs=whole or config.capture_scalar_outputs,
            allow_dynamic_output_shape_ops=whole or config.capture_dynamic_output_shape_ops,
        )
        self.fakes = FakeTensorMode(shape_env=self.shapes)
        # Sources of the graph's inputs, in their order.
        self.inputs: list[str] = []
        self.tensors: list[str] = []
        # What inputs are in this run.
        self.given: dict[Node, Any] = {}
        # The fakes of tensors among them, and their sizes, strides and offsets when the graph begins.
        self._begun: list[tuple[Any, tuple[Any, ...]]] = []
        # Which of their sizes are symbols.
        self.contexts = WeakTensorKeyDictionary()
        # Where symbols are found, by their names.
        self.symbols: dict[str, str] = {}
        # Nodes that are called as variables of the program.
        self._called: set[Node] = set()
        # Whether nodes are operators, and not functions.
        self.notes_operators = False
        # How many instructions have been done.
        self.steps = 0
        # How programs know a source, and where they are, which capture tells; and where nodes come from.
        self.shown: Callable[[str], str] = shown_source
        self.where: Callable[[], list[tracebacks.Place]] = list
        self.trails: dict[str, list[tracebacks.Place]] = {}

    @property
    def graph(self) -> Graph:
        """The graph that is being written."""
        return self._levels[-1].graph

    @property
    def is_in_body(self) -> bool:
        """Whether the graph of a function is written that an operator is given."""
        return len(self._levels) > 1

    @property
    def modules(self) -> dict[str, GraphModule]:
        """The graphs of functions that the graph's operators are given."""
        return self._levels[-1].modules

    def admit(self, tensor: Tensor, source: str, is_fixed: bool) -> Any:
        """The fake of a tensor of the program: an input of the graph.

        Args:
            tensor: the tensor
            source: where it is
            is_fixed: whether it belongs to a module
        """
        self.contexts[tensor] = context = self.variation.context(tensor, source, is_fixed)
        # Also where a function is being transformed: the tensor is older than that.
        with DisableTorchFunction(), layers.without_layers():
            fake = self.fakes.from_tensor(
                tensor, source=ConstantSource(self.shown(source)), symbolic_context=context
            )
        self.variation.promise(tensor, fake, self.shown(source))
        self._open_sizes(fake, source)
        if fake._base is not None:
            # What is asked of a view may depend on what it is a view of.
            self._open_sizes(fake._base, f"{source}._base")
        node = self._input(input_name(self.shown(source)), source)
        self.tensors.append(source)
        self.given[node] = tensor
        node.meta["example_value"] = fake
        self._levels[0].nodes[id(fake)] = node, fake
        self._begun.append((fake, (fake._size_, fake._stride_, fake._offset_)))
        return fake

    def _open_sizes(self, fake: Any, source: str) -> None:
        """Let the symbols among the sizes, strides and offset of a tensor be known."""
        for field in ("_size_", "_stride_"):
            for k, number in enumerate(getattr(fake, field)):
                if type(number) is SymInt:
                    self._open(number, f"{source}.{field}[{k}]")
        if type(fake._offset_) is SymInt:
            self._open(fake._offset_, f"{source}._offset_")

    def forget(self) -> None:
        """Hold none of the program's tensors any more."""
        self.given.clear()

    def examples(self) -> list[Any]:
        """What stands for the inputs, as they are when the graph begins, whatever it does to their sizes."""
        for fake, geometry in self._begun:
            if (fake._size_, fake._stride_, fake._offset_) != geometry:
                tensors.set_geometry(fake, *geometry)
        return [n.meta["example_value"] for n in self.graph.nodes if n.op == "placeholder"]

    def admit_integer(self, number: int, source: str) -> Any:
        """The symbol for an integer of the program: an input of the graph."""
        where = ConstantSource(self.shown(source))
        symbol = self.shapes.create_unspecified_symbol(number, where, DimDynamic.DYNAMIC)
        made = self.shapes.create_symintnode(symbol, hint=number, source=where)
        self._open(made, source, input_name(self.shown(source)))
        return made

    def _open(self, number: SymInt, source: str, name: str | None = None) -> None:
        """Let a symbol be an input of the graph, unless it is one or follows from others."""
        symbol = str(number)
        if symbol in self.symbols or _SYMBOL.fullmatch(symbol) is None:
            return
        self.symbols[symbol] = source
        node = self._input(name or symbol, source)
        self.given[node] = sym_node.hint_of(number)
        node.meta["example_value"] = number
        self._levels[0].numbers[number.place] = node, number

    def _input(self, name: str, source: str) -> Node:
        self.inputs.append(source)
        count = self._counts[name] = self._counts.get(name, -1) + 1
        return self._levels[0].input(f"{name}{count}_" if count else name)

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
        self._levels[-1].nodes[id(fake)] = node, fake

    def call_it(self, value: Any, name: str) -> None:
        """Let the node of a tensor be called as the first variable of the program that gets it."""
        node = self._levels[-1].known(value) if isinstance(value, FakeTensor) else None
        if node is None or node.op == "placeholder" or node in self._called:
            return
        self._called.add(node)
        trail = self.trails.pop(node.name, None)
        node._rename(name)
        if trail is not None:
            self.trails[node.name] = trail

    def node_of(self, value: Any) -> Node | None:
        """The node of a fake or a symbolic number; the latter's may be made."""
        return self._node_at(value, len(self._levels) - 1)

    def _node_at(self, value: Any, depth: int) -> Any:
        level = self._levels[depth]
        found = level.known(value)
        if found is not None:
            return found
        if isinstance(value, SYMBOLIC):
            return self._number_at(value, depth)
        if not depth:
            return None
        outer = self._node_at(value, depth - 1)
        return None if outer is None else level.lift(value, outer)

    def _number_at(self, number: Any, depth: int) -> Any:
        """The node of a symbolic number, and those that compute it; the plain number, if it is always the same."""
        plain = sym_node.constant_of(number)
        if plain is not None:
            return plain
        level, step = self._levels[depth], sym_node.step_of(number)
        if step is None:
            if depth:
                return level.lift(number, self._node_at(number, depth - 1))
            raise Break(f"the symbol {number} is the size of nothing in the graph")
        function, operands = step
        given = [self._node_at(x, depth) if isinstance(x, SYMBOLIC) else x for x in operands]
        node = level.graph.call_function(function, tuple(given))
        self._track_number(number, node, depth)
        return node

    def _track_number(self, number: Any, node: Node, depth: int = -1) -> None:
        node.meta["example_value"] = number
        level = self._levels[depth]
        if level.known(number) is None:
            level.numbers[_key(number)] = node, number

    def note(self, target: Callable[..., Any], *args: Any) -> Node:
        """A call that gives no tensor but changes how those behind it are made."""
        return self.graph.call_function(target, args)

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
        if self.notes_operators:
            return done(func, args, kwargs)
        name = getattr(func, "__name__", str(func))
        if isinstance(func, HigherOrderOperator):
            return self._call_with_functions(func, args, kwargs)
        if name in ENDS and not (name == "item" and self.shapes.allow_scalar_outputs):
            if name in OF_ELEMENTS and args and is_known(args[0]):
                with outside():
                    return func(args[0].constant, *args[1:], **kwargs)
            raise Break(f"a call of {name}")
        if kwargs.get("requires_grad") is True:
            # Who has it would look for a gradient, and a compiled graph gives it to nobody.
            raise Break(f"{name} of a tensor that requires a gradient")
        values, _ = pytree.tree_flatten((args, kwargs))
        for value in values:
            if isinstance(value, Array):
                raise Break(f"{name} of an array")
            if isinstance(value, Tensor) and self.node_of(value) is None:
                raise Break(f"{name} with a tensor that the graph does not know")
        result = done(func, args, kwargs)
        if func is rushlight.Tensor and not isinstance(result, FakeTensor):
            # It takes elements that a program has written down.
            result = self.fakes.from_tensor(result)
        found = [r for r in pytree.tree_leaves(result) if isinstance(r, FakeTensor)]
        # What gives nothing is called for what it does.
        if not found and result is not None and name not in ("manual_seed", "item"):
            return result
        node = self._created(func, name, args, kwargs)
        node.meta["example_value"] = result
        self._locate(node, func)
        self._track_results(result, node)
        return result

    @property
    def last(self) -> Node | None:
        """What was noted last."""
        root = self.graph._root
        found: Node = root.__dict__["_prev"]
        return None if found is root else found

    def take_back(self, last: Node | None) -> None:
        """Erase what has been noted behind a node."""
        for node in reversed(self.graph.nodes):
            if node is last:
                return
            if node.op == "placeholder":
                continue
            value, given = node.meta.get("example_value"), node.all_input_nodes
            self.graph.erase_node(node)
            # What a call gives back as it was has the node again that it had before.
            before = next((n for n in given if n.meta.get("example_value") is value), None)
            if before is not None and isinstance(value, Tensor):
                self.track(value, before)

    def note_operator(self, op: Any, args: Any, kwargs: Any, result: Any) -> None:
        """Add an operator that has been called with fakes."""
        given, named = map_aggregate((args, kwargs), self._as_node)
        node = self.graph.call_function(op, given, named)
        node.meta["example_value"] = result
        self._locate(node, op)
        self._track_results(result, node)

    # -- functions that operators are given --

    @contextlib.contextmanager
    def body(self, op: Any) -> Iterator[Level]:
        """Within the block the graph of a function is written that an operator is given."""
        level = Level()
        self._levels.append(level)
        self._operators.append((op.name(), op))
        is_on = any(mode is self for mode in overrides_hook.local.modes)
        try:
            with contextlib.nullcontext() if is_on else self:
                yield level
        finally:
            self._levels.pop()
            self._operators.pop()

    def _call_with_functions(self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """An operator that takes functions: a node, whose functions are graphs of their own."""
        if isinstance(op, InlineOperator):
            return self._call_inline(op, args, kwargs)
        functions = op.functions(args)
        like = op.traced_with(args, self.shapes)
        captured: list[Any] = []
        levels: list[Level] = []
        for place, function in enumerate(functions):
            values = op.inputs_of(place, like)
            with self.body(op) as level:
                for number, value in enumerate(values):
                    level.give(value, f"arg{number}_1")
                outs = function(*values)
                if isinstance(outs, (tuple, list)):
                    outs = tuple(outs)
                level.graph.output(map_aggregate(outs, self._as_node))
            captured += [v for v in level.lifted if all(v is not known for known in captured)]
            levels.append(level)
        for level in levels:
            level.order(captured)
        graphs = [GraphModule(level.modules, level.graph) for level in levels]
        with overrides_hook.without_overrides():
            result = op.fake(*op.rebuilt(graphs, like, captured))
        nodes = [
            self._own(name, graph) for name, graph in zip(op.body_names or op.graph_names, graphs)
        ]
        given = op.node_arguments(
            map_aggregate(
                op.rebuilt(functions, args, captured), _Places(functions, nodes, self._as_node)
            )
        )
        node = self.graph.call_function(op, *given)
        node.meta["example_value"] = result
        self._locate(node, op)
        self._track_results(result, node)
        return result

    def _call_inline(self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """An operator that only calls its function: what this uses are the node's arguments."""
        options = {name: kwargs.pop(name) for name in op.options if name in kwargs}
        with self.body(op) as level:
            found = args[0](*args[1:], **kwargs)
            leaves, spec = pytree.tree_flatten(found)
            given = [leaf for leaf in leaves if isinstance(leaf, (Tensor, *SYMBOLIC))]
            level.graph.output(tuple(map(self._as_node, given)))
        own = self._own("wrap_body", GraphModule(level.modules, level.graph))
        node = self.graph.call_function(op, (own, *map(self._as_node, level.lifted)), options)
        node.meta["example_value"] = tuple(given)
        self._locate(node, op)
        for leaf in given:
            # What is given back as it was stays itself.
            self._levels[-1].forget(leaf)
        self._track_results(tuple(given), node)
        return pytree.tree_unflatten(leaves, spec)

    def _own(self, name: str, graph: GraphModule) -> Node:
        """The node of a function's graph."""
        number = self._counts[name] = self._counts.get(name, -1) + 1
        self.modules[f"{name}_{number}"] = graph
        return self.graph.get_attr(f"{name}_{number}")

    def _locate(self, node: Node, function: Any) -> None:
        """Note where in the program a node comes from."""
        trail = self.where()
        if len(self._levels) == 1:
            self.trails[node.name] = trail
        node.meta["stack_trace"] = tracebacks.text(trail)
        target = function if node.op == "call_function" else node.target
        node.meta["source_fn_stack"] = [*self._operators, (node.name, target)]

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
                    part.meta |= {**node.meta, "example_value": item}
                    self._track_results(item, part)
        elif isinstance(result, dict):
            for key, item in result.items():
                part = self.graph.call_function(operator.getitem, (node, key))
                self._track_results(item, part)

    def _track_sizes(self, fake: Any, node: Node) -> None:
        """Let the sizes that elements decide be what the tensor is asked for."""
        for k, size in enumerate(fake._size_):
            name = str(size) if type(size) is SymInt else ""
            is_new = name.startswith("u") and name not in self.symbols
            if is_new and self._levels[-1].known(size) is None:
                asked = self.graph.call_function(rushlight.ops.aten.sym_size.int, (node, k))
                self._track_number(size, asked)

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


class Level:
    """A graph while it is written: that of a program, or of a function that an operator is given."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.nodes: dict[int, tuple[Node, Any]] = {}
        # Of symbolic numbers, by their places in the trace of symbols; of others by identity.
        self.numbers: dict[Any, tuple[Node, Any]] = {}
        # What is taken from around.
        self.lifted: list[Any] = []
        self.modules: dict[str, GraphModule] = {}
        self._last: Node | None = None

    def known(self, value: Any) -> Node | None:
        """The node of a value, if it has one."""
        is_number = isinstance(value, SYMBOLIC)
        found = self.numbers.get(_key(value)) if is_number else self.nodes.get(id(value))
        return None if found is None or found[0]._erased else found[0]

    def input(self, name: str) -> Node:
        """A new input, behind those that there are."""
        first = next(iter(self.graph.nodes), None)
        place = self.graph.inserting_before(first) if self._last is None else (
            self.graph.inserting_after(self._last)
        )  # fmt: skip
        with place:
            self._last = self.graph.placeholder(name)
        return self._last

    def give(self, value: Any, name: str) -> Node:
        """An input for a value."""
        node = self.input(name)
        node.meta["example_value"] = value
        if isinstance(value, SYMBOLIC):
            self.numbers[_key(value)] = node, value
        else:
            self.nodes[id(value)] = node, value
        return node

    def lift(self, value: Any, outer: Node) -> Node:
        """An input for a value from around."""
        self.lifted.append(value)
        return self.give(value, outer.name)

    def order(self, captured: list[Any]) -> None:
        """Let what is taken from around be these values in their order."""
        for place, value in enumerate(captured):
            node = self.known(value) if any(v is value for v in self.lifted) else None
            if node is None:
                self.give(value, f"lifted_{place}")
                continue
            assert self._last is not None
            if node is not self._last:
                self._last.append(node)
            self._last = node

    def forget(self, value: Any) -> None:
        """Let a value have no node."""
        self.nodes.pop(id(value), None)


class _Places:
    """Nodes for arguments: functions in turn are the nodes of their graphs."""

    def __init__(
        self, functions: list[Any], graphs: list[Node], otherwise: Callable[[Any], Any]
    ) -> None:
        self._functions, self._graphs, self._otherwise = functions, iter(graphs), otherwise

    def __call__(self, value: Any) -> Any:
        if any(value is function for function in self._functions):
            return next(self._graphs)
        return self._otherwise(value)


def _key(number: Any) -> Any:
    return number.place if type(number) is SymInt else id(number)


def _attribute_of(getter: Any) -> str:
    """The name of the attribute that a descriptor's ``__get__`` reads."""
    for name in dir(Tensor):
        if inspect.getattr_static(Tensor, name) is getter.__self__:
            return name
    raise Break("an attribute without a name is read")

"""What was recorded since the last cut: inputs and calls of operators, in the program's order.

A value is a number. It stands for a tensor over a block, and is found by the block and the tensor's geometry; so it
needs no object of the program, and two tensors that show the same elements are one value. Calls may write to values and give
views of them: that is removed when the trace becomes a graph.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import rushlight
from rushlight._lazy.memory import Block, Geometry, block_of, geometry_of
from rushlight._lazy.sizes import OpenSizes, may_be_sizes, numbers_in, with_numbers
from rushlight._subclasses.functional_tensor import dispatch_functionalize
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.native.records import dataclass
from rushlight.fx.experimental.proxy_tensor import make_fx
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node


class NotRecordable(Exception):
    """A call that has to be made at once; the text says why."""


# By how much numbers that vary are smaller, times their place, in two graphs that are compared.
_STEPS = (1e-9, 3e-9)


@dataclass(frozen=True, slots=True)
class Ref:
    """A value, in the place of a tensor."""

    number: int


class Input(NamedTuple):
    """A block that was there before the trace began, as a tensor that shows all of it."""

    number: int
    geometry: Geometry


class Call(NamedTuple):
    """A call of an operator.

    Args:
        op: the operator
        args: its arguments, with `Ref` in the places of tensors
        results: the numbers of its results, one after the other; None for what is a value already
    """

    op: Operator
    args: tuple[Any, ...]
    results: tuple[int | None, ...]


class Trace:
    """Inputs and calls."""

    def __init__(self) -> None:
        self.steps: list[Input | Call] = []
        # What identifies them, but for fractions among arguments and for sizes, which may vary.
        self.keys: list[Any] = []
        self.fractions: list[float] = []
        # Sizes, strides and offsets of inputs, and numbers of calls that may be made of sizes; where each input's begin.
        self.numbers: list[int] = []
        self.input_places: list[int] = []
        self.inputs: list[Block] = []
        # All blocks that are used.
        self.blocks: list[Block] = []
        self.count = 0
        # Whether random numbers are drawn.
        self.draws = False

    # -- values --

    def fresh(self) -> int:
        """The number of a new value."""
        self.count += 1
        return self.count - 1

    def ref(self, tensor: Tensor) -> Ref:
        """The value that a tensor is."""
        block, geometry = block_of(tensor), geometry_of(tensor)
        found = block.values.get(geometry)
        if found is None:
            found = self._begin(block, geometry)
        return Ref(found)

    def _begin(self, block: Block, geometry: Geometry) -> int:
        """The number of a view that no call of the trace has made."""
        base = block.whole(geometry)
        if base is None or geometry.dtype is not base.dtype or geometry.reading:
            raise NotRecordable("a view of another element type, made before the last cut")
        if not block.values:
            number = block.values[base] = self.fresh()
            self.inputs.append(block)
            self.blocks.append(block)
            self.steps.append(Input(number, base))
            self.keys.append((Input, len(base.size), base.dtype, base.reading))
            self.input_places.append(len(self.numbers))
            self.numbers += [*base.size, *base.stride, base.offset]
        if geometry not in block.values:
            if base not in block.values:
                raise NotRecordable("a view of memory that is shown in parts only")
            view = rushlight.ops.aten.as_strided.default
            size, stride, offset = geometry[:3]
            args = Ref(block.values[base]), list(size), list(stride), offset
            self.add(view, args, [(block, geometry)])
        return block.values[geometry]

    def add(
        self, op: Operator, args: tuple[Any, ...], results: Sequence[tuple[Block, Geometry] | None]
    ) -> None:
        """Record a call.

        Args:
            op: the operator
            args: its arguments, with `Ref` in the places of tensors
            results: where each result is; None for what is none
        """
        numbers = []
        for result in results:
            number = None
            if result is not None and result[1] not in result[0].values:
                block, geometry = result
                if not block.values:
                    self.blocks.append(block)
                    block.is_written = True
                    block.whole(geometry)
                number = block.values[geometry] = self.fresh()
            numbers.append(number)
        call = Call(op, args, tuple(numbers))
        self.steps.append(call)
        key = []
        for value, is_open in zip(args, may_be_sizes(op)):
            if is_open:
                self.numbers += numbers_in(value)
            key.append(frozen(value, self.fractions, is_open))
        self.keys.append((op, tuple(key), call.results))

    # -- what is wanted of it --

    def wanted(self) -> list[Block]:
        """The blocks that somebody still has and that the trace makes or changes."""
        return [block for block in self.blocks if block.is_alive and block.is_written]

    def bases(self, wanted: Sequence[Block]) -> list[int]:
        """The values that show all of some blocks."""
        return [block.values[block.base] for block in wanted]  # type: ignore[index]

    def key(self, outputs: Sequence[int]) -> Any:
        """What compiled graphs are found by, with `fractions` and `numbers`."""
        return tuple(self.keys), tuple(outputs)

    def program(
        self,
        outputs: Sequence[int],
        fractions: Sequence[float] | None = None,
        sizes: OpenSizes | None = None,
    ) -> Callable[..., list[Tensor]]:
        """The trace as a function of its inputs, which writes to them where the program did.

        Args:
            outputs: the values that the function gives
            fractions: in the places of those among the arguments
            sizes: symbols in the places of numbers
        """
        steps = list(self.steps)
        given_fractions = list(self.fractions if fractions is None else fractions)
        numbers = list(self.numbers if sizes is None else sizes.numbers)

        def run(*inputs: Tensor) -> list[Tensor]:
            given, fraction, number_of = iter(inputs), iter(given_fractions), iter(numbers)
            values: dict[int, Any] = {}
            for step in steps:
                if isinstance(step, Input):
                    values[step.number] = next(given)
                    # Its sizes, strides and offset.
                    next(itertools.islice(number_of, 2 * len(step.geometry.size), None))
                    continue
                args = (
                    with_numbers(x, number_of) if is_open else x
                    for x, is_open in zip(step.args, may_be_sizes(step.op))
                )
                made = step.op.call(*(_filled(x, values, fraction) for x in args))
                for number, item in zip(step.results, flat(made)):
                    if number is not None:
                        values[number] = item
            return [values[number] for number in outputs]

        return run

    def graph(
        self,
        outputs: Sequence[int],
        inputs: Sequence[Tensor],
        varying: Sequence[int] = (),
        sizes: OpenSizes | None = None,
    ) -> GraphModule:
        """The trace as a graph without writes, from inputs to the last values of outputs.

        Args:
            outputs: the values that the graph gives
            inputs: tensors like those that it takes
            varying: which fractions are inputs, too, behind the tensors; `NotRecordable` if that cannot be
            sizes: numbers with symbols among them, which are inputs before the tensors
        """
        symbols: list[Any] = [] if sizes is None else sizes.symbols
        examples = list(inputs if sizes is None else sizes.fakes)
        steps = _STEPS if varying else _STEPS[:1]
        given = [list(self.fractions) for _ in steps]
        for numbers, step in zip(given, steps):
            for place in varying:
                numbers[place] = _slightly_smaller(numbers[place], place, step)
        graphs: list[GraphModule] = []
        for numbers in given:
            pure = dispatch_functionalize(self.program(outputs, numbers, sizes))
            mode = "fake" if sizes is None else "symbolic"
            graphs.append(
                make_fx(_behind(pure, len(symbols)), tracing_mode=mode)(*symbols, *examples)
            )
            graphs[-1].graph.eliminate_dead_code()
        if varying:
            one, other = given
            places = {(repr(one[p]), repr(other[p])): k for k, p in enumerate(varying)}
            _take_as_inputs(graphs[0], graphs[1], places)
        graphs[0].recompile()
        return graphs[0]

    def close(self) -> None:
        """Let blocks forget what they were."""
        for block in self.blocks:
            block.values, block.is_written = {}, False


def _behind(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """A function that is not given its first arguments."""
    return lambda *args: function(*args[count:])


def flat(result: Any) -> list[Any]:
    """The results of a call, one after the other."""
    if isinstance(result, (tuple, list)):
        return [item for part in result for item in flat(part)]
    return [result]


def frozen(value: Any, fractions: list[float], is_open: bool = False) -> Any:
    """An argument as part of a key; fractions are added to a list.

    Args:
        value: the argument
        fractions: the list
        is_open: whether whole numbers in it do not count
    """
    if isinstance(value, (tuple, list)):
        return tuple(frozen(item, fractions, is_open) for item in value)
    if type(value) is int and is_open:
        return int
    if type(value) is float:
        fractions.append(value)
        return float
    if isinstance(value, (int, float, complex)):
        # 1 is not True.
        return type(value), repr(value)
    return value


def _filled(value: Any, values: dict[int, Any], fractions: Iterator[float]) -> Any:
    """An argument with tensors in the places of values."""
    if isinstance(value, Ref):
        return values[value.number]
    if type(value) in (tuple, list):
        return type(value)(_filled(item, values, fractions) for item in value)
    return next(fractions) if type(value) is float else value


def _slightly_smaller(x: float, place: int, step: float) -> float:
    """A fraction that no other place of a trace has."""
    return x * (1 - (place + 1) * step)


def _take_as_inputs(one: GraphModule, other: GraphModule, numbers: dict[Any, int]) -> None:
    """Let numbers be inputs of a graph, behind its tensors.

    Args:
        one: the graph, which is changed
        other: the same with other numbers: what differs is what depends on them
        numbers: by texts of the two numbers that stand for it in the graphs, which input each is
    """
    graph = one.graph
    pairs = list(zip(graph.nodes, other.graph.nodes))
    first = next(node for node in graph.nodes if node.op != "placeholder")
    with graph.inserting_before(first):
        inputs = [graph.placeholder(f"number_{k}") for k in range(len(numbers))]
    if len(other.graph.nodes) != len(pairs):
        raise NotRecordable("a graph depends on what a number is")

    def merged(x: Any, y: Any) -> Any:
        if isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)) and len(x) == len(y):
            return type(x)(map(merged, x, y))
        is_same_node = isinstance(x, Node) and isinstance(y, Node) and x.name == y.name
        if is_same_node or repr(x) == repr(y):
            return x
        place = numbers.get((repr(x), repr(y)))
        if place is None:
            raise NotRecordable("a graph depends on what a number is")
        inputs[place].meta["val"] = x
        return inputs[place]

    for node, like in pairs:
        if node.target != like.target or node.kwargs.keys() != like.kwargs.keys():
            raise NotRecordable("a graph depends on what a number is")
        node.args = tuple(map(merged, node.args, like.args))
        node.kwargs = {name: merged(node.kwargs[name], like.kwargs[name]) for name in node.kwargs}
    if any("val" not in node.meta for node in inputs):
        raise NotRecordable("a number that varies is 0, or has no effect")

"""What was recorded since the last cut: inputs and calls of operators, in the program's order.

A value is a number. It stands for a tensor over a block, and is found by the block and the tensor's geometry; so it
needs no object of the program, and two tensors that show the same elements are one value. Calls may write to values and give
views of them: that is removed when the trace becomes a graph.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import rushlight
from rushlight._lazy.memory import Block, Geometry, block_of, geometry_of
from rushlight._subclasses.functional_tensor import dispatch_functionalize
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.fx.experimental.proxy_tensor import make_fx
from rushlight.fx.graph_module import GraphModule


class NotRecordable(Exception):
    """A call that has to be made at once; the text says why."""


@dataclasses.dataclass(frozen=True, slots=True)
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
        # What identifies them: texts of numbers, for 0.0 is not -0.0 and 1 is not True.
        self.keys: list[Any] = []
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
            self.keys.append(base)
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
        self.keys.append((op, frozen(args), call.results))

    # -- what is wanted of it --

    def wanted(self) -> list[Block]:
        """The blocks that somebody still has and that the trace makes or changes."""
        return [block for block in self.blocks if block.is_alive and block.is_written]

    def bases(self, wanted: Sequence[Block]) -> list[int]:
        """The values that show all of some blocks."""
        return [block.values[block.base] for block in wanted]  # type: ignore[index]

    def key(self, outputs: Sequence[int]) -> Any:
        """What the compiled graph is found by."""
        return tuple(self.keys), tuple(outputs)

    def program(self, outputs: Sequence[int]) -> Callable[..., list[Tensor]]:
        """The trace as a function of its inputs, which writes to them where the program did."""
        steps = list(self.steps)

        def run(*inputs: Tensor) -> list[Tensor]:
            given = iter(inputs)
            values: dict[int, Any] = {}
            for step in steps:
                if isinstance(step, Input):
                    values[step.number] = next(given)
                    continue
                made = step.op.call(*_filled(step.args, values))
                for number, item in zip(step.results, flat(made)):
                    if number is not None:
                        values[number] = item
            return [values[number] for number in outputs]

        return run

    def graph(self, outputs: Sequence[int], inputs: Sequence[Tensor]) -> GraphModule:
        """The trace as a graph without writes, from inputs to the last values of outputs."""
        pure = dispatch_functionalize(self.program(outputs))
        graph = make_fx(pure, tracing_mode="fake")(*inputs)
        graph.graph.eliminate_dead_code()
        graph.recompile()
        return graph  # type: ignore[no-any-return]

    def close(self) -> None:
        """Let blocks forget what they were."""
        for block in self.blocks:
            block.values, block.is_written = {}, False


def flat(result: Any) -> list[Any]:
    """The results of a call, one after the other."""
    if isinstance(result, (tuple, list)):
        return [item for part in result for item in flat(part)]
    return [result]


def frozen(value: Any) -> Any:
    """An argument as part of a key."""
    if isinstance(value, (tuple, list)):
        return tuple(map(frozen, value))
    if isinstance(value, (int, float, complex)):
        return type(value), repr(value)
    return value


def _filled(value: Any, values: dict[int, Any]) -> Any:
    """An argument with tensors in the places of values."""
    if isinstance(value, Ref):
        return values[value.number]
    if type(value) in (tuple, list):
        return type(value)(_filled(item, values) for item in value)
    return value

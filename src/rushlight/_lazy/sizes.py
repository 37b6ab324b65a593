"""Sizes that vary: which numbers of a trace are symbols of its graph, and what has to hold of them.

The numbers of a trace are the sizes, strides and offsets of its inputs, and the whole numbers among the arguments of its calls that may be
made of sizes. A number that has varied is a symbol; equal ones are one symbol. What the operators assume of symbols
are guards, and a graph is that of all traces whose numbers pass them.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rushlight._dynamo.source import ConstantSource
from rushlight._subclasses.fake_tensor import FakeTensorMode
from rushlight.engine.core.symbolic import SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.fx.experimental.sym_node import Expression
from rushlight.fx.experimental.symbolic_shapes import (
    DimDynamic,
    ShapeEnv,
    StatelessSymbolicContext,
)


@functools.cache
def may_be_sizes(op: Operator) -> tuple[bool, ...]:
    """For each argument of an operator, whether whole numbers in it may be made of sizes.

    Those that schemas call `SymInt` may, and so may factors, ends of sequences and other numbers (`x / len(x)`).
    """
    return tuple(a.type.leaf in ("SymInt", "Scalar") for a in op.schema.arguments)


def numbers_in(value: Any) -> Iterator[int]:
    """The whole numbers in an argument, in order."""
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from numbers_in(item)
    elif type(value) is int:
        yield value


def with_numbers(value: Any, numbers: Iterator[Any]) -> Any:
    """An argument with others in the places of its whole numbers."""
    if isinstance(value, (tuple, list)):
        kind = list if isinstance(value, list) else tuple
        return kind(with_numbers(item, numbers) for item in value)
    return next(numbers) if type(value) is int else value


class OpenSizes:
    """The numbers of a trace, with symbols for those that vary.

    Args:
        numbers: what they are now
        varying: which of them vary
        inputs: tensors like the trace's inputs
        places: where the numbers of each input begin
    """

    def __init__(
        self, numbers: Sequence[int], varying: Iterable[int], inputs: Sequence[Tensor],
        places: Sequence[int],
    ) -> None:  # fmt: skip
        self.env = ShapeEnv()
        self._mode = FakeTensorMode(shape_env=self.env)
        self.varying = sorted(varying)
        self.numbers: list[Any] = list(numbers)
        # Inputs first: an equal number among arguments is a size of theirs.
        self.fakes = [self._fake(x, k, first) for k, (x, first) in enumerate(zip(inputs, places))]
        for place in self.varying:
            if type(self.numbers[place]) is int:
                self.numbers[place] = self._symbol(place)
        self._open = [k for k, x in enumerate(self.numbers) if type(x) is SymInt]
        self._closed = [k for k, x in enumerate(self.numbers) if type(x) is not SymInt]
        # The place of each symbol where it first comes.
        found: dict[str, int] = {}
        for k in self._open:
            if Expression(self.numbers[k]).is_symbol:
                found.setdefault(str(self.numbers[k]), k)
        self.places = list(found.values())
        self._known = [numbers[k] for k in self._closed]
        self._guards: Any = None

    def _fake(self, x: Tensor, k: int, first: int) -> Tensor:
        """A fake of an input, whose sizes are symbols where they vary."""
        rank = len(x._size_)
        duck, static = DimDynamic.DUCK, DimDynamic.STATIC
        kinds = [duck if first + d in self.varying else static for d in range(rank)]
        context = StatelessSymbolicContext(dynamic_sizes=kinds)
        fake: Tensor = self._mode.from_tensor(
            x, source=ConstantSource(f"input_{k}"), symbolic_context=context
        )
        self.numbers[first : first + 2 * rank + 1] = [*fake._size_, *fake._stride_, fake._offset_]
        return fake

    def _symbol(self, place: int) -> Any:
        number = self.numbers[place]
        source = ConstantSource(f"number_{place}")
        symbol = self.env.create_symbol(number, source, DimDynamic.DUCK, positive=None)
        return self.env.create_symintnode(symbol, hint=number, source=source)

    @property
    def symbols(self) -> list[SymInt]:
        """The symbols, as graphs take them."""
        return [self.numbers[k] for k in self.places]

    def close(self) -> None:
        """Take up what was assumed of symbols when the trace became a graph."""
        text = self.env.produce_guards_expression(
            [self.numbers[k] for k in self._open], ignore_static=False
        )
        self._guards = None if text is None else compile(text, "<guards of a lazy graph>", "eval")

    def fit(self, numbers: Sequence[int]) -> bool:
        """Whether the graph is that of a trace with these numbers."""
        if any(numbers[k] != known for k, known in zip(self._closed, self._known)):
            return False
        if self._guards is None:
            return True
        given = [numbers[k] for k in self._open]
        return self.env.evaluate_guards_expression(self._guards, given)

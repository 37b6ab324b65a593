"""A call of an operator on distributed tensors, as rules see it, and what rules say.

A rule looks at one dimension of a mesh at a time. It says of an operator which placements of its tensors give which
placements of its results, with each device making the same call on its own parts: a `Strategy` for each way.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

from rushlight.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from rushlight.distributed.tensor.placement_types import Placement, Replicate
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.native.records import dataclass

REPLICATE = Replicate()


class Local(NamedTuple):
    """What a device knows of its part of a call: the mesh, and those dimensions of it that a strategy is for."""

    op: Operator
    mesh: Any
    mesh_dims: tuple[int, ...]
    inputs: tuple[DTensorSpec, ...]


class Strategy(NamedTuple):
    """Placements along one dimension of a mesh: of the results, and of the tensors of the call, in order.

    ``pieces`` is what the pieces must be for that: "even" if all have to be as long, "some" if none may be empty, else
    nothing. ``compute`` is what devices do, from their values, if it is not the operator itself.
    """

    outputs: tuple[Placement, ...]
    inputs: tuple[Placement, ...]
    pieces: str = ""
    compute: Callable[[Local, list[Any]], Any] | None = None


@dataclass
class Call:
    """A call in the order of its schema, with specifications in place of distributed tensors."""

    op: Operator
    values: tuple[Any, ...]
    # The results of a call on one device; None if elements decide about them.
    results: tuple[TensorMeta, ...] | None = None

    @cached_property
    def named(self) -> dict[str, Any]:
        """The values by the names of arguments."""
        return {a.name: v for a, v in zip(self.op.schema.arguments, self.values)}

    @cached_property
    def inputs(self) -> tuple[DTensorSpec, ...]:
        """The tensors of the call, those in lists among them."""
        return tuple(specs_in(self.values))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The arguments that the tensors of the call are, or are in."""
        pairs = zip(self.op.schema.arguments, self.values)
        return tuple(a.name for a, v in pairs for _ in specs_in((v,)))

    @cached_property
    def name(self) -> str:
        """The operator's name without its overload, and without what says that it writes."""
        name = self.op.packet_name
        return name[:-1] if self.op.schema.is_inplace and name.endswith("_") else name

    @property
    def mesh(self) -> Any:
        return self.inputs[0].mesh

    def place(self, argument: str) -> int | None:
        """Which of the tensors of the call an argument is."""
        count = 0
        for a, value in zip(self.op.schema.arguments, self.values):
            if a.name == argument:
                return count if isinstance(value, DTensorSpec) else None
            count += sum(1 for _ in specs_in((value,)))
        return None


def specs_in(values: Iterable[Any]) -> Iterator[DTensorSpec]:
    """The specifications among values, and in lists of them."""
    for value in values:
        if isinstance(value, DTensorSpec):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from specs_in(value)


@cache
def _keywords(op: Operator) -> tuple[int, tuple[str, ...]]:
    """How many arguments are positional, and the names of the others: by these objects, calls are remembered."""
    schema = op.schema
    return len(schema.positional), tuple(sys.intern(a.name) for a in schema.keyword_only)


def invoked(op: Operator, values: Sequence[Any]) -> Any:
    """A call of an operator with a value for each argument of its schema."""
    count, names = _keywords(op)
    if not names:
        return op(*values)
    return op(*values[:count], **dict(zip(names, values[count:])))


# `rule(call) -> strategies`; None if it does not speak of such a call.
Rule = Callable[[Call], "Iterable[Strategy] | None"]

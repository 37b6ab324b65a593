"""Operators that work along dimensions which they are told: along all others, tensors may be cut.

Reductions may be cut along the dimensions that they reduce, too, where parts can be reduced first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rushlight.distributed.tensor._op_schema import REPLICATE, Call, Rule, Strategy
from rushlight.distributed.tensor.placement_types import Partial, Placement, Shard, _NormPartial
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.transforms import derived

# How the results for parts are put together, and what the parts must be for that.
_REDUCTIONS = {
    "sum": ("sum", ""), "nansum": ("sum", ""), "count_nonzero": ("sum", ""), "_normalised_sums": ("sum", ""),
    "mean": ("avg", "even"), "prod": ("product", ""), "all": ("min", ""), "any": ("max", ""),
    "amax": ("max", "some"), "amin": ("min", "some"), "max": ("max", "some"), "min": ("min", "some"),
}  # fmt: skip
# Linear in all their tensors together: what is still to be summed goes through.
_LINEAR = frozenset((
    "sum", "mean", "cat", "stack", "cumsum", "flip", "roll", "gather", "index_select", "index_add", "trace",
))  # fmt: skip
# Their dimensions are those that are not worked along; or they say what other tensors are.
_NOT = frozenset(("renorm", "_weighted_neighbours"))


def rule(op: Operator) -> Rule | None:
    if not op.schema.tensors or op.schema.out_arguments or op.packet_name in _NOT:
        return None
    if "nondeterministic_seeded" in map(str, op.declared_tags):
        return None
    of_whole = derived.with_dims(op) is not None or (
        op.packet_name in _REDUCTIONS and len(op.schema.tensors) == 1
    )
    if derived.dim_places(op) or of_whole:
        return strategies
    return None


def strategies(call: Call) -> Iterable[Strategy] | None:
    if not call.results or not call.inputs:
        return None
    return _Along(call).strategies()


class _Along:
    """A call, and the dimensions along which it works."""

    def __init__(self, call: Call) -> None:
        self.call = call
        assert call.results is not None
        self.results = call.results
        self.shape = tuple(call.inputs[0].shape)
        self.rank = len(self.shape)
        self.grown = len(self.results[0].shape) == self.rank + 1
        self.worked = self._worked()

    def _worked(self) -> frozenset[int]:
        """The dimensions that are named; all, if none is."""
        named: list[Any] = [self.call.values[k] for k in derived.dim_places(self.call.op)]
        rank = self.rank + self.grown
        if not named or any(value in (None, [], ()) for value in named):
            return frozenset(range(self.rank))
        found: set[int] = set()
        for value in named:
            for dim in value if isinstance(value, (list, tuple)) else (value,):
                found.add(wrap_dim(dim, rank) if rank else 0)
        return frozenset(found)

    def strategies(self) -> Iterator[Strategy]:
        kept = [d for d in range(self.rank + self.grown) if d not in self.worked]
        for out_of in kept:
            source = out_of if not self.grown else out_of - sum(w < out_of for w in self.worked)
            found = self._cut(source, out_of)
            if found is not None:
                yield found
        yield from self._reduced()
        yield from self._linear()

    def _cut(self, source: int, among: int) -> Strategy | None:
        """Cut along a dimension that is not worked along."""
        outputs = []
        for meta in self.results:
            rank = len(meta.shape)
            if rank == self.rank + self.grown:
                outputs.append(Shard(among))
            elif rank == self.rank - len(self.worked):
                outputs.append(Shard(among - sum(w < among for w in self.worked)))
            else:
                return None
            if meta.shape[outputs[-1].dim] != self.shape[source]:
                return None
        inputs: list[Placement] = []
        for name, spec in zip(self.call.names, self.call.inputs):
            # What lacks the dimensions that are worked along has the others; but for rows that are numbered.
            lacks = spec.ndim == self.rank - len(self.worked) and name not in ("index", "indices")
            if spec.ndim != self.rank and lacks:
                own = source - sum(w < source for w in self.worked)
                if spec.shape[own] != self.shape[source]:
                    return None
                inputs.append(Shard(own))
            elif spec.ndim != self.rank:
                inputs.append(REPLICATE)
            elif spec.shape[source] == self.shape[source]:
                inputs.append(Shard(source))
            elif spec.shape[source] == 1:
                inputs.append(REPLICATE)
            else:
                return None
        return Strategy(tuple(outputs), tuple(inputs))

    def _reduced(self) -> Iterator[Strategy]:
        """Cut along a dimension that is reduced."""
        call, count = self.call, len(self.results)
        how: Partial
        if call.name == "linalg_vector_norm":
            order = float(call.named["ord"])
            how, pieces = _NormPartial("sum", order), "some" if order == float("-inf") else ""
        elif call.name in _REDUCTIONS and (count == 1 or call.name == "_normalised_sums"):
            name, pieces = _REDUCTIONS[call.name]
            how = Partial(name)
        else:
            return
        if len(call.inputs) > 1 and call.name != "_normalised_sums":
            return
        for dim in sorted(self.worked):
            if dim < self.rank:
                inputs = tuple(
                    Shard(dim)
                    if s.ndim == self.rank and s.shape[dim] == self.shape[dim]
                    else REPLICATE
                    for s in call.inputs
                )
                yield Strategy((how,) * count, inputs, pieces)

    def _linear(self) -> Iterator[Strategy]:
        """What is still to be summed stays so."""
        if self.call.name in ("gather", "index_select"):
            places = {0}
        elif self.call.name in _LINEAR:
            places = {k for k, s in enumerate(self.call.inputs) if s.dtype.is_floating_point}
        else:
            return
        for name in ("sum", "avg"):
            inputs = tuple(
                Partial(name) if k in places else REPLICATE for k in range(len(self.call.inputs))
            )
            yield Strategy((Partial(name),) * len(self.results), inputs)

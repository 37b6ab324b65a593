"""New tensors made like another one: they lie as it does, where they are as long."""

from __future__ import annotations

from collections.abc import Iterator

from rushlight.distributed.tensor._op_schema import REPLICATE, Call, Rule, Strategy
from rushlight.distributed.tensor.placement_types import Partial, Shard
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.transforms import derived

# All of their elements are zero: so are sums of them.
_ZEROS = frozenset(("zeros_like", "new_zeros"))


def rule(op: Operator) -> Rule | None:
    return strategies if derived.is_made_like(op) and op.packet_name != "_to_copy" else None


def strategies(call: Call) -> Iterator[Strategy] | None:
    return None if call.results is None else _strategies(call)


def _strategies(call: Call) -> Iterator[Strategy]:
    assert call.results is not None
    (source,) = call.inputs
    shape = call.results[0].shape
    lead = len(shape) - source.ndim
    for dim in range(source.ndim):
        own = dim + lead
        if own >= 0 and shape[own] == source.shape[dim]:
            yield Strategy((Shard(own),), (Shard(dim),))
    # What is in the tensor does not matter.
    for how in {p for p in source.placements if isinstance(p, Partial)}:
        zeros = call.op.packet_name in _ZEROS and how.reduce_op in ("sum", "avg")
        yield Strategy((how if zeros else REPLICATE,), (how,))
    for dim in range(source.ndim):
        yield Strategy((REPLICATE,), (Shard(dim),))

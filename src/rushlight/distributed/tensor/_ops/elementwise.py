"""Operators whose elements depend on those at their place: all operands are cut alike.

What is still to be reduced goes through where the operator is linear: sums of sums are sums.
"""

from __future__ import annotations

from collections.abc import Iterator

from rushlight.distributed.tensor._op_schema import REPLICATE, Call, Rule, Strategy
from rushlight.distributed.tensor.placement_types import Partial, Placement, Shard
from rushlight.engine.dispatch.operator import Operator

# Element by element, though their kernels do not say so.
_ALSO = frozenset((
    "_to_copy", "alias", "clone", "copy", "detach", "fill", "lift_fresh", "masked_fill", "native_dropout_backward",
    "zero",
))  # fmt: skip
# The elements as they are: these give what is still to be reduced, by whatever operation.
COPIES = frozenset(("alias", "clone", "copy", "detach", "lift_fresh"))
# Linear in their only tensor, in all tensors together, in each of them, in the first one.
_OF_ONE = frozenset(("neg", "negative", "_to_copy", "positive", "real", "imag"))
_OF_ALL = frozenset(("add", "sub", "rsub"))
_OF_EACH = frozenset(("mul", "multiply"))
_OF_FIRST = frozenset(("div", "divide", "true_divide"))


def rule(op: Operator) -> Rule | None:
    name = op.packet_name
    if op.schema.is_inplace and name.endswith("_"):
        name = name[:-1]
    tags = tuple(map(str, op.declared_tags))
    if "nondeterministic_seeded" in tags or "data_dependent_output" in tags:
        return None
    if op.is_elementwise or "pointwise" in tags or name in _ALSO:
        return strategies
    return None


def strategies(call: Call) -> Iterator[Strategy] | None:
    if call.results is None or not call.results:
        return None
    return _strategies(call)


def _strategies(call: Call) -> Iterator[Strategy]:
    assert call.results is not None
    count, rank = len(call.results), len(call.results[0].shape)
    shape = call.results[0].shape
    for dim in range(rank):
        inputs = tuple(aligned(spec.shape, shape, dim) for spec in call.inputs)
        yield Strategy((Shard(dim),) * count, inputs)
    if count == 1:
        yield from _partial(call)


def aligned(operand: tuple[int, ...], shape: tuple[int, ...], dim: int) -> Placement:
    """How an operand is cut where the result is cut along a dimension: not at all where it is repeated."""
    own = dim - (len(shape) - len(operand))
    if own < 0 or operand[own] != shape[dim]:
        return REPLICATE
    return Shard(own)


def _partial(call: Call) -> Iterator[Strategy]:
    """Strategies for what is still to be reduced."""
    given = {p for spec in call.inputs for p in spec.placements if isinstance(p, Partial)}
    name, count = call.name, len(call.inputs)
    for how in given:
        linear = how.reduce_op in ("sum", "avg") and type(how) is Partial
        if name in COPIES:
            yield Strategy((how,), (how,) * count)
        elif not linear:
            continue
        elif (name in _OF_ONE and count == 1) or (name in _OF_ALL and count > 1):
            yield Strategy((how,), (how,) * count)
        elif name in _OF_EACH:
            for place in range(count):
                yield Strategy((how,), _only(place, how, count))
        elif name in _OF_FIRST and call.place("self") == 0 and not call.named.get("rounding_mode"):
            yield Strategy((how,), _only(0, how, count))


def _only(place: int, how: Partial, count: int) -> tuple[Placement, ...]:
    return tuple(how if k == place else REPLICATE for k in range(count))

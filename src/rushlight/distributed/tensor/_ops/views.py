"""Views: where each dimension of the result comes from is read off its strides.

A view is made of a tensor whose strides are all different, without elements. A dimension of the result with the stride and
the length of one of the tensor is that dimension. One with its stride that is longer begins with... is several joined, whose
first may be cut; one that is the first of several parts may be cut, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import rushlight as torch
from rushlight.distributed.tensor._op_schema import (
    Call,
    Rule,
    Strategy,
    invoked,
    specs_in,
)
from rushlight.distributed.tensor.placement_types import Partial, Shard
from rushlight.engine.dispatch.operator import Operator

# Views, or copies where there can be no view.
_ALSO = frozenset(
    ("_unsafe_view", "reshape", "_reshape_alias", "_reshape_copy", "view_copy", "unfold")
)
# Elements, or other strides, as they lie in memory.
_NOT = frozenset(
    ("as_strided", "diagonal", "view_as_real", "view_as_complex", "_conj", "_neg_view", "unfold")
)


def rule(op: Operator) -> Rule | None:
    if op.schema.out_arguments or op.packet_name in _NOT or len(op.schema.tensors) != 1:
        return None
    if op.packet_name in ("detach", "alias") or any(a.name == "dtype" for a in op.schema.arguments):
        return None
    return strategies if op.schema.is_view or op.packet_name in _ALSO else None


def strategies(call: Call) -> Iterable[Strategy] | None:
    if not call.results:
        return None
    ways = origins(call)
    return None if ways is None else _strategies(call, ways)


def _strategies(call: Call, ways: list[dict[int, tuple[int, int]]]) -> Iterator[Strategy]:
    assert call.results is not None
    (source,) = call.inputs
    for dim in range(source.ndim):
        found = [way.get(dim) for way in ways]
        if any(item is None for item in found):
            continue
        outputs = tuple(Shard(item[0]) for item in found if item is not None)
        # Where dimensions are joined or parted, pieces fit only if all are as long; and whole rows of each.
        alike = all(item is not None and item[1] for item in found)
        yield Strategy(outputs, (Shard(dim),), "" if alike else "even")
    for how in {p for p in source.placements if isinstance(p, Partial)}:
        yield Strategy((how,) * len(call.results), (how,))


def origins(call: Call) -> list[dict[int, tuple[int, int]]] | None:
    """For each result: dimensions of the tensor, with the one of the result that begins with it, and whether it is the same."""
    (source,) = call.inputs
    shape = tuple(source.shape)
    if 0 in shape:
        return None
    probe = torch.empty(shape, device="meta")
    values = [probe if next(specs_in((v,)), None) is not None else v for v in call.values]
    made = invoked(call.op, values)
    results = made if isinstance(made, (list, tuple)) else [made]
    return [_origins(shape, probe.stride(), tuple(r.shape), r.stride()) for r in results]


def _origins(
    shape: Sequence[int], strides: Sequence[int], view: Sequence[int], view_strides: Sequence[int]
) -> dict[int, tuple[int, int]]:
    """Dimensions with more than one element only: others have nothing to cut."""
    found: dict[int, tuple[int, int]] = {}
    for dim, (length, stride) in enumerate(zip(shape, strides)):
        if length == 1:
            continue
        extent = length * stride
        for own, (size, step) in enumerate(zip(view, view_strides)):
            if size == 1 or step == 0 or size * step != extent:
                continue
            if step == stride:
                found[dim] = (own, 1)
            elif (step > stride and step % stride == 0) or (step < stride and stride % step == 0):
                # The first of the parts of a dimension; or it is the first of several that are joined.
                found[dim] = (own, 0)
    return found

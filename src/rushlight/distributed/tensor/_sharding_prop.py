"""Which placements a call is made with: of the strategies of its operator the one that moves the fewest bytes.

Each dimension of the mesh is decided by itself. A strategy is considered only if a tensor of the call lies like that
already: nothing is cut that was not cut before. What was decided is remembered for calls with the same specifications.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import rushlight as torch
from rushlight.distributed.tensor import _ops
from rushlight.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta, meta_of
from rushlight.distributed.tensor._op_schema import (
    REPLICATE,
    Call,
    Local,
    Strategy,
    invoked,
    specs_in,
)
from rushlight.distributed.tensor._ops import elementwise
from rushlight.distributed.tensor._utils import compute_local_shape
from rushlight.distributed.tensor.placement_types import (
    Partial,
    Placement,
    Replicate,
    Shard,
    _StridedShard,
)
from rushlight.engine.core import keys
from rushlight.engine.dispatch.boxing import box, tensors_in
from rushlight.engine.native.records import dataclass

_LIMIT = 1 << 14
NUMBERS = frozenset((bool, int, float, complex))
# What an argument is called that says how large the result is.
_SIZES = frozenset(("size", "shape"))


@dataclass
class Decision:
    """How a call is made on parts.

    Args:
        inputs: what its tensors are brought to
        outputs: how its results lie
        changed: arguments that are others for the parts, by their place
        shapes: of the results, for views: in parts of length 1 they could be others
        compute: what devices do instead of the operator
    """

    inputs: tuple[DTensorSpec, ...]
    outputs: tuple[DTensorSpec, ...]
    changed: dict[int, Any]
    shapes: tuple[tuple[int, ...], ...] | None = None
    compute: Callable[[list[Any]], Any] | None = None


class Ready(NamedTuple):
    """A call that has been decided about, as the dispatcher finds it again.

    Args:
        decision: how it is made
        is_direct: whether devices make the same call on the parts that they have
        is_plain: whether the parts are tensors of a device, and nothing else
        by_position: how many arguments that call is given by position; others have their defaults
        by_name: those that it is given by name, with their places
        is_inplace: whether the result is the first argument
        is_aliasing: whether the first argument's memory is written, or shared with the result
        mesh: the devices, kept as keys have the address
    """

    decision: Decision
    is_direct: bool
    is_plain: bool
    by_position: int
    by_name: tuple[tuple[str, int], ...]
    is_inplace: bool
    is_aliasing: bool
    mesh: Any


class ShardingPropagator:
    """Decides about calls, and remembers."""

    def __init__(self) -> None:
        self.known: dict[Any, Decision | None] = {}
        # By the calls' own arguments.
        self.ready: dict[Any, Ready] = {}

    def decide(self, call: Call) -> Decision | None:
        """How a call is made on parts; None if each device has to make all of it."""
        # Meshes of equal ranks are equal, also those of groups that have ended.
        key = (call.op, tuple(call.mesh.get_all_groups()), *map(_frozen, call.values))
        try:
            return self.known[key]
        except KeyError:
            pass
        found = self._decided(call)
        if len(self.known) > _LIMIT:
            self.known.clear()
        self.known[key] = found
        return found

    def keep(self, key: Any, call: Call, values: Sequence[Any], decision: Decision) -> None:
        """Let the dispatcher find a decision by its own key of a call."""
        schema = call.op.schema
        args, kwargs = box(schema, values)
        places = {argument.name: place for place, argument in enumerate(schema.arguments)}
        is_plain = not any(t._local_tensor._keys_ & ~keys.BACKENDS for t in tensors_in(values))  # type: ignore[attr-defined]
        moves = any(a.placements != b.placements for a, b in zip(call.inputs, decision.inputs))
        is_direct = not (moves or decision.changed or decision.compute or schema.kind == "mutable")
        aliases = bool(schema.is_view or schema.mutated)
        if len(self.ready) > _LIMIT:
            self.ready.clear()
        self.ready[key] = Ready(
            decision, is_direct, is_plain, len(args), tuple((name, places[name]) for name in kwargs),
            schema.is_inplace, aliases, call.mesh,
        )  # fmt: skip

    def forget(self) -> None:
        """Decide anew: there are other rules."""
        self.known.clear()
        self.ready.clear()

    def _decided(self, call: Call) -> Decision | None:
        rule = _ops.rule(call.op)
        if rule is None:
            return None
        call.results = results_of(call)
        if call.results is None:
            return None
        if rule is elementwise.strategies and _lie_alike(call):
            placements = call.inputs[0].placements
            return _decision(
                call, [placements] * len(call.inputs), [placements] * len(call.results)
            )
        found = rule(call)
        if found is None:
            return None
        return _chosen(call, list(found))


def _lie_alike(call: Call) -> bool:
    """Whether all tensors have the size of the result, and lie in the same way, with nothing to be reduced."""
    first = call.inputs[0]
    return all(
        spec.placements == first.placements and spec.shape == call.results[0].shape  # type: ignore[index]
        for spec in call.inputs
    ) and not any(isinstance(p, Partial) for p in first.placements)


def _frozen(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(map(_frozen, value))
    return (type(value), value) if type(value) in NUMBERS else value


def results_of(call: Call) -> tuple[TensorMeta, ...] | None:
    """What the results of a call look like; None if elements decide that."""
    from rushlight._subclasses import fake_tensor as fake

    undecided = (
        fake.UnsupportedFakeTensorException,
        fake.DynamicOutputShapeException,
        fake.DataDependentOutputException,
    )

    if call.op.schema.is_inplace:
        return (call.inputs[0].meta,)
    with fake.FakeTensorMode(), torch.no_grad():
        values = [_without_elements(v, call.mesh.device_type) for v in call.values]
        try:
            made = invoked(call.op, values)
        except undecided:
            return None
    results = made if isinstance(made, (list, tuple)) else [made]
    if not all(isinstance(r, torch.Tensor) for r in results):
        return None
    return tuple(map(meta_of, results))


def _without_elements(value: Any, device: str) -> Any:
    if isinstance(value, DTensorSpec):
        return torch.empty_strided(value.shape, value.stride, dtype=value.dtype, device=device)
    if isinstance(value, (list, tuple)):
        return [_without_elements(item, device) for item in value]
    return value


# -- the choice --


def _chosen(call: Call, strategies: list[Strategy]) -> Decision | None:
    assert call.results is not None
    mesh, count = call.mesh, len(call.inputs)
    whole = Strategy((REPLICATE,) * len(call.results), (REPLICATE,) * count)
    inputs: list[list[Placement]] = [[] for _ in range(count)]
    outputs: list[list[Placement]] = [[] for _ in call.results]
    compute, computed = None, []
    for i in range(mesh.ndim):
        now = [spec.placements[i] for spec in call.inputs]
        best, least = None, math.inf
        for strategy in [whole, *strategies]:
            if not _is_possible(call, strategy, now, i, inputs):
                continue
            if strategy.compute and compute and strategy.compute is not compute:
                continue
            cost = sum(
                _cost(spec, source, target)
                for spec, source, target in zip(call.inputs, now, strategy.inputs)
            )
            if cost < least:
                best, least = strategy, cost
        if best is None:
            return None
        if best.compute:
            compute = best.compute
            computed.append(i)
        for have, placement in zip([*inputs, *outputs], [*best.inputs, *best.outputs]):
            have.append(placement)
    found = _decision(call, inputs, outputs)
    if compute is not None:
        _compute_with(found, call, compute, tuple(computed))
    return found


def _compute_with(
    found: Decision,
    call: Call,
    compute: Callable[[Local, list[Any]], Any],
    mesh_dims: tuple[int, ...],
) -> None:
    local = Local(call.op, call.mesh, mesh_dims, found.inputs)
    found.compute = lambda values: compute(local, values)


def _is_possible(
    call: Call, strategy: Strategy, now: Sequence[Placement], mesh_dim: int, before: Sequence[Any]
) -> bool:
    if call.op.schema.mutated and not _keeps_targets(call, strategy, now):
        return False
    if all(isinstance(p, Replicate) for p in strategy.inputs):
        return True
    if not any(p == q and not isinstance(p, Replicate) for p, q in zip(strategy.inputs, now)):
        return False
    return not strategy.pieces or _fits(call, strategy, mesh_dim, before)


def _keeps_targets(call: Call, strategy: Strategy, now: Sequence[Placement]) -> bool:
    """Whether what is written stays as it lies."""
    places = [call.place(a.name) for a in call.op.schema.mutated]
    if any(place is not None and strategy.inputs[place] != now[place] for place in places):
        return False
    return not strategy.outputs or not call.op.schema.is_inplace or strategy.outputs[0] == now[0]


def _fits(call: Call, strategy: Strategy, mesh_dim: int, before: Sequence[Any]) -> bool:
    """Whether pieces are what a strategy needs."""
    assert call.results is not None
    tensors: list[tuple[Any, Placement]] = [
        *zip(call.inputs, strategy.inputs),
        *zip(call.results, strategy.outputs),
    ]
    mesh_shape = call.mesh.shape
    for place, (tensor, placement) in enumerate(tensors):
        if not isinstance(placement, Shard):
            continue
        pieces = mesh_shape[mesh_dim]
        if place < len(call.inputs):
            pieces *= math.prod(
                mesh_shape[j] for j, p in enumerate(before[place]) if p == placement
            )
        length = tensor.shape[placement.dim]
        if strategy.pieces == "even" and length % pieces:
            return False
        if strategy.pieces == "some" and -(-length // pieces) * (pieces - 1) >= length:
            return False
    return True


def _cost(spec: DTensorSpec, source: Placement, target: Placement) -> float:
    """How many bytes a device gets, about."""
    if source == target:
        return 0.0
    whole = math.prod(spec.shape) * spec.dtype.itemsize + 1.0
    if isinstance(source, Replicate):
        return 1e-6
    if isinstance(source, Partial):
        return whole if isinstance(target, Shard) else 2.0 * whole
    # Pieces of other dimensions come faster than the whole; but what is made of these is mostly to be reduced.
    return whole + 1.0 if isinstance(target, (Shard, _StridedShard)) else whole


def _decision(call: Call, inputs: Sequence[Any], outputs: Sequence[Any]) -> Decision:
    assert call.results is not None
    wanted = tuple(spec.with_placements(p) for spec, p in zip(call.inputs, inputs))
    made = tuple(DTensorSpec(call.mesh, tuple(p), meta) for p, meta in zip(outputs, call.results))
    shapes = tuple(compute_local_shape(s.shape, s.mesh, s.placements) for s in made)
    return Decision(
        wanted, made, dict(_changed(call, made)), shapes if call.op.schema.is_view else None
    )


def _changed(call: Call, outputs: tuple[DTensorSpec, ...]) -> Iterator[tuple[int, Any]]:
    """Sizes that a call is given are those of this device's part."""
    if len(outputs) != 1:
        return
    (made,) = outputs
    if not made.is_sharded():
        return
    for place, (argument, value) in enumerate(zip(call.op.schema.arguments, call.values)):
        is_list = argument.name in _SIZES and isinstance(value, (list, tuple))
        if is_list and len(value) == made.ndim and next(specs_in(value), None) is None:
            yield place, list(compute_local_shape(made.shape, made.mesh, made.placements))

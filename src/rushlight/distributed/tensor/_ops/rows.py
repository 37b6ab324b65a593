"""Operators on rows: normalisations over the last dimensions, losses over classes. Other dimensions may be cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rushlight.distributed.tensor._collective_utils import reduced
from rushlight.distributed.tensor._op_schema import REPLICATE, Call, Local, Rule, Strategy, invoked
from rushlight.distributed.tensor.placement_types import Partial, Placement, Shard
from rushlight.engine.dispatch.operator import Operator

_NONE, _MEAN, _SUM = 0, 1, 2


def rule(op: Operator) -> Rule | None:
    if any(a.name == "normalized_shape" for a in op.schema.arguments):
        return normalised
    if op.packet_name == "nll_loss_forward":
        return nll_loss
    if op.packet_name == "nll_loss_backward":
        return nll_loss_backward
    return None


def normalised(call: Call) -> Iterable[Strategy] | None:
    return _normalised(call) if call.results else None


def _normalised(call: Call) -> Iterator[Strategy]:
    assert call.results is not None
    before = call.inputs[0].ndim - len(call.named["normalized_shape"])
    lead = tuple(call.inputs[0].shape)[:before]
    for dim in range(before):
        inputs: list[Placement] = [
            Shard(dim) if spec.ndim >= before and tuple(spec.shape)[:before] == lead else REPLICATE
            for spec in call.inputs
        ]
        outputs = tuple(Shard(dim) if len(meta.shape) > dim else REPLICATE for meta in call.results)
        yield Strategy(outputs, tuple(inputs))


# -- the loss over classes, for a batch in parts --


def nll_loss(call: Call) -> Iterable[Strategy] | None:
    scores = call.inputs[0]
    if scores.ndim != 2:
        return None
    inputs: tuple[Placement, ...] = (Shard(0), Shard(0))
    if call.named["weight"] is not None:
        inputs = (*inputs, REPLICATE)
    if call.named["reduction"] == _NONE:
        return [Strategy((Shard(0), Partial()), inputs)]
    if call.named["reduction"] == _SUM:
        return [Strategy((Partial(), Partial()), inputs)]
    return [Strategy((Partial(), REPLICATE), inputs, compute=_mean_of_parts)]


def _mean_of_parts(local: Local, values: list[Any]) -> Any:
    """This device's share of the mean: its sum, by the weight of all."""
    scores, target, weight, _, ignored = values
    total, own = invoked(local.op, [scores, target, weight, _SUM, ignored])
    for i in local.mesh_dims:
        own = reduced(own, Partial(), local.mesh, i)
    return total / own, own


def nll_loss_backward(call: Call) -> Iterable[Strategy] | None:
    grad, scores = call.inputs[:2]
    if scores.ndim != 2:
        return None
    inputs: list[Placement] = [REPLICATE if grad.ndim == 0 else Shard(0), Shard(0), Shard(0)]
    inputs += [REPLICATE] * (len(call.inputs) - 3)
    return [Strategy((Shard(0),), tuple(inputs))]

"""Operators on rows: normalisations over the last dimensions, losses over classes. Other dimensions may be cut."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from rushlight.distributed.tensor._collective_utils import reduced
from rushlight.distributed.tensor._op_schema import REPLICATE, Call, Local, Rule, Strategy, invoked
from rushlight.distributed.tensor._utils import compute_local_shape_and_global_offset
from rushlight.distributed.tensor.placement_types import Partial, Placement, Shard
from rushlight.engine.dispatch.operator import Operator

_NONE, _MEAN, _SUM = 0, 1, 2


def rule(op: Operator) -> Rule | None:
    if any(a.name == "normalized_shape" for a in op.schema.arguments):
        return normalised
    if op.full_name in _SOFTMAX:
        return softmax
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


# -- softmax along a dimension in parts: a maximum and a sum for each row are exchanged --


def softmax(call: Call) -> Iterable[Strategy] | None:
    """Along other dimensions each device has its rows; along its own one it has parts of them."""
    from rushlight.distributed.tensor._ops import dims

    found = dims.strategies(call)
    if found is None or not call.inputs[0].ndim:
        return found
    dim = call.named["dim"] % call.inputs[0].ndim
    own = Strategy(
        (Shard(dim),), (Shard(dim),) * len(call.inputs), compute=_SOFTMAX[call.op.full_name]
    )
    return [*found, own]


def _everywhere(local: Local, parts: Any, how: str) -> Any:
    for i in local.mesh_dims:
        parts = reduced(parts, Partial(how), local.mesh, i)
    return parts


def _shifted(local: Local, x: Any, dim: int) -> tuple[Any, Any]:
    """Numbers with the largest of their row taken off, and the sums of their exponentials."""
    lowest = x.new_full([1 if d == dim % x.dim() else n for d, n in enumerate(x.shape)], -math.inf)
    own = x.amax(dim, keepdim=True) if x.shape[dim] else lowest
    x = x - _everywhere(local, own, "max")
    return x, _everywhere(local, x.exp().sum(dim, keepdim=True), "sum")


def _log_softmax(local: Local, values: list[Any]) -> Any:
    x, dim, half_to_float = values
    x, total = _shifted(local, x.float() if half_to_float else x, dim)
    return x - total.log()


def _softmax(local: Local, values: list[Any]) -> Any:
    x, dim, half_to_float = values
    x, total = _shifted(local, x.float() if half_to_float else x, dim)
    return x.exp() / total


def _log_softmax_backward(local: Local, values: list[Any]) -> Any:
    grad, made, dim, kind = values
    total = _everywhere(local, grad.sum(dim, keepdim=True), "sum")
    return (grad - made.exp() * total).to(kind)


def _softmax_backward(local: Local, values: list[Any]) -> Any:
    grad, made, dim, kind = values
    total = _everywhere(local, (grad * made).sum(dim, keepdim=True), "sum")
    return (made * (grad - total)).to(kind)


_SOFTMAX = {
    "aten::_log_softmax": _log_softmax,
    "aten::_softmax": _softmax,
    "aten::_log_softmax_backward_data": _log_softmax_backward,
    "aten::_softmax_backward_data": _softmax_backward,
}


# -- the loss over classes, for a batch in parts, or classes --


def nll_loss(call: Call) -> Iterable[Strategy] | None:
    scores = call.inputs[0]
    if scores.ndim != 2:
        return None
    inputs: tuple[Placement, ...] = (Shard(0), Shard(0))
    if call.named["weight"] is not None:
        inputs = (*inputs, REPLICATE)
    of_classes = Strategy(
        (Partial(), REPLICATE),
        (Shard(1), *[REPLICATE] * (len(inputs) - 1)),
        compute=_of_own_classes,
    )
    if call.named["reduction"] == _NONE:
        return [Strategy((Shard(0), Partial()), inputs), of_classes]
    if call.named["reduction"] == _SUM:
        return [Strategy((Partial(), Partial()), inputs), of_classes]
    return [Strategy((Partial(), REPLICATE), inputs, compute=_mean_of_parts), of_classes]


def _mean_of_parts(local: Local, values: list[Any]) -> Any:
    """This device's share of the mean: its sum, by the weight of all."""
    scores, target, weight, _, ignored = values
    total, own = invoked(local.op, [scores, target, weight, _SUM, ignored])
    for i in local.mesh_dims:
        own = reduced(own, Partial(), local.mesh, i)
    return total / own, own


def _own_targets(
    local: Local, scores: Any, spec: Any, target: Any, ignored: int
) -> tuple[Any, Any]:
    """The targets as places among this device's classes, and which of them are there."""
    _, offset = compute_local_shape_and_global_offset(spec.shape, local.mesh, spec.placements)
    own = target - offset[1]
    is_here = (own >= 0) & (own < scores.shape[1]) & (target != ignored)
    return own.where(is_here, own.new_zeros(())), is_here


def _weights(target: Any, weight: Any, ignored: int, kind: Any) -> Any:
    """How much each target counts."""
    counts = target != ignored
    if weight is None:
        return counts.to(kind)
    return weight[target.where(counts, target.new_zeros(()))] * counts


def _of_own_classes(local: Local, values: list[Any]) -> Any:
    """This device's share of the loss: that of targets among its classes."""
    scores, target, weight, reduction, ignored = values
    own, is_here = _own_targets(local, scores, local.inputs[0], target, ignored)
    counts = _weights(target, weight, ignored, scores.dtype)
    if not scores.shape[1]:
        found = scores.new_zeros(target.shape)
    else:
        found = -scores.gather(1, own.unsqueeze(1)).squeeze(1).where(is_here, scores.new_zeros(()))
    found, total = found * counts, counts.sum()
    if reduction == _NONE:
        return found, total
    return (found.sum() / total if reduction == _MEAN else found.sum()), total


def _gradient_of_own_classes(local: Local, values: list[Any]) -> Any:
    """The gradient for this device's classes."""
    grad, scores, target, weight, reduction, ignored, total = values
    own, is_here = _own_targets(local, scores, local.inputs[1], target, ignored)
    counts = _weights(target, weight, ignored, scores.dtype)
    each = -grad * counts / (total if reduction == _MEAN else 1)
    made = scores.new_zeros(scores.shape)
    if not scores.shape[1]:
        return made
    return made.scatter(1, own.unsqueeze(1), (each * is_here).unsqueeze(1))


def nll_loss_backward(call: Call) -> Iterable[Strategy] | None:
    grad, scores = call.inputs[:2]
    if scores.ndim != 2:
        return None
    inputs: list[Placement] = [REPLICATE if grad.ndim == 0 else Shard(0), Shard(0), Shard(0)]
    inputs += [REPLICATE] * (len(call.inputs) - 3)
    classes = [Shard(1) if k == 1 else REPLICATE for k in range(len(inputs))]
    return [
        Strategy((Shard(0),), tuple(inputs)),
        Strategy((Shard(1),), tuple(classes), compute=_gradient_of_own_classes),
    ]

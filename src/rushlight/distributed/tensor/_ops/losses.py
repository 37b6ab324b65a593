"""Losses: of elements at the same places, and over classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight.distributed._local_tensor import maybe_run_for_local_tensor
from rushlight.distributed.tensor._op_schema import REPLICATE, Call, Local, Rule, Strategy, invoked
from rushlight.distributed.tensor._ops import elementwise, rows
from rushlight.distributed.tensor._utils import compute_local_shape_and_global_offset
from rushlight.distributed.tensor.placement_types import Partial, Placement, Shard
from rushlight.engine.dispatch.operator import Operator

_NONE, _MEAN, _SUM = 0, 1, 2
# What they make of each element is summed, or averaged, or not.
_OF_ELEMENTS = frozenset((
    "mse_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
))  # fmt: skip


def rule(op: Operator) -> Rule | None:
    if op.packet_name in _OF_ELEMENTS and not op.schema.out_arguments:
        return of_elements
    if op.packet_name == "nll_loss_forward":
        return nll_loss
    if op.packet_name == "nll_loss_backward":
        return nll_loss_backward
    return None


def of_elements(call: Call) -> Iterable[Strategy] | None:
    if call.named["reduction"] == _NONE:
        return elementwise.strategies(call)
    shape = call.inputs[0].shape
    if call.inputs[1].shape != shape:
        return None
    is_mean = call.named["reduction"] == _MEAN
    made, pieces = (Partial("avg"), "even") if is_mean else (Partial(), "")
    return [
        Strategy(
            (made,), tuple(elementwise.aligned(s.shape, shape, d) for s in call.inputs), pieces
        )
        for d in range(len(shape))
    ]


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
    own = rows.everywhere(local, own, "sum")
    return total / own, own


@maybe_run_for_local_tensor
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

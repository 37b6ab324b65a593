"""Operators on rows: normalisations over the last dimensions, softmax. Other dimensions may be cut."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from rushlight.distributed.tensor._collective_utils import reduced
from rushlight.distributed.tensor._op_schema import REPLICATE, Call, Local, Rule, Strategy
from rushlight.distributed.tensor.placement_types import Partial, Placement, Shard
from rushlight.engine.dispatch.operator import Operator


def rule(op: Operator) -> Rule | None:
    if any(a.name == "normalized_shape" for a in op.schema.arguments):
        return normalised
    if op.full_name in _SOFTMAX:
        return softmax
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


def everywhere(local: Local, parts: Any, how: str) -> Any:
    for i in local.mesh_dims:
        parts = reduced(parts, Partial(how), local.mesh, i)
    return parts


def _shifted(local: Local, x: Any, dim: int) -> tuple[Any, Any]:
    """Numbers with the largest of their row taken off, and the sums of their exponentials."""
    lowest = x.new_full([1 if d == dim % x.dim() else n for d, n in enumerate(x.shape)], -math.inf)
    own = x.amax(dim, keepdim=True) if x.shape[dim] else lowest
    x = x - everywhere(local, own, "max")
    return x, everywhere(local, x.exp().sum(dim, keepdim=True), "sum")


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
    total = everywhere(local, grad.sum(dim, keepdim=True), "sum")
    return (grad - made.exp() * total).to(kind)


def _softmax_backward(local: Local, values: list[Any]) -> Any:
    grad, made, dim, kind = values
    total = everywhere(local, (grad * made).sum(dim, keepdim=True), "sum")
    return (made * (grad - total)).to(kind)


_SOFTMAX = {
    "aten::_log_softmax": _log_softmax,
    "aten::_softmax": _softmax,
    "aten::_log_softmax_backward_data": _log_softmax_backward,
    "aten::_softmax_backward_data": _softmax_backward,
}

"""Lookups: rows of tables, and elements at places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rushlight.distributed._local_tensor import maybe_run_for_local_tensor
from rushlight.distributed.tensor._op_schema import (
    REPLICATE,
    Call,
    Local,
    Rule,
    Strategy,
    invoked,
    specs_in,
)
from rushlight.distributed.tensor._utils import compute_local_shape_and_global_offset
from rushlight.distributed.tensor.placement_types import Partial, Placement, Shard, _MaskPartial
from rushlight.engine.dispatch.operator import Operator


def rule(op: Operator) -> Rule | None:
    if op.full_name == "aten::embedding":
        return embedding
    if op.full_name == "aten::embedding_dense_backward":
        return embedding_dense_backward
    if op.full_name == "aten::index.Tensor":
        return index
    if op.full_name == "aten::gather":
        return gather
    if op.full_name in ("aten::index_put", "aten::index_put_"):
        return index_put
    return None


def embedding(call: Call) -> Iterable[Strategy] | None:
    indices = call.inputs[1]
    found = [Strategy((Shard(d),), (REPLICATE, Shard(d))) for d in range(indices.ndim)]
    found.append(Strategy((Shard(indices.ndim),), (Shard(1), REPLICATE)))
    found.append(Strategy((_MaskPartial(),), (Shard(0), REPLICATE), compute=_own_rows))
    return found


@maybe_run_for_local_tensor
def _own_rows(local: Local, values: list[Any]) -> Any:
    """The rows that this device has, and zeros for the others."""
    table, indices, *others = values
    _, offset = compute_local_shape_and_global_offset(
        local.inputs[0].shape, local.mesh, local.inputs[0].placements
    )
    own = indices - offset[0]
    is_here = (own >= 0) & (own < len(table))
    if not len(table):
        return table.new_zeros((*indices.shape, table.shape[1]))
    found = invoked(local.op, [table, own.where(is_here, own.new_zeros(())), *others])
    return found * is_here.unsqueeze(-1).to(found.dtype)


def embedding_dense_backward(call: Call) -> Iterable[Strategy] | None:
    """Columns by themselves; what devices have of the indices, or of the gradient, adds up to the table's gradient."""
    depth = call.inputs[1].ndim
    found = [Strategy((Shard(1),), (Shard(depth), REPLICATE))]
    if call.named["scale_grad_by_freq"]:
        # How often an index is there, only all devices together know.
        return found
    found += [Strategy((Partial(),), (Shard(d), Shard(d))) for d in range(depth)]
    found += [Strategy((Partial(how),), (Partial(how), REPLICATE)) for how in ("sum", "avg")]
    return found


# -- elements at places --


def gather(call: Call) -> Iterable[Strategy] | None:
    """Tensor and places are cut alike; or along the dimension of places, each device looks up some of them in the whole."""
    from rushlight.distributed.tensor._ops import dims

    found = dims.strategies(call)
    places = call.inputs[1]
    if found is None or not places.ndim:
        return found
    dim = Shard(call.named["dim"] % places.ndim)
    return [*found, Strategy((dim,), (REPLICATE, dim))]


def _indexed(call: Call) -> tuple[list[int], int] | None:
    """The dimensions that are looked up, and how many dimensions the indices have. None if these are in several places."""
    given = call.named["indices"]
    dims = [d for d, value in enumerate(given) if value is not None]
    specs = list(specs_in(given))
    if not dims or len(specs) != len(dims) or dims != list(range(dims[0], dims[-1] + 1)):
        return None
    if any(
        not s.dtype.is_floating_point and str(s.dtype).endswith(("bool", "uint8")) for s in specs
    ):
        return None
    return dims, max(s.ndim for s in specs)


def _kept(dims: list[int], rank: int, depth: int) -> Iterator[tuple[int, int]]:
    """Dimensions that are not looked up, and which ones of the result they are."""
    for dim in range(rank):
        if dim < dims[0]:
            yield dim, dim
        elif dim > dims[-1]:
            yield dim, dim - len(dims) + depth


def index(call: Call) -> Iterable[Strategy] | None:
    where = _indexed(call)
    if where is None or not call.results:
        return None
    dims, depth = where
    others: tuple[Placement, ...] = (REPLICATE,) * len(dims)
    source = call.inputs[0]
    found = [
        Strategy((Shard(out),), (Shard(dim), *others))
        for dim, out in _kept(dims, source.ndim, depth)
    ]
    indices = call.inputs[1:]
    if len({tuple(s.shape) for s in indices}) == 1:
        found += [
            Strategy((Shard(dims[0] + d),), (REPLICATE, *[Shard(d)] * len(dims)))
            for d in range(depth)
        ]
    return found


def index_put(call: Call) -> Iterable[Strategy] | None:
    where = _indexed(call)
    if where is None:
        return None
    dims, depth = where
    source, values = call.inputs[0], call.inputs[-1]
    rank = source.ndim - len(dims) + depth
    found = []
    for dim, out in _kept(dims, source.ndim, depth):
        own = out - (rank - values.ndim)
        is_cut = own >= 0 and values.shape[own] == source.shape[dim]
        last = Shard(own) if is_cut else REPLICATE
        found.append(Strategy((Shard(dim),), (Shard(dim), *[REPLICATE] * len(dims), last)))
    return found

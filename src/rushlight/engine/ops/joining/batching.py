"""What operators that join tensors do with a batch."""

from __future__ import annotations

from rushlight.engine.calls import joining, view
from rushlight.engine.ops.batching import batched, filled, front, rank
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.view.batching import Result, Values


def _each(size: int, values: Values, dims: Values) -> list:  # type: ignore[type-arg]
    places = dims[0] if isinstance(dims[0], list) else [None] * len(values[0])
    return [(x, d, filled(x, d, size)) for x, d in zip(values[0], places)]


@batched("cat")
def cat(size: int, values: Values, dims: Values) -> Result:
    each = _each(size, values, dims)
    # What is empty and has one dimension goes with anything.
    kept = [(x, d, f) for x, d, f in each if not (rank(x, d) == 1 and f._size_[1] == 0)] or each
    count = rank(*kept[0][:2])
    if count == 0:
        raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
    dim = wrap_dim(values[1], count) + 1
    like = list(kept[0][2]._size_)
    empty = [*like[:dim], 0, *like[dim + 1 :]]
    parts = [
        f if any(f is one for _, _, one in kept) else view.reshape(f, empty) for _, _, f in each
    ]
    return joining.cat(parts, dim), 0


@batched("stack", "_stack")
def stack(size: int, values: Values, dims: Values) -> Result:
    each = _each(size, values, dims)
    count = rank(*each[0][:2])
    return joining.stack([f for _, _, f in each], wrap_dim(values[1], count + 1) + 1), 0


@batched("constant_pad_nd")
def constant_pad_nd(size: int, values: Values, dims: Values) -> Result:
    return joining.constant_pad_nd(front(values[0], dims[0]), *values[1:]), 0

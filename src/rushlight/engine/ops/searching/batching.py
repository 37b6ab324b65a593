"""What searches do with a batch."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import searching, view
from rushlight.engine.ops.batching import batched, derive, filled, front, rank
from rushlight.engine.ops.view.batching import Result, Values

# The largest number says how long a result is: it must be the same for all of the batch.
derive("loop", ["bincount"])


@batched("searchsorted.Tensor")
def searchsorted(size: int, values: Values, dims: Values) -> Result:
    sequence, wanted = values[:2]
    rest = values[2:]
    sorter = len(values) - 1
    if dims[0] is None and dims[sorter] is None and rank(sequence, None) == 1:
        # One sequence for all: what is looked for may have any shape.
        return searching.searchsorted_Tensor(sequence, front(wanted, dims[1]), **_named(rest)), 0
    sequences = filled(sequence, dims[0], size)
    wanted_rank = rank(wanted, dims[1])
    wanted = filled(wanted, dims[1], size)
    if len(sequences._size_) == 2:
        wanted = view.reshape(wanted, [size, wanted._numel_ // size if size else 0])
    given = rest[-1]
    if given is not None:
        given = filled(given, dims[sorter], size)
    shape = [size, *[n for k, n in enumerate(values[1]._size_) if k != dims[1]]]
    found = searching.searchsorted_Tensor(sequences, wanted, **_named((*rest[:-1], given)))
    return (view.reshape(found, shape) if len(found._size_) != wanted_rank + 1 else found), 0


def _named(rest: Any) -> dict[str, Any]:
    return dict(zip(("out_int32", "right", "side", "sorter"), rest))


@batched("bucketize.Tensor")
def bucketize(size: int, values: Values, dims: Values) -> Result:
    wanted, boundaries, out_int32, right = values
    if dims[1] is None:
        return searching.bucketize_Tensor(front(wanted, dims[0]), boundaries, out_int32=out_int32, right=right), 0  # fmt: skip
    return searchsorted(
        size,
        [boundaries, wanted, out_int32, right, None, None],
        [dims[1], dims[0], None, None, None, None],
    )

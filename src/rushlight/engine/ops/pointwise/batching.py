"""What elementwise operators do with a batch, where they are more than that."""

from __future__ import annotations

from rushlight.engine.calls import pointwise
from rushlight.engine.ops.batching import batched
from rushlight.engine.ops.view.batching import Result, Values


@batched("positive")
def positive(size: int, values: Values, dims: Values) -> Result:
    return pointwise.positive(values[0]), dims[0]

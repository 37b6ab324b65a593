"""Questions about elements that a batch has no one answer to."""

from __future__ import annotations

from rushlight.engine.ops.batching import batched
from rushlight.engine.ops.view.batching import Result, Values

CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't "
    "support that yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)


@batched("is_nonzero")
def is_nonzero(size: int, values: Values, dims: Values) -> Result:
    raise RuntimeError(CONTROL_FLOW)

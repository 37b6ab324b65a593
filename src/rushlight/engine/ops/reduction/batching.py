"""What reductions do with a batch, where they look at whole elements all the same."""

from __future__ import annotations

from rushlight.engine.calls import reduction
from rushlight.engine.ops.batching import batched, derive
from rushlight.engine.ops.view.batching import Result, Values

derive("loop", ["renorm"])


def of_whole_batch(name: str) -> None:
    """Questions that are answered once for all elements."""
    function = getattr(reduction, name)

    @batched(name)
    def rule(size: int, values: Values, dims: Values) -> Result:
        return function(values[0]), None


for _name in ("_is_all_true", "_is_any_true"):
    of_whole_batch(_name)

"""What the gradient formulas of recurrent networks call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import state
from rushlight.engine.dispatch import call_cache
from rushlight.engine.generated import functions
from rushlight.engine.ops.recurrent import recorded
from rushlight.engine.ops.recurrent.cells import CELLS

# Sequences of one length come again and again: such calls are worth remembering.
_steps_backward = call_cache.public_function(
    "_recurrent_steps_backward", functions._recurrent_steps_backward
)


def recurrent_backward(
    grads: Any, given: Any, hidden: Any, cell: Any, weight: Any, bias: Any, projection: Any,
    before: Any, kept: Any, sizes: Any, mode: str, backwards: bool, wanted: Any,
) -> Sequence[Any]:  # fmt: skip
    """The gradients of a layer's steps: the steps the other way round, then products for weights."""
    d_outputs, d_hidden, d_cell = grads[:3]
    if state.thread.grad_enabled or not len(kept) == len(before) > 0:
        return recorded.gradients(
            CELLS[mode], (d_outputs, d_hidden, d_cell), (given, hidden, cell),
            (weight, bias, projection), sizes, backwards,
        )  # fmt: skip
    d_given, d_sums, d_first, d_first_cell, d_total = _steps_backward(
        d_outputs, d_hidden, d_cell, before, kept, weight, projection, hidden._size_[0],
        given._size_, sizes, mode, backwards, wanted[1],
    )  # fmt: skip
    rows = (d_sums if CELLS[mode].splits else d_given).flatten(0, -2)
    return (
        d_given,
        d_first if wanted[1] else None,
        d_first_cell if cell is not None else None,
        rows.t().mm(before) if wanted[3] else None,
        rows.sum(0) if wanted[4] else None,
        d_total.t().mm(kept[:, -d_first_cell._size_[1] :]) if wanted[5] else None,
    )

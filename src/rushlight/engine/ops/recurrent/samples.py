"""Samples of recurrent layers."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, numbers, upto

samples = Samples("recurrent")
add = samples.add

add("_recurrent_steps", numbers(2, 2, 8), numbers(2, 2), numbers(2, 2), numbers(8, 2), numbers(8),
    None, None, "LSTM", False, True, seen=upto(3), is_real=True)  # fmt: skip
samples.without(
    "the step back of _recurrent_steps, whose gradient calls it", "_recurrent_steps_backward"
)

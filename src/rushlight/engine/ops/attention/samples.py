"""Samples of attention."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, first, numbers

samples = Samples("attention")
add = samples.add

add("_scaled_dot_product_flash_attention_for_cpu", numbers(1, 2, 3, 4), numbers(1, 2, 5, 4),
    numbers(1, 2, 5, 4), seen=first, is_real=True)  # fmt: skip
add("_cudnn_attention", numbers(1, 2, 3, 4), numbers(1, 2, 5, 4), numbers(1, 2, 5, 4), None, 0.5, True,
    seen=first, is_real=True)  # fmt: skip
_STEP_BACK = [numbers(1, 2, n, 4) for n in (3, 3, 5, 5, 3)]
add("_attention_gradients", *_STEP_BACK, numbers(1, 2, 3), True, 0.5, seen=first)
add("_cudnn_attention_gradients", *_STEP_BACK, numbers(1, 2, 3), None, 0.5, True, seen=first)
samples.without(
    "the step back of attention, whose gradient calls it",
    "_scaled_dot_product_flash_attention_for_cpu_backward",
)  # fmt: skip

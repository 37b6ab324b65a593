"""Samples of rows that are computed as a whole."""

from __future__ import annotations

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.ops.samples import Samples, first, fixed, numbers

samples = Samples("rows")
add = samples.add

X = numbers(2, 3)


add("_softmax", X, 1, False, is_real=True)
add("_log_softmax", X, 0, False, is_real=True)
add("_softmax_backward_data", X, X, 1, dtypes.float64, is_real=True)
add("_log_softmax_backward_data", X, X, 1, dtypes.float64, is_real=True)
add("native_layer_norm", X, [3], numbers(3), numbers(3), 1e-5, seen=first, is_real=True)
add("native_group_norm", numbers(2, 4, 3), numbers(4), numbers(4), 2, 4, 3, 2, 1e-5, seen=first,
    is_real=True)  # fmt: skip
_IMAGE = (numbers(3, 2, 2), numbers(2), numbers(2))
add("native_batch_norm", *_IMAGE, None, None, True, 0.1, 1e-5, seen=first, is_real=True)
add("_native_batch_norm_legit.no_stats", *_IMAGE, True, 0.1, 1e-5, seen=first, is_real=True)
add(
    "_native_batch_norm_legit_functional",
    *_IMAGE,
    fixed([0.0, 0.0]),
    fixed([1.0, 1.0]),
    True,
    0.1,
    1e-5,
    seen=first,
    is_real=True,
)
add("_native_batch_norm_legit_no_training", *_IMAGE, fixed([0.0, 0.0]), fixed([1.0, 1.0]), 0.1, 1e-5,
    seen=first, is_real=True)  # fmt: skip
add(
    "_batch_norm_of_batch", numbers(4, 2, 3), numbers(2), numbers(2), 1e-5, seen=first, is_real=True
)

_STATISTICS = (fixed([0.0, 0.0]), fixed([1.0, 1.0]))
add("batch_norm", *_IMAGE, *_STATISTICS, False, 0.1, 1e-5, True)
add("_batch_norm_impl_index", *_IMAGE, *_STATISTICS, False, 0.1, 1e-5, True)
add("instance_norm", *_IMAGE, *_STATISTICS, False, 0.1, 1e-5, True)
add("layer_norm", X, [3])
add("rms_norm", X, [3])
add("_fused_rms_norm", X, [3], None, 1e-5, is_real=True)
add("_layer_norm_input_gradient", X, X, numbers(2, 1), numbers(2, 1), None, [3])

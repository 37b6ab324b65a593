"""Samples of the family nested."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, numbers, places

samples = Samples("nested")
add = samples.add

_OFFSETS = places([0, 2, 5])

add("_jagged_to_padded_dense_forward", numbers(5, 2), [_OFFSETS], [3])
add("_padded_dense_to_jagged_forward", numbers(2, 3, 2), [_OFFSETS])
samples.without(
    "its arguments or results are nested, for which there are tests of their own",
    "_nested_compute_contiguous_strides_offsets", "_nested_from_padded",
    "_nested_from_padded_and_nested_example", "_nested_from_padded_tensor",
    "_nested_get_jagged_dummy", "_nested_get_lengths", "_nested_get_max_seqlen",
    "_nested_get_min_seqlen", "_nested_get_offsets", "_nested_get_ragged_idx", "_nested_get_values",
    "_nested_tensor_from_mask", "_nested_tensor_from_mask_left_aligned",
    "_nested_tensor_from_tensor_list", "_nested_tensor_size",
    "_nested_tensor_storage_offsets", "_nested_tensor_strides", "_nested_view_from_buffer",
    "_nested_view_from_jagged", "_nested_view_as", "nested_to_padded_tensor", "to_padded_tensor",
)  # fmt: skip

"""Why this family has no samples: its calls need quantized tensors, or round in steps."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples

samples = Samples("quantized")
samples.without(
    "only for quantized tensors, which tests of the family make",
    "int_repr", "q_scale", "q_zero_point", "q_per_channel_scales", "q_per_channel_zero_points",
    "q_per_channel_axis", "qscheme", "empty_quantized", "quantized_max_pool1d",
    "quantized_max_pool2d", "quantized_max_pool3d", "quantized_batch_norm",
    "quantize_per_tensor", "quantize_per_tensor.tensor_qparams", "quantize_per_tensor.tensors",
    "quantize_per_tensor_dynamic", "quantize_per_channel", "_make_per_tensor_quantized_tensor",
    "_make_per_channel_quantized_tensor", "_empty_affine_quantized",
    "_empty_per_channel_affine_quantized", "dequantize.self", "dequantize.tensors",
)  # fmt: skip
samples.without(
    "rounds in steps, and its gradient goes past them: differences do not show it",
    "fake_quantize_per_tensor_affine", "fake_quantize_per_tensor_affine.tensor_qparams",
    "fake_quantize_per_tensor_affine_cachemask", "fake_quantize_per_channel_affine",
    "fake_quantize_per_channel_affine_cachemask",
    "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
    "fake_quantize_per_tensor_affine_cachemask_backward",
    "fake_quantize_per_channel_affine_cachemask_backward",
    "_fake_quantize_learnable_per_tensor_affine",
    "_fake_quantize_learnable_per_tensor_affine_backward",
    "_fake_quantize_learnable_per_channel_affine",
    "_fake_quantize_learnable_per_channel_affine_backward", "fused_moving_avg_obs_fake_quant",
    "_fused_moving_avg_obs_fq_helper",
)  # fmt: skip
samples.without(
    "looks at elements and tells numbers", "_choose_qparams_per_tensor", "choose_qparams_optimized"
)
samples.without("its factors have whole numbers of eight bits", "_int_mm")

"""Functions of networks that Python programs reach for in PyTorch's compiled part."""

from __future__ import annotations

from typing import Any

from rushlight._utils import _flatten_dense_tensors as flatten_dense_tensors
from rushlight._utils import _unflatten_dense_tensors as unflatten_dense_tensors
from rushlight.nn.functional import (  # type: ignore[attr-defined]
    avg_pool2d,
    avg_pool3d,
    elu,
    gelu,
    glu,
    leaky_relu,
    linear,
    one_hot,
    pad,
    scaled_dot_product_attention,
    silu,
    softplus,
    softshrink,
)
from rushlight.nn.modules.module import _parse_to

__all__ = [
    "_parse_to",
    "avg_pool2d",
    "avg_pool3d",
    "elu",
    "flatten_dense_tensors",
    "gelu",
    "glu",
    "leaky_relu",
    "linear",
    "one_hot",
    "pad",
    "scaled_dot_product_attention",
    "silu",
    "softplus",
    "softshrink",
    "unflatten_dense_tensors",
]

# Others are operators as their schemas say: how to reduce is a number there.
_OPERATORS = frozenset(
    (
        "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool2d", "adaptive_max_pool3d",
        "binary_cross_entropy", "col2im", "cross_entropy_loss", "elu_", "fractional_max_pool2d",
        "fractional_max_pool3d", "hardsigmoid", "hardsigmoid_", "hardswish", "hardswish_", "hardtanh",
        "hardtanh_", "huber_loss", "im2col", "l1_loss", "leaky_relu_", "log_sigmoid",
        "max_pool2d_with_indices", "max_pool3d_with_indices", "max_unpool2d", "max_unpool3d", "mish",
        "mish_", "mse_loss", "multi_margin_loss", "multilabel_margin_loss", "nll_loss", "nll_loss2d",
        "nll_loss_nd", "reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "relu6", "relu6_",
        "replication_pad1d", "replication_pad2d", "replication_pad3d", "rrelu_with_noise",
        "rrelu_with_noise_", "silu_", "slow_conv3d", "slow_conv_dilated2d", "slow_conv_dilated3d",
        "slow_conv_transpose2d", "slow_conv_transpose3d", "smooth_l1_loss", "soft_margin_loss",
        "thnn_conv2d", "upsample_bicubic2d", "upsample_bilinear2d", "upsample_linear1d",
        "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_trilinear3d",
    )
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """An operator of networks by its name."""
    from rushlight._ops import ops

    if name in _OPERATORS and hasattr(ops.aten, name):
        return getattr(ops.aten, name)
    raise AttributeError(f"module 'rushlight._C._nn' has no attribute '{name}'")

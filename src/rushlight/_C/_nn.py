"""Functions of networks that Python programs reach for in PyTorch's compiled part."""

from __future__ import annotations

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
]

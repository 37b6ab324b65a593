"""Quantized layers."""

from rushlight.ao.nn.quantized.modules import others as _others
from rushlight.ao.nn.quantized.modules.conv import Conv1d, Conv2d, Conv3d
from rushlight.ao.nn.quantized.modules.embedding_ops import (
    Embedding,
    EmbeddingBag,
    EmbeddingPackedParams,
)
from rushlight.ao.nn.quantized.modules.functional_modules import (
    FloatFunctional,
    FXFloatFunctional,
    QFunctional,
)
from rushlight.ao.nn.quantized.modules.linear import Linear, LinearPackedParams
from rushlight.ao.nn.quantized.modules.others import *  # noqa: F403

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "Embedding", "EmbeddingBag", "EmbeddingPackedParams", "FXFloatFunctional", "FloatFunctional", "Linear",
    "LinearPackedParams", "QFunctional", *_others.__all__,
]  # fmt: skip

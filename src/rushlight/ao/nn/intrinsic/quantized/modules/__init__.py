"""Fused quantized layers."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.ao.nn import intrinsic as nni
from rushlight.ao.nn import quantized as nnq
from rushlight.ao.nn.quantized.modules import others

__all__ = [
    "BNReLU2d", "BNReLU3d", "ConvReLU1d", "ConvReLU2d", "ConvReLU3d", "LinearLeakyReLU",
    "LinearReLU",
]  # fmt: skip


class LinearReLU(nnq.Linear):
    """A quantized linear layer; what is negative becomes 0."""

    _FLOAT_MODULE = nni.LinearReLU

    def forward(self, x: Any) -> Any:
        """The layer's result for a quantized tensor."""
        return rushlight.ops.quantized.linear_relu(
            x, self._packed_params._packed_params, self.scale, self.zero_point
        )

    def _get_name(self) -> str:
        return "QuantizedLinearReLU"


class LinearLeakyReLU(nnq.Linear):
    """A quantized linear layer; what is negative gets a factor.

    Args:
        in_features: the size of inputs
        out_features: the size of results
        negative_slope: the factor
        bias: whether a bias is added
        dtype: the type of the weight
    """

    _FLOAT_MODULE = nni.LinearLeakyReLU

    def __init__(
        self, in_features: int, out_features: int, negative_slope: float = 0.01, bias: bool = True,
        dtype: Any = rushlight.qint8,
    ) -> None:  # fmt: skip
        super().__init__(in_features, out_features, bias, dtype)
        self.negative_slope = negative_slope

    def forward(self, x: Any) -> Any:
        """The layer's result for a quantized tensor."""
        return rushlight.ops.quantized.linear_leaky_relu(
            x, self._packed_params._packed_params, self.scale, self.zero_point, self.negative_slope
        )

    def _get_name(self) -> str:
        return "QuantizedLinearLeakyReLU"

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of one of real numbers that observers have seen."""
        made = super().from_float(mod, use_precomputed_fake_quant)
        made.negative_slope = mod[1].negative_slope
        return made


class ConvReLU1d(nnq.Conv1d):
    """A quantized convolution of rows; what is negative becomes 0."""

    _operator, _FLOAT_MODULE = "conv1d_relu", nni.ConvReLU1d

    def _get_name(self) -> str:
        return "QuantizedConvReLU1d"


class ConvReLU2d(nnq.Conv2d):
    """A quantized convolution of images; what is negative becomes 0."""

    _operator, _FLOAT_MODULE = "conv2d_relu", nni.ConvReLU2d

    def _get_name(self) -> str:
        return "QuantizedConvReLU2d"


class ConvReLU3d(nnq.Conv3d):
    """A quantized convolution of volumes; what is negative becomes 0."""

    _operator, _FLOAT_MODULE = "conv3d_relu", nni.ConvReLU3d

    def _get_name(self) -> str:
        return "QuantizedConvReLU3d"


class BNReLU2d(others.BatchNorm2d):
    """A quantized normalisation of images' channels; what is negative becomes 0."""

    _operator, _FLOAT_MODULE = "batch_norm2d_relu", nni.BNReLU2d

    def _get_name(self) -> str:
        return "QuantizedBNReLU2d"


class BNReLU3d(others.BatchNorm3d):
    """A quantized normalisation of volumes' channels; what is negative becomes 0."""

    _operator, _FLOAT_MODULE = "batch_norm3d_relu", nni.BNReLU3d

    def _get_name(self) -> str:
        return "QuantizedBNReLU3d"

"""Quantized layers without products: functions of elements, normalisations, dropout."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight import nn

__all__ = [
    "ELU",
    "BatchNorm2d",
    "BatchNorm3d",
    "DeQuantize",
    "Dropout",
    "GroupNorm",
    "Hardswish",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "LeakyReLU",
    "MaxPool2d",
    "Quantize",
    "ReLU6",
    "Sigmoid",
    "Softmax",
]  # fmt: skip


def _found(mod: Any) -> tuple[float, int]:
    """The scale and zero point of a layer's results."""
    scale, zero_point = mod.activation_post_process.calculate_qparams()
    return float(scale), int(zero_point)


class Quantize(nn.Module):
    """Makes quantized tensors of plain ones.

    Args:
        scale: the scale
        zero_point: the zero point
        dtype: the quantized type
        factory_kwargs: the device of the scale
    """

    scale: Any
    zero_point: Any

    def __init__(self, scale: Any, zero_point: Any, dtype: Any, factory_kwargs: Any = None) -> None:
        super().__init__()
        made = dict(factory_kwargs or {})
        self.register_buffer("scale", rushlight.tensor([float(scale)], **made))
        self.register_buffer(
            "zero_point", rushlight.tensor([int(zero_point)], dtype=rushlight.long, **made)
        )
        self.dtype = dtype

    def forward(self, X: Any) -> Any:
        """The quantized tensor."""
        return rushlight.quantize_per_tensor(X, float(self.scale), int(self.zero_point), self.dtype)

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Quantize:
        """The layer of a mark that an observer has followed."""
        if not hasattr(mod, "activation_post_process"):
            raise AssertionError("mod must have activation_post_process attribute")
        scale, zero_point = mod.activation_post_process.calculate_qparams()
        return Quantize(scale.item(), zero_point.item(), mod.activation_post_process.dtype)

    def extra_repr(self) -> str:
        return f"scale={self.scale}, zero_point={self.zero_point}, dtype={self.dtype}"


class DeQuantize(nn.Module):
    """Makes plain tensors of quantized ones."""

    def forward(self, Xq: Any) -> Any:
        """The plain tensor."""
        return Xq.dequantize()

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> DeQuantize:
        """The layer of a mark."""
        return DeQuantize()


class MaxPool2d(nn.MaxPool2d):
    """The largest numbers of windows."""

    def _get_name(self) -> str:
        return "QuantizedMaxPool2d"

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of one of real numbers."""
        return rushlight.ao.nn.quantized.MaxPool2d(
            mod.kernel_size, mod.stride, mod.padding, mod.dilation
        )


class ReLU6(nn.ReLU):
    """What is negative becomes 0, and what is larger than 6 becomes 6.

    Args:
        inplace: whether the tensor itself is changed
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace)

    def forward(self, input: Any) -> Any:
        """The tensor between 0 and 6."""
        return rushlight.ops.quantized.relu6(input, self.inplace)

    def _get_name(self) -> str:
        return "QuantizedReLU6"

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> ReLU6:
        """The layer of one of real numbers."""
        return ReLU6(mod.inplace)


class Hardswish(nn.Hardswish):
    """`nn.Hardswish` of quantized tensors.

    Args:
        scale: the scale of results
        zero_point: their zero point
    """

    scale: Any
    zero_point: Any

    def __init__(self, scale: Any, zero_point: Any, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.register_buffer("scale", rushlight.tensor(scale, device=device, dtype=dtype))
        self.register_buffer("zero_point", rushlight.tensor(zero_point, device=device, dtype=dtype))

    def forward(self, input: Any) -> Any:
        """The function of every element."""
        return rushlight.ops.quantized.hardswish(input, self.scale, self.zero_point)

    def _get_name(self) -> str:
        return "QuantizedHardswish"

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Hardswish:
        """The layer of one of real numbers that an observer has followed."""
        return Hardswish(*_found(mod))


class ELU(nn.ELU):
    """`nn.ELU` of quantized tensors.

    Args:
        scale: the scale of results
        zero_point: their zero point
        alpha: the limit for small elements, with a minus
    """

    def __init__(self, scale: float, zero_point: int, alpha: float = 1.0) -> None:
        super().__init__(alpha)
        self.scale, self.zero_point = scale, zero_point

    def forward(self, input: Any) -> Any:
        """The function of every element."""
        return rushlight.ops.quantized.elu(input, self.scale, self.zero_point, self.alpha)

    def _get_name(self) -> str:
        return "QuantizedELU"

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> ELU:
        """The layer of one of real numbers that an observer has followed."""
        return ELU(*_found(mod), mod.alpha)


class LeakyReLU(nn.LeakyReLU):
    """`nn.LeakyReLU` of quantized tensors.

    Args:
        scale: the scale of results
        zero_point: their zero point
        negative_slope: the factor of what is negative
        inplace: whether the tensor itself is changed
    """

    scale: Any
    zero_point: Any

    def __init__(
        self, scale: float, zero_point: int, negative_slope: float = 1e-2, inplace: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(negative_slope, inplace)
        self.register_buffer("scale", rushlight.tensor(scale, device=device, dtype=dtype))
        self.register_buffer("zero_point", rushlight.tensor(zero_point, device=device, dtype=dtype))

    def forward(self, input: Any) -> Any:
        """The function of every element."""
        return rushlight.ops.quantized.leaky_relu(
            input, self.negative_slope, self.inplace, self.scale, self.zero_point
        )

    def _get_name(self) -> str:
        return "QuantizedLeakyReLU"

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> LeakyReLU:
        """The layer of one of real numbers that an observer has followed."""
        return cls(*_found(mod), mod.negative_slope, mod.inplace)


class Sigmoid(nn.Sigmoid):
    """`nn.Sigmoid` of quantized tensors.

    Args:
        output_scale: the scale of results
        output_zero_point: their zero point
    """

    def __init__(self, output_scale: float, output_zero_point: int) -> None:
        super().__init__()
        self.output_scale, self.output_zero_point = output_scale, output_zero_point

    def forward(self, input: Any) -> Any:
        """The function of every element."""
        return rushlight.ops.quantized.sigmoid(input, self.output_scale, self.output_zero_point)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Sigmoid:
        """The layer of one of real numbers that an observer has followed."""
        return cls(*_found(mod))


class Softmax(nn.Softmax):
    """`nn.Softmax` of quantized tensors.

    Args:
        dim: the dimension along which results add up to 1
        scale: the scale of results
        zero_point: their zero point
    """

    def __init__(self, dim: Any = None, scale: float = 1.0, zero_point: int = 0) -> None:
        super().__init__()
        self.dim, self.scale, self.zero_point = dim, scale, zero_point

    def forward(self, input: Any) -> Any:
        """The function along the dimension."""
        dim = self.dim
        if dim is None:
            dim = 0 if input.dim() in (0, 1, 3) else 1
        return rushlight.ops.quantized.softmax(input, dim, self.scale, self.zero_point)

    def _get_name(self) -> str:
        return "QuantizedSoftmax"

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Softmax:
        """The layer of one of real numbers that an observer has followed."""
        return Softmax(mod.dim, *_found(mod))


class Dropout(nn.Dropout):
    """Nothing: elements are dropped in training only."""

    def forward(self, input: Any) -> Any:
        """The input."""
        return input

    def _get_name(self) -> str:
        return "QuantizedDropout"

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Dropout:
        """The layer of one of real numbers."""
        return cls(mod.p, mod.inplace)


class _BatchNorm:
    """What normalisations of channels share."""

    _operator = ""

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps=eps, momentum=momentum, device=device, dtype=dtype)  # type: ignore[call-arg]
        self.register_buffer("scale", rushlight.tensor(1.0))  # type: ignore[attr-defined]
        self.register_buffer("zero_point", rushlight.tensor(0))  # type: ignore[attr-defined]

    def forward(self: Any, input: Any) -> Any:
        """The normalised channels."""
        operator = getattr(rushlight.ops.quantized, self._operator)
        return operator(
            input, self.weight, self.bias, self.running_mean, self.running_var, self.eps, self.scale,
            self.zero_point,
        )  # fmt: skip

    def _get_name(self) -> str:
        return f"Quantized{type(self).__name__}"

    @classmethod
    def from_float(cls: Any, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of one of real numbers that an observer has followed."""
        bn = mod[0] if isinstance(mod, nn.Sequential) else mod
        made = cls(bn.num_features, bn.eps)
        made.weight, made.bias = bn.weight, bn.bias
        made.running_mean, made.running_var = bn.running_mean, bn.running_var
        made.scale, made.zero_point = mod.activation_post_process.calculate_qparams()
        return made


class BatchNorm2d(_BatchNorm, nn.BatchNorm2d):
    """`nn.BatchNorm2d` of quantized images."""

    _operator = "batch_norm2d"


class BatchNorm3d(_BatchNorm, nn.BatchNorm3d):
    """`nn.BatchNorm3d` of quantized volumes."""

    _operator = "batch_norm3d"


class _Normalisation(nn.Module):
    """A normalisation of a quantized tensor by its own means and variances."""

    def _register(self, weight: Any, bias: Any, scale: Any, zero_point: Any) -> None:
        self.weight, self.bias = weight, bias
        self.register_buffer("scale", rushlight.tensor(scale))
        self.register_buffer("zero_point", rushlight.tensor(zero_point))

    def _get_name(self) -> str:
        return f"Quantized{type(self).__name__}"


class LayerNorm(_Normalisation):
    """`nn.LayerNorm` of quantized tensors."""

    def __init__(
        self, normalized_shape: Any, weight: Any, bias: Any, scale: float, zero_point: int,
        eps: float = 1e-5, elementwise_affine: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        given = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape, self.eps = tuple(given), eps
        self.elementwise_affine = elementwise_affine
        self._register(weight, bias, scale, zero_point)

    def forward(self, input: Any) -> Any:
        """The normalised tensor."""
        return rushlight.ops.quantized.layer_norm(
            input, self.normalized_shape, self.weight, self.bias, self.eps, self.scale,
            self.zero_point,
        )  # fmt: skip

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of one of real numbers that an observer has followed."""
        return cls(
            mod.normalized_shape,
            mod.weight,
            mod.bias,
            *_found(mod),
            mod.eps,
            mod.elementwise_affine,
        )


class GroupNorm(_Normalisation):
    """`nn.GroupNorm` of quantized tensors."""

    def __init__(
        self, num_groups: int, num_channels: int, weight: Any, bias: Any, scale: float,
        zero_point: int, eps: float = 1e-5, affine: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_groups, self.num_channels, self.eps, self.affine = (
            num_groups, num_channels, eps, affine,
        )  # fmt: skip
        self._register(weight, bias, scale, zero_point)

    def forward(self, input: Any) -> Any:
        """The normalised tensor."""
        return rushlight.ops.quantized.group_norm(
            input, self.num_groups, self.weight, self.bias, self.eps, self.scale, self.zero_point
        )

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of one of real numbers that an observer has followed."""
        return cls(
            mod.num_groups,
            mod.num_channels,
            mod.weight,
            mod.bias,
            *_found(mod),
            mod.eps,
            mod.affine,
        )


class _InstanceNorm(_Normalisation):
    def __init__(
        self, num_features: int, weight: Any, bias: Any, scale: float, zero_point: int,
        eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum, self.affine = (
            num_features, eps, momentum, affine,
        )  # fmt: skip
        self._register(weight, bias, scale, zero_point)

    def forward(self, input: Any) -> Any:
        """The normalised tensor."""
        return rushlight.ops.quantized.instance_norm(
            input, self.weight, self.bias, self.eps, self.scale, self.zero_point
        )

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of one of real numbers that an observer has followed."""
        return cls(mod.num_features, mod.weight, mod.bias, *_found(mod), mod.eps, mod.affine)


class InstanceNorm1d(_InstanceNorm):
    """`nn.InstanceNorm1d` of quantized rows."""


class InstanceNorm2d(_InstanceNorm):
    """`nn.InstanceNorm2d` of quantized images."""


class InstanceNorm3d(_InstanceNorm):
    """`nn.InstanceNorm3d` of quantized volumes."""

"""Convolutions of quantized tensors."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight import nn
from rushlight.ao.nn import intrinsic as nni
from rushlight.ao.nn.quantized.modules.utils import WeightedQuantizedModule, quantized_weight
from rushlight.nn.utils.fusion import fuse_conv_bn_weights

__all__ = ["Conv1d", "Conv2d", "Conv3d"]


def _tuple(value: Any, count: int) -> tuple[int, ...]:
    return (value,) * count if isinstance(value, int) else tuple(value)


class _ConvNd(WeightedQuantizedModule):
    """A convolution whose inputs, weight and results are quantized."""

    _version = 3
    _dims = 2
    _operator = "conv2d"
    _FLOAT_MODULE: Any = nn.Conv2d

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: bool = True,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if padding_mode not in ("zeros", "reflect"):
            raise ValueError(
                f"'padding_mode' {padding_mode} is not supported by quantized convolution"
            )
        if isinstance(padding, str):
            raise ValueError(f"quantized convolutions take numbers as padding, and not {padding!r}")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride, self.padding, self.dilation = (
            _tuple(x, self._dims) for x in (kernel_size, stride, padding, dilation)
        )
        self.transposed, self.output_padding = False, (0,) * self._dims
        self.groups, self.padding_mode = groups, padding_mode
        weight = rushlight._empty_affine_quantized(
            [out_channels, in_channels // groups, *self.kernel_size], scale=1, zero_point=0,
            dtype=rushlight.qint8,
        )  # fmt: skip
        self.set_weight_bias(weight, rushlight.zeros(out_channels) if bias else None)
        self.scale: Any = 1.0
        self.zero_point: Any = 0

    def _get_name(self) -> str:
        return f"QuantizedConv{self._dims}d"

    def set_weight_bias(self, w: Any, b: Any) -> None:
        """Take a weight and a bias."""
        padding = (0,) * self._dims if self.padding_mode != "zeros" else self.padding
        prepack = getattr(rushlight.ops.quantized, f"conv{self._dims}d_prepack")
        self._packed_params = prepack(
            w, b, list(self.stride), list(padding), list(self.dilation), self.groups
        )

    def _weight_bias(self) -> Any:
        unpack = getattr(rushlight.ops.quantized, f"conv{self._dims}d_unpack")
        return unpack(self._packed_params)

    def weight(self) -> Any:
        """The quantized weight."""
        return self._weight_bias()[0]

    def bias(self) -> Any:
        """The bias, or None."""
        return self._weight_bias()[1]

    def forward(self, input: Any) -> Any:
        """The layer's result for a quantized tensor."""
        if input.dim() != self._dims + 2:
            shape = "(N, C, " + ", ".join("DHW"[3 - self._dims :]) + ")"
            raise ValueError(f"Input shape must be `{shape}`!")
        if self.padding_mode != "zeros":
            ends = [n for p in reversed(self.padding) for n in (p, p)]
            input = nn.functional.pad(input, ends, mode=self.padding_mode)
        operator = getattr(rushlight.ops.quantized, self._operator)
        return operator(input, self._packed_params, self.scale, self.zero_point)

    def extra_repr(self) -> str:
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, scale={self.scale}, zero_point={self.zero_point}"
        )
        if self.padding != (0,) * len(self.padding):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.dilation):
            text += f", dilation={self.dilation}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        return text + ("" if self.bias() is not None else ", bias=False")

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        weight, bias = self._weight_bias()
        destination[prefix + "weight"] = weight
        destination[prefix + "bias"] = bias
        destination[prefix + "scale"] = rushlight.tensor(self.scale)
        destination[prefix + "zero_point"] = rushlight.tensor(self.zero_point)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, *rest: Any
    ) -> None:
        given = [state_dict.pop(prefix + name) for name in ("weight", "bias")]
        self.set_weight_bias(*given)
        self.scale = float(state_dict.pop(prefix + "scale"))
        self.zero_point = int(state_dict.pop(prefix + "zero_point"))
        super()._load_from_state_dict(state_dict, prefix, local_metadata, False, *rest)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of one of real numbers that observers have seen."""
        observer = mod.activation_post_process
        if hasattr(mod, "weight_fake_quant"):
            conv, weight_observer = mod, mod.weight_fake_quant
            if getattr(mod, "bn", None) is not None:
                bn = mod.bn
                mod.weight, mod.bias = fuse_conv_bn_weights(
                    mod.weight,
                    mod.bias,
                    bn.running_mean,
                    bn.running_var,
                    bn.eps,
                    bn.weight,
                    bn.bias,
                )
        else:
            if type(mod) not in _float_kinds(cls):
                raise AssertionError(
                    f" nnq.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__} but "
                    f"got:{type(mod)}"
                )
            if not hasattr(mod, "qconfig"):
                raise AssertionError("Input float module must have qconfig defined.")
            conv = mod[0] if isinstance(mod, nni._FusedModule) else mod
            weight_observer = mod.qconfig.weight()
        if not use_precomputed_fake_quant:
            weight_observer(conv.weight)
        if weight_observer.dtype is not rushlight.qint8:
            raise AssertionError("Weight observer must have a dtype of qint8")
        made = cls(
            conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride, conv.padding,
            conv.dilation, conv.groups, conv.bias is not None, conv.padding_mode,
        )  # fmt: skip
        made.set_weight_bias(quantized_weight(conv.weight.float(), weight_observer), conv.bias)
        if getattr(observer, "dtype", rushlight.float) is not rushlight.float:
            scale, zero_point = observer.calculate_qparams()
            made.scale, made.zero_point = float(scale), int(zero_point)
        return made


def _float_kinds(cls: Any) -> tuple[type, ...]:
    name = f"{cls._dims}d"
    fused = [getattr(nni, f"{kind}{name}") for kind in ("ConvReLU", "ConvBn", "ConvBnReLU")]
    return (cls._FLOAT_MODULE, *fused)


class Conv1d(_ConvNd):
    """A convolution of quantized rows."""

    _dims, _operator, _FLOAT_MODULE = 1, "conv1d", nn.Conv1d


class Conv2d(_ConvNd):
    """A convolution of quantized images."""

    _dims, _operator, _FLOAT_MODULE = 2, "conv2d", nn.Conv2d


class Conv3d(_ConvNd):
    """A convolution of quantized volumes."""

    _dims, _operator, _FLOAT_MODULE = 3, "conv3d", nn.Conv3d

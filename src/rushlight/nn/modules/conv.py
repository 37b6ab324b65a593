"""Convolutions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import rushlight
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
]  # fmt: skip

_MODES = ("zeros", "reflect", "replicate", "circular")


def _tuple(value: Any, count: int) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


def _check(channels: dict[str, int], groups: int, padding: Any, stride: Any, mode: str) -> None:
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    for name, count in channels.items():
        if count % groups != 0:
            raise ValueError(f"{name} must be divisible by groups")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(
                f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}"
            )
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if mode not in _MODES:
        names = ", ".join(repr(m) for m in _MODES)
        raise ValueError(f"padding_mode must be one of {{{names}}}, but got padding_mode='{mode}'")


class _ConvNd(Module):
    """What convolutions of all dimensions share."""

    dims = 0
    transposed = False
    _only_in_files = ("transposed",)
    weight: Any
    bias: Any
    padding: Any

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any,
        dilation: Any, transposed: bool, output_padding: Any, groups: int, bias: bool,
        padding_mode: str, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if not self.dims:
            # A program's own class says so by the sizes that it gives.
            self.dims, self.transposed = len(kernel_size), transposed
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _tuple(kernel_size, self.dims)
        self.stride = _tuple(stride, self.dims)
        self.padding = padding if isinstance(padding, str) else _tuple(padding, self.dims)
        self.dilation = _tuple(dilation, self.dims)
        self.output_padding = _tuple(output_padding, self.dims)
        self.groups = groups
        self.padding_mode = padding_mode
        channels = {"in_channels": in_channels, "out_channels": out_channels}
        _check(channels, groups, self.padding, self.stride, padding_mode)
        self._reversed_padding_repeated_twice = self._border()
        self._make_parameters(bias, {"device": device, "dtype": dtype})

    def _make_parameters(self, bias: bool, made: Any) -> None:
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        size = (first, second // self.groups, *self.kernel_size)
        self.weight = Parameter(rushlight.empty(size, **made))
        if bias:
            self.bias = Parameter(rushlight.empty(self.out_channels, **made))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _border(self) -> list[int]:
        """The widths of the border in the order of `pad`."""
        if self.padding == "valid":
            return [0, 0] * self.dims
        border: list[int] = []
        for d in reversed(range(self.dims)):
            if self.padding == "same":
                whole = self.dilation[d] * (self.kernel_size[d] - 1)
                border += [whole // 2, whole - whole // 2]
            else:
                border += [self.padding[d]] * 2
        return border

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        # Numbers are drawn in the order of the indices, whatever the order in memory.
        weight = self.weight.detach()
        drawn = weight.contiguous()
        init.kaiming_uniform_(drawn, a=math.sqrt(5))
        if drawn is not weight:
            weight.copy_(drawn)
        if self.bias is None:
            return
        fan_in = self.weight.size(1) * math.prod(self.weight.shape[2:])
        if fan_in != 0:
            bound = 1 / math.sqrt(fan_in)
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        parts = [
            f"{self.in_channels}, {self.out_channels}",
            f"kernel_size={self.kernel_size}, stride={self.stride}",
        ]
        if self.padding != (0,) * len(self.padding):
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * self.dims:
            parts.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * self.dims:
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class _Conv(_ConvNd):
    """Sums of windows' elements, weighted, for every output channel.

    Args:
        in_channels: the input's channels
        out_channels: the output's channels
        kernel_size: the size of the windows
        stride: from window to window
        padding: the width of the border, or 'same' or 'valid'
        dilation: from element to element of a window
        groups: the parts that channels are split into
        bias: whether something is added
        padding_mode: what the border consists of
    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: bool = True,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, False, 0, groups,
            bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _conv_forward(self, input: Any, weight: Any, bias: Any) -> Any:
        function = getattr(F, f"conv{self.dims}d")
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, self.padding_mode)
            padding = (0,) * self.dims
        return function(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Any) -> Any:
        return self._conv_forward(input, self.weight, self.bias)


class _ConvTransposeNd(_ConvNd):
    """The transpose of a convolution: every input element adds a weighted window to the output."""

    transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, output_padding: Any = 0, groups: int = 1, bias: bool = True,
        dilation: Any = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, True, output_padding,
            groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _extra(self, input: Any, output_size: Any) -> tuple[int, ...]:
        """The padding of the output with which it has the wanted size."""
        if output_size is None:
            return self.output_padding
        skipped = input.dim() - self.dims
        wanted = list(output_size)
        if len(wanted) == skipped + self.dims:
            wanted = wanted[skipped:]
        if len(wanted) != self.dims:
            raise ValueError(
                f"ConvTranspose{self.dims}D: for {input.dim()}D input, output_size must have "
                f"{self.dims} or {skipped + self.dims} elements (got {len(wanted)})"
            )
        least = [
            (input.size(d + skipped) - 1) * self.stride[d] - 2 * self.padding[d]
            + self.dilation[d] * (self.kernel_size[d] - 1) + 1
            for d in range(self.dims)
        ]  # fmt: skip
        most = [n + s - 1 for n, s in zip(least, self.stride)]
        if any(not low <= size <= high for low, size, high in zip(least, wanted, most)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {least} "
                f"to {most} (for an input of {input.size()[2:]})"
            )
        return tuple(size - low for size, low in zip(wanted, least))

    def forward(self, input: Any, output_size: Any = None) -> Any:
        function = getattr(F, f"conv_transpose{self.dims}d")
        return function(
            input, self.weight, self.bias, self.stride, self.padding,
            self._extra(input, output_size), self.groups, self.dilation,
        )  # fmt: skip


class Conv1d(_Conv):
    __doc__ = _Conv.__doc__
    dims = 1


class Conv2d(_Conv):
    __doc__ = _Conv.__doc__
    dims = 2


class Conv3d(_Conv):
    __doc__ = _Conv.__doc__
    dims = 3


class ConvTranspose1d(_ConvTransposeNd):
    __doc__ = _ConvTransposeNd.__doc__
    dims = 1


class ConvTranspose2d(_ConvTransposeNd):
    __doc__ = _ConvTransposeNd.__doc__
    dims = 2


class ConvTranspose3d(_ConvTransposeNd):
    __doc__ = _ConvTransposeNd.__doc__
    dims = 3

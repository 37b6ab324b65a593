"""Layers that round their weights as if quantized, for training."""

from __future__ import annotations

from typing import Any

from rushlight import nn

__all__ = ["Conv1d", "Conv2d", "Conv3d", "Linear"]

_CONV = (
    "in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups",
)  # fmt: skip


def _check(cls: Any, mod: Any, qconfig: Any) -> Any:
    if not qconfig:
        raise AssertionError("qconfig must be provided for QAT module")
    if type(mod) is not cls._FLOAT_MODULE:
        raise AssertionError(
            f"qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}"
        )
    return qconfig


class Linear(nn.Linear):
    """A linear layer with a rounded weight.

    Args:
        in_features: the size of inputs
        out_features: the size of results
        bias: whether a bias is added
        qconfig: whose ``weight`` makes what rounds
    """

    _FLOAT_MODULE: Any = nn.Linear

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, qconfig: Any = None,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(in_features, out_features, bias, device=device, dtype=dtype)
        if not qconfig:
            raise AssertionError("qconfig must be provided for QAT module")
        self.qconfig = qconfig
        self.weight_fake_quant = qconfig.weight()

    def forward(self, input: Any) -> Any:
        """The layer's result."""
        return nn.functional.linear(input, self.weight_fake_quant(self.weight), self.bias)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of a plain one with a configuration; they share weights."""
        linear = mod[0] if isinstance(mod, nn.Sequential) else mod
        qconfig = _check(cls, mod, getattr(mod, "qconfig", None))
        made = cls(
            linear.in_features, linear.out_features, bias=linear.bias is not None, qconfig=qconfig
        )
        made.weight, made.bias = linear.weight, linear.bias
        return made

    def to_float(self) -> Any:
        """The plain layer."""
        made = nn.Linear(self.in_features, self.out_features, self.bias is not None)
        made.weight = nn.Parameter(self.weight.detach())
        if self.bias is not None:
            made.bias = nn.Parameter(self.bias.detach())
        made.train(self.training)
        return made


class _ConvNd:
    """What convolutions with rounded weights share."""

    _FLOAT_MODULE: Any = None

    def __init__(self: Any, *args: Any, qconfig: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not qconfig:
            raise AssertionError("qconfig must be provided for QAT module")
        self.qconfig = qconfig
        self.weight_fake_quant = qconfig.weight()

    def forward(self: Any, input: Any) -> Any:
        """The layer's result."""
        return self._conv_forward(input, self.weight_fake_quant(self.weight), self.bias)

    @classmethod
    def from_float(cls: Any, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of a plain one with a configuration; they share weights."""
        qconfig = _check(cls, mod, getattr(mod, "qconfig", None))
        conv = mod[0] if isinstance(mod, nn.Sequential) else mod
        given = {name: getattr(conv, name) for name in _CONV}
        made = cls(
            **given, bias=conv.bias is not None, padding_mode=conv.padding_mode, qconfig=qconfig
        )
        made.weight, made.bias = conv.weight, conv.bias
        return made

    def to_float(self: Any) -> Any:
        """The plain layer."""
        given = {name: getattr(self, name) for name in _CONV}
        kind = next(
            base for base in type(self).__mro__ if base in (nn.Conv1d, nn.Conv2d, nn.Conv3d)
        )
        made = kind(**given, bias=self.bias is not None, padding_mode=self.padding_mode)
        made.weight = nn.Parameter(self.weight.detach())
        if self.bias is not None:
            made.bias = nn.Parameter(self.bias.detach())
        return made


class Conv1d(_ConvNd, nn.Conv1d):
    """`nn.Conv1d` with a rounded weight; ``qconfig.weight`` makes what rounds."""

    _FLOAT_MODULE = nn.Conv1d


class Conv2d(_ConvNd, nn.Conv2d):
    """`nn.Conv2d` with a rounded weight; ``qconfig.weight`` makes what rounds."""

    _FLOAT_MODULE = nn.Conv2d


class Conv3d(_ConvNd, nn.Conv3d):
    """`nn.Conv3d` with a rounded weight; ``qconfig.weight`` makes what rounds."""

    _FLOAT_MODULE = nn.Conv3d

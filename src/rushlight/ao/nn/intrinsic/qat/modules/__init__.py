"""Fused layers that round their weights as if quantized, for training."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight import nn
from rushlight.ao.nn import intrinsic as nni
from rushlight.ao.nn import qat

__all__ = [
    "ConvBn1d", "ConvBn2d", "ConvBn3d", "ConvBnReLU1d", "ConvBnReLU2d", "ConvBnReLU3d",
    "ConvReLU1d", "ConvReLU2d", "ConvReLU3d", "LinearReLU", "freeze_bn_stats", "update_bn_stats",
]  # fmt: skip

_NORMS = {1: nn.BatchNorm1d, 2: nn.BatchNorm2d, 3: nn.BatchNorm3d}
_CONVS = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}
_CONV = (
    "in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups",
)  # fmt: skip


class LinearReLU(qat.Linear, nni._FusedModule):  # type: ignore[misc]
    """A linear layer with a rounded weight, and what is negative becomes 0.

    Args:
        in_features: the size of inputs
        out_features: the size of results
        bias: whether a bias is added
        qconfig: whose ``weight`` makes what rounds
    """

    _FLOAT_MODULE = nni.LinearReLU

    def forward(self, input: Any) -> Any:  # type: ignore[override]
        """The layer's result."""
        return nn.functional.relu(qat.Linear.forward(self, input))


class _ConvReLU:
    """What convolutions with rounded weights and a ReLU share."""

    def forward(self: Any, input: Any) -> Any:
        """The layer's result."""
        return nn.functional.relu(
            self._conv_forward(input, self.weight_fake_quant(self.weight), self.bias)
        )


class _ConvBn(nni._FusedModule):  # type: ignore[misc]
    """A convolution and the normalisation of its channels, whose weight is rounded as it will be folded.

    Args:
        *args: those of the convolution
        qconfig: whose ``weight`` makes what rounds
        eps, momentum: those of the normalisation
        freeze_bn: whether means and variances stay as they are
    """

    _dims = 2
    _FLOAT_MODULE: Any = None
    _relu = False

    def __init__(
        self: Any, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: Any = None,
        padding_mode: str = "zeros", eps: float = 1e-05, momentum: float = 0.1,
        freeze_bn: bool = False, qconfig: Any = None,
    ) -> None:  # fmt: skip
        if not qconfig:
            raise AssertionError("qconfig must be provided for QAT module")
        # The bias is added after the normalisation sees its part.
        self._CONV.__init__(
            self, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, False,
            padding_mode,
        )  # fmt: skip
        self.qconfig = qconfig
        self.freeze_bn = freeze_bn if self.training else True
        self.bn = _NORMS[self._dims](out_channels, eps, momentum, True, True)
        self.weight_fake_quant = qconfig.weight()
        if bias:
            self.bias = nn.Parameter(rushlight.zeros(out_channels))
        (self.freeze_bn_stats if self.freeze_bn else self.update_bn_stats)()

    def freeze_bn_stats(self: Any) -> Any:
        """Let means and variances stay as they are."""
        self.freeze_bn, self.bn.training = True, False
        return self

    def update_bn_stats(self: Any) -> Any:
        """Let means and variances follow what goes by."""
        self.freeze_bn, self.bn.training = False, True
        return self

    def forward(self: Any, input: Any) -> Any:
        """The layer's result."""
        running_std = rushlight.sqrt(self.bn.running_var + self.bn.eps)
        factor = self.bn.weight / running_std
        rows, columns = [1] * (self._dims + 2), [1] * (self._dims + 2)
        rows[0], columns[1] = -1, -1
        weight = self.weight_fake_quant(self.weight * factor.reshape(rows))
        nothing = rushlight.zeros(self.out_channels, dtype=input.dtype)
        made = self._conv_forward(input, weight, nothing) / factor.reshape(columns)
        if self.bias is not None:
            made = made + self.bias.reshape(columns)
        made = self.bn(made)
        return nn.functional.relu(made) if self._relu else made

    def train(self: Any, mode: bool = True) -> Any:
        """Switch to training or back; frozen statistics stay so."""
        self.training = mode
        if not self.freeze_bn:
            for module in self.children():
                module.train(mode)
        return self

    def extra_repr(self: Any) -> str:
        return self._CONV.extra_repr(self)  # type: ignore[no-any-return]

    @classmethod
    def from_float(cls: Any, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of a fused one with a configuration; they share weights."""
        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError(
                f"qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}"
            )
        if not getattr(mod, "qconfig", None):
            raise AssertionError("Input float module must have a valid qconfig")
        conv, bn = mod[0], mod[1]
        given = {name: getattr(conv, name) for name in _CONV}
        made = cls(
            **given, bias=conv.bias is not None, padding_mode=conv.padding_mode, eps=bn.eps,
            momentum=bn.momentum, qconfig=mod.qconfig,
        )  # fmt: skip
        made.weight, made.bias = conv.weight, conv.bias
        made.bn.weight, made.bn.bias = bn.weight, bn.bias
        made.bn.running_mean, made.bn.running_var = bn.running_mean, bn.running_var
        made.bn.num_batches_tracked = bn.num_batches_tracked
        return made


def _made(name: str, dims: int) -> type:
    conv = _CONVS[dims]
    body: dict[str, Any] = {
        "__module__": __name__, "_FLOAT_MODULE": getattr(nni, name), "_dims": dims,
        "__doc__": f"`{name}` of `nn.intrinsic` with a rounded weight; ``qconfig.weight`` makes what "
        "rounds.",
    }  # fmt: skip
    if "Bn" not in name:
        return type(name, (_ConvReLU, getattr(qat, f"Conv{dims}d"), nni._FusedModule), body)
    return type(name, (_ConvBn, conv), {**body, "_CONV": conv, "_relu": "ReLU" in name})


ConvReLU1d, ConvReLU2d, ConvReLU3d = (_made(f"ConvReLU{n}d", n) for n in (1, 2, 3))
ConvBn1d, ConvBn2d, ConvBn3d = (_made(f"ConvBn{n}d", n) for n in (1, 2, 3))
ConvBnReLU1d, ConvBnReLU2d, ConvBnReLU3d = (_made(f"ConvBnReLU{n}d", n) for n in (1, 2, 3))


def freeze_bn_stats(mod: Any) -> None:
    """Let the means and variances of a fused layer stay as they are."""
    if isinstance(mod, _ConvBn):
        mod.freeze_bn_stats()


def update_bn_stats(mod: Any) -> None:
    """Let the means and variances of a fused layer follow what goes by."""
    if isinstance(mod, _ConvBn):
        mod.update_bn_stats()

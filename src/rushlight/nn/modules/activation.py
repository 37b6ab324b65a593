"""Activations."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.engine.core.tensor import Tensor
from rushlight.nn import functional as F
from rushlight.nn.modules._settings import OfFunction
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]  # fmt: skip


class ReLU(OfFunction):
    """Zero for negative elements."""

    function = "relu"


class RReLU(OfFunction):
    """A leaky rectifier whose slope is drawn in training."""

    signature, function = "lower=1.0 / 8, upper=1.0 / 3, inplace=False", "rrelu"

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)  # type: ignore[attr-defined, no-any-return]


class Threshold(OfFunction):
    """Elements above the threshold; a value for the others."""

    function = "threshold"


class Hardtanh(OfFunction):
    """Every element, kept between two bounds."""

    function = "hardtanh"


class ReLU6(Hardtanh):
    """Every element, kept between 0 and 6."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)  # type: ignore[call-arg]

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""  # type: ignore[attr-defined]


class Sigmoid(OfFunction):
    """The logistic function."""

    function = "sigmoid"


class Hardsigmoid(OfFunction):
    """A logistic function of straight lines."""

    function = "hardsigmoid"

    def extra_repr(self) -> str:
        return ""


class Tanh(OfFunction):
    """The hyperbolic tangent."""

    function = "tanh"


class SiLU(OfFunction):
    """Every element times its logistic function."""

    function = "silu"


class Mish(OfFunction):
    """Every element times the hyperbolic tangent of its softplus."""

    function = "mish"


class Hardswish(OfFunction):
    """Every element times its hard logistic function."""

    function = "hardswish"

    def extra_repr(self) -> str:
        return ""


class ELU(OfFunction):
    """Exponential below zero."""

    function = "elu"


class CELU(OfFunction):
    """`ELU`, smooth for every ``alpha``."""

    function = "celu"


class SELU(OfFunction):
    """`ELU`, scaled so that mean and variance are kept."""

    function = "selu"


class GLU(OfFunction):
    """One half of the input, gated by the other."""

    signature, function = "dim=-1", "glu"


class GELU(OfFunction):
    """Every element times the normal distribution's share below it."""

    signature, function = "approximate='none'", "gelu"


class Hardshrink(OfFunction):
    """Zero for elements near zero."""

    signature, function, bare = "lambd=0.5", "hardshrink", ("lambd",)


class LeakyReLU(OfFunction):
    """A small slope for negative elements."""

    function = "leaky_relu"


class LogSigmoid(OfFunction):
    """The logarithm of the logistic function."""

    function = "logsigmoid"


class Softplus(OfFunction):
    """A smooth rectifier."""

    signature, function = "beta=1.0, threshold=20.0", "softplus"


class Softshrink(OfFunction):
    """Every element moved towards zero."""

    signature, function, bare = "lambd=0.5", "softshrink", ("lambd",)


class Softsign(OfFunction):
    """Every element over one plus its absolute value."""

    function = "softsign"


class Tanhshrink(OfFunction):
    """Every element less its hyperbolic tangent."""

    function = "tanhshrink"


class Softmin(OfFunction):
    """`Softmax` of the negated input."""

    signature, function = "dim=None", "softmin"


class Softmax(OfFunction):
    """Exponentials along a dimension, scaled to sum to one."""

    signature, function = "dim=None", "softmax"


class LogSoftmax(OfFunction):
    """The logarithm of `Softmax`."""

    signature, function = "dim=None", "log_softmax"


class Softmax2d(OfFunction):
    """`Softmax` over the channels of images."""

    signature, function = "", "softmax"

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):  # type: ignore[attr-defined]
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"  # type: ignore[attr-defined]
            )
        return F.softmax(input, -3)  # type: ignore[no-any-return]


class PReLU(Module):
    """A rectifier whose slope for negative elements is trained."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(rushlight.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin with the slope that the module was made with."""
        with rushlight.no_grad():
            self.weight.fill_(self.init)  # type: ignore[attr-defined]

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)  # type: ignore[no-any-return, attr-defined]

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"

"""Activation functions of neural networks."""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.calls import pointwise as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import COMPLEX, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.loops import maths, promotion
from rushlight.engine.loops.expr import Complex, Value, const, fma, isnan, maximum, minimum, select
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.pointwise import Args, Kernel, Pointwise, pointwise, same
from rushlight.engine.ops.kinds.views import composite, cpu, meta

FLOAT = "hf"


def _check_relu(common: dtype, args: Args) -> None:
    if common is dtypes.bool_:
        raise RuntimeError("Boolean inputs not supported for relu")
    if common.category == COMPLEX:
        raise NotImplementedError("clamp is not supported for complex types")


@pointwise("relu", allowed="ihf", kernel="clamp_min_scalar_cpu", check=_check_relu)
def relu(x: Value) -> Value:
    return maximum(const(x.type, 0), x)


def _check_hardtanh(common: dtype, args: Args) -> None:
    if common is dtypes.bool_:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if common.category == COMPLEX:
        raise NotImplementedError("clamp is not supported for complex types")
    if common is dtypes.uint8 and (args[1] < 0 or args[2] < 0):
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")


@pointwise(
    "hardtanh",
    allowed="ihf",
    kernel="clamp_scalar_cpu",
    check=_check_hardtanh,
    inspect=_check_hardtanh,
    rounded=True,
)
def hardtanh(x: Value, low: Value, high: Value) -> Value:
    return minimum(high, maximum(low, x))


@composite("relu6")
def relu6(self: Tensor) -> Tensor:
    return calls.hardtanh(self, 0, 6)


@composite("relu6_")
def relu6_(self: Tensor) -> Tensor:
    return calls.hardtanh_(self, 0, 6)


@pointwise("threshold", allowed="ihf")
def threshold(x: Value, limit: Value, value: Value) -> Value:
    return select(x <= limit, value, x)


_NEGATIVE_SLOPE = (
    "In-place {} backward calculation is triggered with a negative slope which is not supported. "
    "This is caused by calling in-place forward function with a negative slope, please call "
    "out-of-place version instead."
)


@pointwise("leaky_relu", allowed=FLOAT)
def leaky_relu(x: Value, slope: Value) -> Value:
    return select(x > 0, x, x * slope)


def _check_leaky_slope(common: dtype, args: Args) -> None:
    if args[3] and args[2] < 0:
        raise RuntimeError(_NEGATIVE_SLOPE.format("leakyReLu"))


@pointwise(
    "leaky_relu_backward", allowed=FLOAT, compiled=("negative_slope",), check=_check_leaky_slope
)
def leaky_relu_backward(grad: Value, x: Value, slope: Value, is_result: bool) -> Value:
    return select(x > 0, grad, grad * slope)


@pointwise("_prelu_kernel", allowed=FLOAT, kernel="prelu_cpu")
def prelu_kernel(x: Value, weight: Value) -> Value:
    return select(x > 0, x, x * weight)


@composite("prelu")
def prelu(self: Tensor, weight: Tensor) -> Tensor:
    if self._dtype_ is not weight._dtype_:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {promotion.title(self._dtype_)} and "
            f"{promotion.title(weight._dtype_)}"
        )
    rank = len(self._size_)
    if weight._numel_ != 1:
        if rank == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = self._size_[1] if rank > 1 else 1
        if channels != weight._numel_:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers "
                f"= {weight._numel_} and channel size = {channels}."
            )
    if len(weight._size_) > 1:
        raise RuntimeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = "
            f"{len(weight._size_)}"
        )
    if rank == 0:
        weight = views.view(weight, ())
    else:
        shape = [weight._numel_ if d == 1 or rank == 1 else 1 for d in range(rank)]
        weight = views.view(weight, shape)
    return calls._prelu_kernel(self, weight)


# -- exponential units --


def _exponential_unit(x: Value, alpha: Any, scale: Any, input_scale: Any) -> Value:
    return select(x > 0, x * scale, maths.expm1(x * input_scale) * (alpha * scale))


@pointwise("elu", allowed=FLOAT)
def elu(x: Value, alpha: Value, scale: Value, input_scale: Value) -> Value:
    return _exponential_unit(x, alpha, scale, input_scale)


def _check_elu_slope(common: dtype, args: Args) -> None:
    if args[4] and args[1] < 0:
        raise RuntimeError(_NEGATIVE_SLOPE.format("elu"))


@pointwise("elu_backward", allowed=FLOAT, compiled=("alpha",), check=_check_elu_slope)
def elu_backward(
    grad: Value, alpha: Value, scale: Value, input_scale: Value, is_result: bool, x: Value
) -> Value:
    height = alpha * scale
    below = x + height if is_result else maths.exp(x * input_scale) * height
    return select(x > 0, grad * scale, grad * below * input_scale)


SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@composite("selu")
def selu(self: Tensor) -> Tensor:
    return calls.elu(self, SELU_ALPHA, SELU_SCALE)


@composite("selu_")
def selu_(self: Tensor) -> Tensor:
    return calls.elu_(self, SELU_ALPHA, SELU_SCALE)


def _celu_scale(alpha: Any) -> float:
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return 1.0 / alpha  # type: ignore[no-any-return]


@composite("celu")
def celu(self: Tensor, alpha: Any) -> Tensor:
    return calls.elu(self, alpha, 1.0, _celu_scale(alpha))


@composite("celu_")
def celu_(self: Tensor, alpha: Any) -> Tensor:
    return calls.elu_(self, alpha, 1.0, _celu_scale(alpha))


# -- smooth units --


def _check_approximate(common: dtype, args: Args) -> None:
    if args[1] not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")


@pointwise("gelu", allowed=FLOAT, kernel="GeluKernelImpl", check=_check_approximate)
def gelu(x: Value, approximate: str) -> Value:
    if approximate == "tanh":
        # (1 + tanh(y)) / 2 is sigmoid(2 y)
        doubled = fma(x * x * x, 0.044715, x) * (2 * math.sqrt(2 / math.pi))
        return x * maths.sigmoid_quick(doubled)
    erf = maths.erf_quick if x.type == "f32" else maths.erf
    half = x * 0.5
    return fma(half, erf(x * math.sqrt(0.5)), half)


@pointwise("silu", allowed="hfc")
def silu(x: Any) -> Any:
    if isinstance(x, Complex):
        return x / (maths.complex_functions.exp(-x) + 1)
    return x * maths.sigmoid_quick(x)


@pointwise("mish", allowed=FLOAT)
def mish(x: Value) -> Value:
    # tanh(log(1 + e)) is n / (n + 2) with n = e (e + 2)
    e = maths.exp(minimum(const(x.type, 30), x))
    n = e * (e + 2)
    return select(x > 30, x, x * (n / (n + 2)))


@pointwise("softplus", allowed=FLOAT)
def softplus(x: Value, beta: Value, limit: Value) -> Value:
    scaled = x * beta
    return select(scaled > limit, x, maths.softplus(scaled) / beta)


@pointwise("log_sigmoid_forward", allowed=FLOAT, kernel="log_sigmoid_cpu", result=(same, same))
def log_sigmoid_forward(x: Value) -> tuple[Value, Value]:
    return maths.log_sigmoid(x), maths.exp(-abs(x))


@composite("log_sigmoid")
def log_sigmoid(self: Tensor) -> Tensor:
    return calls.log_sigmoid_forward(self)[0]  # type: ignore[no-any-return]


@composite("log_sigmoid.out")
def log_sigmoid_out(self: Tensor, out: Tensor) -> Tensor:
    return outputs.copy_result(out, log_sigmoid(self))


# -- units made of straight lines --


def _hard_gate(x: Value) -> Value:
    return minimum(const(x.type, 6), maximum(const(x.type, 0), x + 3)) * (1 / 6)


@pointwise("hardsigmoid", allowed=FLOAT)
def hardsigmoid(x: Value) -> Value:
    return _hard_gate(x)


@pointwise("hardswish", allowed=FLOAT)
def hardswish(x: Value) -> Value:
    return x * _hard_gate(x)


@pointwise("hardshrink", allowed=FLOAT)
def hardshrink(x: Value, limit: Value) -> Value:
    return select((x >= -limit) & (x <= limit), const(x.type, 0), x)


def _check_softshrink(common: dtype, args: Args) -> None:
    if common.category != dtypes.FLOATING:
        return
    most = dtypes.finfo(common).max
    if not 0 <= args[1] <= most:
        raise RuntimeError(
            f"lambda must be in range [0, {most:g}] for input dtype {promotion.title(common)}, but found "
            f"{args[1]:g}"
        )


@pointwise(
    "softshrink",
    allowed=FLOAT,
    kernel="softshrink_check",
    check=_check_softshrink,
    inspect=_check_softshrink,
)
def softshrink(x: Value, limit: Value) -> Value:
    inside = select(isnan(x), x, const(x.type, 0))
    return select(x > limit, x - limit, select(x < -limit, x + limit, inside))


# -- gated linear unit --

_GLU = Pointwise("glu", lambda a, b: a * maths.sigmoid_quick(b), allowed=FLOAT)
_glu = Kernel(operators.operator("mul.Tensor"), _GLU)
_glu_cpu = _glu.functional()
_glu_out = Kernel(operators.operator("mul.out"), _GLU)


def _halves(self: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    if not self._size_:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    dim = wrap_dim(dim, len(self._size_))
    count = self._size_[dim]
    if count % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {count}")
    half = count // 2
    return views.narrow(self, dim, 0, half), views.narrow(self, dim, half, half)


@cpu("glu")
def glu(self: Tensor, dim: int) -> Tensor:
    return _glu_cpu(*_halves(self, dim))  # type: ignore[no-any-return]


@meta("glu")
def glu_meta(self: Tensor, dim: int) -> Tensor:
    return _glu.meta(*_halves(self, dim))  # type: ignore[no-any-return]


@cpu("glu.out")
@meta("glu.out")
def glu_out(self: Tensor, dim: int, out: Tensor) -> Tensor:
    return _glu_out.out(*_halves(self, dim), out)  # type: ignore[no-any-return]

"""Decompositions of operators that have kernels of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight._decomp import register_decomposition

aten = torch.ops.aten


def _wide(x: Any) -> Any:
    """A tensor in the type that sums of its elements are computed in."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


# -- products --


@register_decomposition(aten.addmm.default)
def addmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    product = torch.mm(mat1, mat2)
    product = product if alpha == 1 else alpha * product
    if beta == 0:
        return product
    return product + (self if beta == 1 else beta * self)


@register_decomposition(aten.addmv.default)
def addmv(self: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    product = torch.mv(mat, vec)
    product = product if alpha == 1 else alpha * product
    if beta == 0:
        return product
    return product + (self if beta == 1 else beta * self)


@register_decomposition(aten.baddbmm.default)
def baddbmm(self: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    product = torch.bmm(batch1, batch2)
    product = product if alpha == 1 else alpha * product
    if beta == 0:
        return product
    return product + (self if beta == 1 else beta * self)


@register_decomposition(aten.mv.default)
def mv(self: Any, vec: Any) -> Any:
    return (self * vec).sum(1)


@register_decomposition(aten.dot.default)
def dot(self: Any, tensor: Any) -> Any:
    return (self * tensor).sum()


@register_decomposition(aten.addcmul.default)
def addcmul(self: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    return self + value * tensor1 * tensor2


@register_decomposition(aten.addcdiv.default)
def addcdiv(self: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    return self + value * (tensor1 / tensor2)


@register_decomposition(aten.addr.default)
def addr(self: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    product = vec1.unsqueeze(1) * vec2
    product = product if alpha == 1 else alpha * product
    return product if beta == 0 else product + (self if beta == 1 else beta * self)


# -- activations --


@register_decomposition(aten.silu.default)
def silu(self: Any) -> Any:
    x = _wide(self)
    return (x * torch.sigmoid(x)).to(self.dtype)


@register_decomposition(aten.hardsigmoid.default)
def hardsigmoid(self: Any) -> Any:
    return (_wide(self) + 3).clamp(0, 6).div(6).to(self.dtype)


@register_decomposition(aten.hardswish.default)
def hardswish(self: Any) -> Any:
    x = _wide(self)
    return (x * (x + 3).clamp(0, 6) / 6).to(self.dtype)


@register_decomposition(aten.leaky_relu.default)
def leaky_relu(self: Any, negative_slope: float = 0.01) -> Any:
    return torch.where(self > 0, self, self * negative_slope)


@register_decomposition(aten.leaky_relu_backward.default)
def leaky_relu_backward(
    grad_output: Any, self: Any, negative_slope: float, self_is_result: bool
) -> Any:
    return torch.where(self > 0, grad_output, grad_output * negative_slope)


@register_decomposition(aten.elu.default)
def elu(self: Any, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Any:
    return torch.where(self > 0, self * scale, alpha * scale * torch.expm1(self * input_scale))


@register_decomposition(aten.gelu.default)
def gelu(self: Any, approximate: str = "none") -> Any:
    x = _wide(self)
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        return (0.5 * x * (1 + torch.tanh(inner))).to(self.dtype)
    return (x * 0.5 * (1 + torch.erf(x * math.sqrt(0.5)))).to(self.dtype)


@register_decomposition(aten.softplus.default)
def softplus(self: Any, beta: float = 1, threshold: float = 20) -> Any:
    scaled = self * beta
    return torch.where(scaled > threshold, self, torch.log1p(torch.exp(scaled)) / beta)


@register_decomposition(aten.glu.default)
def glu(self: Any, dim: int = -1) -> Any:
    one, other = self.chunk(2, dim)
    return one * torch.sigmoid(other)


# -- pointwise --


@register_decomposition(aten.rsub.Tensor)
def rsub(self: Any, other: Any, alpha: Any = 1) -> Any:
    return torch.sub(other, self, alpha=alpha)


@register_decomposition(aten.lerp.Scalar)
def lerp(self: Any, end: Any, weight: Any) -> Any:
    return self + weight * (end - self) if abs(weight) < 0.5 else end - (end - self) * (1 - weight)


@register_decomposition(aten.sinc.default)
def sinc(self: Any) -> Any:
    x = math.pi * self
    return torch.where(self == 0, 1, torch.sin(x) / x)


@register_decomposition(aten.logit.default)
def logit(self: Any, eps: float | None = None) -> Any:
    x = self if eps is None else self.clamp(eps, 1 - eps)
    return torch.log(x / (1 - x))


@register_decomposition(aten.xlogy.Tensor)
def xlogy(self: Any, other: Any) -> Any:
    found = torch.where(self == 0, 0, self * torch.log(other))
    return torch.where(torch.isnan(other), math.nan, found)


@register_decomposition(aten.deg2rad.default)
def deg2rad(self: Any) -> Any:
    return self * (math.pi / 180)


@register_decomposition(aten.rad2deg.default)
def rad2deg(self: Any) -> Any:
    return self * (180 / math.pi)


@register_decomposition(aten.heaviside.default)
def heaviside(self: Any, values: Any) -> Any:
    return torch.where(self == 0, values, (self > 0).to(self.dtype))


@register_decomposition(aten.masked_fill.Scalar)
def masked_fill(self: Any, mask: Any, value: Any) -> Any:
    return torch.where(mask, torch.scalar_tensor(value, dtype=self.dtype), self)


@register_decomposition(aten.clamp.default)
def clamp(self: Any, min: Any = None, max: Any = None) -> Any:
    found = self if min is None else torch.maximum(self, torch.scalar_tensor(min, dtype=self.dtype))
    return (
        found if max is None else torch.minimum(found, torch.scalar_tensor(max, dtype=self.dtype))
    )


# -- rows --


@register_decomposition(aten._softmax.default)
def _softmax(self: Any, dim: int, half_to_float: bool) -> Any:
    x = _wide(self)
    if x.numel():
        x = x - x.amax(dim, keepdim=True)
    made = torch.exp(x)
    found = made / made.sum(dim, keepdim=True)
    return found if half_to_float else found.to(self.dtype)


@register_decomposition(aten._log_softmax.default)
def _log_softmax(self: Any, dim: int, half_to_float: bool) -> Any:
    x = _wide(self)
    if x.numel():
        x = x - x.amax(dim, keepdim=True)
    found = x - torch.log(torch.exp(x).sum(dim, keepdim=True))
    return found if half_to_float else found.to(self.dtype)


@register_decomposition(aten._softmax_backward_data.default)
def _softmax_backward_data(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    scaled = grad_output * output
    return (scaled - output * scaled.sum(dim, keepdim=True)).to(input_dtype)


@register_decomposition(aten._log_softmax_backward_data.default)
def _log_softmax_backward_data(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    found = grad_output - torch.exp(output) * grad_output.sum(dim, keepdim=True)
    return found.to(input_dtype)


@register_decomposition(aten.native_layer_norm.default)
def native_layer_norm(
    input: Any, normalized_shape: Sequence[int], weight: Any, bias: Any, eps: float
) -> Any:
    dims = list(range(input.dim() - len(normalized_shape), input.dim()))
    x = _wide(input)
    mean = x.mean(dims, keepdim=True)
    variance = ((x - mean) * (x - mean)).mean(dims, keepdim=True)
    scale = torch.rsqrt(variance + eps)
    found = (x - mean) * scale
    found = found if weight is None else found * weight
    found = found if bias is None else found + bias
    return found.to(input.dtype), mean, scale


# -- losses --


def _reduced(loss: Any, reduction: int) -> Any:
    return loss.mean() if reduction == 1 else loss.sum() if reduction == 2 else loss


@register_decomposition(aten.mse_loss.default)
def mse_loss(self: Any, target: Any, reduction: int = 1) -> Any:
    return _reduced((self - target) * (self - target), reduction)


@register_decomposition(aten.smooth_l1_loss.default)
def smooth_l1_loss(self: Any, target: Any, reduction: int = 1, beta: float = 1.0) -> Any:
    far = (self - target).abs()
    if beta == 0:
        return _reduced(far, reduction)
    return _reduced(torch.where(far < beta, 0.5 * far * far / beta, far - 0.5 * beta), reduction)


@register_decomposition(aten.huber_loss.default)
def huber_loss(self: Any, target: Any, reduction: int = 1, delta: float = 1.0) -> Any:
    far = (self - target).abs()
    return _reduced(
        torch.where(far <= delta, 0.5 * far * far, delta * (far - 0.5 * delta)), reduction
    )


@register_decomposition(aten.soft_margin_loss.default)
def soft_margin_loss(self: Any, target: Any, reduction: int = 1) -> Any:
    return _reduced(torch.log1p(torch.exp(-self * target)), reduction)


@register_decomposition(aten.binary_cross_entropy.default)
def binary_cross_entropy(self: Any, target: Any, weight: Any = None, reduction: int = 1) -> Any:
    loss = (target - 1) * torch.log1p(-self).clamp_min(-100)
    loss = loss - target * torch.log(self).clamp_min(-100)
    return _reduced(loss if weight is None else loss * weight, reduction)


# -- shapes --


@register_decomposition(aten.t.default)
def t(self: Any) -> Any:
    return self if self.dim() < 2 else self.transpose(0, 1)


@register_decomposition(aten.stack.default)
def stack(tensors: Sequence[Any], dim: int = 0) -> Any:
    where = dim if dim >= 0 else dim + tensors[0].dim() + 1
    return torch.cat([x.unsqueeze(where) for x in tensors], where)


@register_decomposition(aten.trace.default)
def trace(self: Any) -> Any:
    return torch.diagonal(self).sum()


@register_decomposition(aten.roll.default)
def roll(self: Any, shifts: Sequence[int], dims: Sequence[int] = ()) -> Any:
    shifts = [shifts] if isinstance(shifts, int) else list(shifts)
    dims = [dims] if isinstance(dims, int) else list(dims)
    if not dims:
        return roll(self.flatten(), shifts, [0]).view(self.shape)
    found = self
    for shift, dim in zip(shifts, dims):
        size = found.shape[dim]
        if size:
            cut = -shift % size
            parts = found.narrow(dim, cut, size - cut), found.narrow(dim, 0, cut)
            found = torch.cat(parts, dim)
    return found.clone() if found is self else found

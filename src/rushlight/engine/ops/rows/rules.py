"""What the gradient formulas of row-wise operators call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import rows as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state


def softmax_backward(grad: Any, result: Any, dim: int) -> Any:
    if not state.thread.grad_enabled:
        return calls._softmax_backward_data(grad, result, dim, result._dtype_)
    product = grad * result
    return product - result * product.sum(dim, True)


def log_softmax_backward(grad: Any, result: Any, dim: int) -> Any:
    if not state.thread.grad_enabled:
        return calls._log_softmax_backward_data(grad, result, dim, result._dtype_)
    return grad - result.exp() * grad.sum(dim, True)


def normalised_backward(grad: Any, normal: Any, scale: Any, dims: Sequence[int]) -> Any:
    """The gradient of ``(x - mean) * scale``, where the mean and the scale come from ``dims``.

    Args:
        grad: the gradient of the normalised values
        normal: the normalised values
        scale: what they were multiplied by
    """
    return scale * (grad - grad.mean(dims, True) - normal * (grad * normal).mean(dims, True))


def layer_norm_backward(
    grad: Any,
    input: Any,
    shape: Sequence[int],
    weight: Any,
    mean: Any,
    rstd: Any,
    eps: float,
    wanted: Any,
) -> tuple[Any, Any, Any]:
    outer = list(range(len(input._size_) - len(shape)))
    inner = list(range(len(outer), len(input._size_)))
    view = [*input._size_[: len(outer)], *[1] * len(inner)]
    if input._numel_ == 0:
        return _of_nothing(grad, input, weight, shape, wanted)
    if wanted[0] and not state.thread.grad_enabled:
        d_input = calls._layer_norm_input_gradient(
            grad, input, mean.reshape(view), rstd.reshape(view), weight, list(shape)
        )
        if not wanted[1] and not wanted[2]:
            return d_input, None, None
        if outer and rstd._dtype_ is input._dtype_:
            sums = calls._normalised_sums(
                grad, input, mean.reshape(view), rstd.reshape(view), outer
            )
            d_weight, d_bias = _parameters(sums, shape, wanted)
            return d_input, d_weight, d_bias
        wanted = [False, *wanted[1:]]
    else:
        d_input = None
    scale = scale_of(input, rstd.reshape(view), inner, eps)
    dtype = scale._dtype_
    wide = grad.to(dtype)
    normal = (input.to(dtype) - input.to(dtype).mean(inner, True)) * scale
    d_weight = d_bias = None
    if wanted[0]:
        of_normal = wide if weight is None else wide * weight
        d_input = normalised_backward(of_normal, normal, scale, inner)
        d_input = d_input.to(input._dtype_)
    if wanted[1]:
        d_weight = (wide * normal).sum(outer) if outer else wide * normal
        d_weight = d_weight.to(weight._dtype_)
    if wanted[2]:
        d_bias = grad.sum(outer) if outer else grad
    return d_input, d_weight, d_bias


def rms_norm_backward(
    grad: Any, input: Any, shape: Sequence[int], weight: Any, scale: Any, eps: Any, wanted: Any
) -> tuple[Any, Any]:
    outer = list(range(len(input._size_) - len(shape)))
    inner = list(range(len(outer), len(input._size_)))
    if input._numel_ == 0:
        return _of_nothing(grad, input, weight, shape, [*wanted, False])[:2]
    wide = input.to(scale._dtype_)
    if state.thread.grad_enabled and input.requires_grad:
        least = dtypes.finfo(scale._dtype_).eps if eps is None else eps
        scale = (wide.square().mean(inner, True) + least).rsqrt()
    normal, grad = wide * scale, grad.to(scale._dtype_)
    d_input = d_weight = None
    if wanted[0]:
        of_normal = grad if weight is None else grad * weight
        d_input = scale * (of_normal - normal * (of_normal * normal).mean(inner, True))
        d_input = d_input.to(input._dtype_)
    if wanted[1]:
        d_weight = ((grad * normal).sum(outer) if outer else grad * normal).to(weight._dtype_)
    return d_input, d_weight


def scale_of(input: Any, scale: Any, dims: Sequence[int], eps: float) -> Any:
    """The saved scale; while the pass is recorded, a scale that knows how it was made."""
    if not state.thread.grad_enabled or not input.requires_grad:
        return scale
    wide = input.to(scale._dtype_)
    spread = (wide - wide.mean(list(dims), True)).square().mean(list(dims), True)
    return (spread + eps).rsqrt()


def _of_nothing(
    grad: Any, input: Any, weight: Any, shape: Sequence[int], wanted: Any
) -> tuple[Any, Any, Any]:
    product = grad * input
    return (
        product.reshape(input._size_) if wanted[0] else None,
        product.sum().expand(list(shape)) if wanted[1] else None,
        grad.sum().expand(list(shape)) if wanted[2] else None,
    )


def _parameters(sums: tuple[Any, Any], shape: Sequence[int], wanted: Any) -> tuple[Any, Any]:
    """The gradients of a weight and a bias, from the sums."""
    total, product = (x.reshape(list(shape)) for x in sums)
    return (product if wanted[1] else None), (total if wanted[2] else None)


def _input_gradient(
    grad: Any, input: Any, weight: Any, mean: Any, rstd: Any, means: tuple[Any, Any]
) -> Any:
    if weight is None:
        return calls._normalised_gradient(grad, input, mean, rstd, *means)
    return calls._weighted_normalised_gradient(grad, input, weight, mean, rstd, *means)


def _is_plain(grad: Any, input: Any, weight: Any, statistic: Any) -> bool:
    """Whether one type serves everything, and the pass itself is not recorded."""
    kind = input._dtype_
    return (
        not state.thread.grad_enabled
        and grad._dtype_ is kind
        and statistic._dtype_ is kind
        and (weight is None or weight._dtype_ is kind)
    )


def _group_norm_plain(
    grad: Any, input: Any, weight: Any, mean: Any, rstd: Any, group: int, wanted: Any
) -> tuple[Any, Any, Any]:
    """The gradients from two sums for each channel of each sample."""
    batch, channels = input._size_[:2]
    split = [batch, group, channels // group, -1]
    grad, x = grad.reshape(split), input.reshape(split)
    mean, rstd = mean.reshape([batch, group, 1, 1]), rstd.reshape([batch, group, 1, 1])
    factors = None if weight is None else weight.reshape([1, group, channels // group, 1])
    sums = calls._normalised_sums(grad, x, mean, rstd, [3])
    d_input = d_weight = d_bias = None
    if wanted[0]:
        weighted = sums if factors is None else [s * factors for s in sums]
        count = x._numel_ // (batch * group)
        total, product = (s.sum([2], True) / count for s in weighted)
        d_input = _input_gradient(grad, x, factors, mean, rstd, (total, product))
        d_input = d_input.reshape(input._size_)
    if wanted[1] or wanted[2]:
        overall = [s.sum([0]) for s in sums]
        d_weight, d_bias = _parameters((overall[0], overall[1]), [channels], wanted)
    return d_input, d_weight, d_bias


def _batch_norm_plain(
    grad: Any, input: Any, weight: Any, mean: Any, rstd: Any, training: bool, wanted: Any
) -> tuple[Any, Any, Any]:
    """The gradients from two sums for each channel."""
    channels = input._size_[1]
    per_channel = [1, channels, *[1] * (len(input._size_) - 2)]
    others = [0, *range(2, len(input._size_))]
    mean, rstd = mean.reshape(per_channel), rstd.reshape(per_channel)
    factors = None if weight is None else weight.reshape(per_channel)
    sums: Any = None
    d_input = d_weight = d_bias = None
    if training or wanted[1] or wanted[2]:
        sums = calls._normalised_sums(grad, input, mean, rstd, others)
        d_weight, d_bias = _parameters(sums, [channels], wanted)
    if wanted[0] and training:
        # The count is an operand, so that batches of other sizes take the same steps.
        count = input._numel_ // channels
        if factors is None:
            means = (sums[0] / count, sums[1] / count)
        else:
            scale = factors / count
            means = (sums[0] * scale, sums[1] * scale)
        d_input = _input_gradient(grad, input, factors, mean, rstd, means)
    elif wanted[0]:
        d_input = grad * (rstd if factors is None else rstd * factors)
    return d_input, d_weight, d_bias


def group_norm_backward(
    grads: Any, input: Any, weight: Any, mean: Any, rstd: Any, group: int, eps: float, wanted: Any
) -> tuple[Any, Any, Any]:
    grad, of_mean, of_scale = grads
    if grad is None:
        grad = input.new_zeros(input._size_)
    batch, channels = input._size_[0], input._size_[1]
    if input._numel_ == 0:
        return _of_nothing(grad, input, weight, [channels], wanted)
    if of_mean is None and of_scale is None and _is_plain(grad, input, weight, mean):
        return _group_norm_plain(grad, input, weight, mean, rstd, group, wanted)
    grouped = [batch, group, -1]
    scale = rstd.reshape([batch, group, 1])
    wide = input.to(scale._dtype_).reshape(grouped)
    scale = scale_of(wide, scale, [2], eps)
    normal = (wide - wide.mean([2], True)) * scale
    per_channel = [1, channels, *[1] * (len(input._size_) - 2)]
    others = [0, *range(2, len(input._size_))]
    d_input = d_weight = d_bias = None
    if wanted[0]:
        of_normal = grad if weight is None else grad * weight.reshape(per_channel)
        of_normal = of_normal.to(scale._dtype_).reshape(grouped)
        d_input = normalised_backward(of_normal, normal, scale, [2])
        if of_mean is not None:
            d_input = d_input + of_mean.reshape([batch, group, 1]) / wide._size_[2]
        if of_scale is not None:
            per_scale = scale.square() * normal / wide._size_[2]
            d_input = d_input - of_scale.reshape([batch, group, 1]) * per_scale
        d_input = d_input.reshape(input._size_).to(input._dtype_)
    if wanted[1]:
        d_weight = (grad * normal.reshape(input._size_)).sum(others).to(weight._dtype_)
    if wanted[2]:
        d_bias = grad.sum(others)
    return d_input, d_weight, d_bias


def batch_norm_backward(
    grad: Any,
    input: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    mean: Any,
    rstd: Any,
    training: bool,
    eps: float,
    wanted: Any,
) -> tuple[Any, Any, Any]:
    channels = input._size_[1]
    if input._numel_ == 0:
        return _of_nothing(grad, input, weight, [channels], wanted)
    if _is_plain(grad, input, weight, mean if training else running_mean):
        if not training:
            mean, rstd = running_mean, (running_var + eps).rsqrt()
        return _batch_norm_plain(grad, input, weight, mean, rstd, training, wanted)
    per_channel = [1, channels, *[1] * (len(input._size_) - 2)]
    others = [0, *range(2, len(input._size_))]
    if training:
        scale = rstd.reshape(per_channel)
        wide = input.to(scale._dtype_)
        scale = scale_of(wide, scale, others, eps)
        normal = (wide - wide.mean(others, True)) * scale
    else:
        scale = (running_var + eps).rsqrt().reshape(per_channel)
        wide = input.to(scale._dtype_)
        normal = (wide - running_mean.reshape(per_channel)) * scale
    d_input = d_weight = d_bias = None
    if wanted[0]:
        of_normal = grad if weight is None else grad * weight.reshape(per_channel)
        if training:
            d_input = normalised_backward(of_normal, normal, scale, others)
        else:
            d_input = of_normal * scale
        d_input = d_input.to(input._dtype_)
    if wanted[1]:
        d_weight = (grad * normal).sum(others).to(weight._dtype_)
    if wanted[2]:
        d_bias = grad.sum(others)
    return d_input, d_weight, d_bias

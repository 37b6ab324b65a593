"""The functions of networks that are made of elementwise operators, reductions and rows."""

from __future__ import annotations

import importlib
from typing import Any

from rushlight._names import namespace
from rushlight.engine.calls import losses as _losses
from rushlight.engine.calls import matrix, pointwise, rows
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.generated import functions, nn_functions
from rushlight.nn._functional.dropout import *  # noqa: F403
from rushlight.nn._functional.loss_reductions import meant_number, meant_reduction, reduction_number

namespace.fill_namespace(globals(), nn_functions)

from rushlight.nn._functional.attention import *  # noqa: E402, F403
from rushlight.nn._functional.classification_losses import *  # noqa: E402, F403
from rushlight.nn._functional.convolution import *  # noqa: E402, F403
from rushlight.nn._functional.embedding import *  # noqa: E402, F403
from rushlight.nn._functional.fold import *  # noqa: E402, F403
from rushlight.nn._functional.fractional_pooling import *  # noqa: E402, F403
from rushlight.nn._functional.grid_sample import *  # noqa: E402, F403
from rushlight.nn._functional.interpolate import *  # noqa: E402, F403
from rushlight.nn._functional.margin_losses import *  # noqa: E402, F403
from rushlight.nn._functional.pooling import *  # noqa: E402, F403
from rushlight.nn._functional.scaled_mm import *  # noqa: E402, F403
from rushlight.nn._functional.sequence_losses import *  # noqa: E402, F403

# -- activations: a function, its in-place form behind `inplace` --


def _with_inplace(name: str, **defaults: float) -> Any:
    """An activation whose `inplace` argument chooses between the operator and its in-place form."""
    parameters = "".join(f", {key}={value!r}" for key, value in defaults.items())
    passed = "".join(f", {key}" for key in defaults)
    source = (
        f"def {name}(input{parameters}, inplace=False):\n"
        f"    return (inplace_form if inplace else fresh)(input{passed})\n"
    )
    from rushlight.engine.dispatch.source import define

    module = nn_functions if hasattr(nn_functions, name) else functions
    names = {"fresh": getattr(module, name), "inplace_form": getattr(module, f"{name}_")}
    made = define(name, source, names, f"nn.functional {name}")
    made.__doc__ = f"`{name}` of every element; written over the input with ``inplace``."
    return call_cache.public_function(
        name, made, lambda: call_cache.Numbers.at(range(1, 1 + len(defaults)), list(defaults))
    )


relu, relu6, silu, mish = map(_with_inplace, ("relu", "relu6", "silu", "mish"))
selu, hardswish, hardsigmoid = map(_with_inplace, ("selu", "hardswish", "hardsigmoid"))
elu, celu = _with_inplace("elu", alpha=1.0), _with_inplace("celu", alpha=1.0)
leaky_relu = _with_inplace("leaky_relu", negative_slope=0.01)


def _hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Every element, kept within the bounds."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (nn_functions.hardtanh_ if inplace else nn_functions.hardtanh)(input, min_val, max_val)


hardtanh = call_cache.public_function("hardtanh", _hardtanh)


def _threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Elements above the threshold; ``value`` for the others."""
    return (functions.threshold_ if inplace else functions.threshold)(input, threshold, value)


threshold = call_cache.public_function(
    "threshold", _threshold, lambda: call_cache.Numbers.at([1, 2], ["threshold", "value"])
)


def _logsigmoid(input: Tensor, *, out: Any = None) -> Tensor:
    """The logarithm of the sigmoid of every element."""
    return nn_functions.log_sigmoid(input, out=out)


logsigmoid = call_cache.public_function("logsigmoid", _logsigmoid)
hardshrink, prelu = functions.hardshrink, functions.prelu


def tanhshrink(input: Tensor) -> Tensor:
    """Every element less its hyperbolic tangent."""
    return functions.sub(input, functions.tanh(input))


def softsign(input: Tensor) -> Tensor:
    """Every element over one plus its absolute value."""
    return functions.div(input, functions.abs(input) + 1)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent of every element."""
    return input.tanh()  # type: ignore[attr-defined, no-any-return]


def sigmoid(input: Tensor) -> Tensor:
    """The logistic function of every element."""
    return input.sigmoid()  # type: ignore[attr-defined, no-any-return]


# -- rows --


def _implicit_dim(name: str, ndim: int) -> int:
    steps.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        f"dim=X as an argument.",
        stacklevel=4,
    )
    return 0 if ndim in (0, 1, 3) else 1


def _softmax(input: Tensor, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Exponentials along a dimension, scaled to sum to one."""
    d = _implicit_dim("softmax", len(input._size_)) if dim is None else dim
    return rows.softmax_int(input, d, dtypes.as_dtype(dtype))


def _log_softmax(input: Tensor, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`."""
    d = _implicit_dim("log_softmax", len(input._size_)) if dim is None else dim
    return rows.log_softmax_int(input, d, dtypes.as_dtype(dtype))


def _softmin(input: Tensor, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """`softmax` of the negated input."""
    d = _implicit_dim("softmin", len(input._size_)) if dim is None else dim
    return rows.softmax_int(-input, d, dtypes.as_dtype(dtype))


softmax = call_cache.public_function("softmax", _softmax)
log_softmax = call_cache.public_function("log_softmax", _log_softmax)
softmin = call_cache.public_function("softmin", _softmin)


def _layer_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Tensor:
    """Values normalised over the last dimensions, then scaled and shifted."""
    return functions.layer_norm(input, normalized_shape, weight, bias, eps)


def _rms_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, eps: float | None = None
) -> Tensor:
    """Values over their root mean square over the last dimensions, then scaled."""
    return functions.rms_norm(input, normalized_shape, weight, eps)


layer_norm = call_cache.public_function(
    "layer_norm", _layer_norm, sizes=lambda: call_cache.Sizes(0b10, ("normalized_shape",))
)
rms_norm = call_cache.public_function(
    "rms_norm", _rms_norm, sizes=lambda: call_cache.Sizes(0b10, ("normalized_shape",))
)


def group_norm(
    input: Tensor, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Tensor:
    """Values normalised over groups of channels."""
    if len(input._size_) < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {len(input._size_)}"
        )
    _check_values_per_channel(
        [input._size_[0] * input._size_[1] // num_groups, num_groups, *input._size_[2:]]
    )
    return functions.group_norm(input, num_groups, weight, bias, eps)


def _check_values_per_channel(size: Any) -> None:
    count = size[0]
    for n in size[2:]:
        count *= n
    if count == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {size}"
        )


def batch_norm(
    input: Tensor,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Values normalised for each channel over the batch, or by running statistics."""
    if training:
        _check_values_per_channel(input._size_)
    return functions.batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps, False
    )


def instance_norm(
    input: Tensor,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Values normalised for each sample and channel."""
    if use_input_stats:
        spatial = 1
        for n in input._size_[2:]:
            spatial *= n
        if spatial == 1:
            raise ValueError(
                f"Expected more than 1 spatial element when training, got input size {input._size_}"
            )
    return functions.instance_norm(
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False
    )


def normalize(
    input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None
) -> Tensor:
    """Values over their norm along a dimension."""
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)  # type: ignore[attr-defined]
    return functions.div(input, length, out=out)


cosine_similarity = call_cache.public_function("cosine_similarity", functions.cosine_similarity)
pairwise_distance = call_cache.public_function("pairwise_distance", functions.pairwise_distance)
pdist = functions.pdist


# -- losses --


def _broadcast_pair(input: Tensor, target: Tensor) -> tuple[Tensor, ...]:
    if target._size_ != input._size_:
        steps.warn(
            f"Using a target size ({target._size_}) that is different to the input size "
            f"({input._size_}). This will likely lead to incorrect results due to broadcasting. "
            f"Please ensure they have the same size.",
            stacklevel=4,
        )
    return tuple(functions.broadcast_tensors([input, target]))


def _weighted(losses: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """Losses times weights of the same size; their mean is over the weights."""
    if weight._size_ != losses._size_:
        raise ValueError("Weights and input must have the same size.")
    reduction_number(reduction)
    weighted = pointwise.mul_Tensor(losses, weight)
    if reduction == "none":
        return weighted
    total = functions.sum(weighted)
    return total if reduction == "sum" else total / functions.sum(weight)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Tensor:
    """The squared difference."""
    a, b = _broadcast_pair(input, target)
    if weight is not None:
        losses = _losses.mse_loss(a, b, reduction_number("none"))
        return _weighted(losses, weight, meant_reduction(size_average, reduce, reduction))
    return _losses.mse_loss(a, b, meant_number(size_average, reduce, reduction))


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Tensor:
    """The absolute difference."""
    a, b = _broadcast_pair(input, target)
    if weight is not None:
        losses = _losses.l1_loss(a, b, reduction_number("none"))
        return _weighted(losses, weight, meant_reduction(size_average, reduce, reduction))
    return _losses.l1_loss(a, b, meant_number(size_average, reduce, reduction))


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Squared near zero, absolute further out."""
    a, b = _broadcast_pair(input, target)
    kind = meant_number(size_average, reduce, reduction)
    if beta == 0.0:
        return _losses.l1_loss(a, b, kind)
    return _losses.smooth_l1_loss(a, b, kind, beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Tensor:
    """Squared near zero, linear further out."""
    a, b = _broadcast_pair(input, target)
    if weight is not None:
        losses = _losses.huber_loss(a, b, reduction_number("none"), delta)
        # Unlike the others' mean, this one is over the elements.
        total = _weighted(losses, weight, "sum" if reduction == "mean" else reduction)
        return total / losses._numel_ if reduction == "mean" else total
    return _losses.huber_loss(a, b, reduction_number(reduction), delta)


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The logistic loss of signs."""
    return _losses.soft_margin_loss(input, target, meant_number(size_average, reduce, reduction))


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The cross entropy of probabilities."""
    if target._size_ != input._size_:
        raise ValueError(
            f"Using a target size ({target._size_}) that is different to the input size "
            f"({input._size_}) is deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(functions.broadcast_tensors([target, weight])[0]._size_)
    kind = meant_number(size_average, reduce, reduction)
    return _losses.binary_cross_entropy(input, target, weight, kind)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Tensor:
    """The cross entropy of the sigmoid of the input."""
    if target._size_ != input._size_:
        raise ValueError(
            f"Target size ({target._size_}) must be the same as input size ({input._size_})"
        )
    kind = meant_number(size_average, reduce, reduction)
    return functions.binary_cross_entropy_with_logits(input, target, weight, pos_weight, kind)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """The divergence of a distribution from one given by logarithms."""
    chosen = meant_reduction(size_average, reduce, reduction)
    kind = 2 if chosen == "batchmean" else reduction_number(chosen)
    made = functions.kl_div(input, target, kind, log_target=log_target)
    return made / input._size_[0] if chosen == "batchmean" and input._size_ else made


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Every output is a bilinear form of both inputs, plus a bias."""
    return matrix.bilinear(input1, input2, weight, bias)


# Functions of several steps, none of which depends on elements: all of them are repeated at once.
for _name in (
    "group_norm", "instance_norm", "normalize", "mse_loss", "l1_loss", "smooth_l1_loss",
    "huber_loss", "soft_margin_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "kl_div", "multilabel_margin_loss", "bilinear", "tanhshrink", "softsign", "batch_norm", "alpha_dropout", "dropout",
    "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout", "gumbel_softmax",
):  # fmt: skip
    globals()[_name] = call_cache.remembered(globals()[_name])
for _name in (
    "softmax", "log_softmax", "softmin", "layer_norm", "rms_norm", "rrelu", "relu", "relu6", "silu",
    "mish", "selu", "hardswish", "hardsigmoid", "elu", "celu", "leaky_relu", "hardtanh", "threshold",
    "logsigmoid",
):  # fmt: skip
    globals()[_name] = call_cache.let_overrides_answer(globals()[_name])


_OF_OVERRIDES = (
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
)


def __getattr__(name: str) -> Any:
    """Names of files that need the functions here come when they are asked for."""
    if name == "grad":
        return importlib.import_module("rushlight.nn.grad")
    if name in _OF_OVERRIDES:
        return getattr(importlib.import_module("rushlight.overrides"), name)
    raise AttributeError(f"module 'rushlight.nn.functional' has no attribute '{name}'")

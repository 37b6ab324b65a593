"""Starting values of parameters."""

from __future__ import annotations

import math
import warnings
from typing import Any

import rushlight
from rushlight.autograd.grad_mode import no_grad
from rushlight.engine.dispatch.overrides_hook import asking

__all__ = [
    "calculate_gain", "constant_", "dirac_", "eye_", "kaiming_normal_", "kaiming_uniform_",
    "normal_", "ones_", "orthogonal_", "sparse_", "trunc_normal_", "uniform_", "xavier_normal_",
    "xavier_uniform_", "zeros_",
]  # fmt: skip

# Where so many values are inside, drawing again is quick.
_LIKELY = 0.3

_GAINS = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
_LINEAR = {
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "sigmoid",
}  # fmt: skip


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """By how much an activation shrinks the deviation of its input."""
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


@asking
def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Fill with values spread evenly over an interval."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


@asking
def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Fill with normal values."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Any, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
    generator: Any = None,
) -> Any:  # fmt: skip
    """Fill with normal values, of which those outside an interval are drawn again."""

    def share_below(x: float) -> float:
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
            "values may be incorrect.",
            stacklevel=2,
        )
    with no_grad():
        share = share_below((b - mean) / std) - share_below((a - mean) / std)
        if share > _LIKELY:
            return _redrawn_normal(tensor, mean, std, a, b, generator)
        return _redrawn_uniform(tensor, mean, std, a, b, generator)


def _redrawn_normal(
    tensor: Any, mean: float, std: float, a: float, b: float, generator: Any
) -> Any:
    """Normal values, drawn again where they are outside."""
    low, high = (tensor.new_tensor(bound).item() for bound in (a, b))
    tensor.normal_(mean, std, generator=generator)
    while True:
        outside = (tensor < low) | (tensor > high)
        if not bool(outside.any()):
            return tensor
        fresh = rushlight.empty_like(tensor).normal_(mean, std, generator=generator)
        tensor.copy_(rushlight.where(outside, fresh, tensor))


def _redrawn_uniform(
    tensor: Any, mean: float, std: float, a: float, b: float, generator: Any
) -> Any:
    """Even values, each kept with the probability that its density has beside the highest one."""
    highest = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    waiting = rushlight.ones_like(tensor, dtype=rushlight.bool)
    luck = rushlight.empty_like(tensor)
    while bool(waiting.any()):
        fresh = rushlight.empty_like(tensor).uniform_(a, b, generator=generator)
        tensor.copy_(rushlight.where(waiting, fresh, tensor))
        density = fresh.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(highest)
        waiting = waiting & luck.uniform_(generator=generator).log_().gt(density)
    return tensor


@asking
def constant_(tensor: Any, val: float) -> Any:
    """Fill with one value."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Any) -> Any:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Any) -> Any:
    """Fill with zeros."""
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Any) -> Any:
    """Make a matrix the identity."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        tensor.zero_()
        tensor.fill_diagonal_(1)
    return tensor


def dirac_(tensor: Any, groups: int = 1) -> Any:
    """Make a convolution's weight pass its input on."""
    ndim = tensor.ndimension()
    if ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    size = tensor.size()
    if size[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = size[0] // groups
    middle = tuple(n // 2 for n in size[2:])
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(per_group, size[1])):
                tensor[(group * per_group + channel, channel, *middle)] = 1
    return tensor


def _fans(tensor: Any) -> tuple[int, int]:
    """How many inputs and outputs an element of the result has."""
    if tensor.dim() < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


_calculate_fan_in_and_fan_out = _fans


def xavier_uniform_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Even values whose deviation keeps signals and gradients in scale."""
    fan_in, fan_out = _fans(tensor)
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / float(fan_in + fan_out))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Normal values whose deviation keeps signals and gradients in scale."""
    fan_in, fan_out = _fans(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def _fan(tensor: Any, mode: str) -> int:
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _fans(tensor)[mode.lower() == "fan_out"]


_calculate_correct_fan = _fan


def _is_empty(tensor: Any) -> bool:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return True
    return False


@asking
def kaiming_uniform_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Any:  # fmt: skip
    """Even values for layers followed by a rectifier."""
    if _is_empty(tensor):
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Any:  # fmt: skip
    """Normal values for layers followed by a rectifier."""
    if _is_empty(tensor):
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode))
    return normal_(tensor, 0, std, generator)


def orthogonal_(tensor: Any, gain: float = 1, generator: Any = None) -> Any:
    """Make the rows, or the columns, perpendicular."""
    import rushlight

    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with no_grad():
        flat = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        if rows < columns:
            flat.t_()
        q, r = rushlight.linalg.qr(flat)  # type: ignore[attr-defined]
        q *= rushlight.diag(r, 0).sign()
        if rows < columns:
            q.t_()
        tensor.view_as(q).copy_(q)
        tensor.mul_(gain)
    return tensor


def sparse_(tensor: Any, sparsity: float, std: float = 0.01, generator: Any = None) -> Any:
    """Normal values, with a share of zeros in each column."""
    import rushlight

    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[rushlight.randperm(rows)[:zeros], column] = 0
    return tensor


# Older names, without the underscore.
def _older(name: str) -> Any:
    newer = globals()[name + "_"]

    def call(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.",
            FutureWarning,
            stacklevel=2,
        )
        return newer(*args, **kwargs)

    call.__name__ = name
    call.__doc__ = f"Older name of `{name}_`."
    return call


for _name in (
    "uniform", "normal", "constant", "eye", "dirac", "xavier_uniform", "xavier_normal",
    "kaiming_uniform", "kaiming_normal", "orthogonal", "sparse",
):  # fmt: skip
    globals()[_name] = _older(_name)

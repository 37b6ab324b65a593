"""Dropout in its forms, and the leaky unit with random slopes."""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.calls import creation, pointwise
from rushlight.engine.calls import sampling as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys
from rushlight.engine.core.objects import FLOAT64_OPERAND
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.call_cache.steps.notes import without_history
from rushlight.engine.native import mersenne
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import composite, explicit
from rushlight.engine.ops.sampling.distributions import (
    check_bernoulli,
    require,
    single_precision,
)
from rushlight.engine.ops.sampling.parameters import in_double
from rushlight.engine.ops.sampling.streams import Filling, chosen, filling, sampling_loop

# The value that alpha dropout writes: what a self-normalising unit gives for very negative inputs.
_ALPHA = 1.7580993408473766


def _noise(input: Tensor, p: float, feature: bool) -> Tensor:
    """Ones for what stays and zeros for what goes, one for each element or channel."""
    if not feature:
        return creation.empty_like(input).bernoulli_(1 - p)
    require(len(input._size_) >= 2, "Feature dropout requires at least 2 dimensions in the input")
    shape = (*input._size_[:2], *(1 for _ in input._size_[2:]))
    return creation.new_empty(input, shape).bernoulli_(1 - p)


def _dropped(
    input: Tensor, p: float, train: bool, feature: bool, alpha: bool, inplace: bool
) -> Tensor:
    require(0 <= p <= 1, f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not train or not input._numel_:
        return steps.Same.note(input)  # type: ignore[no-any-return]
    if p == 1:
        zero = creation.zeros((), input._dtype_, None, input._storage_.device)
        return input.mul_(zero) if inplace else input.mul(zero)
    noise = _noise(input, p, feature)
    if not alpha:
        noise.div_(1 - p)
        return input.mul_(noise) if inplace else input.mul(noise)
    a = 1 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    shift = noise.add(-1).mul_(_ALPHA * a).add_(_ALPHA * a * p)
    noise.mul_(a)
    return input.mul_(noise).add_(shift) if inplace else input.mul(noise).add_(shift)


def _form(name: str, feature: bool, alpha: bool) -> None:
    @composite(name)
    def functional(input: Tensor, p: float, train: bool) -> Tensor:
        if input._keys_ & keys.CUDA and not (feature or alpha) and train and 0 < p < 1:
            # As in PyTorch, whose kernel for GPUs draws and multiplies at once.
            return calls.native_dropout(input, p, True)[0] if input._numel_ else input
        return _dropped(input, p, train, feature, alpha, False)

    @composite(name + "_")
    def inplace(self: Tensor, p: float, train: bool) -> Tensor:
        return _dropped(self, p, train, feature, alpha, True)


_form("dropout", False, False)
_form("feature_dropout", True, False)
_form("alpha_dropout", False, True)
_form("feature_alpha_dropout", True, True)


@explicit("native_dropout")
def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    if not input._numel_:
        return input, creation.empty_like(input)
    mask = creation.empty_like(input, dtypes.bool_)
    if train is False:
        return input.clone(), mask.fill_(True)
    check_bernoulli(1 - p)
    calls.bernoulli__float(mask, 1 - p)
    scale = 0.0 if p == 1 else 1 / (1 - p)
    return input.mul(mask).mul_(scale), mask


@explicit("native_dropout_backward")
def native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: float) -> Tensor:
    return grad_output.mul(mask.to(grad_output._dtype_).mul(scale))


def in_type(number: float, kind: dtypes.dtype) -> float:
    """A number rounded to what a type holds."""
    return number if kind is dtypes.float64 else single_precision(number)


def _slopes(self: Tensor, least: float, more: float, generator: Any) -> Tensor:
    """A random slope for each element that is not above 0, in doubles; 1 for the others."""
    stream = chosen(generator)
    target = creation.empty_memory_format(self._size_, dtypes.float64)

    def make() -> Filling:
        loop = sampling_loop(mersenne.slopes, [target._numel_], [8, 8], [FLOAT64_OPERAND] * 2)
        return Filling([(loop, range(5))], 4)

    elements = in_double(self.contiguous())
    return filling((mersenne.slopes, target._size_), make).fill(
        target, elements, stream.address, least, more
    )


def _rrelu(self: Tensor, lower: Any, upper: Any, training: bool, generator: Any) -> Tensor:
    require(lower <= upper, "Lower bound should be less than or equal to the upper bound")
    if not training:
        return pointwise.leaky_relu(self, (lower + upper) / 2)
    lower, upper = (in_type(float(bound), self._dtype_) for bound in (lower, upper))
    # Slopes are drawn for the elements that take them, and for no others.
    if not self._keys_ & ~(keys.CPU | keys.AUTOGRAD) and self._numel_:
        slopes = _slopes(without_history(self), lower, upper - lower, generator)
        return pointwise.mul_Tensor(self, slopes.to(self._dtype_))
    flat = self.contiguous().view(-1).clone()
    falling = flat <= 0
    slopes = creation.empty_memory_format(
        (int(falling.sum().item()),), dtypes.float64, None, self._storage_.device
    )
    calls.uniform_(slopes, 0.0, 1.0, generator)
    slopes.mul_(upper - lower).add_(lower)
    flat[falling] = flat[falling] * slopes.to(self._dtype_)
    return flat.view(self._size_)


@composite("rrelu")
def rrelu(self: Tensor, lower: Any, upper: Any, training: bool, generator: Any) -> Tensor:
    return _rrelu(self, lower, upper, training, generator)


@composite("rrelu_")
def rrelu_(self: Tensor, lower: Any, upper: Any, training: bool, generator: Any) -> Tensor:
    source = outputs.before_change(self)
    return self.copy_(_rrelu(source, lower, upper, training, generator))

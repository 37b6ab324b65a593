"""What quantized layers share."""

from __future__ import annotations

import collections
import itertools
from typing import Any

import rushlight
from rushlight import nn

__all__ = ["WeightedQuantizedModule"]


class WeightedQuantizedModule(nn.Module):
    """What layers with a quantized weight derive from."""

    @classmethod
    def from_reference(cls, ref_module: Any, output_scale: Any, output_zero_point: Any) -> Any:
        """The layer of one that computes with real numbers and knows scales."""
        raise NotImplementedError


def quantized_weight(float_wt: Any, observer: Any) -> Any:
    """A weight quantized with the scale that an observer found."""
    scale, zero_point = observer.calculate_qparams()
    scheme = observer.qscheme
    if scheme in (rushlight.per_tensor_symmetric, rushlight.per_tensor_affine):
        made = rushlight.quantize_per_tensor(
            float_wt, float(scale), int(zero_point), rushlight.qint8
        )
        return _clamped(made, observer)
    if scheme in (rushlight.per_channel_symmetric, rushlight.per_channel_affine):
        axis = observer.ch_axis
        made = rushlight.quantize_per_channel(
            float_wt, scale.to(rushlight.double), zero_point.to(rushlight.int64), axis,
            rushlight.qint8,
        )  # fmt: skip
        return _clamped(made, observer)
    if scheme is rushlight.per_channel_affine_float_qparams:
        return rushlight.quantize_per_channel(
            float_wt, scale.to(rushlight.float), zero_point.to(rushlight.float), observer.ch_axis,
            observer.dtype,
        )  # fmt: skip
    raise ValueError(f"Unexpected qscheme {scheme}")


def _clamped(weight: Any, observer: Any) -> Any:
    """A weight whose numbers stay in an observer's range, where that is narrower than the type's."""
    if (observer.quant_min, observer.quant_max) == (-128, 127):
        return weight
    numbers = weight.int_repr().clamp(observer.quant_min, observer.quant_max)
    if weight.qscheme() is rushlight.per_tensor_affine:
        return rushlight._make_per_tensor_quantized_tensor(
            numbers, weight.q_scale(), weight.q_zero_point()
        )
    return rushlight._make_per_channel_quantized_tensor(
        numbers, weight.q_per_channel_scales(), weight.q_per_channel_zero_points(),
        weight.q_per_channel_axis(),
    )  # fmt: skip


# The name under which programs know it.
_quantize_weight = quantized_weight


def _ntuple_from_first(n: int) -> Any:
    """A function that gives the first item of a sequence, or a number, so many times."""

    def parse(x: Any) -> tuple[Any, ...]:
        first = next(iter(x)) if isinstance(x, collections.abc.Iterable) else x
        return tuple(itertools.repeat(first, n))

    return parse


_pair_from_first = _ntuple_from_first(2)


def _hide_packed_params_repr(self: Any, params: Any) -> str:
    """The text of a layer without that of its packed weight."""
    from rushlight.nn.modules.module import _indented

    lines = [line for line in self.extra_repr().split("\n") if line]
    children = []
    for key, module in self._modules.items():
        if not isinstance(module, params):
            children.append(f"({key}): {_indented(repr(module), 2)}")
    text = self._get_name() + "("
    if lines or children:
        if len(lines) == 1 and not children:
            text += lines[0]
        else:
            text += "\n  " + "\n  ".join(lines + children) + "\n"
    return text + ")"

"""Weights of quantized layers as products want them, beside the tensors that they were made of."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.quantized import PerTensor, numbers_of, quantizer_of
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import bridge
from rushlight.engine.ops.quantized.products import Factor

single = np.float32


class Packed:
    """A weight of eight bits, with a scale for all of it or for each row.

    Args:
        weight: the quantized tensor, rows first; what follows is summed over
        bias: what is added to the results, or None
        groups: into how many groups rows are cut, each with columns of its own
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, groups: int = 1) -> None:
        if weight._dtype_._name != "qint8":
            raise RuntimeError(
                f"the weight of a quantized layer is qint8, and not {weight._dtype_}"
            )
        self.weight, self.bias, self.groups = weight, bias, groups
        found = quantizer_of(weight)
        rows = weight._size_[0]
        if isinstance(found, PerTensor):
            scales = np.full(rows, found.scale, single)
            zeros = np.full(rows, found.zero_point, np.int32)
        else:
            if found.axis != 0:
                raise RuntimeError(
                    f"the channels of a quantized layer's weight are dimension 0, and not {found.axis}"
                )
            scales = bridge.array(found.scales).astype(single)
            zeros = bridge.array(found.zero_points).astype(np.int32)
        self.has_one_scale = isinstance(found, PerTensor)
        self.scales, self.zeros = scales, zeros
        numbers = bridge.array(numbers_of(weight)).reshape(rows, -1)
        self.factors = [Factor(part) for part in np.split(self.arranged(numbers), groups)]
        self.added = None if bias is None else bridge.array(bias).astype(single).reshape(-1)
        self.zeros_row = bridge.tensor_of(zeros.reshape(1, -1)) if zeros.any() else None
        self._static: dict[Any, Any] = {}

    def arranged(self, numbers: Any) -> Any:
        """The rows of numbers in the order in which they are summed over."""
        return numbers

    def unpack(self) -> tuple[Tensor, Tensor | None]:
        """The weight and the bias that this was made of."""
        return self.weight, self.bias

    def __reduce__(self) -> Any:
        return type(self), (self.weight, self.bias, self.groups)

    # -- what is beside the sums --

    def of_static(self, scale: float, zero_point: int, out_scale: float) -> Sequence[Any]:
        """For numbers as results: what is added to the sums, what to them as real numbers, the factor."""
        key = scale, zero_point, out_scale
        found = self._static.get(key)
        if found is None:
            if len(self._static) > 64:
                self._static.clear()
            both = single(scale) * self.scales
            factor = both / single(out_scale)
            added = np.zeros_like(both)
            if self.added is not None:
                inverse = single(1) / both
                added = self.added * inverse if self.has_one_scale else self.added / both
            rows = self.correction(zero_point), added, factor
            found = self._static[key] = [bridge.tensor_of(row.reshape(1, -1)) for row in rows]
        return found

    @functools.cached_property
    def dynamic(self) -> Sequence[Any]:
        """For real numbers as results: the sums of columns, the scales, what is added at last."""
        sums = np.concatenate([factor.sums for factor in self.factors])
        added = np.zeros_like(self.scales) if self.added is None else self.added
        rows = sums, self.scales, added
        return [bridge.tensor_of(row.reshape(1, -1)) for row in rows]

    def correction(self, zero_point: int) -> Any:
        """What the zero points add to the sums, but for the part that rows decide."""
        sums = np.concatenate([factor.sums for factor in self.factors])
        depth = self.factors[0].depth
        return (-zero_point * sums + depth * zero_point * self.zeros).astype(np.int32)


class LinearPackedParamsBase(Packed):
    """The weight of a linear layer."""


class ConvPackedParams(Packed):
    """The weight of a convolution, and how its window goes over the image.

    Args:
        weight: of size [channels out, channels in / groups, *window]
        bias: of size [channels out], or None
        stride: how far apart windows are
        padding: how many places are added at both ends
        dilation: how far apart the places of a window are
        groups: into how many groups channels are cut
    """

    def __init__(
        self, weight: Tensor, bias: Tensor | None, stride: Sequence[int], padding: Sequence[int],
        dilation: Sequence[int], groups: int,
    ) -> None:  # fmt: skip
        self.window = tuple(weight._size_[2:])
        self.channels = weight._size_[1]
        self.stride, self.padding, self.dilation = (tuple(x) for x in (stride, padding, dilation))
        super().__init__(weight, bias, groups)

    def arranged(self, numbers: Any) -> Any:
        """Windows first and channels last, as images are laid out."""
        rows = numbers.shape[0]
        by_channel = numbers.reshape(rows, self.channels, -1)
        return np.ascontiguousarray(by_channel.transpose(0, 2, 1)).reshape(rows, -1)

    def __reduce__(self) -> Any:
        given = self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups
        return type(self), given


class Conv2dPackedParamsBase(ConvPackedParams):
    """The weight of a convolution of images; of rows, as images of height 1."""


class Conv3dPackedParamsBase(ConvPackedParams):
    """The weight of a convolution of volumes."""


class HalfLinear:
    """The weight of a linear layer in half precision, for real numbers.

    Args:
        weight: float32
        bias: what is added to the results, or None
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        from rushlight.engine.calls import copy as copies

        held = copies.to_dtype(weight, dtypes.float16)
        self.weight, self.bias = copies.to_dtype(held, dtypes.float32), bias

    def unpack(self) -> tuple[Tensor, Tensor | None]:
        """The weight, as single precision, and the bias."""
        return self.weight, self.bias

    def __reduce__(self) -> Any:
        return type(self), (self.weight, self.bias)


class EmbeddingPackedParamsBase:
    """A table of rows of eight-bit numbers, each row with a scale and a zero point of its own.

    Args:
        weight: quantized by its first dimension, with zero points that are real numbers
    """

    def __init__(self, weight: Tensor) -> None:
        from rushlight.engine.calls import copy as copies
        from rushlight.engine.calls import pointwise, quantized, view

        self.weight = weight
        scales = copies.to_dtype(quantized.q_per_channel_scales(weight), dtypes.float32)
        zeros = copies.to_dtype(quantized.q_per_channel_zero_points(weight), dtypes.float32)
        self.numbers = quantized.int_repr(weight)
        self.scales = view.unsqueeze(scales, 1)
        self.shifts = view.unsqueeze(pointwise.neg(pointwise.mul_Tensor(zeros, scales)), 1)

    def unpack(self) -> Tensor:
        """The weight that this was made of."""
        return self.weight

    def __reduce__(self) -> Any:
        return type(self), (self.weight,)

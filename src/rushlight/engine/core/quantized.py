"""Quantized tensors: whole numbers, and beside them what the numbers mean.

A quantized tensor is an ordinary `Tensor` with memory and strides. Its element type (``quint8``) tells
that the memory has numbers of another one (``uint8``), and gives it a dispatch key of its own. What the
numbers mean, a scale and a zero point for example, is its `Quantizer`. The storage keeps that, so
all tensors over the storage share it; a view of which it says something else keeps its own.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, objects
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor

# The name under which storages, and some views, keep it.
NAME = "_quantizer_"


class PerTensor:
    """One scale for all elements: ``(number - zero_point) * scale``.

    Args:
        scale: the distance of neighbouring values
        zero_point: the number that stands for 0
    """

    __slots__ = ("scale", "zero_point")

    scheme = layouts.per_tensor_affine

    def __init__(self, scale: float, zero_point: int) -> None:
        self.scale, self.zero_point = scale, zero_point


class PerChannel:
    """A scale for each index of one dimension.

    Args:
        scales: the scales; float64, or float32 where zero points are real numbers, too
        zero_points: the zero points, as many; int64 or float32
        axis: the dimension
    """

    __slots__ = ("axis", "scales", "zero_points")

    def __init__(self, scales: Tensor, zero_points: Tensor, axis: int) -> None:
        self.scales, self.zero_points, self.axis = scales, zero_points, axis

    @property
    def scheme(self) -> layouts.qscheme:
        if self.zero_points._dtype_.category == dtypes.FLOATING:
            return layouts.per_channel_affine_float_qparams
        return layouts.per_channel_affine


Quantizer = PerTensor | PerChannel


def is_quantized(tensor: Tensor) -> bool:
    """Whether a tensor's elements are numbers that stand for others."""
    return bool(tensor._keys_ & keys.QUANTIZED)


def quantizer_of(tensor: Tensor) -> Any:
    """What the numbers of a quantized tensor mean."""
    own = tensor.__dict__.get(NAME)
    return own if own is not None else getattr(tensor._storage_, NAME)


def describe(tensor: Tensor, quantizer: Quantizer) -> Tensor:
    """Say what the numbers mean that lie in a tensor's storage."""
    setattr(tensor._storage_, NAME, quantizer)
    tensor.__dict__.pop(NAME, None)
    return tensor


def describe_view(view: Tensor, quantizer: Quantizer) -> Tensor:
    """Say what the numbers of a view mean, if its storage does not say the same."""
    if getattr(view._storage_, NAME, None) is not quantizer:
        view.__dict__[NAME] = quantizer
    return view


def over_numbers(numbers: Tensor, quantizer: Quantizer, kind: dtypes.dtype) -> Tensor:
    """A new tensor of numbers, which becomes a quantized one."""
    numbers._dtype_ = kind
    numbers._flags_ = numbers._flags_ & ~objects.CODE_MASK | kind.code
    numbers._keys_ |= keys.QUANTIZED
    return describe(numbers, quantizer)


def numbers_of(tensor: Tensor) -> Tensor:
    """The numbers of a quantized tensor: an ordinary tensor over the same memory."""
    kind = tensor._dtype_.numbers
    made = tensors.from_storage(
        tensor._storage_, kind, tensor._size_, tensor._stride_, tensor._offset_
    )
    made._counter_ = tensor._counter_
    return made


def per_tensor(tensor: Tensor) -> PerTensor:
    """The quantizer of a tensor that has one scale; an error for others."""
    found = quantizer_of(tensor)
    if not isinstance(found, PerTensor):
        raise RuntimeError(
            "Expected quantizer->qscheme() == kPerTensorAffine to be true, but got false.  (Could "
            "this error message be improved?  If so, please report an enhancement request to "
            "PyTorch.)"
        )
    return found


def per_channel(tensor: Tensor) -> PerChannel:
    """The quantizer of a tensor that has a scale for each channel; an error for others."""
    found = quantizer_of(tensor)
    if not isinstance(found, PerChannel):
        raise RuntimeError(
            "Expected quantizer->qscheme() == kPerChannelAffine || quantizer->qscheme() == "
            "kPerChannelAffineFloatQParams to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)"
        )
    return found


def check_quantized_type(kind: Any) -> None:
    """Raise for a type that no quantized tensor has."""
    if not isinstance(kind, dtypes.dtype) or kind.category != dtypes.QUANTIZED:
        raise RuntimeError(
            "Creation of quantized tensor requires quantized dtype like torch.quint8"
        )


def check_whole_bytes(kind: dtypes.dtype) -> None:
    """Raise for types of which several elements share a byte."""
    if kind._name in ("quint4x2", "quint2x4"):
        raise NotImplementedError(
            f"tensors of {kind} are not there: several elements would share a byte; quint8, qint8 and "
            "qint32 are"
        )


LIMITS: dict[str, tuple[int, int]] = {
    "quint8": (0, 255), "qint8": (-128, 127), "qint32": (-(1 << 31), (1 << 31) - 1),
}  # fmt: skip


def limits_of(kind: dtypes.dtype) -> tuple[int, int]:
    """The least and the largest number of a quantized type."""
    return LIMITS[kind._name]

"""Observers: modules that see tensors go by, and tell which scale would suit them."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

import numpy as np

import rushlight
from rushlight.ao.quantization.partials import _PartialWrapper, _with_args, _with_callable_args  # noqa: F401
from rushlight.nn import Module

__all__ = [
    "FixedQParamsObserver", "HistogramObserver", "MinMaxObserver", "MovingAverageMinMaxObserver",
    "MovingAveragePerChannelMinMaxObserver", "NoopObserver", "ObserverBase",
    "PerChannelMinMaxObserver", "PlaceholderObserver", "RecordingObserver", "ReuseInputObserver",
    "UniformQuantizationObserverBase", "default_affine_fixed_qparams_observer",
    "default_debug_observer", "default_dynamic_quant_observer",
    "default_fixed_qparams_range_0to1_observer", "default_fixed_qparams_range_neg1to1_observer",
    "default_float_qparams_observer", "default_float_qparams_observer_4bit",
    "default_histogram_observer", "default_observer", "default_per_channel_weight_observer",
    "default_placeholder_observer", "default_reuse_input_observer",
    "default_symmetric_fixed_qparams_observer", "default_weight_observer",
    "get_observer_state_dict", "load_observer_state_dict",
    "per_channel_weight_observer_range_neg_127_to_127", "weight_observer_range_neg_127_to_127",
]  # fmt: skip

_EPS = 1.1920928955078125e-07
_SYMMETRIC = (rushlight.per_tensor_symmetric, rushlight.per_channel_symmetric)
_PER_TENSOR = (rushlight.per_tensor_affine, rushlight.per_tensor_symmetric)
_PER_CHANNEL = (
    rushlight.per_channel_affine, rushlight.per_channel_symmetric,
    rushlight.per_channel_affine_float_qparams,
)  # fmt: skip
_WITHOUT_SIGN = (rushlight.quint8, rushlight.uint8)
_LIMITS = {
    "quint8": (0, 255), "uint8": (0, 255), "qint8": (-128, 127), "int8": (-128, 127),
    "qint32": (-(2**31), 2**31 - 1), "int32": (-(2**31), 2**31 - 1), "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1), "quint4x2": (0, 15),
}  # fmt: skip
_REDUCED = {"quint8": (0, 127), "uint8": (0, 127), "qint8": (-64, 63), "int8": (-64, 63)}


class ObserverBase(Module):
    """What observers derive from.

    Args:
        dtype: the quantized type that tensors would get
        is_dynamic: whether scales are found anew for each tensor
    """

    def __init__(self, dtype: Any, is_dynamic: bool = False) -> None:
        super().__init__()
        self.dtype, self.is_dynamic = dtype, is_dynamic

    def forward(self, x: Any) -> Any:
        """See a tensor; give it back."""
        raise NotImplementedError

    def calculate_qparams(self, **kwargs: Any) -> Any:
        """The scale and zero point that suit what was seen."""
        raise NotImplementedError

    with_args = classmethod(_with_args)
    with_callable_args = classmethod(_with_callable_args)


def _limits(dtype: Any, given: tuple[Any, Any], reduce_range: bool) -> tuple[int, int]:
    """The least and the largest number to use."""
    if given[0] is not None and given[1] is not None:
        low, high = given
        return (low // 2, high // 2) if reduce_range else (low, high)
    name = dtype._name
    if name not in _LIMITS:
        raise AssertionError(f"observers know no range of numbers of {dtype}")
    return _REDUCED.get(name, _LIMITS[name]) if reduce_range else _LIMITS[name]


class UniformQuantizationObserverBase(ObserverBase):
    """An observer for values at equal distances.

    Args:
        dtype: the quantized type
        qscheme: one scale or one for each channel; symmetric or with a zero point
        reduce_range: whether the numbers have one bit less
        quant_min: the least number, where it is not the type's
        quant_max: the largest one
        factory_kwargs: the type and device of what it remembers
        eps: the least scale
        is_dynamic: whether scales are found anew for each tensor
    """

    _version = 3
    eps: Any
    min_val: Any
    max_val: Any

    def __init__(
        self, dtype: Any = rushlight.quint8, qscheme: Any = rushlight.per_tensor_affine,
        reduce_range: bool = False, quant_min: Any = None, quant_max: Any = None,
        factory_kwargs: Any = None, eps: float = _EPS, is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        factory_kwargs = dict(factory_kwargs or {})
        super().__init__(dtype=dtype, is_dynamic=is_dynamic, **kwargs)
        self.qscheme = qscheme
        if reduce_range:
            warnings.warn(
                "Please use quant_min and quant_max to specify the range for observers.             "
                "        reduce_range will be deprecated in a future release of PyTorch.",
                stacklevel=3,
            )
        self.reduce_range = reduce_range
        self.register_buffer("eps", rushlight.tensor([eps], **factory_kwargs))
        if qscheme not in (*_PER_TENSOR, *_PER_CHANNEL):
            raise AssertionError(
                "Default Observer only works for per_tensor_affine, per_tensor_symmetric, "
                "per_channel_affine, per_channel_symmetric and per_channel_float_qparams quantization "
                "scheme"
            )
        self.has_customized_qrange = quant_min is not None and quant_max is not None
        if self.has_customized_qrange:
            self._check_range(quant_min, quant_max)
        self.quant_min, self.quant_max = _limits(dtype, (quant_min, quant_max), reduce_range)

    @staticmethod
    def _check_range(quant_min: int, quant_max: int) -> None:
        if not quant_min <= 0 <= quant_max:
            raise AssertionError("Used-specified quantization range must include 0.")
        if quant_min >= quant_max:
            raise AssertionError(
                "qmin must be strictly less than qmax for user-specified quantization range."
            )

    def _calculate_qparams(self, min_val: Any, max_val: Any) -> tuple[Any, Any]:
        """The scale and zero point for elements between two bounds, or pairs of them."""
        if not _are_valid(min_val, max_val):
            return rushlight.tensor([1.0]), rushlight.tensor([0])
        nothing = rushlight.zeros_like(min_val)
        least, most = rushlight.minimum(min_val, nothing), rushlight.maximum(max_val, nothing)
        reach = float(self.quant_max - self.quant_min)
        zero_point = rushlight.zeros(least.shape, dtype=rushlight.int64)
        if self.qscheme in _SYMMETRIC:
            scale = rushlight.maximum(-least, most) / (reach / 2)
            scale = rushlight.maximum(scale, self.eps)
            if self.dtype in _WITHOUT_SIGN:
                middle = (
                    (self.quant_min + self.quant_max) // 2 if self.has_customized_qrange else 128
                )
                zero_point = zero_point.new_full(zero_point.shape, middle)
            elif self.dtype is rushlight.uint16:
                zero_point = zero_point.new_full(zero_point.shape, 1 << 15)
        elif self.qscheme is rushlight.per_channel_affine_float_qparams:
            scale = (max_val - min_val) / reach
            scale = rushlight.where(scale > self.eps, scale, rushlight.ones_like(scale))
            zero_point = -1 * min_val / scale
        else:
            scale = rushlight.maximum((most - least) / reach, self.eps)
            zero_point = self.quant_min - rushlight.round(least / scale).to(rushlight.int)
            zero_point = rushlight.clamp(zero_point, self.quant_min, self.quant_max)
        # One scale is a tensor of one element.
        return scale.reshape(scale.shape or (1,)), zero_point.reshape(zero_point.shape or (1,))

    def reset_min_max_vals(self) -> None:
        """Forget what was seen."""
        raise NotImplementedError("Cannot reset min/max values in the given observer.")


def _are_valid(min_val: Any, max_val: Any) -> bool:
    """Whether bounds were ever set, and are in order."""
    if min_val.numel() == 0 or max_val.numel() == 0:
        warnings.warn(
            "must run observer before calling calculate_qparams. Returning default values.",
            stacklevel=4,
        )
        return False
    if min_val.dim() == 0 or max_val.dim() == 0:
        if min_val == float("inf") and max_val == float("-inf"):
            warnings.warn(
                "must run observer before calling calculate_qparams. Returning default values.",
                stacklevel=4,
            )
            return False
        if min_val > max_val:
            raise AssertionError(f"min {min_val} should be less than max {max_val}")
    elif not bool((min_val <= max_val).all()):
        raise AssertionError(f"min {min_val} should be less than max {max_val}")
    return True


class MinMaxObserver(UniformQuantizationObserverBase):
    """Remembers the least and the largest element of all tensors.

    Args:
        dtype: the quantized type
        qscheme: ``per_tensor_affine`` or ``per_tensor_symmetric``
        reduce_range: whether the numbers have one bit less
        quant_min: the least number, where it is not the type's
        quant_max: the largest one
        factory_kwargs: the type and device of what it remembers
        eps: the least scale
        is_dynamic: whether scales are found anew for each tensor
    """

    def __init__(
        self, dtype: Any = rushlight.quint8, qscheme: Any = rushlight.per_tensor_affine,
        reduce_range: bool = False, quant_min: Any = None, quant_max: Any = None,
        factory_kwargs: Any = None, eps: float = _EPS, is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        if qscheme not in _PER_TENSOR:
            raise NotImplementedError(
                "MinMaxObserver's qscheme only support torch.per_tensor_symmetric                     "
                "and torch.per_tensor_affine."
            )
        super().__init__(
            dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, is_dynamic,
            **kwargs,
        )  # fmt: skip
        made = dict(factory_kwargs or {})
        self.register_buffer("min_val", rushlight.tensor(float("inf"), **made))
        self.register_buffer("max_val", rushlight.tensor(float("-inf"), **made))
        is_symmetric = qscheme is rushlight.per_tensor_symmetric
        if is_symmetric and self.reduce_range and dtype is rushlight.quint8:
            raise NotImplementedError(
                "Cannot reduce range for symmetric                                        quantization "
                "for quint8"
            )

    def forward(self, x_orig: Any) -> Any:
        """See a tensor; give it back."""
        if x_orig.numel() == 0:
            return x_orig
        x = x_orig.detach().to(self.min_val.dtype)
        least, most = rushlight.aminmax(x)
        self.min_val.copy_(rushlight.minimum(least, self.min_val))
        self.max_val.copy_(rushlight.maximum(most, self.max_val))
        return x_orig

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """The scale and zero point that suit what was seen."""
        return self._calculate_qparams(self.min_val, self.max_val)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}"

    def reset_min_max_vals(self) -> None:
        """Forget what was seen."""
        self.min_val.copy_(rushlight.tensor(float("inf")))
        self.max_val.copy_(rushlight.tensor(float("-inf")))


class MovingAverageMinMaxObserver(MinMaxObserver):
    """Remembers averages of the least and the largest elements, in which newer tensors count more.

    Args:
        averaging_constant: what a new tensor's share is
        dtype: the quantized type
        qscheme: ``per_tensor_affine`` or ``per_tensor_symmetric``
        reduce_range: whether the numbers have one bit less
        quant_min: the least number, where it is not the type's
        quant_max: the largest one
        eps: the least scale
        is_dynamic: whether scales are found anew for each tensor
    """

    def __init__(
        self, averaging_constant: float = 0.01, dtype: Any = rushlight.quint8,
        qscheme: Any = rushlight.per_tensor_affine, reduce_range: bool = False,
        quant_min: Any = None, quant_max: Any = None, eps: float = _EPS, is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        if qscheme not in _PER_TENSOR:
            raise NotImplementedError(
                f"MovingAverageMinMaxObserver's qscheme only support                 "
                f"torch.per_tensor_symmetric and torch.per_tensor_affine.                 but got: "
                f"{qscheme}"
            )
        self.averaging_constant = averaging_constant
        if is_dynamic and averaging_constant != 1:
            raise NotImplementedError(
                "MovingAverageMinMaxObserver doesn't support dynamic quantization for averaging "
                f"constant of {averaging_constant}"
            )
        super().__init__(
            dtype=dtype, qscheme=qscheme, reduce_range=reduce_range, quant_min=quant_min,
            quant_max=quant_max, eps=eps, is_dynamic=is_dynamic, **kwargs,
        )  # fmt: skip

    def forward(self, x_orig: Any) -> Any:
        """See a tensor; give it back."""
        if x_orig.numel() == 0:
            return x_orig
        x = x_orig.detach().to(self.min_val.dtype)
        least, most = rushlight.aminmax(x)
        if self.min_val == float("inf") and self.max_val == float("-inf"):
            self.min_val.copy_(least)
            self.max_val.copy_(most)
        else:
            share = self.averaging_constant
            self.min_val.copy_(self.min_val + share * (least - self.min_val))
            self.max_val.copy_(self.max_val + share * (most - self.max_val))
        return x_orig


class PerChannelMinMaxObserver(UniformQuantizationObserverBase):
    """Remembers the least and the largest element of each channel.

    Args:
        ch_axis: the dimension of channels
        dtype: the quantized type
        qscheme: ``per_channel_affine``, ``per_channel_symmetric`` or
            ``per_channel_affine_float_qparams``
        reduce_range: whether the numbers have one bit less
        quant_min: the least number, where it is not the type's
        quant_max: the largest one
        factory_kwargs: the type and device of what it remembers
        eps: the least scale
        is_dynamic: always False
    """

    def __init__(
        self, ch_axis: int = 0, dtype: Any = rushlight.quint8,
        qscheme: Any = rushlight.per_channel_affine, reduce_range: bool = False,
        quant_min: Any = None, quant_max: Any = None, factory_kwargs: Any = None,
        eps: float = _EPS, is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        if qscheme not in _PER_CHANNEL:
            raise NotImplementedError(
                "PerChannelMinMaxObserver's qscheme only support                     "
                "torch.per_channel_symmetric, torch.per_channel_affine and "
                "torch.per_channel_affine_float_qparams."
            )
        if is_dynamic:
            raise NotImplementedError(
                "PerChannelMinMaxObserver doesn't support dynamic quantization"
            )
        super().__init__(
            dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, is_dynamic,
            **kwargs,
        )  # fmt: skip
        made = dict(factory_kwargs or {})
        self.ch_axis = ch_axis
        self.register_buffer("min_val", rushlight.tensor([], **made))
        self.register_buffer("max_val", rushlight.tensor([], **made))
        is_symmetric = qscheme is rushlight.per_channel_symmetric
        if is_symmetric and self.reduce_range and dtype is rushlight.quint8:
            raise NotImplementedError("Cannot reduce range for symmetric quantization for quint8")

    def forward(self, x_orig: Any) -> Any:
        """See a tensor; give it back."""
        return self._forward(x_orig)

    def _extremes(self, x: Any) -> tuple[Any, Any]:
        """The least and the largest element of each channel."""
        rows = x.transpose(0, self.ch_axis).to(self.min_val.dtype)
        least, most = rushlight.aminmax(rushlight.flatten(rows, start_dim=1), dim=1)
        return least, most

    def _forward(self, x_orig: Any) -> Any:
        if x_orig.numel() == 0:
            return x_orig
        least, most = self._extremes(x_orig.detach())
        if self.min_val.numel():
            least = rushlight.minimum(least, self.min_val)
            most = rushlight.maximum(most, self.max_val)
        self._set(least, most)
        return x_orig

    def _set(self, least: Any, most: Any) -> None:
        self.min_val.resize_(least.shape)
        self.max_val.resize_(most.shape)
        self.min_val.copy_(least)
        self.max_val.copy_(most)

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """The scales and zero points that suit what was seen."""
        return self._calculate_qparams(self.min_val, self.max_val)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}"

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool,
        missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        version = local_metadata.get("version", None)
        if version is not None and version < 3:
            for old in ("min_vals", "max_vals"):
                if prefix + old in state_dict:
                    state_dict[prefix + old.removesuffix("s")] = state_dict.pop(prefix + old)
        for name in ("min_val", "max_val"):
            given = state_dict.get(prefix + name)
            if given is None:
                if strict:
                    missing_keys.append(prefix + name)
                continue
            getattr(self, name).resize_(given.shape)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def reset_min_max_vals(self) -> None:
        """Forget what was seen."""
        self.min_val, self.max_val = rushlight.rand(0), rushlight.rand(0)


class MovingAveragePerChannelMinMaxObserver(PerChannelMinMaxObserver):
    """The same with averages, in which newer tensors count more.

    Args:
        averaging_constant: what a new tensor's share is
        ch_axis: the dimension of channels
        dtype: the quantized type
        qscheme: as of `PerChannelMinMaxObserver`
        reduce_range: whether the numbers have one bit less
        quant_min: the least number, where it is not the type's
        quant_max: the largest one
        eps: the least scale
        is_dynamic: always False
    """

    def __init__(
        self, averaging_constant: float = 0.01, ch_axis: int = 0, dtype: Any = rushlight.quint8,
        qscheme: Any = rushlight.per_channel_affine, reduce_range: bool = False,
        quant_min: Any = None, quant_max: Any = None, eps: float = _EPS, is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            ch_axis=ch_axis, dtype=dtype, qscheme=qscheme, reduce_range=reduce_range,
            quant_min=quant_min, quant_max=quant_max, eps=eps, is_dynamic=is_dynamic, **kwargs,
        )  # fmt: skip
        self.averaging_constant = averaging_constant

    def forward(self, x_orig: Any) -> Any:
        """See a tensor; give it back."""
        if x_orig.numel() == 0:
            return x_orig
        least, most = self._extremes(x_orig.detach())
        if self.min_val.numel():
            share = self.averaging_constant
            least = self.min_val + share * (least - self.min_val)
            most = self.max_val + share * (most - self.max_val)
        self._set(least, most)
        return x_orig


class HistogramObserver(UniformQuantizationObserverBase):
    """Counts elements in bins, and chooses bounds with which rounding loses least.

    Args:
        bins: how many bins there are
        dtype: the quantized type
        qscheme: ``per_tensor_affine`` or ``per_tensor_symmetric``
        reduce_range: whether the numbers have one bit less
        quant_min: the least number, where it is not the type's
        quant_max: the largest one
        factory_kwargs: the type and device of what it remembers
        eps: the least scale
        is_dynamic: always False
    """

    histogram: Any

    def __init__(
        self, bins: int = 2048, dtype: Any = rushlight.quint8,
        qscheme: Any = rushlight.per_tensor_affine, reduce_range: bool = False,
        quant_min: Any = None, quant_max: Any = None, factory_kwargs: Any = None,
        eps: float = _EPS, is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        if qscheme not in _PER_TENSOR:
            raise NotImplementedError(
                "HistogramObserver's qscheme only support torch.per_tensor_symmetric                  "
                "   and torch.per_tensor_affine."
            )
        if is_dynamic:
            raise NotImplementedError("HistogramObserver doesn't support dynamic quantization")
        super().__init__(
            dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, is_dynamic,
            **kwargs,
        )  # fmt: skip
        made = dict(factory_kwargs or {})
        self.bins = bins
        self.register_buffer("histogram", rushlight.zeros(bins, **made))
        self.register_buffer("min_val", rushlight.tensor(float("inf"), **made))
        self.register_buffer("max_val", rushlight.tensor(float("-inf"), **made))
        self.dst_nbins = 2 ** (8 * dtype.itemsize)
        # Bins are cut into so many where a histogram is put over other bounds.
        self.upsample_rate = 16

    def _is_new(self) -> bool:
        return bool(self.min_val == float("inf")) or bool(self.max_val == float("-inf"))

    def forward(self, x_orig: Any) -> Any:
        """See a tensor; give it back."""
        if x_orig.numel() == 0:
            return x_orig
        x = x_orig.detach()
        least, most = rushlight.aminmax(x)
        if least == -rushlight.inf or most == rushlight.inf:
            warnings.warn("torch.inf detected in input tensor, ignoring input", stacklevel=2)
            x = x[x.abs() != rushlight.inf]
            if x.numel() == 0:
                return x_orig
            least, most = rushlight.aminmax(x)
        if self._is_new():
            self.reset_histogram(x, least, most)
            return x_orig
        new_least = rushlight.minimum(self.min_val, least)
        new_most = rushlight.maximum(self.max_val, most)
        added = _counted(x, self.bins, new_least, new_most)
        known = self._over(new_least, new_most)
        self.histogram.copy_(known + added)
        self.min_val.copy_(new_least)
        self.max_val.copy_(new_most)
        return x_orig

    def reset_histogram(self, x: Any, min_val: Any, max_val: Any) -> None:
        """Begin anew with the elements of a tensor."""
        self.min_val.resize_(min_val.shape)
        self.min_val.copy_(min_val)
        self.max_val.resize_(max_val.shape)
        self.max_val.copy_(max_val)
        self.histogram.resize_((self.bins,))
        self.histogram.copy_(_counted(x, self.bins, min_val, max_val))

    def _over(self, least: Any, most: Any) -> Any:
        """The histogram as one over wider bounds."""
        old_least, old_most = self.min_val, self.max_val
        if least == old_least and most == old_most:
            return self.histogram
        if old_least == old_most:
            return _counted(old_least, self.bins, least, most) * self.histogram.sum()
        fine = self.bins * self.upsample_rate
        counts = self.histogram.repeat_interleave(self.upsample_rate) / self.upsample_rate
        width = (old_most - old_least) / fine
        middles = rushlight.linspace(old_least.item(), old_most.item(), fine + 1)[:-1] + 0.5 * width
        bounds = rushlight.linspace(least.item(), most.item(), self.bins + 1)
        places = rushlight.bucketize(middles, bounds, right=True) - 1
        places = places.clamp(0, self.bins - 1)
        return rushlight.bincount(places, weights=counts, minlength=self.bins)

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """The scale and zero point with which rounding loses least."""
        if self._is_new():
            warnings.warn(
                "must run observer before calling calculate_qparams.                                  "
                "  Returning default scale and zero point ",
                stacklevel=2,
            )
            return rushlight.tensor([1.0]), rushlight.tensor([0])
        if self.bins != len(self.histogram):
            raise AssertionError(
                "The number of bins in histogram should be equal to the number of bins supplied while "
                "making this observer"
            )
        return self._calculate_qparams(*self._best_bounds())

    def _best_bounds(self) -> tuple[Any, Any]:
        """The bounds that are found by leaving out the outermost elements, a few at a time."""
        counts = self.histogram.numpy()
        width = (self.max_val - self.min_val) / self.bins
        total = float(self.histogram.sum())
        reached = np.cumsum(counts, dtype=np.float32)
        step, below, above = 1e-5, 0.0, 1.0
        first, last, least_loss = 0, self.bins - 1, float("inf")
        while below < above:
            next_below, next_above = below + step, above - step
            left = _first_from(reached, first, last, next_below * total)
            right = _last_to(reached, first, last, next_above * total)
            new_first, new_last = first, last
            if left - first > last - right:
                new_first, below = left, next_below
            else:
                new_last, above = right, next_above
            if (new_first, new_last) == (first, last):
                continue
            loss = self._loss(counts, new_first, new_last)
            if loss > least_loss:
                break
            least_loss, first, last = loss, new_first, new_last
        return self.min_val + width * first, self.min_val + width * (last + 1)

    def _loss(self, counts: Any, first: int, last: int) -> float:
        """The sum of squares that are lost with these bins as bounds, elements spread evenly in bins."""
        single = np.float32
        width = (self.max_val.item() - self.min_val.item()) / self.bins
        target = width * (last - first + 1) / self.dst_nbins
        if target == 0.0:
            return 0.0
        begin = (np.arange(self.bins) - first).astype(single) * single(width)
        end = begin + single(width)
        of_begin = np.clip(np.floor(begin / single(target)), 0, self.dst_nbins - 1)
        of_end = np.clip(np.floor(end / single(target)), 0, self.dst_nbins - 1)
        density = counts / single(width)
        half = single(target / 2)
        middle = (of_begin + single(0.5)) * single(target)
        loss = _squares(begin - middle, np.full(self.bins, half), density)
        loss = loss + (of_end - of_begin - 1) * _squares(-half, half, density)
        middle = of_end * single(target) + half
        loss = loss + _squares(-half, end - middle, density)
        return float(loss.sum(dtype=single))

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}"

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any
    ) -> None:
        version = local_metadata.get("version", None)
        if version is None or version < 3:
            for name in ("min_val", "max_val"):
                given = state_dict.get(prefix + name)
                if given is not None and given.shape == rushlight.Size([0]):
                    state_dict[prefix + name] = rushlight.tensor(
                        float("inf") if name == "min_val" else float("-inf")
                    )
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


def _counted(x: Any, bins: int, least: Any, most: Any) -> Any:
    """How many elements are in each bin."""
    return rushlight.histc(x.float(), bins, min=float(least), max=float(most))


def _squares(begin: Any, end: Any, density: Any) -> Any:
    """The integral of squares of distances."""
    return density * ((end * end * end - begin * begin * begin) / np.float32(3))


def _first_from(reached: Any, first: int, last: int, wanted: float) -> int:
    """The first bin with which so many elements are reached."""
    found = first + int(np.searchsorted(reached[first:last], np.float32(wanted), "left"))
    return min(found, last)


def _last_to(reached: Any, first: int, last: int, wanted: float) -> int:
    """The last bin with which no more elements are reached."""
    part = reached[first + 1 : last + 1]
    return first + int(np.searchsorted(part, np.float32(wanted), "right"))


class FixedQParamsObserver(ObserverBase):
    """Tells the same scale whatever it sees: for functions whose range is known.

    Args:
        scale: the scale
        zero_point: the zero point
        dtype: the quantized type
        qscheme: the scheme
        quant_min: the least number
        quant_max: the largest one
        is_dynamic: always False
    """

    scale: Any
    zero_point: Any

    def __init__(
        self, scale: float, zero_point: int, dtype: Any = rushlight.quint8,
        qscheme: Any = rushlight.per_tensor_affine, quant_min: int = 0, quant_max: int = 255,
        is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        if is_dynamic:
            raise NotImplementedError("FixedQParamsObserver doesn't support dynamic quantization")
        super().__init__(dtype=dtype, is_dynamic=is_dynamic, **kwargs)
        self.quant_min, self.quant_max = quant_min, quant_max
        self.register_buffer("scale", rushlight.tensor([scale], dtype=rushlight.float))
        self.register_buffer("zero_point", rushlight.tensor([zero_point], dtype=rushlight.int))
        self.qscheme = qscheme

    def forward(self, X: Any) -> Any:
        """The tensor."""
        return X

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """The scale and zero point that were given."""
        return self.scale, self.zero_point


class PlaceholderObserver(ObserverBase):
    """Says which type is wanted, and remembers nothing.

    Args:
        dtype: the quantized type
        custom_op_name: what the operator is called to which this belongs
        compute_dtype: an older way to say that scales are found anew for each tensor
        quant_min: the least number, where it is not the type's
        quant_max: the largest one
        qscheme: the scheme
        eps: the least scale
        is_dynamic: whether scales are found anew for each tensor
    """

    def __init__(
        self, dtype: Any = rushlight.float32, custom_op_name: str = "", compute_dtype: Any = None,
        quant_min: Any = None, quant_max: Any = None, qscheme: Any = None, eps: Any = None,
        is_dynamic: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype, is_dynamic=is_dynamic)
        self.qscheme = rushlight.per_tensor_affine if qscheme is None else qscheme
        self.quant_min, self.quant_max = quant_min, quant_max
        self.eps = _EPS if eps is None else eps
        self.custom_op = custom_op_name
        if compute_dtype:
            self.is_dynamic = True
            warnings.warn(
                "Please use `is_dynamic` instead of `compute_dtype`.                     "
                "`compute_dtype` will be deprecated in a future release                     of PyTorch.",
                stacklevel=2,
            )

    def forward(self, x: Any) -> Any:
        """The tensor."""
        return x

    def extra_repr(self) -> str:
        return f"dtype={self.dtype}, is_dynamic={self.is_dynamic}"

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """There is nothing to tell."""
        raise Exception("calculate_qparams should not be called for PlaceholderObserver")


class RecordingObserver(ObserverBase):
    """Keeps a copy of every tensor.

    Args:
        dtype: the quantized type
    """

    def __init__(self, dtype: Any = rushlight.quint8) -> None:
        super().__init__(dtype=dtype, is_dynamic=False)
        self.tensor_val: list[Any] = []

    def forward(self, x: Any) -> Any:
        """See a tensor; give it back."""
        self.tensor_val.append(x.clone())
        return x

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """There is nothing to tell."""
        raise Exception("calculate_qparams should not be called for RecordingObserver")

    def get_tensor_value(self) -> list[Any]:
        """The copies."""
        return self.tensor_val


class NoopObserver(ObserverBase):
    """Says which type is wanted.

    Args:
        dtype: the type
        custom_op_name: what the operator is called to which this belongs
    """

    def __init__(self, dtype: Any = rushlight.float16, custom_op_name: str = "") -> None:
        super().__init__(dtype=dtype, is_dynamic=False)
        self.dtype = dtype
        self.custom_op = custom_op_name

    def forward(self, x: Any) -> Any:
        """The tensor."""
        return x

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """There is nothing to tell."""
        raise Exception("calculate_qparams should not be called for NoopObserver")


class ReuseInputObserver(ObserverBase):
    """Says that a result has the scale of what it was made from."""

    def __init__(self) -> None:
        super().__init__(rushlight.quint8, is_dynamic=False)

    def forward(self, x: Any) -> Any:
        """The tensor."""
        return x

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """There is nothing to tell."""
        raise Exception("calculate_qparams should not be called for ReuseInputObserver")


def _is_activation_post_process(module: Any) -> bool:
    """Whether a module is an observer, or rounds as if quantized."""
    from rushlight.ao.quantization.fake_quantize import FakeQuantizeBase

    return isinstance(module, (ObserverBase, FakeQuantizeBase))


def get_observer_state_dict(mod: Any) -> Any:
    """What the observers of a model have seen."""
    found: OrderedDict[str, Any] = OrderedDict()
    for name, value in mod.state_dict().items():
        if "observer" in name or "activation_post_process" in name:
            found[name] = value
    return found


def load_observer_state_dict(mod: Any, obs_dict: Any) -> None:
    """Give the observers of a model back what `get_observer_state_dict` told."""
    missing: list[str] = []
    unexpected: list[str] = []
    for name, module in mod.named_modules():
        if _is_activation_post_process(module):
            module._load_from_state_dict(obs_dict, name + ".", {}, False, missing, unexpected, [])
    for key in missing:
        if "observer" in key or "activation_post_process" in key:
            raise Exception(f"Missing keys for observer {key} in state_dict")
    for key in unexpected:
        if "observer" in key or "activation_post_process" in key:
            raise Exception(f"Unexpected keys for observer {key} in state_dict")


# -- the usual ones --

_EPS_OF_NARROW = 2**-12
default_observer = MinMaxObserver.with_args(quant_min=0, quant_max=127)
default_placeholder_observer = PlaceholderObserver
default_debug_observer = RecordingObserver
default_weight_observer = MinMaxObserver.with_args(
    dtype=rushlight.qint8, qscheme=rushlight.per_tensor_symmetric
)
weight_observer_range_neg_127_to_127 = MinMaxObserver.with_args(
    dtype=rushlight.qint8, qscheme=rushlight.per_tensor_symmetric, quant_min=-127, quant_max=127,
    eps=_EPS_OF_NARROW,
)  # fmt: skip
default_histogram_observer = HistogramObserver.with_args(quant_min=0, quant_max=127)
default_per_channel_weight_observer = PerChannelMinMaxObserver.with_args(
    dtype=rushlight.qint8, qscheme=rushlight.per_channel_symmetric
)
per_channel_weight_observer_range_neg_127_to_127 = PerChannelMinMaxObserver.with_args(
    dtype=rushlight.qint8, qscheme=rushlight.per_channel_symmetric, quant_min=-127, quant_max=127,
    eps=_EPS_OF_NARROW,
)  # fmt: skip
default_dynamic_quant_observer = PlaceholderObserver.with_args(
    dtype=rushlight.quint8, quant_min=0, quant_max=255, is_dynamic=True
)
default_float_qparams_observer = PerChannelMinMaxObserver.with_args(
    dtype=rushlight.quint8, qscheme=rushlight.per_channel_affine_float_qparams, ch_axis=0
)
default_float_qparams_observer_4bit = PerChannelMinMaxObserver.with_args(
    dtype=rushlight.quint4x2, qscheme=rushlight.per_channel_affine_float_qparams, ch_axis=0
)
default_fixed_qparams_range_neg1to1_observer = FixedQParamsObserver.with_args(
    scale=2.0 / 256.0, zero_point=128, dtype=rushlight.quint8, quant_min=0, quant_max=255
)
default_fixed_qparams_range_0to1_observer = FixedQParamsObserver.with_args(
    scale=1.0 / 256.0, zero_point=0, dtype=rushlight.quint8, quant_min=0, quant_max=255
)
# Their older names.
default_symmetric_fixed_qparams_observer = default_fixed_qparams_range_neg1to1_observer
default_affine_fixed_qparams_observer = default_fixed_qparams_range_0to1_observer
default_reuse_input_observer = ReuseInputObserver

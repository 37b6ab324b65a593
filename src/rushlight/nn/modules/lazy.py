"""Modules that find the sizes of their parameters when they are first called."""

from __future__ import annotations

from itertools import chain
from typing import Any

import rushlight
from rushlight.nn.modules.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from rushlight.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy

__all__ = [
    "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d",
    "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
    "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d", "LazyLinear",
]  # fmt: skip


class LazyModuleMixin:
    """Makes a module find its sizes at the first call, and then become another class.

    A subclass sets its unknown parameters to `UninitializedParameter` and gives
    `initialize_parameters`, which gets the arguments of the first call.
    """

    cls_to_become: Any = None

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[safe-super]
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(
            self._infer_parameters, with_kwargs=True
        )

    def initialize_parameters(self: Any, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their shapes, from the arguments of the first call."""
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def has_uninitialized_params(self: Any) -> bool:
        """Whether a parameter or buffer has no shape yet."""
        tensors = chain(self._parameters.values(), self._buffers.values())
        return any(is_lazy(tensor) for tensor in tensors)

    def _lazy_load_hook(self: Any, state_dict: Any, prefix: str, *rest: Any) -> None:
        """Take shapes from a state that has them."""
        for name, own in chain(self._parameters.items(), self._buffers.items()):
            given = state_dict.get(prefix + name)
            if is_lazy(own) and given is not None and not is_lazy(given):
                with rushlight.no_grad():
                    own.materialize(given.shape)

    def _infer_parameters(
        self: Any, module: Any, args: Any, kwargs: dict[str, Any] | None = None
    ) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        delattr(module, "_initialize_hook")
        delattr(module, "_load_hook")
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` that finds ``in_features`` at the first call."""

    cls_to_become = Linear

    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(0, 0, False)
        self.weight: Any = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias: Any = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Any) -> None:
        if not self.has_uninitialized_params():
            self.in_features = self.in_features or input.shape[-1]
            return
        with rushlight.no_grad():
            self.in_features = input.shape[-1]
            self.weight.materialize((self.out_features, self.in_features))
            if self.bias is not None:
                self.bias.materialize((self.out_features,))
            self.reset_parameters()


class _LazyConv(LazyModuleMixin):
    """What all convolutions share that find ``in_channels`` at the first call."""

    def _make_lazy(self: Any, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self: Any) -> None:
        """Draw new starting values, once there are sizes."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self: Any, input: Any, *args: Any, **kwargs: Any) -> None:
        """Take the channels from the first input."""
        if not self.has_uninitialized_params():
            self.in_channels = self.in_channels or self._channels_of(input)
            return
        self.in_channels = self._channels_of(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        with rushlight.no_grad():
            self.weight.materialize((first, second // self.groups, *self.kernel_size))
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            self.reset_parameters()

    def _channels_of(self: Any, input: Any) -> int:
        single, batched = self.dims + 1, self.dims + 2
        if input.dim() not in (single, batched):
            raise RuntimeError(
                f"Expected {single}D (unbatched) or {batched}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        channels: int = input.shape[-single]
        return channels


class _LazyPlainConv(_LazyConv):
    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype
        )
        self._make_lazy(out_channels, bias, device, dtype)


class LazyConv1d(_LazyPlainConv, Conv1d):  # type: ignore[misc]
    """A `Conv1d` that finds ``in_channels`` at the first call."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyPlainConv, Conv2d):  # type: ignore[misc]
    """A `Conv2d` that finds ``in_channels`` at the first call."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyPlainConv, Conv3d):  # type: ignore[misc]
    """A `Conv3d` that finds ``in_channels`` at the first call."""

    cls_to_become = Conv3d


class _LazyTransposedConv(_LazyConv):
    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation,
            padding_mode, device, dtype,
        )  # fmt: skip
        self._make_lazy(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyTransposedConv, ConvTranspose1d):  # type: ignore[misc]
    """A `ConvTranspose1d` that finds ``in_channels`` at the first call."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyTransposedConv, ConvTranspose2d):  # type: ignore[misc]
    """A `ConvTranspose2d` that finds ``in_channels`` at the first call."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyTransposedConv, ConvTranspose3d):  # type: ignore[misc]
    """A `ConvTranspose3d` that finds ``in_channels`` at the first call."""

    cls_to_become = ConvTranspose3d


class _LazyNorm(LazyModuleMixin):
    """What all normalisations share that find ``num_features`` at the first call."""

    def __init__(
        self: Any, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *,
        bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(0, eps, momentum, False, False, device, dtype)
        made = {"device": device, "dtype": dtype}
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(**made)
            if bias:
                self.bias = UninitializedParameter(**made)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**made)
            self.running_var = UninitializedBuffer(**made)
            self.num_batches_tracked = rushlight.tensor(0, dtype=rushlight.int64, device=device)

    def reset_parameters(self: Any) -> None:
        """Begin anew, once there are sizes."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self: Any, input: Any) -> None:
        """Take the channels from the first input."""
        if not self.has_uninitialized_params():
            self.num_features = self.num_features or input.shape[1]
            return
        self.num_features = input.shape[1]
        tensors = (self.weight, self.bias, self.running_mean, self.running_var)
        for tensor in tensors:
            if is_lazy(tensor):
                tensor.materialize((self.num_features,))
        self.reset_parameters()


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):  # type: ignore[misc]
    """A `BatchNorm1d` that finds ``num_features`` at the first call."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):  # type: ignore[misc]
    """A `BatchNorm2d` that finds ``num_features`` at the first call."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):  # type: ignore[misc]
    """A `BatchNorm3d` that finds ``num_features`` at the first call."""

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):  # type: ignore[misc]
    """An `InstanceNorm1d` that finds ``num_features`` at the first call."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):  # type: ignore[misc]
    """An `InstanceNorm2d` that finds ``num_features`` at the first call."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):  # type: ignore[misc]
    """An `InstanceNorm3d` that finds ``num_features`` at the first call."""

    cls_to_become = InstanceNorm3d

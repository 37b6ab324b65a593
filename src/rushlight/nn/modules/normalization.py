"""Normalisations."""

from __future__ import annotations

import numbers
from typing import Any

import rushlight
from rushlight.engine.core.tensor import Tensor
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "GroupNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "RMSNorm",
]


class _PerChannel(Module):
    """Values normalised per channel, by statistics of the batch or by running ones."""

    _version = 2
    dims: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        made = {"device": device, "dtype": dtype}
        for name, there in (("weight", affine), ("bias", affine and bias)):
            vector = Parameter(rushlight.empty(num_features, **made)) if there else None
            self.register_parameter(name, vector)
        if track_running_stats:
            self.register_buffer("running_mean", rushlight.zeros(num_features, **made))
            self.register_buffer("running_var", rushlight.ones(num_features, **made))
            count = rushlight.tensor(0, dtype=rushlight.int64, device=device)
            self.register_buffer("num_batches_tracked", count)
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget what was seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Begin anew."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self.dims:  # type: ignore[attr-defined]
            expected = " or ".join(f"{d}D" for d in self.dims)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")  # type: ignore[attr-defined]

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any
    ) -> None:
        """States from before the count of batches do without it."""
        version = local_metadata.get("version", None)
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            known = self.num_batches_tracked
            state_dict[key] = (
                known
                if known is not None and not known.is_meta
                else rushlight.tensor(0, dtype=rushlight.int64)
            )
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class _BatchNorm(_PerChannel):
    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        running = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if running else None,
            self.running_var if running else None,
            self.weight,
            self.bias,
            by_batch,
            factor,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of features or sequences."""

    dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of images."""

    dims = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of volumes."""

    dims = (5,)


class _InstanceNorm(_PerChannel):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        channel = input.dim() - self.dims[0] + 0  # type: ignore[attr-defined]
        if input.size(channel) != self.num_features and self.affine:  # type: ignore[attr-defined]
            raise ValueError(
                f"expected input's size at dim={channel} to match num_features "
                f"({self.num_features}), but got: {input.size(channel)}."  # type: ignore[attr-defined]
            )
        single = input.dim() == self.dims[0]  # type: ignore[attr-defined]
        given: Any = input.unsqueeze(0) if single else input  # type: ignore[attr-defined]
        made = F.instance_norm(
            given,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return made.squeeze(0) if single else made  # type: ignore[no-any-return, attr-defined]

    def _get_no_batch_dim(self) -> int:
        """The dimensions of an input without a batch."""
        return self.dims[0]


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of sequences."""

    dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of images."""

    dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of volumes."""

    dims = (4, 5)


def _as_shape(shape: Any) -> tuple[int, ...]:
    return (int(shape),) if isinstance(shape, numbers.Integral) else tuple(shape)


class LayerNorm(Module):
    """Values normalised over the last dimensions."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, there in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            made = rushlight.empty(self.normalized_shape, device=device, dtype=dtype)
            self.register_parameter(name, Parameter(made) if there else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin with no change."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Values over their root mean square over the last dimensions."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        made = rushlight.empty(self.normalized_shape, device=device, dtype=dtype)
        self.register_parameter("weight", Parameter(made) if elementwise_affine else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin with no change."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(Module):
    """Values normalised over groups of channels."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, there in (("weight", affine), ("bias", affine and bias)):
            made = rushlight.empty(num_channels, device=device, dtype=dtype)
            self.register_parameter(name, Parameter(made) if there else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin with no change."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )

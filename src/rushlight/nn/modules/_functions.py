"""Functions with gradients over several processes."""

from __future__ import annotations

from typing import Any

import rushlight as torch

__all__ = ["SyncBatchNorm"]


def _over_channels(values: Any, like: Any) -> Any:
    """A value of each channel, in a shape that goes with a batch."""
    return values.view(1, -1, *[1] * (like.dim() - 2))


def _rest(batch: Any) -> list[int]:
    """All dimensions but that of channels."""
    return [d for d in range(batch.dim()) if d != 1]


def _gathered(group: Any, own: Any) -> Any:
    every = torch.empty((group.size(), *own.shape), dtype=own.dtype, device=own.device)
    group._allgather_base(every, own.contiguous()).wait()
    return every


class SyncBatchNorm(torch.autograd.Function):
    """Batch normalisation by the mean and the variance over the batches of a group."""

    @staticmethod
    def forward(
        ctx: Any, batch: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any,
        eps: float, momentum: float, group: Any,
    ) -> Any:  # fmt: skip
        """Normalise; the statistics are gathered, and combined in the order of ranks."""
        kind = torch.float32 if batch.dtype in (torch.float16, torch.bfloat16) else batch.dtype
        wide, channels = batch.to(kind), batch.size(1)
        count = batch.numel() // channels
        own = torch.zeros(2, channels, dtype=kind, device=batch.device)
        if count:
            own[0] = wide.mean(_rest(batch))
            own[1] = wide.var(_rest(batch), correction=0)
        counts = _gathered(
            group, torch.tensor([float(count)], dtype=torch.float64, device=batch.device)
        )
        every = _gathered(group, own)
        total = float(counts.sum())
        if total < 2:
            raise ValueError(
                "Expected more than 1 value per channel when training, got input size "
                f"{tuple(batch.shape)}"
            )
        shares = (counts / total).to(kind)
        mean = (every[:, 0] * shares).sum(0)
        variance = ((every[:, 1] + (every[:, 0] - mean) ** 2) * shares).sum(0)
        if running_mean is not None:
            running_mean.lerp_(mean.to(running_mean.dtype), momentum)
            unbiased = variance * (total / (total - 1))
            running_var.lerp_(unbiased.to(running_var.dtype), momentum)
        inverse = (variance + eps).rsqrt()
        ctx.save_for_backward(batch, weight, mean, inverse)
        ctx.group, ctx.total = group, total
        normal = (wide - _over_channels(mean, wide)) * _over_channels(inverse, wide)
        if weight is not None:
            normal = normal * _over_channels(weight, wide) + _over_channels(bias, wide)
        return normal.to(batch.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Gradients of the batch, the weight and the bias."""
        batch, weight, mean, inverse = ctx.saved_tensors
        kind = mean.dtype
        wide = grad.to(kind)
        normal = (batch.to(kind) - _over_channels(mean, wide)) * _over_channels(inverse, wide)
        sums = torch.stack([wide.sum(_rest(grad)), (wide * normal).sum(_rest(grad))])
        of_weight = None if weight is None else sums[1].to(weight.dtype)
        of_bias = None if weight is None else sums[0].to(weight.dtype)
        sums = sums.clone()
        ctx.group.allreduce([sums]).wait()
        means = sums / ctx.total
        of_batch = wide - _over_channels(means[0], wide) - normal * _over_channels(means[1], wide)
        scale = inverse if weight is None else inverse * weight
        of_batch = of_batch * _over_channels(scale, wide)
        return of_batch.to(batch.dtype), of_weight, of_bias, None, None, None, None, None

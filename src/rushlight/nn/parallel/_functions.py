"""What goes to several devices and comes back, with gradients."""

from __future__ import annotations

import warnings
from typing import Any

from rushlight._utils import _get_device_index
from rushlight.autograd import Function
from rushlight.nn.parallel import comm


def _check_on_devices(what: str, tensors: Any) -> None:
    if any(t.device.type == "cpu" for t in tensors):
        raise AssertionError(f"{what} function not implemented for CPU tensors")


class Broadcast(Function):
    """Copies of tensors on each device; gradients are summed where the tensors are."""

    @staticmethod
    def forward(ctx: Any, target_gpus: Any, *inputs: Any) -> tuple[Any, ...]:
        _check_on_devices("Broadcast", inputs)
        ctx.target_gpus = [_get_device_index(d, True) for d in target_gpus]
        if not inputs:
            return ()
        ctx.num_inputs, ctx.input_device = len(inputs), inputs[0].get_device()
        copies = comm.broadcast_coalesced(inputs, ctx.target_gpus)
        wanted = ctx.needs_input_grad[1:]
        ctx.mark_non_differentiable(*(x for own in copies for x, w in zip(own, wanted) if not w))
        return tuple(x for own in copies for x in own)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> tuple[Any, ...]:
        made = ReduceAddCoalesced.apply(ctx.input_device, ctx.num_inputs, *grad_outputs)
        return (None, *made)


class ReduceAddCoalesced(Function):
    """The sums of tensors at the same places of the devices' lists, which come one behind the other."""

    @staticmethod
    def forward(ctx: Any, destination: Any, num_inputs: int, *grads: Any) -> tuple[Any, ...]:
        each = [grads[k : k + num_inputs] for k in range(0, len(grads), num_inputs)]
        ctx.target_gpus = [own[0].get_device() for own in each]
        return comm.reduce_add_coalesced(each, destination)  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> tuple[Any, ...]:
        return (None, None, *Broadcast.apply(ctx.target_gpus, *grad_outputs))


class Gather(Function):
    """Tensors of several devices, joined on one."""

    @staticmethod
    def forward(ctx: Any, target_device: Any, dim: int, *inputs: Any) -> Any:
        _check_on_devices("Gather", inputs)
        is_host = target_device in ("cpu", -1) or str(target_device) == "cpu"
        ctx.target_device = "cpu" if is_host else _get_device_index(target_device, True)
        ctx.dim, ctx.input_gpus = dim, tuple(x.get_device() for x in inputs)
        ctx.unsqueezed_scalar = dim == 0 and all(x.dim() == 0 for x in inputs)
        if ctx.unsqueezed_scalar:
            warnings.warn(
                "Was asked to gather along dimension 0, but all input tensors were scalars; will instead "
                "unsqueeze and return a vector.", stacklevel=2,
            )  # fmt: skip
            inputs = tuple(x.view(1) for x in inputs)
        ctx.input_sizes = tuple(x.size(dim) for x in inputs)
        return comm.gather(inputs, dim, ctx.target_device)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> tuple[Any, ...]:
        parts = Scatter.apply(ctx.input_gpus, ctx.input_sizes, ctx.dim, grad_output)
        if ctx.unsqueezed_scalar:
            parts = tuple(g[0] for g in parts)
        return (None, None, *parts)


class Scatter(Function):
    """Parts of a tensor on several devices."""

    @staticmethod
    def forward(ctx: Any, target_gpus: Any, chunk_sizes: Any, dim: int, input: Any) -> Any:
        devices = [_get_device_index(d, True) for d in target_gpus]
        ctx.dim = dim
        ctx.input_device = "cpu" if input.device.type == "cpu" else input.get_device()
        return comm.scatter(input, devices, chunk_sizes, dim)

    @staticmethod
    def backward(ctx: Any, *grad_output: Any) -> tuple[Any, ...]:
        return None, None, None, Gather.apply(ctx.input_device, ctx.dim, *grad_output)

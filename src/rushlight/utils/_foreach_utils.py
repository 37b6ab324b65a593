"""Lists of tensors in groups that one ``_foreach`` call takes."""

from __future__ import annotations

from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.device import device as Device
from rushlight.engine.core.dtype import dtype as Dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.nn.parameter import Parameter

Group = tuple[list[list["Tensor | None"]], list[int]]

_foreach_supported_types = [Tensor, Parameter]

# Of other lists than the first: what counts steps, and states of mixed precision.
_OTHER_TYPES = (dtypes.float32, dtypes.float64, dtypes.bfloat16)


def _get_foreach_kernels_supported_devices() -> list[str]:
    """The types of devices, besides the CPU, whose ``_foreach`` kernels optimizers take unasked."""
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """The types of devices that have fused optimizer steps."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


@no_grad()
def _group_tensors_by_device_and_dtype(
    tensorlistlist: list[list[Tensor | None]], with_indices: bool = False
) -> dict[tuple[Device, Dtype], Group]:
    """Put the tensors of parallel lists into groups.

    Args:
        tensorlistlist: lists of one length; those of the first say where its neighbours go
        with_indices: whether the positions in the lists are told
    """
    groups: dict[Any, Group] = {}
    first = tensorlistlist[0]
    for position, tensor in enumerate(first):
        if tensor is None:
            raise RuntimeError(
                "Tensors of the first list of nested Tensor lists are supposed to be defined but "
                f"the {position}-th Tensor is not."
            )
        key = tensor.device, tensor.dtype
        lists, indices = groups.setdefault(key, ([[] for _ in tensorlistlist], []))
        for part, given in zip(lists, tensorlistlist, strict=True):
            if given:
                part.append(_checked(given[position], tensor))
        if with_indices:
            indices.append(position)
    return groups


def _checked(other: Tensor | None, first: Tensor) -> Tensor | None:
    """A tensor of another list, which goes with one of the first list."""
    if other is None or (other.device, other.dtype) == (first.device, first.dtype):
        return other
    if other.dtype in _OTHER_TYPES and (other.device.type == "cpu" or other.device == first.device):
        return other
    raise RuntimeError(
        "Tensors of the same index must be on the same device and the same dtype except `step` "
        "tensors that can be CPU and float32/64, and optimizer states that can be bfloat16 for "
        f"mixed-precision training, but got {first.dtype} on {first.device} and {other.dtype} on "
        f"{other.device}"
    )


def _device_has_foreach_support(device: Device) -> bool:
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: list[Tensor], device: Device) -> bool:
    return _device_has_foreach_support(device) and all(
        tensor is None or type(tensor) in _foreach_supported_types for tensor in tensors
    )

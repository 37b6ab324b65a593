"""Which devices have operators over lists of tensors, and lists sorted by what one such call may take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import rushlight
from rushlight import Tensor
from rushlight.engine.core.device import device
from rushlight.engine.core.dtype import dtype

TensorListList: TypeAlias = list[list[Tensor | None]]
Indices: TypeAlias = list[int]
_foreach_supported_types = [Tensor]
# Of other lists than the first: what counts steps, and states of mixed precision.
_OTHER_TYPES = (rushlight.float32, rushlight.float64, rushlight.bfloat16)


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Types of devices, the processor apart, for which optimizers prefer operators over lists."""
    return ["cuda", "xpu", "mtia", rushlight._C._get_privateuse1_backend_name()]


def _get_fused_kernels_supported_devices() -> list[str]:
    """Types of devices whose optimizers may make a whole step in one call."""
    own = rushlight._C._get_privateuse1_backend_name()
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", own]


def _device_has_foreach_support(device: device) -> bool:
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: Sequence[Tensor | None], device: device) -> bool:
    plain = all(t is None or type(t) in _foreach_supported_types for t in tensors)
    return plain and _device_has_foreach_support(device)


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


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Tensor | None]], with_indices: bool = False
) -> dict[tuple[device, dtype], tuple[TensorListList, Indices]]:
    """Split lists of equal length into those for each device and element type of the first one's tensors.

    Args:
        tensorlistlist: the lists; all but the first may have None in places
        with_indices: whether to tell the positions that a group's tensors had
    """
    if not tensorlistlist or not tensorlistlist[0]:
        raise RuntimeError("expected at least one list, and tensors in the first one")
    first = tensorlistlist[0]
    if any(len(others) not in (0, len(first)) for others in tensorlistlist):
        raise RuntimeError(
            f"expected lists of {len(first)} tensors, as the first one has, or of none, got lengths "
            f"{[len(others) for others in tensorlistlist]}"
        )
    found: dict[tuple[device, dtype], tuple[TensorListList, Indices]] = {}
    for place, leading in enumerate(first):
        if leading is None:
            raise RuntimeError(
                "Tensors of the first list of nested Tensor lists are supposed to be defined but "
                f"the {place}-th Tensor is not."
            )
        key = leading.device, leading.dtype
        lists, places = found.setdefault(key, ([[] for _ in tensorlistlist], []))
        for group, given in zip(lists, tensorlistlist):
            if given:
                group.append(_checked(given[place], leading))
        if with_indices:
            places.append(place)
    return found

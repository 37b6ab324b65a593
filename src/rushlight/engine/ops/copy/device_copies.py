"""Copies from and to devices whose memory the host does not see."""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight.engine.calls import copy as calls
from rushlight.engine.calls import creation
from rushlight.engine.core import device as devices
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import context, transfers
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.specialise import of_any_device
from rushlight.engine.loops import device_copy, geometry
from rushlight.engine.loops.placement import planned_for, planning
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.ops import formats
from rushlight.engine.ops.copy import kernels
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import cuda

_loops = PlanTable()


@cuda("copy_")
@of_any_device
def copy_(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    """Copy to a tensor on a device, or from one."""
    here, there = self._storage_.device, src._storage_.device
    if here is there:
        with planned_for(self, "aten::copy_"):
            return kernels.copy_(self, src, non_blocking)
    if devices.meta in (here, there):
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if geometry.broadcast_sizes(self._size_, src._size_) != self._size_:
        raise RuntimeError(
            f"The size of tensor a ({list(self._size_)}) must match the size of tensor b ({list(src._size_)})"
        )
    outputs.check_written_once(self)
    if not self._numel_:
        tensors.bump_version(self)
        return self
    # What happens to elements of the host, happens there.
    with planning(None):
        _between(self, src, non_blocking)
    return self


def _between(target: Tensor, source: Tensor, non_blocking: bool) -> None:
    """Copy from one device to another: the elements change their type where they come from."""
    is_plain = target._dtype_ is source._dtype_ and _is_one_run(target, source)
    if not is_plain:
        source = _contiguous(source, target._dtype_)
    if is_plain or _is_one_run(target, source):
        _copied(target, source, non_blocking)
        return
    arrived = _new(source._size_, source._stride_, source._dtype_, target._storage_.device)
    _copied(arrived, source, non_blocking)
    calls.copy_(target, arrived, False)


def _copied(target: Tensor, source: Tensor, non_blocking: bool) -> None:
    """`move`, noted for calls that come again: machine code does it."""
    loop = _loop(target, source, bool(non_blocking))
    loop.run(target, source)
    steps.Written.note(loop, (target, source), 1)
    tensors.bump_version(target)


def _loop(target: Tensor, source: Tensor, non_blocking: bool) -> device_copy.CopyLoop:
    """What copies from one device to another, or between the host and a device."""
    to, at = target._storage_.device, source._storage_.device
    key = to, at, target._dtype_.itemsize, target._numel_, non_blocking
    found: device_copy.CopyLoop | None = _loops.get(key)
    if found is None:
        found = _loops[key] = _new_loop(
            to, at, target._numel_, target._dtype_.itemsize, non_blocking
        )
    return found


def _new_loop(
    to: devices.device, at: devices.device, count: int, itemsize: int, non_blocking: bool
) -> device_copy.CopyLoop:
    nbytes = count * itemsize
    if devices.cpu not in (to, at):
        return device_copy.PeerCopyLoop(at.index or 0, nbytes, itemsize, to.index or 0)
    to_host = to is devices.cpu
    device = (at if to_host else to).index or 0
    return device_copy.HostCopyLoop(device, nbytes, itemsize, to_host, non_blocking)


def _new(size: Any, stride: Any, kind: dtype, where: devices.device) -> Tensor:
    # Where loops are planned for a device, the host's new tensors would be there.
    with planning(None):
        return creation.empty_strided(size, stride, kind, None, where, None)  # type: ignore[no-any-return]


def _is_one_run(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same elements in the same order, without gaps."""
    same = one._size_ == other._size_ and one._stride_ == other._stride_
    return same and sizes.is_dense(one._size_, one._stride_)


def _contiguous(tensor: Tensor, kind: dtype) -> Tensor:
    """The elements in order, as a type."""
    if tensor._dtype_ is kind and sizes.is_contiguous(tensor._size_, tensor._stride_):
        return tensor
    stride = sizes.contiguous_strides(tensor._size_)
    made = _new(tensor._size_, stride, kind, tensor._storage_.device)
    return calls.copy_(made, tensor, False)  # type: ignore[no-any-return]


def move(target: Tensor, source: Tensor, non_blocking: bool) -> None:
    """Move the bytes of a dense tensor to another one of the same strides."""
    to, at = target._storage_.device, source._storage_.device
    into, out_of = tensors.place_of(target), tensors.place_of(source)
    nbytes = source._numel_ * source._dtype_.itemsize
    if at.type == "cpu":
        transfers.to_device(into, to.index or 0, out_of, nbytes, non_blocking)
    elif to.type == "cpu":
        transfers.to_host(into, at.index or 0, out_of, nbytes, non_blocking)
    else:
        transfers.between(into, to.index or 0, out_of, at.index or 0, nbytes)


def to_device(tensor: Tensor, where: devices.device) -> Tensor:
    """A copy of a dense tensor of the host on a device."""
    made = tensors.empty_strided(tensor._size_, tensor._stride_, tensor._dtype_, where)
    move(made, tensor, False)
    return made


def number_to_device(tensor: Tensor, where: devices.device) -> Tensor:
    """A copy of a number of the host on a device, for which nobody waits."""
    made = tensors.empty_strided((), (), tensor._dtype_, where)
    content = ctypes.string_at(tensors.place_of(tensor), tensor._dtype_.itemsize)
    transfers.number_to_device(tensors.place_of(made), where.index or 0, content)
    return made


def to_host(tensor: Tensor) -> Tensor:
    """A copy of a dense tensor of a device on the host."""
    made = tensors.empty_strided(tensor._size_, tensor._stride_, tensor._dtype_, devices.cpu)
    move(made, tensor, False)
    return made


@cuda("_to_copy")
def to_copy(
    self: Tensor,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    non_blocking: bool,
    memory_format: Any,
) -> Tensor:
    here = self._storage_.device
    where = here if device is None else devices.place(device)
    stride = formats.strides_like(self, memory_format)
    if where is here:
        with context.on(here.index or 0), planned_for(self, "aten::_to_copy"):
            return kernels.copied(self, dtype or self._dtype_, stride)
    if where is devices.meta:
        steps.Unrepeatable.note()
        return tensors.empty_strided(self._size_, stride, dtype or self._dtype_, where)
    made = _new(self._size_, stride, dtype or self._dtype_, where)
    return calls.copy_(made, self, non_blocking)

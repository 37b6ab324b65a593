"""What is behind fake tensors: tensors on the meta device, whose kernels work out sizes and types.

A fake tensor has a *twin*: a plain meta tensor with the same geometry. The storage of a fake is on the
device that the fake says, and has no memory; what it owns names the twin's storage. Tensors that share
a storage have twins that do, so that kernels see which elements are the same.
"""

from __future__ import annotations

import weakref
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import keys, objects
from rushlight.engine.core.tensor import Tensor

# What a tensor's keys say of how its elements are to be read.
READING = keys.CONJUGATE | keys.NEGATIVE


class Behind:
    """What a storage without memory owns: the storage that kernels get."""

    __slots__ = ("meta",)

    def __init__(self, meta: Any) -> None:
        self.meta = meta


def new_storage(nbytes: int) -> Any:
    """A storage for twins."""
    from rushlight.engine.core import storage

    return storage.allocate(nbytes, devices.meta)


def storage_before(meta: Any, device: devices.device) -> Any:
    """The storage of fakes on a device whose twins are over another one."""
    from rushlight.engine.core import storage

    known = getattr(meta, "_before", None)
    found = None if known is None else known()
    if found is None or found.device is not device:
        found = storage.from_pointer(0, meta._nbytes, device, Behind(meta))
        found._flags |= objects.RESIZABLE
        found._version = meta._version
        meta._before = weakref.ref(found)
    return found


def has_twin(value: Any) -> bool:
    """Whether a tensor is before a meta tensor."""
    return isinstance(value, Tensor) and type(value._storage_._keeper()) is Behind


def twin_of(fake: Any) -> Tensor:
    """The meta tensor behind a fake one."""
    return twin_over(fake._storage_._owner.meta, fake)


def twin_over(meta: Any, fake: Any) -> Tensor:
    """A meta tensor with a tensor's geometry over the storage that stands for its own."""
    made: Any = object.__new__(Tensor)
    meta._version = fake._storage_._version
    made._storage_ = meta
    made._size_, made._stride_, made._dtype_ = fake._size_, fake._stride_, fake._dtype_
    made._offset_, made._numel_, made._flags_ = fake._offset_, fake._numel_, fake._flags_
    made._keys_ = keys.META | fake._keys_ & READING
    made._base = made._autograd_ = None
    made._counter_ = fake._counter_
    return made  # type: ignore[no-any-return]


def follow(fake: Any, twin: Any) -> None:
    """Give a fake the geometry, type and version that its twin has after a call that changed it."""
    meta = twin._storage_
    if fake._storage_._owner.meta is not meta:
        fake._storage_ = storage_before(meta, fake.fake_device)
    fake._storage_._nbytes, fake._storage_._version = meta._nbytes, meta._version
    fake._size_, fake._stride_, fake._dtype_ = twin._size_, twin._stride_, twin._dtype_
    fake._offset_, fake._numel_, fake._flags_ = twin._offset_, twin._numel_, twin._flags_
    fake._keys_ = fake._keys_ & ~READING | twin._keys_ & READING
    fake._counter_ = twin._counter_


def dress(made: Any, twin: Any, device: devices.device) -> None:
    """Let a new object of a class of tensors be a fake before a twin."""
    made._storage_ = storage_before(twin._storage_, device)
    made._size_, made._stride_, made._dtype_ = twin._size_, twin._stride_, twin._dtype_
    made._offset_, made._numel_, made._flags_ = twin._offset_, twin._numel_, twin._flags_
    made._keys_ = device.key_if_absent | keys.PYTHON | twin._keys_ & READING
    made._base = made._autograd_ = None
    made._counter_ = twin._counter_

"""Devices that packages add: their name, their memory, and what runs where they have no kernel.

A package names its device (`rename_privateuse1_backend`), says where its memory comes from
(`register_memory`), registers kernels with ``torch.library.Library("aten", "IMPL", "PrivateUse1")``, and
lets `run_on_cpu` be the fallback for all other operators. Packages whose metadata have an entry point in the
group ``torch.backends`` are loaded when something of theirs is asked for.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import storage as storages
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.operator import Operator
from rushlight.utils._pytree import tree_map

__all__ = [
    "generate_methods_for_privateuse1_backend",
    "register_memory",
    "rename_privateuse1_backend",
    "run_on_cpu",
]


def rename_privateuse1_backend(backend_name: str) -> None:
    """Let a name stand for the device that a package adds; there can be one.

    Args:
        backend_name: such as ``"toy"``, in ``torch.empty(3, device="toy")``
    """
    devices.rename_private_use(backend_name)


def register_memory(
    allocate: Callable[[int], int],
    free: Callable[[int], None],
    read: Callable[[int, int, int], None],
    write: Callable[[int, int, int], None],
) -> None:
    """Say where the bytes of the added device's tensors are.

    Args:
        allocate: gives the address of a new run of so many bytes, which is any number but 0
        free: takes an address back
        read: ``read(host, address, nbytes)`` copies from the device to an address of the host
        write: ``write(address, host, nbytes)`` copies the other way
    """
    devices.set_memory(devices.private_use_name(), devices.Memory(allocate, free, read, write))


# -- operators without a kernel for the device --


def run_on_cpu(op: Operator, *args: Any, **kwargs: Any) -> Any:
    """Call an operator on copies of its tensors in the host's memory.

    What it writes is written back, and its results go to the device, unless it was asked for another
    one. Meant as a fallback: ``Library("_", "IMPL").fallback(run_on_cpu, "PrivateUse1")``.
    """
    call = _Call()
    wanted = kwargs.get("device")
    if wanted is not None:
        wanted = devices.device(wanted)
        kwargs = {**kwargs, "device": devices.cpu if call.is_added(wanted) else wanted}
    given = [*args, *kwargs.values()]
    target = wanted or next(
        (t._storage_.device for t in tensors_in(given) if call.is_there(t)), None
    )
    args, kwargs = tree_map(call.brought, (args, kwargs))
    result = op(*args, **kwargs)
    by_name = {**dict(zip((a.name for a in op.schema.arguments), args)), **kwargs}
    call.write_back(tensors_in([by_name.get(a.name) for a in op.schema.mutated]))
    if target is None or not call.is_added(target):
        return tree_map(call.own, result)
    return tree_map(lambda item: call.sent(item, target), result)


class _Call:
    """The tensors of one call, in both places."""

    def __init__(self) -> None:
        # By the number of the device's storage: it, and its copy.
        self.storages: dict[int, tuple[Any, Any]] = {}
        # By the number of the copy, which is held here, or the number may come again.
        self.originals: dict[int, Tensor] = {}
        self.copies: list[Tensor] = []

    @staticmethod
    def is_added(device: Any) -> bool:
        return device.type in devices.memories

    def is_there(self, tensor: Tensor) -> bool:
        return self.is_added(tensor._storage_.device)

    def brought(self, item: Any) -> Any:
        """A tensor over the host's copy of its storage, so that views stay views."""
        if not isinstance(item, Tensor) or not self.is_there(item):
            return item
        there = item._storage_
        if id(there) not in self.storages:
            here = storages.allocate(there._nbytes, devices.cpu)
            if there._nbytes:
                memory = devices.memories[there.device.type]
                memory.read(here._ptr, there._ptr, there._nbytes)
            self.storages[id(there)] = there, here
        here = self.storages[id(there)][1]
        made = tensors.from_storage(here, item._dtype_, item._size_, item._stride_, item._offset_)
        self.originals[id(made)] = item
        self.copies.append(made)
        return made

    def write_back(self, written: list[Tensor]) -> None:
        """Bring what has been written to the device, in the sizes that it has got."""
        for copy in written:
            original = self.originals.get(id(copy))
            if original is None:
                continue
            there, here = original._storage_, copy._storage_
            if there._nbytes != here._nbytes:
                there.resize_(here._nbytes)
            if original._size_ != copy._size_ or original._stride_ != copy._stride_:
                original.as_strided_(copy._size_, copy._stride_, copy._offset_)  # type: ignore[attr-defined]
            if there._nbytes:
                memory = devices.memories[there.device.type]
                memory.write(there._ptr, here._ptr, there._nbytes)

    def own(self, item: Any) -> Any:
        """A result; an argument's own tensor stands for its copy."""
        return self.originals.get(id(item), item) if isinstance(item, Tensor) else item

    def sent(self, item: Any, target: Any) -> Any:
        """A result on the device."""
        item = self.own(item)
        if not isinstance(item, Tensor) or self.is_there(item):
            return item
        for there, here in self.storages.values():
            if here is item._storage_:
                return tensors.from_storage(
                    there, item._dtype_, item._size_, item._stride_, item._offset_
                )
        here = item._storage_
        there = storages.allocate(here._nbytes, target)
        if here._nbytes:
            devices.memories[target.type].write(there._ptr, here._ptr, here._nbytes)
        return tensors.from_storage(there, item._dtype_, item._size_, item._stride_, item._offset_)


def host_bytes(address: int, nbytes: int) -> Any:
    """Bytes of the host as an array of `ctypes`, for kernels of a device that shares its memory."""
    return (ctypes.c_ubyte * nbytes).from_address(address)


# -- methods --


def generate_methods_for_privateuse1_backend(
    for_tensor: bool = True,
    for_module: bool = True,
    for_packed_sequence: bool = True,
    for_storage: bool = False,
    unsupported_dtype: list[Any] | None = None,
) -> None:
    """Add ``x.NAME()`` and ``x.is_NAME`` for the added device.

    Args:
        for_tensor: to tensors
        for_module: ``module.NAME()``, to modules
        for_packed_sequence: to packed sequences
        for_storage: to storages
        unsupported_dtype: element types that storages of the device cannot have
    """
    from rushlight.nn.modules.module import Module
    from rushlight.nn.utils.rnn import PackedSequence
    from rushlight.storage import TypedStorage, UntypedStorage

    name = devices.private_use_name()

    def is_here(self: Any) -> bool:
        """Whether it is on the device."""
        return bool(self.device.type == name)

    def tensor_to(self: Any, device: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
        """A copy on the device; itself if it is there."""
        return self.to(device=_target(name, device), non_blocking=non_blocking, **kwargs)

    def module_to(self: Any, device: Any = None) -> Any:
        """Move parameters and buffers to the device."""
        return self._apply(lambda tensor: getattr(tensor, name)(device))

    def packed_to(self: Any, *args: Any, **kwargs: Any) -> Any:
        """A copy on the device."""
        return self.to(_target(name, kwargs.pop("device", None)), *args, **kwargs)

    def storage_to(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
        """A copy on the device; itself if it is there."""
        if unsupported_dtype and getattr(self, "dtype", None) in unsupported_dtype:
            raise RuntimeError(f"Cannot store {self.dtype} on {name} device")
        return self.to(device=_target(name, device), non_blocking=non_blocking)

    if for_tensor:
        _add(Tensor, f"is_{name}", property(is_here))
        _add(Tensor, name, tensor_to)
    if for_module:
        _add(Module, name, module_to)
    if for_packed_sequence:
        _add(PackedSequence, f"is_{name}", property(lambda self: is_here(self.data)))
        _add(PackedSequence, name, packed_to)
    for kind in (UntypedStorage, TypedStorage) if for_storage else ():
        _add(kind, f"is_{name}", property(is_here))
        _add(kind, name, storage_to)


def _add(kind: type, name: str, member: Any) -> None:
    if hasattr(kind, name):
        raise RuntimeError(
            f"The custom device module of {kind} has already been registered with {name}"
        )
    setattr(kind, name, member)


def _target(name: str, device: Any) -> Any:
    """The device that a method means: a number, a device, or the kind's default one."""
    if device is None:
        return devices.device(name)
    found = devices.device(name, device) if isinstance(device, int) else devices.device(device)
    if found.type != name:
        raise RuntimeError(f"Invalid device, must be {name} device")
    return found

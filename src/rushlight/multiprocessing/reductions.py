"""How tensors and storages are pickled for another process: only where their memory is."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import reduction
from multiprocessing.reduction import ForkingPickler
from typing import Any

from rushlight._tensor_members import copies
from rushlight.engine.core import segment_names
from rushlight.engine.core import storage as storages
from rushlight.engine.core.shared_memory import SharedMemory
from rushlight.engine.core.storage import UntypedStorage
from rushlight.engine.core.tensor import Tensor
from rushlight.storage import TypedStorage

_NOT_A_LEAF = (
    "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not "
    "support crossing process boundaries.  If you just want to transfer the data, call detach() on "
    "the tensor before serializing (e.g., putting it on the queue)."
)


def fd_id(descriptor: int) -> tuple[int, int]:
    """What two descriptors of the same file have in common."""
    status = os.fstat(descriptor)
    return status.st_ino, status.st_dev


class StorageWeakRef:
    """A weak reference to a storage, equal to those to the same one.

    Args:
        storage: the storage
    """

    __slots__ = ("_reference", "cdata")

    def __init__(self, storage: Any) -> None:
        held = storage.untyped() if isinstance(storage, TypedStorage) else storage
        self.cdata = held._cdata
        self._reference = weakref.ref(held)

    def expired(self) -> bool:
        """Whether the storage is gone."""
        return self._reference() is None

    def __hash__(self) -> int:
        return hash(self.cdata)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StorageWeakRef) and self.cdata == other.cdata


class SharedCache:
    """What keeps memory that this process has sent or received, so that what comes again is found."""

    def __init__(self) -> None:
        self._segments: weakref.WeakValueDictionary[Any, Any] = weakref.WeakValueDictionary()
        self._start()
        os.register_at_fork(after_in_child=self._start)

    def _start(self) -> None:
        # Another thread of the parent may have had the lock when this process was forked.
        self.lock = threading.Lock()

    def get(self, key: Any) -> Any:
        return self._segments.get(key)

    def remember(self, key: Any, storage: UntypedStorage) -> None:
        """Note what keeps the memory of a storage."""
        self._segments[key] = storage._owner


shared_cache = SharedCache()


# -- descriptors --
class _Parcel(threading.local):
    """The descriptors that travel with the message that this thread packs or unpacks."""

    descriptors: list[int] | None = None


_parcel = _Parcel()


@contextmanager
def descriptors_beside(descriptors: list[int]) -> Iterator[None]:
    """Descriptors are put in this list, or taken from it, instead of being fetched later."""
    _parcel.descriptors = descriptors
    try:
        yield
    finally:
        _parcel.descriptors = None


class Enclosed:
    """A descriptor that comes with the message: its place in the list."""

    def __init__(self, place: int) -> None:
        self.place = place

    def detach(self) -> int:
        """A descriptor that is the caller's."""
        assert _parcel.descriptors is not None
        return os.dup(_parcel.descriptors[self.place])


def _handed_on(descriptor: int) -> Any:
    """Something from which the other process gets the descriptor."""
    if _parcel.descriptors is None:
        return reduction.DupFd(descriptor)
    _parcel.descriptors.append(descriptor)
    return Enclosed(len(_parcel.descriptors) - 1)


# -- storages --
def reduce_storage(storage: UntypedStorage) -> Any:
    """Where a storage's memory is; a storage that is shared already stays where it is."""
    if storage.device.type == "cuda":
        return _reduce_on_device(storage)
    if storage._is_abstract():
        return storage.__reduce__()
    if storage.nbytes() == 0:
        return rebuild_storage_empty, (type(storage),)
    segment = storage._segment()
    if segment is None:
        by_name = storages._by_name and _parcel.descriptors is None
    else:
        by_name = segment.name is not None
    return _reduce_by_name(storage) if by_name else _reduce_by_descriptor(storage)


def _reduce_by_descriptor(storage: UntypedStorage) -> Any:
    descriptor, nbytes = storage._share_fd_cpu_()
    with shared_cache.lock:
        shared_cache.remember(fd_id(descriptor), storage)
    return rebuild_storage_fd, (type(storage), _handed_on(descriptor), nbytes)


def _reduce_by_name(storage: UntypedStorage) -> Any:
    keeper, name, nbytes = storage._share_filename_cpu_()
    with shared_cache.lock:
        shared_cache.remember(name, storage)
    return rebuild_storage_filename, (type(storage), keeper, name, nbytes)


def _reduce_on_device(storage: UntypedStorage) -> Any:
    """A storage of a GPU: the other process gets it from the driver."""
    if storage.nbytes() == 0:
        return rebuild_storage_empty, (type(storage), storage.device)
    from rushlight.engine.cuda import sharing

    handle = sharing.send(storage)
    with shared_cache.lock:
        shared_cache.remember(handle.key, storage)
    return rebuild_storage_cuda, (type(storage), *handle)


def rebuild_storage_cuda(cls: type, *parts: Any) -> UntypedStorage:
    """The storage of a GPU that was sent; the one that is here already, if it came before or is this process's."""
    from rushlight.engine.cuda import sharing

    handle = sharing.Handle(*parts)
    with shared_cache.lock:
        made = sharing.receive(handle, shared_cache.get(handle.key))
        shared_cache.remember(handle.key, made)
        return made


def _over(segment: SharedMemory) -> UntypedStorage:
    return storages.from_pointer(segment.address, segment.nbytes, storages.devices.cpu, segment)


def rebuild_storage_empty(cls: type, device: Any = "cpu") -> Any:
    """A storage of nothing."""
    return cls(device=device)


def rebuild_storage_fd(cls: type, descriptor: Any, nbytes: int) -> UntypedStorage:
    """The storage whose segment's descriptor was sent."""
    received = descriptor.detach()
    try:
        key = fd_id(received)
        with shared_cache.lock:
            segment = shared_cache.get(key)
            if segment is not None:
                return _over(segment)
            if _parcel.descriptors is None:
                made = UntypedStorage._new_shared_fd_cpu(received, nbytes)
            else:
                made = _over(SharedMemory.of_descriptor_once(received, nbytes))
            shared_cache.remember(key, made)
            return made
    finally:
        os.close(received)


def rebuild_storage_filename(
    cls: type, keeper: bytes, name: bytes, nbytes: int, dtype: Any = None
) -> UntypedStorage:
    """The storage whose segment's name was sent."""
    with shared_cache.lock:
        segment = shared_cache.get(name)
        if segment is not None:
            # The name has arrived, but is held already.
            segment_names.hold_sent(keeper, name.decode()).release()
            return _over(segment)
        made = UntypedStorage._new_shared_filename_cpu(keeper, name, nbytes)
        shared_cache.remember(name, made)
        return made


def reduce_typed_storage(storage: TypedStorage) -> Any:
    """A typed storage: its bytes and the type."""
    return rebuild_typed_storage, (storage.untyped(), storage.dtype)


def rebuild_typed_storage(storage: UntypedStorage, dtype: Any) -> TypedStorage:
    """A typed storage from its parts."""
    return TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)


# -- tensors --
def reduce_tensor(tensor: Tensor) -> Any:
    """A tensor's storage and geometry; attributes stay behind."""
    if tensor.requires_grad and not tensor.is_leaf:  # type: ignore[attr-defined]
        raise RuntimeError(_NOT_A_LEAF)
    rebuild, arguments, _ = copies.reduce_tensor(tensor)
    return rebuild, arguments


def init_reductions() -> None:
    """Let everything that processes send each other be pickled this way."""
    from rushlight.nn.parameter import Parameter

    ForkingPickler.register(UntypedStorage, reduce_storage)
    ForkingPickler.register(TypedStorage, reduce_typed_storage)
    ForkingPickler.register(Tensor, reduce_tensor)
    ForkingPickler.register(Parameter, reduce_tensor)  # type: ignore[type-abstract]

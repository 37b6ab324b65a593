"""Storages: the bytes behind tensors, shared by all their views."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, objects, state, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core.errors import OutOfMemoryError
from rushlight.engine.core.shared_memory import SharedMemory
from rushlight.engine.native import heap_types, memory, row_copies, runtime
from rushlight.engine.native.numpy_later import is_a, np

_allocate = runtime.callable_from_python(memory.allocate)
gather_rows = runtime.callable_from_python(row_copies.gather_rows)
_free = runtime.callable_from_python(memory.free_block)
_block_size = runtime.callable_from_python(memory.block_size)
_whole_pages = runtime.callable_from_python(memory.whole_pages)
_give_back = runtime.callable_from_python(memory.give_back)
_is_refused = runtime.callable_from_python(memory.is_refused)
_by_name = False

if heap_types.supported():
    _Base: Any = heap_types.make_base(
        "rushlight.UntypedStorage",
        objects.STORAGE_WORDS,
        objects.STORAGE_OBJECTS,
        runtime.module.address(objects.storage_dealloc),
        objects.STORAGE_OFFSETS,
    )
else:

    class _PlainStorage:
        __slots__ = (*objects.STORAGE_WORDS, *objects.STORAGE_OBJECTS, "__dict__", "__weakref__")

        def clear(self) -> None:
            self._ptr = self._nbytes = self._version = self._device_code = self._flags = 0
            self._owner = None

        def __del__(self, free: Any = _free) -> None:
            # A default, because the module may be gone when the interpreter ends.
            if self._owner is None:
                free(self._ptr)

    _Base = _PlainStorage


class Blocks:
    """The memory of a storage that was resized: views and arrays may be wider than it is now.

    A block is never exchanged for a smaller one, so that whatever looked at it once stays inside.
    Pages that a shrunk storage does not need are the system's, while their addresses stay taken.

    Args:
        current: the block that the storage is in
    """

    __slots__ = ("current", "earlier", "given_back", "reach")

    def __init__(self, current: int) -> None:
        self.current, self.given_back = current, 0
        # The most bytes that the storage has had before it shrank.
        self.reach = 0
        self.earlier: list[int] = []

    def settle(self, given_back: int) -> None:
        """Count so many bytes of the block as given back to the system."""
        memory.words.current += self.given_back - given_back
        memory.words.peak = max(memory.words.peak, memory.words.current)
        self.given_back = given_back

    def __del__(self, free: Any = _free, words: Any = memory.words) -> None:
        # The functions are defaults because the module may be gone when the interpreter ends.
        words.current += self.given_back
        for block in (*self.earlier, self.current):
            free(block)


class SharedBytes:
    """A block that lazily cloned storages share, until they write it."""

    __slots__ = ("address", "users")

    def __init__(self, address: int) -> None:
        self.address = address
        self.users = 0


class Share:
    """One storage's share of a block; what is left is given back with the last one."""

    __slots__ = ("of",)

    def __init__(self, of: SharedBytes) -> None:
        self.of = of
        of.users += 1

    def is_last(self) -> bool:
        """Whether no other storage uses the block."""
        return self.of.users == 1

    def hand_over(self) -> None:
        """Leave the block to the storage."""
        self.of.address = 0

    def __del__(self, free: Any = _free) -> None:
        # A default, because the module may be gone when the interpreter ends.
        self.of.users -= 1
        if not self.of.users and self.of.address:
            free(self.of.address)


@heap_types.methods_for(_Base)
class UntypedStorage:
    """A run of bytes on a device.

    Args:
        size: the number of bytes; or a sequence of byte values
        device: where the bytes are
    """

    is_cuda = is_sparse = is_sparse_csr = is_hpu = False

    def __new__(cls, *args: Any, device: Any = None, size: int = 0) -> UntypedStorage:
        if len(args) > 1:
            raise TypeError(f"UntypedStorage() takes at most 1 argument, got {len(args)}")
        content = args[0] if args else size
        target = devices.device(device or "cpu")
        if isinstance(content, int) or is_a(content, "integer"):
            return allocate(int(content), target, cls)
        return _filled(_byte_values(content), target, cls)

    _ptr: int
    _nbytes: int
    _version: int
    _device_code: int
    _flags: int
    _owner: Any

    # -- facts --
    @property
    def device(self) -> devices.device:
        return devices.from_code(self._device_code)

    @property
    def keys(self) -> int:
        """The dispatch keys of tensors over this storage."""
        return self.device.key | (keys.COPY_ON_WRITE if self.is_copied_later() else 0)

    def data_ptr(self) -> int:
        """The address of the first byte."""
        self.own_bytes()
        return int(self._ptr)

    def pin_memory(self, device: Any = "cuda") -> UntypedStorage:
        """The same bytes in memory that stays where it is, which a device reads by itself."""
        if self._is_abstract():
            raise TypeError(
                "cannot pin 'torch.storage.UntypedStorage' only CPU memory can be pinned"
            )
        if self.is_pinned():
            return self
        made = pinned(self._nbytes)
        ctypes.memmove(made._ptr, self._address(), self._nbytes)
        return made

    def nbytes(self) -> int:
        return int(self._nbytes)

    size = nbytes

    def __sizeof__(self) -> int:
        return int(object.__sizeof__(self) + self._nbytes)

    def __len__(self) -> int:
        return int(self._nbytes)

    def element_size(self) -> int:
        return 1

    @property
    def _cdata(self) -> int:
        """A number that two storages share only if they are the same."""
        return id(self)

    def resizable(self) -> bool:
        return bool(self._flags & objects.RESIZABLE)

    def is_shared(self) -> bool:
        """Whether other processes can map these bytes; those of a device can as they are."""
        return isinstance(self._keeper(), SharedMemory) or self.device.type in devices.memories

    def is_pinned(self, device: Any = "cuda") -> bool:
        """Whether the bytes stay where they are, for a device to read."""
        return getattr(self._keeper(), "is_pinned", False) is True

    def get_device(self) -> int | None:
        """The number of the device, if devices of its kind have numbers."""
        return self.device.index

    @property
    def filename(self) -> str | None:
        keeper = self._keeper()
        return keeper.filename if isinstance(keeper, SharedMemory) else None

    def _keeper(self) -> Any:
        """What keeps the memory alive; None if it is the allocator's. Then the field is empty."""
        return getattr(self, "_owner", None)

    # -- bytes --
    def _is_abstract(self) -> bool:
        """Whether there are no bytes, only their number."""
        return self._device_code != devices.cpu.code

    def check_memory(self) -> None:
        """Raise if the bytes of a storage on this machine's memory are nowhere: a wrapper's are not."""
        if not self._ptr and self._nbytes and not self._is_abstract():
            if hasattr(self._keeper(), "layer"):
                raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
            raise RuntimeError(
                f"a storage of {self._nbytes} bytes has no memory: it belongs to a tensor that only "
                "wraps others, and its data is not allocated"
            )

    def is_copied_later(self) -> bool:
        """Whether the bytes are a clone's, too, until one of the two is written."""
        return bool(self._flags & objects.COPIED_LATER)

    def own_bytes(self) -> None:
        """Have bytes that are nobody else's, for whoever may write them."""
        if self._flags & objects.COPIED_LATER:
            self._end_sharing()

    def _end_sharing(self) -> None:
        """Take the bytes over if no clone has them any more; copy them if one has."""
        share = self._owner
        if share.is_last():
            share.hand_over()
        else:
            fresh = _allocate(self._nbytes)
            if fresh == -1:
                raise out_of_memory(self._nbytes)
            ctypes.memmove(fresh, self._ptr, self._nbytes)
            self._ptr = fresh
        self._flags &= ~objects.COPIED_LATER
        self._disown()

    def _disown(self) -> None:
        """Leave the memory to the allocator again."""
        if heap_types.supported():
            del self._owner
        else:
            self._owner = None

    def lazy_clone(self) -> UntypedStorage | None:
        """A storage with the same bytes, which are copied when one of the two is written.

        None where others may write the bytes without asking. Whoever asks for a clone has looked
        for arrays over the bytes.
        """
        share = self._keeper()
        if self._is_abstract() or not self._ptr or self._flags & objects.LENT:
            return None
        if share is None:
            share = self._owner = Share(SharedBytes(self._ptr))
        elif not isinstance(share, Share):
            return None
        self._flags |= objects.COPIED_LATER
        made = from_pointer(self._ptr, self._nbytes, self.device, Share(share.of))
        made._flags = objects.RESIZABLE | objects.COPIED_LATER
        return made

    def exported(self) -> UntypedStorage:
        """This storage, of which others know the address from now on."""
        self.own_bytes()
        self._flags |= objects.EXPORTED
        return self

    def _address(self) -> int:
        """Where the bytes are; an error if they are nowhere."""
        if self._is_abstract():
            raise NotImplementedError(f"Not available for '{self.device.type}' device type")
        self.check_memory()
        self.own_bytes()
        return self._ptr

    def _check_has_content(self) -> None:
        """Raise if there is nothing to copy."""
        if self._is_abstract():
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")

    def _bytes(self) -> Any:
        """The content as a writable ctypes array."""
        self._address()
        return (ctypes.c_uint8 * self._nbytes).from_address(self._ptr)

    def _position(self, index: Any) -> int:
        """Where a byte is, counted from the start; -1 for outside."""
        position = index + self._nbytes if index < 0 else index
        return position if 0 <= position < self._nbytes else -1

    def _run(self, index: slice) -> tuple[int, int]:
        """The start and the length of a slice."""
        start, stop, step = index.indices(self._nbytes)
        if step != 1:
            raise RuntimeError(
                f"Trying to slice with a step of {step}, but only a step of 1 is supported"
            )
        return start, max(stop - start, 0)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            start, length = self._run(index)
            address = self._address()
            self._flags |= objects.LENT
            return from_pointer(address + start, length, self.device, self)
        if self.device.type in devices.memories:
            return self.cpu()[index]
        if not _is_whole_number(index):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        self._address()
        position = self._position(index)
        if position < 0:
            raise IndexError(f"index {index} out of range for storage of size {self._nbytes}")
        return self._bytes()[position]

    def __setitem__(self, index: Any, value: int) -> None:
        if not isinstance(index, slice) and not _is_whole_number(index):
            raise RuntimeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        if not isinstance(value, int):
            raise RuntimeError(
                "can only set storage content with a int types, but got "
                f"{type(value).__name__} instead"
            )
        if self._is_abstract():
            return
        if isinstance(index, slice):
            start, length = self._run(index)
            self._bytes()
            ctypes.memset(self._ptr + start, value & 255, length)
            return
        position = self._position(index)
        if position < 0:
            raise RuntimeError(f"out of bounds: index {index} for storage of size {self._nbytes}")
        self._bytes()[position] = value & 255

    def __iter__(self) -> Iterator[int]:
        return iter(self._bytes())

    def tolist(self) -> list[int]:
        """The bytes as a list of integers."""
        here = self.cpu() if self.device.type in devices.memories else self
        return list(here._bytes())

    def fill_(self, value: int) -> UntypedStorage:
        if not isinstance(value, int):
            raise RuntimeError(f"fill_ expects int, but got {type(value).__name__}")
        if self.device.type in devices.memories:
            return self.copy_(UntypedStorage(self._nbytes).fill_(value))
        ctypes.memset(self._bytes(), value & 255, self._nbytes)
        return self

    def byteswap(self, dtype: dtypes.dtype) -> None:
        """Turn around the bytes of each number, the elements being of a type."""
        content = np.frombuffer(self._bytes(), np.uint8)
        width = number_width(dtype)
        whole = content[: self._nbytes // width * width].view(f"u{width}")
        whole.byteswap(inplace=True)

    def copy_(self, source: Any, non_blocking: bool | None = None) -> UntypedStorage:
        """Take over the bytes of another storage of the same size."""
        if source.nbytes() != self._nbytes:
            raise RuntimeError(
                f"size does not match, self was {self._nbytes} bytes but src was "
                f"{source.nbytes()} bytes"
            )
        there = devices.memories.get(self.device.type)
        if there is not None or not self._is_abstract():
            held = source.untyped().cpu()
            if there is None:
                ctypes.memmove(self._address(), held._address(), self._nbytes)
            elif self._nbytes:
                there.write(self._ptr, held._address(), self._nbytes)
        return self

    def clone(self) -> UntypedStorage:
        made: UntypedStorage = allocate(self._nbytes, self.device)
        return made if self._is_without_content() else made.copy_(self)

    def _is_without_content(self) -> bool:
        """Whether the bytes are nowhere, and will be nowhere."""
        return self._is_abstract() and self.device.type not in devices.memories

    def __copy__(self) -> UntypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> UntypedStorage:
        shared = memo.setdefault("torch", {})
        if self._cdata not in shared:
            shared[self._cdata] = self.clone()
        return shared[self._cdata]

    def __reduce__(self) -> tuple[Any, ...]:
        if self._is_without_content():
            return allocate, (self._nbytes, self.device)
        if self._is_abstract():
            return _restored, (bytes(self.cpu()._bytes()), self.device)
        return UntypedStorage, (bytes(self._bytes()),)

    def cuda(self, device: Any = None, non_blocking: bool = False) -> UntypedStorage:
        """The bytes on a CUDA device."""
        return self.to(device="cuda" if device is None else device, non_blocking=non_blocking)

    def cpu(self) -> UntypedStorage:
        """The bytes in this machine's memory."""
        there = devices.memories.get(self.device.type)
        if there is None:
            self._check_has_content()
            return self
        made: UntypedStorage = allocate(self._nbytes, devices.cpu)
        if self._nbytes:
            there.read(made._ptr, self._ptr, self._nbytes)
        return made

    def _write_file(
        self, file: Any, is_real_file: bool, save_size: bool, element_size: int
    ) -> None:
        """Write the bytes to a file, behind the number of elements with ``save_size``."""
        here = self.cpu()
        if save_size:
            count = self._nbytes // element_size
            file.write(count.to_bytes(8, "little"))
        file.write(bytes(here._bytes()))

    def untyped(self) -> UntypedStorage:
        return self

    def new(self) -> UntypedStorage:
        """An empty storage on the same device."""
        made: UntypedStorage = allocate(0, self.device)
        return made

    def to(self, *, device: Any, non_blocking: bool = False) -> UntypedStorage:
        """The bytes on a device; the storage itself if it is there."""
        target = devices.device(device)
        if devices.place(target) is self.device:
            return self
        made: UntypedStorage = allocate(self._nbytes, target)
        return made if made._is_without_content() else made.copy_(self)

    def resize_(self, nbytes: int) -> UntypedStorage:
        """Change the number of bytes in place; the content up to the smaller size stays."""
        if not self._flags & objects.RESIZABLE:
            raise RuntimeError("Trying to resize storage that is not resizable")
        check_length(nbytes)
        if self._device_code == devices.meta.code:
            self._nbytes = nbytes
            return self
        if self.device.type in devices.memories:
            return self._resize_on_device(nbytes)
        self.own_bytes()
        if nbytes > _block_size(self._ptr):
            self._move_to_larger(nbytes)
        elif self._ptr:
            self._settle(nbytes)
        self._nbytes = nbytes
        return self

    def _resize_on_device(self, nbytes: int) -> UntypedStorage:
        """The same where a device has the bytes: another run of them, with the old content."""
        memory = devices.memories[self.device.type]
        block = memory.block(nbytes, self.device)
        kept = min(nbytes, self._nbytes)
        if kept:
            between = (ctypes.c_ubyte * kept)()
            memory.read(ctypes.addressof(between), self._ptr, kept)
            memory.write(block.address, ctypes.addressof(between), kept)
        self._ptr, self._nbytes, self._owner = block.address, nbytes, block
        return self

    def _own_blocks(self) -> Blocks:
        """What keeps this storage's memory, now that it is more than one block of one length."""
        blocks = self._keeper()
        if blocks is None:
            blocks = self._owner = Blocks(self._ptr)
        return blocks

    def _move_to_larger(self, nbytes: int) -> None:
        """Continue in a larger block; the old one stays where others know its address."""
        fresh = _allocate(nbytes)
        if fresh == -1:
            raise out_of_memory(nbytes)
        ctypes.memmove(fresh, self._ptr, self._nbytes)
        old, is_exported = self._ptr, self._flags & objects.EXPORTED
        blocks = self._own_blocks() if old and is_exported else self._keeper()
        self._ptr = fresh
        if blocks is not None:
            blocks.settle(0)
            blocks.current = fresh
        if old and is_exported:
            blocks.earlier.append(old)
        else:
            _free(old)

    def _settle(self, nbytes: int) -> None:
        """Give the pages behind that many bytes back, or take those before them again."""
        blocks = self._own_blocks()
        behind = _whole_pages(self._ptr, nbytes)
        again = blocks.given_back - behind
        if again > 0 and memory.words.cap and _is_refused(again):
            raise out_of_memory(again)
        blocks.settle(behind)
        blocks.reach = max(blocks.reach, self._nbytes)
        if behind:
            _give_back(self._ptr, nbytes)

    # -- sharing --
    def share_memory_(self) -> UntypedStorage:
        """Move the bytes to memory that other processes can map."""
        if not self.is_shared() and self.device.type not in devices.memories:
            self._check_can_be_shared("_share_fd_")
            self.check_memory()
            make = SharedMemory.with_name if _by_name else SharedMemory.with_descriptor
            self._move_to(make(self._room()))
        return self

    def _room(self) -> int:
        """How many bytes views of this storage may reach."""
        keeper = self._keeper()
        return max(self._nbytes, keeper.reach) if isinstance(keeper, Blocks) else self._nbytes

    def _check_can_be_shared(self, name: str) -> None:
        if self._is_abstract():
            raise RuntimeError(f"{name}: only available on CPU")

    def _move_to(self, shared: SharedMemory) -> None:
        """Continue with the same bytes in shared memory."""
        ctypes.memmove(shared.address, self._address(), self._nbytes)
        old, self._ptr = self._ptr, shared.address
        keeper = self._keeper()
        if self._flags & objects.EXPORTED:
            shared.earlier = Blocks(old) if keeper is None else keeper
        elif keeper is None:
            _free(old)
        self._owner = shared
        self._flags &= ~objects.RESIZABLE

    def _segment(self) -> SharedMemory | None:
        """The segment that this storage is; None for other memory, or for a part of one."""
        keeper = self._keeper()
        whole = isinstance(keeper, SharedMemory) and keeper.address == self._ptr
        return keeper if whole and keeper.nbytes >= self._nbytes else None

    def _share_fd_cpu_(self) -> tuple[int, int]:
        """A descriptor for the bytes, which stays this storage's, and their number."""
        self._check_can_be_shared("_share_fd_")
        segment = self._segment()
        if segment is None or segment.descriptor is None:
            self._move_to(segment := SharedMemory.with_descriptor(self._room()))
        return segment.descriptor, self._nbytes  # type: ignore[return-value]

    def _share_filename_cpu_(self) -> tuple[bytes, bytes, int]:
        """Who keeps the name of the bytes, the name, and their number; for one other process."""
        self._check_can_be_shared("_share_filename_")
        segment = self._segment()
        if segment is None or segment.name is None or not segment.name.hold_here():
            self._move_to(segment := SharedMemory.with_name(self._room()))
        assert segment.name is not None
        segment.name.publish()
        return segment.name.keeper, segment.name.path.encode(), self._nbytes

    @classmethod
    def _new_shared_fd_cpu(cls, descriptor: int, nbytes: int) -> UntypedStorage:
        """The storage of a descriptor, which stays the caller's."""
        mapped = SharedMemory.of_descriptor(os.dup(descriptor), nbytes)
        return from_pointer(mapped.address, nbytes, devices.cpu, mapped)

    @classmethod
    def _new_shared_filename_cpu(cls, keeper: bytes, name: bytes, nbytes: int) -> UntypedStorage:
        """The storage of a name that `_share_filename_cpu_` gave to another process."""
        mapped = SharedMemory.of_name(keeper, name.decode(), nbytes)
        return from_pointer(mapped.address, nbytes, devices.cpu, mapped)

    @classmethod
    def _new_using_fd_cpu(cls, nbytes: int) -> UntypedStorage:
        mapped = SharedMemory.with_descriptor(nbytes)
        return from_pointer(mapped.address, nbytes, devices.cpu, mapped)

    @classmethod
    def _new_using_filename_cpu(cls, nbytes: int) -> UntypedStorage:
        mapped = SharedMemory.with_name(nbytes)
        return from_pointer(mapped.address, nbytes, devices.cpu, mapped)

    @classmethod
    def _new_shared(cls, nbytes: int, *, device: Any = "cpu") -> UntypedStorage:
        """A storage of zeros in shared memory."""
        check_length(nbytes)
        return cls._new_using_filename_cpu(nbytes) if _by_name else cls._new_using_fd_cpu(nbytes)

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """Map a file; with ``shared``, changes go to the file, which is made large enough."""
        check_length(nbytes)
        mapped = SharedMemory.of_file(filename, nbytes, shared)
        return from_pointer(mapped.address, nbytes, devices.cpu, mapped)

    @classmethod
    def from_buffer(
        cls,
        buffer: Any,
        byte_order: str | None = None,
        count: int = -1,
        offset: int = 0,
        *,
        dtype: dtypes.dtype | None = None,
    ) -> UntypedStorage:
        """A copy of the bytes of any object with the buffer protocol.

        Args:
            buffer: the object
            byte_order: that of its numbers: ``"little"``, ``"big"`` or ``"native"``
            count: how many elements to take; -1 for as many as there are
            offset: the byte at which they start
            dtype: the type of the elements
        """
        if dtype is None:
            raise RuntimeError("argument 'dtype' cannot be None")
        if byte_order is None and dtype is not dtypes.uint8:
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        if dtype is not dtypes.uint8 and byte_order not in ("little", "big", "native"):
            raise ValueError(
                f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')"
            )
        content = memoryview(buffer).cast("B")
        start, stop = _part_of_buffer(content.nbytes, count, offset, dtype.itemsize)
        made = _filled(content[start:stop], devices.cpu, cls)
        if byte_order not in (None, "native", sys.byteorder):
            made.byteswap(dtype)
        if dtype is dtypes.bool_:
            values = np.frombuffer(made._bytes(), np.uint8)
            np.not_equal(values, 0, out=values.view(np.bool_))
        return made

    def __repr__(self) -> str:
        shown = "..."
        if self._ptr or not (self._nbytes or self._is_abstract()):
            shown = "\n".join(f" {value}" for value in self.tolist())
        return (
            f"{shown}\n[torch.storage.UntypedStorage(device={self.device}) of size {self._nbytes}]"
        )

    __str__ = __repr__


class _StorageBaseMeta(type(UntypedStorage)):  # type: ignore[misc]
    """Untyped storages count as instances of their base."""

    def __instancecheck__(cls, instance: Any) -> bool:
        is_base = cls.__dict__.get("_is_base", False) and isinstance(instance, UntypedStorage)
        return is_base or super().__instancecheck__(instance)


class StorageBase(UntypedStorage, metaclass=_StorageBaseMeta):
    """What classes of storages of a program's own derive from."""

    __slots__ = ()
    _is_base = True

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is StorageBase:
            raise RuntimeError(
                "Cannot directly construct StorageBase; subclass it and then construct that"
            )
        return super().__new__(cls, *args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """What a storage is made of was taken by ``__new__``."""


def number_width(kind: dtypes.dtype) -> int:
    """The bytes of one number of an element: a complex one is a pair of numbers."""
    return kind.itemsize // 2 if kind.category == dtypes.COMPLEX else kind.itemsize


def _is_whole_number(index: Any) -> bool:
    return hasattr(index, "__index__") and not isinstance(index, bool)


def _restored(content: bytes, where: devices.device) -> UntypedStorage:
    """A storage of a device with some bytes."""
    made = UntypedStorage(content)
    return made.to(device=where) if where.is_here else made


def _byte_values(content: Any) -> Any:
    """The bytes that a sequence of whole numbers stands for, each number cut to a byte."""
    if isinstance(content, UntypedStorage):
        return memoryview(content._bytes()).cast("B") if content._nbytes else b""
    if isinstance(content, (bytes, bytearray)):
        return content
    kind = type(content)
    is_sequence = hasattr(kind, "__len__") and hasattr(kind, "__getitem__")
    if not is_sequence or isinstance(content, (dict, objects.TENSOR_BASE)):
        raise RuntimeError(
            f"torch.UntypedStorage(): Expected a sequence type, but got {kind.__name__}"
        )
    values = list(content)
    for other in set(map(type, values)):
        if not issubclass(other, int):
            raise RuntimeError(
                "torch.UntypedStorage(): tried to construct a storage from a sequence "
                f"({_full_name(kind)}), but one of the items was of type {_full_name(other)} "
                "instead of int"
            )
    return np.array(values, np.int64).astype(np.uint8).data if values else b""


def _full_name(kind: type) -> str:
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _filled(content: Any, device: devices.device, cls: type) -> Any:
    """A new storage with a copy of a buffer of bytes."""
    made = allocate(len(content), device, cls)
    if len(content) and not made._is_abstract():
        memoryview(made._bytes()).cast("B")[:] = content
    return made


def _part_of_buffer(length: int, count: int, offset: int, itemsize: int) -> tuple[int, int]:
    """Where ``count`` elements from a byte on start and stop in a buffer of ``length`` bytes."""
    if not 0 <= offset <= length:
        raise ValueError(
            f"offset must be non-negative and no greater than buffer length ({length}), "
            f"but got {offset}"
        )
    if count < 0:
        if (length - offset) % itemsize:
            raise ValueError(
                f"buffer size ({length}) must be a multiple of element size ({itemsize})"
            )
        count = (length - offset) // itemsize
    if offset + count * itemsize > length:
        raise ValueError(
            f"buffer has only {(length - offset) // itemsize} elements after offset {offset}, "
            f"but specified a size of {count}"
        )
    return offset, offset + count * itemsize


def check_length(nbytes: int) -> None:
    """The number of bytes of a storage is a word without a sign."""
    if nbytes > sizes.MOST:
        raise ValueError(f"Overflow when unpacking long long: {nbytes} bytes do not fit 64 bits")
    if nbytes < 0:
        raise RuntimeError(f"a storage cannot have {nbytes} bytes")


def out_of_memory(nbytes: int) -> OutOfMemoryError:
    """The error for a request that cannot be met, with the figures that explain it."""
    words = memory.words
    cap = f", with a cap of {words.cap} bytes" if words.cap else ""
    return OutOfMemoryError(
        f"[enforce fail at alloc_cpu] DefaultCPUAllocator: can't allocate memory: you tried to "
        f"allocate {nbytes} bytes; {words.current} bytes are in use{cap}."
    )


def share_by_name(wanted: bool) -> None:
    """Whether storages are shared by names from now on, not by descriptors."""
    global _by_name
    _by_name = wanted


def refuse(nbytes: int) -> None:
    """Compiled code calls this for a request that cannot be met."""
    raise out_of_memory(nbytes)


def reword(error: MemoryError) -> None:
    """Compiled code calls this where memory ran out for others: numpy, or Python's own objects."""
    detail = f": {error}" if str(error) else ""
    raise OutOfMemoryError(f"memory ran out during the call{detail}") from error


def _blank(cls: type) -> Any:
    """A storage of nothing."""
    made: Any = object.__new__(cls)
    if not heap_types.supported():
        made.clear()
    return made


def allocate(nbytes: int, device: devices.device, cls: type = UntypedStorage) -> Any:
    """A new storage of uninitialised bytes."""
    nbytes = symbolic.known(nbytes)
    check_length(nbytes)
    data = 0
    if device is devices.cpu or device.type == "cpu":
        # there is one, whatever its number
        device = devices.cpu
        data = _allocate(nbytes)
        if data == -1:
            raise out_of_memory(nbytes)
    elif device.is_here and device.type in devices.memories:
        # A trace runs nothing, and a device's memory is not asked for in vain.
        return _on_device(nbytes, device) if symbolic.trace() is None else unbacked(nbytes, device)
    made = _blank(cls)
    made._ptr, made._nbytes, made._flags = data, nbytes, objects.RESIZABLE
    made._device_code = device.code
    return made


def _on_device(nbytes: int, device: devices.device) -> UntypedStorage:
    where = devices.place(device)
    block = devices.memories[device.type].block(nbytes, where)
    made = from_pointer(block.address, nbytes, where, block)
    made._flags = objects.RESIZABLE
    return made


def unbacked(nbytes: int, device: devices.device) -> UntypedStorage:
    """A storage of a device with memory of its own, for planning: nothing is there."""
    made: Any = _blank(UntypedStorage)
    made._nbytes, made._flags = nbytes, objects.RESIZABLE
    made._device_code = devices.place(device).code
    return made  # type: ignore[no-any-return]


def pinned(nbytes: int) -> UntypedStorage:
    """A new storage of the host whose memory stays where it is, for the accelerator to read."""
    for kind, there in devices.memories.items():
        if hasattr(there, "pinned_block") and devices.device(kind).is_here:
            block = there.pinned_block(nbytes)
            if not state.has_pinned:
                # What was remembered of tensors so far took it for granted that there is none.
                state.has_pinned = True
                state.switches.generation += 1
            return from_pointer(block.address, nbytes, devices.cpu, block)
    raise RuntimeError("Cannot access accelerator device when none is available.")


def from_pointer(pointer: int, nbytes: int, device: devices.device, owner: Any) -> UntypedStorage:
    """A storage over memory that ``owner`` keeps alive."""
    made: Any = _blank(UntypedStorage)
    made._ptr, made._nbytes = pointer, symbolic.known(nbytes)
    made._device_code, made._owner = device.code, owner
    return made


def without_memory(like: Any, owner: Any) -> UntypedStorage:
    """A storage as large as another one whose bytes are nowhere; ``owner`` says what it stands for."""
    made: Any = _blank(UntypedStorage)
    made._nbytes, made._device_code, made._owner = like._nbytes, like._device_code, owner
    return made  # type: ignore[no-any-return]


objects.types.storage = id(UntypedStorage)
objects.types.refuse = id(refuse)
objects.types.reword = id(reword)
objects.types.memory_error = id(MemoryError)
objects.types.none = id(None)
for hook in (state.switch_by_machine_code, *objects.when_started):
    hook()

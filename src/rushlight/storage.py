"""Storages with an element type, and the tensor and storage classes of one type each."""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import storage as storages
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.storage import UntypedStorage
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.promotion import title

__all__ = ["TypedStorage", "UntypedStorage"]


class TypedStorage:
    """A storage whose elements have a type.

    Args:
        args: nothing, a number of elements, or a sequence of values
        wrap_storage: the bytes to look at
        dtype: the type of the elements
        device: where new bytes are
    """

    is_sparse = is_hpu = False
    dtype: dtypes.dtype

    def __init__(
        self,
        *args: Any,
        wrap_storage: Any = None,
        dtype: dtypes.dtype | None = None,
        device: Any = None,
        _internal: bool = False,
    ) -> None:
        if not _internal:
            _warn_deprecated()
            _check_arguments(type(self), None, args, wrap_storage, dtype, device)
        kind = dtype
        if kind is None:
            from rushlight.engine.core import state

            kind = state.default_dtype()
        self.dtype = kind
        where = devices.device(device or "cpu")
        if wrap_storage is not None:
            self._untyped_storage = wrap_storage.untyped()
        elif not args or isinstance(args[0], int):
            nbytes = (args[0] if args else 0) * kind.itemsize
            self._untyped_storage = storages.allocate(nbytes, where)
        else:
            self._untyped_storage = _storage_of_values(args[0], kind, where)

    # -- facts --
    @property
    def device(self) -> devices.device:
        return self._untyped_storage.device

    @property
    def is_cuda(self) -> bool:
        return self.device.type == "cuda"

    @property
    def _cdata(self) -> int:
        return self._untyped_storage._cdata

    def untyped(self) -> UntypedStorage:
        """The bytes."""
        return self._untyped_storage

    _untyped = untyped

    def element_size(self) -> int:
        return self.dtype.itemsize

    def size(self) -> int:
        """How many elements there are."""
        return self._untyped_storage.nbytes() // self.dtype.itemsize

    __len__ = _size = size

    def nbytes(self) -> int:
        return self._untyped_storage.nbytes()

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def data_ptr(self) -> int:
        """The address of the first element."""
        return self._untyped_storage.data_ptr()

    def resizable(self) -> bool:
        return self._untyped_storage.resizable()

    def is_shared(self) -> bool:
        return self._untyped_storage.is_shared()

    def is_pinned(self, device: Any = "cuda") -> bool:
        return self._untyped_storage.is_pinned(device)

    def pin_memory(self, device: Any = "cuda") -> TypedStorage:
        """The same elements in memory that stays where it is, which a device reads by itself."""
        return self._like(self._untyped_storage.pin_memory(device))

    def get_device(self) -> int | None:
        """The number of the device, if devices of its kind have numbers."""
        return self._untyped_storage.get_device()

    @property
    def filename(self) -> str | None:
        """The file that the elements are mapped from."""
        return self._untyped_storage.filename

    def pickle_storage_type(self) -> str:
        """The name of the class that stands for this element type in files."""
        return f"{title(self.dtype)}Storage"

    def type(self, dtype: Any = None) -> Any:
        """The name of the storage's type, or its elements as another type."""
        if dtype is None:
            where = "cuda." if self.is_cuda else ""
            return f"torch.{where}{self.pickle_storage_type()}"
        return self._converted(dtype.dtype if hasattr(dtype, "dtype") else dtype)

    # -- elements --
    def _tensor(self) -> Any:
        self._untyped_storage.check_memory()
        kind = self.dtype.numbers
        return tensors.from_storage(self._untyped_storage, kind, (self.size(),), (1,))

    def __getitem__(self, index: Any) -> Any:
        self._untyped_storage._address()
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not -self.size() <= index < self.size():
            raise IndexError(f"index {index} out of range for storage of size {self.size()}")
        return self._tensor()[index].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._tensor()[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """The elements as a list of Python numbers."""
        self._untyped_storage._address()
        values: list[Any] = self._tensor().tolist()
        return values

    def fill_(self, value: Any) -> TypedStorage:
        self._tensor().fill_(value)
        return self

    def copy_(self, source: Any, non_blocking: bool | None = None) -> TypedStorage:
        """Take over the bytes of another storage."""
        self._untyped_storage.copy_(source)
        return self

    def clone(self) -> TypedStorage:
        return self._like(self._untyped_storage.clone())

    def _like(self, held: UntypedStorage, dtype: dtypes.dtype | None = None) -> TypedStorage:
        return TypedStorage(wrap_storage=held, dtype=dtype or self.dtype, _internal=True)

    def _converted(self, dtype: dtypes.dtype) -> TypedStorage:
        return self._like(self._tensor().to(dtype)._storage_, dtype)

    def resize_(self, size: int) -> None:
        """Change the number of elements in place."""
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    def cpu(self) -> TypedStorage:
        """The elements in this machine's memory."""
        held = self._untyped_storage.cpu()
        return self if held is self._untyped_storage else self._like(held)

    def cuda(self, device: Any = None, non_blocking: bool = False) -> TypedStorage:
        """The elements on a CUDA device."""
        return self.to(device="cuda" if device is None else device, non_blocking=non_blocking)

    def to(self, *, device: Any, non_blocking: bool = False) -> TypedStorage:
        """The elements on a device."""
        return self._like(self._untyped_storage.to(device=device, non_blocking=non_blocking))

    # -- sharing and copies --
    def share_memory_(self) -> TypedStorage:
        """Move the bytes to memory that other processes can map."""
        self._untyped_storage.share_memory_()
        return self

    def _share_fd_cpu_(self) -> tuple[int, int]:
        """A descriptor for the bytes, and their number."""
        return self._untyped_storage._share_fd_cpu_()

    def _share_filename_cpu_(self) -> tuple[bytes, bytes, int]:
        """Who keeps the name of the bytes, the name, and their number."""
        return self._untyped_storage._share_filename_cpu_()

    def _write_file(
        self, file: Any, is_real_file: bool, save_size: bool, element_size: int
    ) -> None:
        """Write the elements to a file, behind their number with ``save_size``."""
        self._untyped_storage._write_file(file, is_real_file, save_size, element_size)

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, size: int = 0) -> TypedStorage:
        """Map a file of elements."""
        kind = cls.dtype
        held = UntypedStorage.from_file(filename, shared, size * kind.itemsize)
        return TypedStorage(wrap_storage=held, dtype=kind, _internal=True)

    @classmethod
    def from_buffer(cls, *args: Any, **kwargs: Any) -> TypedStorage:
        """A copy of the bytes of any object with the buffer protocol."""
        kind = kwargs.pop("dtype", None) or cls.dtype
        held = UntypedStorage.from_buffer(*args, dtype=kind, **kwargs)
        return TypedStorage(wrap_storage=held, dtype=kind, _internal=True)

    def __copy__(self) -> TypedStorage:
        return self._like(self._untyped_storage)

    def __deepcopy__(self, memo: Any) -> TypedStorage:
        import copy

        return self._like(copy.deepcopy(self._untyped_storage, memo))

    def __reduce__(self) -> Any:
        return restore, (self._untyped_storage, self.dtype)

    def __repr__(self) -> str:
        shown = (
            "".join(f" {value}\n" for value in self.tolist())
            if self.device.type == "cpu"
            else "...\n"
        )
        return (
            f"{shown}[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) "
            f"of size {self.size()}]"
        )

    __str__ = __repr__


def restore(held: UntypedStorage, dtype: dtypes.dtype) -> TypedStorage:
    """A storage from its pickled parts."""
    return TypedStorage(wrap_storage=held, dtype=dtype, _internal=True)


_CONVERSIONS = {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16, "long": dtypes.int64, "int": dtypes.int32, "short": dtypes.int16,
    "char": dtypes.int8, "byte": dtypes.uint8, "bool": dtypes.bool_,
    "complex_double": dtypes.complex128, "complex_float": dtypes.complex64,
    "float8_e4m3fn": dtypes.float8_e4m3fn, "float8_e5m2": dtypes.float8_e5m2,
    "float8_e4m3fnuz": dtypes.float8_e4m3fnuz, "float8_e5m2fnuz": dtypes.float8_e5m2fnuz,
}  # fmt: skip


def _conversion(kind: dtypes.dtype) -> Any:
    def convert(self: TypedStorage | UntypedStorage) -> TypedStorage:
        held = self if isinstance(self, TypedStorage) else restore(self, dtypes.uint8)
        return held._converted(kind)

    convert.__doc__ = f"The elements as {kind}."
    return convert


for _name, _kind in _CONVERSIONS.items():
    for _class in (TypedStorage, UntypedStorage):
        setattr(_class, _name, _conversion(_kind))


_FORMS = "\n".join(
    [
        "{} received an invalid combination of arguments. Expected one of:",
        " * {}",
        " * (int size{})",
        " * (Sequence data{})",
        " * (*, UntypedStorage wrap_storage{})",
        "",
    ]
)


def _warn_deprecated() -> None:
    warnings.warn(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage "
        "will be the only storage class. This should only matter to you if you are using "
        "storages directly.  To access UntypedStorage directly, use "
        "tensor.untyped_storage() instead of tensor.storage()",
        UserWarning,
        stacklevel=3,
    )


def _check_arguments(
    asked: type, own: Any, args: tuple[Any, ...], held: Any, dtype: Any, device: Any
) -> None:
    """Raise for arguments that no way of making a storage takes.

    Args:
        asked: the class that is to make it
        own: the element type of its class; None for `TypedStorage`
        args, held, dtype, device: what the storage is to be made of
    """
    if own is not None:
        forms = _FORMS.format(f"{asked}.__new__", "no arguments", "", "", "")
        for name, value in (("dtype", dtype), ("device", device)):
            if value is not None:
                raise RuntimeError(f"{forms}Keyword argument '{name}' cannot be specified")
    else:
        both = "*, torch.device device, torch.dtype dtype"
        forms = _FORMS.format(
            "TypedStorage.__init__", f"({both})", f", {both}", f", {both}", ", torch.dtype dtype"
        )
    if len(args) > 1 or (args and held is not None):
        raise RuntimeError(f"{forms}Too many positional arguments")
    if held is not None:
        if own is None and dtype is None:
            raise RuntimeError(f"{forms}Argument 'dtype' must be specified")
        if device is not None:
            raise RuntimeError(
                f"{forms}Argument 'device' should not be specified when 'wrap_storage' is given"
            )
        if not isinstance(held, UntypedStorage):
            raise TypeError(
                f"{forms}Argument 'wrap_storage' must be UntypedStorage, but got {type(held)}"
            )
    if dtype is not None and not isinstance(dtype, dtypes.dtype):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")


def _storage_of_values(values: Any, kind: dtypes.dtype, where: devices.device) -> UntypedStorage:
    """A new storage of what a sequence holds."""
    from rushlight._tensor_members import construction

    if isinstance(values, str):
        raise TypeError("new(): invalid data type 'str'")
    if not isinstance(values, Sequence | array):
        raise TypeError(
            "a storage takes a number of elements or a sequence of values, got "
            f"{type(values).__name__}"
        )
    return construction.tensor(values, dtype=kind.numbers, device=where)._storage_


class _StorageOfOneType(type):
    """The class of `FloatStorage` and the like: they make typed storages and recognise them."""

    dtype: dtypes.dtype
    of_device: str

    def __call__(
        cls, *args: Any, wrap_storage: Any = None, dtype: Any = None, device: Any = None
    ) -> TypedStorage:
        own = cls.dtype
        _warn_deprecated()
        _check_arguments(cls, own, args, wrap_storage, dtype, device)
        _check_is_there(cls)
        return TypedStorage(
            *args, wrap_storage=wrap_storage, dtype=own, device=cls.of_device, _internal=True
        )

    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            isinstance(instance, TypedStorage)
            and instance.dtype is cls.dtype
            and instance.device.type == cls.of_device
        )


class _TensorOfOneType(type):
    """The class of `FloatTensor` and the like: they make plain tensors and recognise them."""

    dtype: dtypes.dtype
    of_device: str
    is_sparse = False
    layout: Any

    @property
    def is_cuda(cls) -> bool:
        return cls.of_device == "cuda"

    def __call__(cls, *args: Any, device: Any = None, **kwargs: Any) -> Tensor:
        from rushlight._tensor_members import construction

        _check_is_there(cls)
        only = args[0] if len(args) == 1 else None
        if isinstance(only, Tensor):
            if only._storage_.device.type != cls.of_device:
                raise TypeError(f"expected {_name_of(cls)} (got {only.type()})")  # type: ignore[attr-defined]
        elif device is None and cls.of_device != "cpu":
            device = devices.device(cls.of_device)
        return construction.legacy_tensor(
            cls.dtype, *args, device=device, expected=cls.of_device, **kwargs
        )

    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            isinstance(instance, Tensor)
            and instance._dtype_ is cls.dtype
            and instance._storage_.device.type == cls.of_device
        )

    def __repr__(cls) -> str:
        return f"<class '{_name_of(cls)}'>"


def _name_of(kind: type) -> str:
    return f"{kind.__module__}.{kind.__name__}"


def _check_is_there(kind: Any) -> None:
    """Raise for a class of a device that is not there."""
    from rushlight._tensor_members import construction

    if kind.of_device == "cuda":
        construction.check_type_is_there(_name_of(kind))


_LEGACY = (
    dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16, dtypes.uint8, dtypes.int8,
    dtypes.int16, dtypes.int32, dtypes.int64, dtypes.bool_,
)  # fmt: skip


def tensor_classes(device: str, module: str) -> dict[str, Any]:
    """The classes of tensors of a kind of device, by name.

    Args:
        device: which kind
        module: where they are found
    """
    made = {}
    for kind in _LEGACY:
        name = f"{title(kind)}Tensor"
        facts = {"dtype": kind, "of_device": device, "__module__": module}
        made[name] = _TensorOfOneType(name, (), facts)
    return made


def storage_classes(device: str, module: str, *others: dtypes.dtype) -> dict[str, Any]:
    """The same of storages, with those of further types."""
    made = {}
    for kind in (*_LEGACY, dtypes.complex64, dtypes.complex128, *others):
        name = f"{title(kind)}Storage"
        facts = {"dtype": kind, "of_device": device, "__module__": module}
        made[name] = _StorageOfOneType(name, (TypedStorage,), facts)
    return made


TENSOR_CLASSES = tensor_classes("cpu", "torch")
STORAGE_CLASSES = storage_classes("cpu", "torch", *dtypes.OF_QUANTIZED)


def _dtype_to_storage_type_map() -> dict[dtypes.dtype, str]:
    """The name of the storage class of each element type that has one."""
    return {kind.dtype: name for name, kind in STORAGE_CLASSES.items()}


def _storage_type_to_dtype_map() -> dict[str, dtypes.dtype]:
    """The element type of each storage class, by its name."""
    return {name: kind.dtype for name, kind in STORAGE_CLASSES.items()}


def legacy_class(kind: dtypes.dtype) -> Any:
    """The storage class of an element type."""
    return STORAGE_CLASSES.get(f"{title(kind)}Storage")

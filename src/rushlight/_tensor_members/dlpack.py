"""Tensors lent to other libraries and borrowed from them, through the DLPack structures.

A lent tensor's structure lives in an `Export`, which holds the tensor. The structure owns one
reference to the export; its deleter, compiled code that may run in any thread, gives it back.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Iterator
from typing import Any

from rushlight._tensor_members import cuda_arrays
from rushlight.engine.calls import copy as copies
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, sparse
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native import capsules

CPU, CUDA, PINNED, MANAGED = 1, 2, 3, 13
_VERSION = (1, 0)


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Borrowed(ctypes.Structure):
    """The description of the memory itself."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    """What a capsule called "dltensor" points to."""

    _fields_ = [
        ("tensor", _Borrowed),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class _ManagedVersioned(ctypes.Structure):
    """What a capsule called "dltensor_versioned" points to."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Borrowed),
    ]


_FORMS: dict[bytes, type[_Managed] | type[_ManagedVersioned]] = {
    capsules.PLAIN: _Managed,
    capsules.VERSIONED: _ManagedVersioned,
}

# Flags of the newer form.
_READ_ONLY = 1

# Codes of the kinds of number; with the bits they name a type.
_CODES = {
    dtypes.bool_: 6, dtypes.bfloat16: 4, dtypes.float8_e4m3fn: 10, dtypes.float8_e4m3fnuz: 11,
    dtypes.float8_e5m2: 12, dtypes.float8_e5m2fnuz: 13,
}  # fmt: skip
_BY_CATEGORY = {dtypes.FLOATING: 2, dtypes.COMPLEX: 5}


def _code(kind: dtypes.dtype) -> int:
    if kind in _CODES:
        return _CODES[kind]
    return _BY_CATEGORY.get(kind.category, 0 if kind.is_signed else 1)


@functools.cache
def _types() -> dict[tuple[int, int], dtypes.dtype]:
    return {(_code(kind), kind.itemsize * 8): kind for kind in dtypes.ALL}


class Export:
    """A tensor that another library looks at."""

    def __init__(self, source: Tensor, form: type[_Managed] | type[_ManagedVersioned]) -> None:
        tensors.check_still_inside(source)
        self.source, self.storage = source, source._storage_.exported()
        size, stride = source._size_, source._stride_
        self.shape = (ctypes.c_int64 * max(len(size), 1))(*size)
        self.strides = (ctypes.c_int64 * max(len(size), 1))(
            *(1 if n == 1 else s for n, s in zip(size, stride))
        )
        self.managed = form()
        described = self.managed.tensor
        described.data = tensors.data_pointer(source) if source._storage_._nbytes else None
        described.device_type, described.device_id = place_of(source)
        described.ndim = len(size)
        described.dtype = _DataType(_code(source._dtype_), source._dtype_.itemsize * 8, 1)
        described.shape = ctypes.cast(self.shape, ctypes.POINTER(ctypes.c_int64))
        described.strides = ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64))
        if isinstance(self.managed, _ManagedVersioned):
            self.managed.major, self.managed.minor = _VERSION
        self.managed.context = id(self)


def place_of(source: Tensor) -> tuple[int, int]:
    """The kind and the number of the device that a tensor is on, as the structures say them."""
    where = source._storage_.device
    if where.type == "cuda":
        return CUDA, where.index or 0
    if where.type != "cpu":
        raise ValueError(f"Unknown device type {where.type} for Dlpack")
    return (PINNED if source._storage_.is_pinned() else CPU), 0


def prepare(source: Tensor, stream: Any) -> None:
    """Let a stream of the reader go on only when a tensor on a GPU is complete.

    Args:
        source: the tensor
        stream: the driver's handle, 1 for the default stream, as None; -1 for no waiting
    """
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    where = source._storage_.device
    if where.type != "cuda":
        return
    from rushlight.engine.cuda import context

    if where.index != context.current():
        raise BufferError(
            f"Can't export tensors on a different CUDA device index. Expected: {where.index}. Current "
            f"device: {context.current()}."
        )
    if stream == cuda_arrays.OF_THREAD:
        raise BufferError("per-thread default stream is not supported.")
    if stream != -1:
        cuda_arrays.let_wait(cuda_arrays.DEFAULT if stream is None else stream, where)


def capsule(source: Tensor, max_version: tuple[int, int] | None = None) -> Any:
    """A capsule that lends the tensor's memory, in the newest form that the reader knows."""
    sparse.check_has_address(source)
    if source._keys_ & keys.AUTOGRAD:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if source._keys_ & keys.CONJUGATE:
        raise BufferError("Can't export tensors with the conjugate bit set")
    if source._keys_ & keys.NEGATIVE:
        raise BufferError("Can't export tensors with the negative bit set")
    if source._storage_.device.type not in ("cpu", "cuda"):
        raise BufferError(f"Can't export tensors on {source._storage_.device}")
    name = capsules.PLAIN if max_version is None or max_version[0] < 1 else capsules.VERSIONED
    export = Export(source, _FORMS[name])
    export.managed.deleter = capsules.deleter(name)
    return capsules.lend(ctypes.addressof(export.managed), export, name)


class _Loan(cuda_arrays.Lent):
    """Memory borrowed from another library, given back when this object goes."""

    def __init__(self, address: int, deleter: int | None) -> None:
        super().__init__(None)
        self.address = address
        self.deleter = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(deleter) if deleter else None

    def __del__(self) -> None:
        if self.deleter is not None:
            self.deleter(self.address)


def tensor_from(source: Any, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of an object with `__dlpack__`, or of a capsule.

    Memory that must not be written is copied, since any tensor may be written to.
    """
    given = source
    if hasattr(source, "__dlpack__"):
        place = source.__dlpack_device__() if hasattr(source, "__dlpack_device__") else (CPU, 0)
        with _on(*place) as known:
            try:
                given = source.__dlpack__(max_version=_VERSION, **known)
            except TypeError:
                given = source.__dlpack__(**known)
    for name in _FORMS:
        address = capsules.structure_in(given, name)
        if address:
            is_read_only = bool(
                getattr(_FORMS[name].from_address(address), "flags", 0) & _READ_ONLY
            )
            if is_read_only and copy is False:
                raise BufferError("memory that is read-only cannot be imported without a copy")
            made = _adopt(address, name)
            capsules.mark_used(given, name)
            return copies.clone(made) if is_read_only or copy else made
    raise RuntimeError(
        "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed "
        "only once, so you might have already constructed a tensor from it once."
    )


@contextlib.contextmanager
def _on(kind: int, index: int) -> Iterator[dict[str, int]]:
    """A block in which memory is asked for, on its device; what is said of the stream that will use it."""
    _device(kind, index)
    if kind not in (CUDA, MANAGED):
        yield {}
        return
    from rushlight.engine.cuda import context, streams

    with context.on(index):
        yield {"stream": streams.current(index).handle or cuda_arrays.DEFAULT}


def _device(kind: int, index: int) -> devices.device:
    """The device that structures name."""
    if kind in (CPU, PINNED):
        return devices.cpu
    if kind in (CUDA, MANAGED):
        return cuda_arrays.usable(index)
    raise BufferError(f"cannot import memory of a device of type {int(kind)}")


def _adopt(address: int, name: bytes) -> Tensor:
    from rushlight.engine.core import storage

    managed = _FORMS[name].from_address(address)
    described = managed.tensor
    kind = _types().get((described.dtype.code, described.dtype.bits))
    if kind is None or described.dtype.lanes != 1:
        raise BufferError(
            f"unsupported type: code {described.dtype.code}, {described.dtype.bits} bits, "
            f"{described.dtype.lanes} lanes"
        )
    where = _device(described.device_type, described.device_id)
    size = tuple(described.shape[: described.ndim]) if described.ndim else ()
    if described.strides:
        stride = tuple(described.strides[: described.ndim]) if described.ndim else ()
    else:
        stride = tensors.sizes.contiguous_strides(size)
    if any(s < 0 for s in stride):
        raise ValueError("memory with negative strides cannot be imported")
    loan = _Loan(address, managed.deleter)
    nbytes = tensors.sizes.storage_extent(size, stride, 0) * kind.itemsize
    pointer = (described.data or 0) + described.byte_offset
    held = storage.from_pointer(pointer, nbytes, where, loan)
    return tensors.from_storage(held, kind, size, stride)

"""numpy over tensors: the same memory seen as an array, and arrays seen as tensors."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core import state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.placement import planning
from rushlight.engine.native.numpy_later import np

# What numpy calls the element types that it has.
NUMPY: dict[dtype, str] = {
    dtypes.bool_: "bool", dtypes.uint8: "uint8", dtypes.int8: "int8", dtypes.int16: "int16",
    dtypes.int32: "int32", dtypes.int64: "int64", dtypes.uint16: "uint16",
    dtypes.uint32: "uint32", dtypes.uint64: "uint64", dtypes.float16: "float16",
    dtypes.float32: "float32", dtypes.float64: "float64", dtypes.complex64: "complex64",
    dtypes.complex128: "complex128",
}  # fmt: skip
# What interfaces of arrays call them.
_ORDER = "<" if sys.byteorder == "little" else ">"
TYPE_TEXTS: dict[dtype, str] = {
    here: f"{_ORDER if here.itemsize > 1 else '|'}{there[0]}{here.itemsize}"
    for here, there in NUMPY.items()
}
# Types numpy lacks travel as bits.
_BITS = {1: "uint8", 2: "uint16", 4: "uint32"}


@functools.cache
def from_numpy() -> dict[Any, dtype]:
    """The element types of arrays that tensors have, too."""
    return {np.dtype(there): here for here, there in NUMPY.items()}


def array(tensor: Tensor) -> Any:
    """The tensor's elements as a numpy array over the same memory (bits, for types numpy lacks)."""
    steps.Unrepeatable.note()
    kind = tensor._dtype_
    there = np.dtype(NUMPY.get(kind) or _BITS[kind.itemsize])
    storage = tensor._storage_
    if not tensor._numel_:
        return np.empty(tensor._size_, there)
    storage.check_memory()
    if storage.device.type in devices.memories:
        planner = state.thread.planner
        if planner is not None:
            raise planner.missing("what its kernel does with arrays of the host")
        raise TypeError(
            f"can't convert {storage.device} device type tensor to numpy. Use Tensor.cpu() to copy the "
            "tensor to host memory first."
        )
    if not storage._ptr:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if tensor._numel_ * kind.itemsize > sizes.MOST:
        raise sizes.too_many_bytes(tensor._size_, tensor._stride_)
    tensors.check_still_inside(tensor)
    memory: Any = (ctypes.c_char * storage._nbytes).from_address(storage._ptr)
    # The array may outlive the tensor, as that of a converted one does.
    memory.storage = storage.exported()
    return np.ndarray(
        tuple(tensor._size_),
        there,
        memory,
        tensor._offset_ * kind.itemsize,
        tuple(s * kind.itemsize for s in tensor._stride_),
    )


def elements(tensor: Tensor) -> Any:
    """The elements as an array of the host's, wherever they are: what a kernel decides by, copied from a device."""
    if tensor._storage_.device.type in devices.memories:
        from rushlight.engine.calls import copy as copies

        steps.Unrepeatable.note()
        tensor = copies._to_copy(tensor, None, None, devices.cpu, None, False, None)
        with planning(None):
            return array(tensor)
    return array(tensor)


def tensor_over(values: Any, kind: dtype | None = None) -> Tensor:
    """A tensor over an array's memory, which the tensor keeps alive."""
    from rushlight.engine.core import storage

    kind = kind or from_numpy()[values.dtype]
    if values.flags.c_contiguous:
        stride, nbytes = sizes.contiguous_strides(values.shape), values.nbytes
    else:
        if any(s < 0 or s % kind.itemsize for s in values.strides):
            values = np.ascontiguousarray(values)
        stride = tuple(s // kind.itemsize for s in values.strides)
        reach = sum((n - 1) * s for n, s in zip(values.shape, values.strides)) + kind.itemsize
        nbytes = reach if values.size else 0
    pointer = values.__array_interface__["data"][0] if nbytes else 0
    held = storage.from_pointer(pointer, nbytes, devices.cpu, values)
    return tensors.from_storage(held, kind, values.shape, stride)


def tensor_of(values: Any, kind: dtype | None = None) -> Tensor:
    """A new tensor with an array's elements, in memory of its own where this thread's loops run."""
    values = np.asarray(values)

    def fill(made: Tensor) -> None:
        array(made)[...] = values

    return _filled(values.shape, kind or from_numpy()[values.dtype], fill)


def tensor_of_bytes(content: bytes, shape: tuple[int, ...], kind: dtype) -> Tensor:
    """The same with elements that are given as they lie in memory, in order."""

    def fill(made: Tensor) -> None:
        ctypes.memmove(tensors.data_pointer(made), content, len(content))

    return _filled(shape, kind, fill)


def _filled(shape: tuple[int, ...], kind: dtype, fill: Callable[[Tensor], None]) -> Tensor:
    """A new tensor, filled on the host."""
    planner = state.thread.planner
    with planning(None):
        made = tensors.empty(shape, kind)
        fill(made)
    if planner is None:
        return made
    from rushlight.engine.calls import copy as copies

    return copies._to_copy(made, None, None, planner.device, None, False, None)  # type: ignore[no-any-return]

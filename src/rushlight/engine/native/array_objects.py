"""numpy's arrays as generated code sees them: where their fields are, and the functions that make one.

Both are numpy's C interface, which is the same for all its versions; `usable` proves it when the first array is met.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from rushlight.engine.native import heap_types
from rushlight.engine.native.lowlevel import Words, invoke
from rushlight.engine.native.numpy_later import is_array, np
from rushlight.engine.native.python_api import decref, incref
from rushlight.engine.native.runtime import module


class ArrayStandIn:
    """What a trace has in place of an array: its type and flags, without elements.

    Args:
        dtype: the array's type
        shape: sizes, which may be symbolic
        strides: bytes between elements, which may be symbolic
        flags: the array's flags; None for an array that is made
    """

    __slots__ = (
        "__array_interface__", "dtype", "flags", "itemsize", "nbytes", "ndim", "shape", "size", "strides",
    )  # fmt: skip

    def __init__(
        self, dtype: Any, shape: tuple[Any, ...], strides: tuple[Any, ...], flags: Any = None
    ) -> None:
        self.dtype, self.flags, self.itemsize = dtype, flags, dtype.itemsize
        self.shape, self.strides, self.ndim = shape, strides, len(shape)
        self.size: Any = 1
        for n in shape:
            self.size = self.size * n
        self.nbytes = self.size * self.itemsize
        self.__array_interface__ = {"data": (id(self), False)}


def is_plain_array(value: Any) -> bool:
    """Whether a value is exactly an array of numpy's, or stands for one in a trace."""
    return type(value) is ArrayStandIn or (is_array(value) and type(value) is np.ndarray)


class ARRAY:
    """Offsets of an array's fields."""

    data = heap_types.HEADER
    dims = heap_types.HEADER + 8  # 32 bits
    sizes = heap_types.HEADER + 16
    strides = heap_types.HEADER + 24
    descr = heap_types.HEADER + 40
    flags = heap_types.HEADER + 48  # 32 bits


# Bits of the flags: both orders, aligned, writeable.
TOLD_FLAGS = 0x503
WRITEABLE = 0x400
# Places in the table of numpy's functions.
_ARRAY_TYPE, _NEW, _SET_BASE = 2, 93, 282

# The class of arrays, or 0 where nothing here may be used, or nobody asked; functions of numpy's.
api = Words("array", "make", "set_base")


@module.function
def new_array(storage: int, data: int, kind: int, dims: int, sizes: int, strides: int) -> int:
    """A new array over the memory of a storage, which it keeps alive; 0 with an error on failure."""
    made = invoke(
        api.make, api.array, dims, sizes, kind, strides, data, 0, WRITEABLE, 0,
    )  # fmt: skip
    if made == 0:
        return 0
    incref(storage)
    if invoke(api.set_base, made, storage) & 0xFFFFFFFF != 0:
        decref(made)
        return 0
    return made


def _table() -> Any:
    core = getattr(np, "_core", None) or np.core
    capsule = core._multiarray_umath._ARRAY_API
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))


def _fields_fit() -> bool:
    """Whether the fields of an array are where `ARRAY` says."""
    probe = np.zeros((4, 3), np.float32)[1:, ::2]

    def word(offset: int, kind: Any = ctypes.c_int64) -> int:
        return int(kind.from_address(id(probe) + offset).value)

    def pair(offset: int) -> tuple[int, ...]:
        return tuple((ctypes.c_int64 * 2).from_address(word(offset)))

    return (
        word(ARRAY.data) == probe.__array_interface__["data"][0]
        and word(ARRAY.dims, ctypes.c_int32) == 2
        and pair(ARRAY.sizes) == probe.shape
        and pair(ARRAY.strides) == probe.strides
        and word(ARRAY.descr) == id(probe.dtype)
        and word(ARRAY.flags, ctypes.c_int32) & TOLD_FLAGS == probe.flags.num & TOLD_FLAGS
    )


def is_told(value: Any) -> bool:
    """Whether generated code knows that a value is an array; subclasses of arrays are others."""
    return is_array(value) and type(value) is np.ndarray and usable()


@functools.cache
def usable() -> bool:
    """Whether generated code may look into arrays and make some."""
    if not heap_types.supported() or not _fields_fit():
        return False
    table = _table()
    if table[_ARRAY_TYPE] != id(np.ndarray):
        return False
    api.array, api.make, api.set_base = table[_ARRAY_TYPE], table[_NEW], table[_SET_BASE]
    return True

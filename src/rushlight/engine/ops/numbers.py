"""Python numbers as elements: checks and conversions."""

from __future__ import annotations

import ctypes
import math
import struct
from typing import Any, NoReturn

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import promotion
from rushlight.engine.ops.errors import NoElements

_C_NAMES = {"uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t",
            "uint16": "uint16_t", "uint32": "uint32_t", "uint64": "uint64_t", "float16": "c10::Half",
            "float32": "float", "float64": "double", "bfloat16": "c10::BFloat16",
            "complex32": "c10::complex<c10::Half>", "complex64": "c10::complex<float>"}  # fmt: skip


# Types without infinities.
_FINITE = (dtypes.float8_e4m3fn, dtypes.float8_e4m3fnuz, dtypes.float8_e5m2fnuz)
# Every type of floats holds numbers up to this.
FITS_ANY = 240.0


def checked(value: Any, target: dtype) -> Any:
    """The number as one that fits an element type, or PyTorch's error."""
    if type(value) in symbolic.INTEGERS and symbolic.trace() is not None and _holds_sizes(target):
        # It may follow from sizes, which a program fills in as integers.
        return value
    if target.category == dtypes.BOOLEAN:
        return bool(value)
    if isinstance(value, complex) and target.category != dtypes.COMPLEX:
        if value.imag != 0:
            _refuse(target)
        value = value.real
    if target.category == dtypes.INTEGRAL:
        if not fits_integer(value, target):
            _refuse(target)
        return int(value)
    if target.category == dtypes.COMPLEX:
        whole = complex(value)
        checked_float(whole.real, target)
        checked_float(whole.imag, target)
        return whole
    return checked_float(float(value), target)


def _holds_sizes(target: dtype) -> bool:
    """Whether an element type has room for every size, exactly or rounded."""
    return target is dtypes.int64 or (target.category == dtypes.FLOATING and target.itemsize >= 4)


def checked_for_filling(value: Any, target: dtype) -> Any:
    """The number as `full` and subscripts take it: one too large for a small float is infinite."""
    small = target.category == dtypes.FLOATING and target.itemsize < 4
    return checked(value, dtypes.float64 if small else target)


def repeats(value: Any, target: dtype) -> bool:
    """Whether loops over elements of a type take the number just as it was given."""
    if target.category == dtypes.INTEGRAL:
        return type(value) is int
    if target.category == dtypes.BOOLEAN:
        return type(value) is bool
    return target.category >= dtypes.FLOATING and type(value) in (int, float)


def given_type(value: Any, target: dtype) -> str | None:
    """The type in which a loop over elements of a type takes a number that fits, just as it was given.

    None if there is none.
    """
    if repeats(value, target):
        return promotion.compute_type(target)
    given = {int: "i64", float: "f64"}.get(type(value))
    is_word = given is not None and -(2.0**63) <= value < 2.0**63
    return given if is_word and target.category < dtypes.FLOATING else None


def checked_float(value: float, target: dtype) -> float:
    """A float, or a part of a complex number, that fits an element type."""
    if -FITS_ANY <= value <= FITS_ANY or math.isnan(value):
        return value
    if math.isinf(value) and target.to_real() not in _FINITE:
        return value
    if target.to_real() is not dtypes.float64 and abs(value) > dtypes.finfo(target).max:
        _refuse(target)
    return value


def fits_integer(value: float, target: dtype) -> bool:
    """Whether a number is in the range of an integer type; fractions count, NaN is in none.

    Negative whole numbers wrap around in unsigned types, as in C; those with fractions do not.
    """
    bits = 8 * target.itemsize
    most = (1 << bits - target.is_signed) - 1
    least = -most - 1 if target.is_signed else 0 if isinstance(value, float) else -most
    return least <= value <= most


def _refuse(target: dtype) -> NoReturn:
    name = _C_NAMES.get(target._name) or f"c10::{target._name.capitalize()}"
    raise RuntimeError(f"value cannot be converted to type {name} without overflow")


_FORMATS = {"uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint16": "H",
            "uint32": "I", "uint64": "Q", "float16": "e", "float32": "f", "float64": "d", "bool": "?"}  # fmt: skip


def read_element(tensor: Tensor, offset: int = 0) -> Any:
    """The Python number of one element, ``offset`` elements of storage after the first."""
    is_elsewhere = tensor._keys_ & keys.PYTHON and not tensor._storage_._ptr
    if (tensor._keys_ & keys.WRAPPED or is_elsewhere) and not offset:
        return operators.operator("_local_scalar_dense").call(tensor)
    return read_here(tensor, offset)


def read_here(tensor: Tensor, offset: int = 0) -> Any:
    """`read_element` of a tensor that no class and no transformation stands before."""
    trace = symbolic.trace()
    value = _read(tensor, offset) if trace is None else trace.answer()
    return steps.Element.note(tensor, value)


def has_no_elements(tensor: Tensor) -> bool:
    """Whether a tensor has a size and a type only."""
    return tensor._storage_.device.type == "meta"


def operand_of(tensor: Tensor) -> Any:
    """The number of one element where nothing but elements depends on it; any where there are none."""
    return 0 if has_no_elements(tensor) else read_element(tensor)


def _read_from_device(device: Any, address: int, nbytes: int) -> bytes:
    """Bytes of a device that a package has added."""
    memory = devices.memories.get(device.type)
    if memory is None:
        raise NoElements(f"Tensor.item() cannot be called on {device.type} tensors")
    steps.Unrepeatable.note()
    here = (ctypes.c_ubyte * nbytes)()
    memory.read(ctypes.addressof(here), address, nbytes)
    return bytes(here)


def _read(tensor: Tensor, offset: int) -> Any:
    kind = tensor._dtype_
    address = tensors.place_of(tensor) + offset * kind.itemsize
    if tensor._storage_._device_code == devices.cpu.code:
        data = ctypes.string_at(address, kind.itemsize)
    else:
        data = _read_from_device(tensor._storage_.device, address, kind.itemsize)
    letter = _FORMATS.get(kind._name)
    if letter is not None:
        return struct.unpack("<" + letter, data)[0]
    if kind.category == dtypes.COMPLEX:
        part = _FORMATS[kind.to_real()._name]
        return complex(*struct.unpack(f"<2{part}", data))
    if kind is dtypes.bfloat16:
        return struct.unpack("<f", b"\0\0" + data)[0]
    return _float8(kind, data[0])


def _float8(kind: dtype, bits: int) -> float:
    """The value of an 8-bit float: sign, exponent, mantissa, with each format's own specials."""
    wide = kind in (dtypes.float8_e5m2, dtypes.float8_e5m2fnuz)
    mantissa_bits = 2 if wide else 3
    zero_is_unsigned = kind in (dtypes.float8_e5m2fnuz, dtypes.float8_e4m3fnuz)
    bias = (16 if wide else 8) if zero_is_unsigned else (15 if wide else 7)
    sign = -1.0 if bits & 0x80 else 1.0
    exponent = (bits & 0x7F) >> mantissa_bits
    mantissa = bits & ((1 << mantissa_bits) - 1)
    if zero_is_unsigned and bits == 0x80:
        return math.nan
    if kind is dtypes.float8_e4m3fn and bits & 0x7F == 0x7F:
        return math.nan
    if kind is dtypes.float8_e5m2 and exponent == 31:
        return math.nan if mantissa else sign * math.inf
    if exponent == 0:
        return sign * mantissa * 2.0 ** (1 - bias - mantissa_bits)
    return sign * (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)

"""Type promotion: the element type in which operands of several types are combined."""

from __future__ import annotations

import functools
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects, state, symbolic
from rushlight.engine.core.dtype import BOOLEAN, COMPLEX, FLOATING, INTEGRAL, dtype
from rushlight.engine.core.tensor import Tensor

_WIDE_UNSIGNED = (dtypes.uint16, dtypes.uint32, dtypes.uint64)
_SIGNED_BY_SIZE = {1: dtypes.int8, 2: dtypes.int16, 4: dtypes.int32, 8: dtypes.int64}
_COMPLEX_BY_PART = {2: dtypes.complex32, 4: dtypes.complex64, 8: dtypes.complex128}


@functools.cache
def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest type of the smallest category that is not below either one."""
    if a is b:
        return a
    if dtypes.QUANTIZED in (a.category, b.category):
        raise RuntimeError(
            "promoteTypes with quantized numbers is not handled yet; figure out what the correct "
            f"rules should be, offending types: {_title(a)} {_title(b)}"
        )
    if a.category < b.category:
        a, b = b, a
    if a in dtypes.FLOAT8 or b in dtypes.FLOAT8:
        other = b if a in dtypes.FLOAT8 else a
        if other in dtypes.FLOAT8 or other.category >= FLOATING:
            raise RuntimeError(
                f"Promotion for Float8 Types is not supported, attempted to promote {_title(a)} "
                f"and {_title(b)}"
            )
        return a if a in dtypes.FLOAT8 else b
    if a.category == COMPLEX:
        part = max(a.itemsize // 2, _part_size(b))
        return _COMPLEX_BY_PART[part]
    if a.category == FLOATING:
        if b.category < FLOATING:
            return a
        if a.itemsize == b.itemsize:
            return dtypes.float32
        return a if a.itemsize > b.itemsize else b
    if b.category == BOOLEAN:
        return a
    return _promote_integers(a, b)


def _part_size(other: dtype) -> int:
    if other.category == COMPLEX:
        return other.itemsize // 2
    if other.category == FLOATING:
        return 4 if other is dtypes.bfloat16 else other.itemsize
    return 0


def _promote_integers(a: dtype, b: dtype) -> dtype:
    if a in _WIDE_UNSIGNED or b in _WIDE_UNSIGNED:
        raise RuntimeError(
            f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
            f"{_title(a)} and {_title(b)}"
        )
    if a.is_signed == b.is_signed:
        return a if a.itemsize > b.itemsize else b
    signed, unsigned = (a, b) if a.is_signed else (b, a)
    if signed.itemsize > unsigned.itemsize:
        return signed
    return _SIGNED_BY_SIZE[2 * unsigned.itemsize]


_TITLES = {"uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
           "float16": "Half", "float32": "Float", "float64": "Double", "complex32": "ComplexHalf",
           "complex64": "ComplexFloat", "complex128": "ComplexDouble", "bool": "Bool",
           "bfloat16": "BFloat16", "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64",
           "qint8": "QInt8", "quint8": "QUInt8", "qint32": "QInt32", "quint4x2": "QUInt4x2",
           "quint2x4": "QUInt2x4", "float8_e5m2": "Float8_e5m2", "float8_e4m3fn": "Float8_e4m3fn",
           "float8_e5m2fnuz": "Float8_e5m2fnuz", "float8_e4m3fnuz": "Float8_e4m3fnuz"}  # fmt: skip


def _title(d: dtype) -> str:
    """The name that messages about kernels use."""
    return _TITLES[d._name]


title = _title

_IN_C = {"float32": "float", "float64": "double", "int8": "signed char", "int16": "short int",
         "int32": "int", "int64": "long int", "uint8": "unsigned char", "bool": "bool",
         "float16": "c10::Half", "bfloat16": "c10::BFloat16", "complex32": "c10::complex<c10::Half>",
         "complex64": "c10::complex<float>", "complex128": "c10::complex<double>"}  # fmt: skip


def c_name(d: dtype) -> str:
    """The element's type in C, as other messages call it."""
    return _IN_C.get(d._name, d._name)


def number_dtype(value: Any) -> dtype:
    """The type that a plain number stands for."""
    if isinstance(value, (bool, symbolic.SymBool)):
        return dtypes.bool_
    if isinstance(value, (int, symbolic.SymInt)):
        return dtypes.int64
    if isinstance(value, (float, symbolic.SymFloat)):
        return state.default_dtype()
    if isinstance(value, complex):
        return dtypes.complex_for_default(state.default_dtype())
    raise TypeError(f"{type(value).__name__} is not a number")


def _number_like(found: dtype) -> dtype:
    """The type of a number that was made a tensor of this type."""
    if found.category == COMPLEX:
        return dtypes.complex_for_default(state.default_dtype())
    return state.default_dtype() if found.category == FLOATING else found


def _combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """``higher`` decides; ``lower`` counts only where its category is above."""
    if higher is None:
        return lower
    if lower is None or higher.category == COMPLEX:
        return higher
    if higher.category == FLOATING:
        return higher.to_complex() if lower.category == COMPLEX else higher
    if higher.category == BOOLEAN or lower.category >= FLOATING:
        return promote_types(higher, lower)
    return higher


def result_type(*operands: Any) -> dtype:
    """The type of an operation on tensors and numbers.

    Tensors with dimensions come first, then zero-dimensional ones, then plain numbers: a later
    group only matters if its category (bool, integer, float, complex) is higher.
    """
    sized: dtype | None = None
    scalar: dtype | None = None
    number: dtype | None = None
    for operand in operands:
        if isinstance(operand, Tensor):
            found = operand._dtype_
            if operand._flags_ & objects.WRAPPED_NUMBER:
                found = _number_like(found)
                number = found if number is None else promote_types(number, found)
            elif operand._size_:
                sized = found if sized is None else promote_types(sized, found)
            else:
                scalar = found if scalar is None else promote_types(scalar, found)
        else:
            found = number_dtype(operand)
            number = found if number is None else promote_types(number, found)
    result = _combine(sized, _combine(scalar, number))
    assert result is not None
    return result


def can_cast(source: dtype, target: dtype) -> bool:
    """Whether results of type ``source`` may be written to a tensor of type ``target``."""
    if source.category > target.category and source.category >= FLOATING:
        return False
    return not (source.category == INTEGRAL and target.category == BOOLEAN)


def to_float(d: dtype) -> dtype:
    """The type of a function with fractional results on elements of this type."""
    return d if d.category >= FLOATING else state.default_dtype()


_COMPUTE = {dtypes.float16: "f32", dtypes.bfloat16: "f32", dtypes.complex32: "c64"}
_COMPUTE |= dict.fromkeys(dtypes.FLOAT8, "f32")


def compute_type(d: dtype) -> str:
    """The kernel type in which elements of this type are computed with."""
    return _COMPUTE.get(d, d.memory)

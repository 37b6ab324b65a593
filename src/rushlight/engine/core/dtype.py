"""Data types: what the bits of one element mean."""

from __future__ import annotations

import builtins
import struct
from typing import Any, ClassVar

from rushlight.engine.core import state
from rushlight.engine.native.records import dataclass

_BY_CODE: list[dtype] = []


class dtype:
    """The type of a tensor's elements, such as ``float32``.

    There is one object per type; compare with ``is`` or ``==``. ``code`` is a small number that
    generated code compares, ``memory`` the name that the kernel compiler uses.
    """

    __slots__ = ("_name", "alias", "category", "code", "itemsize", "memory")

    _name: str
    code: int
    itemsize: int
    memory: str
    category: int

    def __init__(self) -> None:
        raise TypeError("cannot create 'rushlight.dtype' instances")

    @property
    def is_floating_point(self) -> bool:
        return self.category == FLOATING

    @property
    def is_complex(self) -> bool:
        return self.category == COMPLEX

    @property
    def is_signed(self) -> bool:
        if self.category == QUANTIZED:
            raise RuntimeError("isSignedType not supported for quantized types")
        return not (self.category == BOOLEAN or self._name.startswith("uint"))

    def to_real(self) -> dtype:
        """The type of a complex type's parts; any other type itself."""
        return _REAL.get(self, self)

    def to_complex(self) -> dtype:
        """The complex type whose parts have this type."""
        if self.category == COMPLEX:
            return self
        try:
            return _COMPLEX[self]
        except KeyError:
            raise RuntimeError(f"no complex type for {self}") from None

    @property
    def numbers(self) -> dtype:
        """The type of the numbers that stand for quantized elements; any other type itself."""
        return _NUMBERS.get(self, self)

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return named, (self._name,)

    def __copy__(self) -> dtype:
        return self

    def __deepcopy__(self, memo: Any) -> dtype:
        return self


# Categories of type promotion, lowest first.
BOOLEAN, INTEGRAL, FLOATING, COMPLEX = range(4)
# Takes no part in it: the elements are numbers of another type, and `core.quantized` says what they mean.
QUANTIZED = -1


def _make(name: str, memory: str, itemsize: int, category: int) -> dtype:
    made = object.__new__(dtype)
    made._name, made.memory, made.itemsize, made.category = name, memory, itemsize, category
    made.code = len(_BY_CODE)
    _BY_CODE.append(made)
    return made


# The order is PyTorch's: the position is the number that its files and schemas use.
uint8 = _make("uint8", "u8", 1, INTEGRAL)
int8 = _make("int8", "i8", 1, INTEGRAL)
int16 = _make("int16", "i16", 2, INTEGRAL)
int32 = _make("int32", "i32", 4, INTEGRAL)
int64 = _make("int64", "i64", 8, INTEGRAL)
float16 = _make("float16", "f16", 2, FLOATING)
float32 = _make("float32", "f32", 4, FLOATING)
float64 = _make("float64", "f64", 8, FLOATING)
complex32 = _make("complex32", "c32", 4, COMPLEX)
complex64 = _make("complex64", "c64", 8, COMPLEX)
complex128 = _make("complex128", "c128", 16, COMPLEX)
bool_ = _make("bool", "bool", 1, BOOLEAN)
bfloat16 = _make("bfloat16", "bf16", 2, FLOATING)
uint16 = _make("uint16", "u16", 2, INTEGRAL)
uint32 = _make("uint32", "u32", 4, INTEGRAL)
uint64 = _make("uint64", "u64", 8, INTEGRAL)
float8_e5m2 = _make("float8_e5m2", "f8e5m2", 1, FLOATING)
float8_e4m3fn = _make("float8_e4m3fn", "f8e4m3fn", 1, FLOATING)
float8_e5m2fnuz = _make("float8_e5m2fnuz", "f8e5m2fnuz", 1, FLOATING)
float8_e4m3fnuz = _make("float8_e4m3fnuz", "f8e4m3fnuz", 1, FLOATING)

ALL: tuple[dtype, ...] = tuple(_BY_CODE)
_NUMBERS = {
    _make("qint8", "i8", 1, QUANTIZED): int8,
    _make("quint8", "u8", 1, QUANTIZED): uint8,
    _make("qint32", "i32", 4, QUANTIZED): int32,
    _make("quint4x2", "u8", 1, QUANTIZED): uint8,
    _make("quint2x4", "u8", 1, QUANTIZED): uint8,
}
OF_QUANTIZED: tuple[dtype, ...] = tuple(_NUMBERS)
ALIASES = {
    "half": float16, "float": float32, "double": float64, "short": int16, "int": int32,
    "long": int64, "chalf": complex32, "cfloat": complex64, "cdouble": complex128,
}  # fmt: skip
BY_NAME: dict[str, dtype] = {d._name: d for d in (*ALL, *OF_QUANTIZED)} | ALIASES
BY_MEMORY: dict[str, dtype] = {d.memory: d for d in ALL}
# Python's own types, which may be given for element types.
OF_PYTHON: dict[type, dtype] = {
    builtins.float: float64, builtins.int: int64, builtins.bool: bool_, complex: complex128,
}  # fmt: skip
FLOAT8 = (float8_e5m2, float8_e4m3fn, float8_e5m2fnuz, float8_e4m3fnuz)
_REAL = {complex32: float16, complex64: float32, complex128: float64}
_COMPLEX = {real: made for made, real in _REAL.items()} | {bfloat16: complex64}


def named(name: str) -> dtype:
    """The type called so."""
    return BY_NAME[name]


def check_not_quantized(kind: dtype) -> None:
    """Raise for elements that mean nothing without a scale, where none can be given."""
    if kind.category == QUANTIZED:
        raise RuntimeError(
            f"a tensor of {kind} needs a scale and a zero point: `quantize_per_tensor` and "
            "`_empty_affine_quantized` make one"
        )


def as_dtype(value: Any) -> Any:
    """The element type that one of Python's own types stands for; anything else itself."""
    return OF_PYTHON.get(value, value) if isinstance(value, type) else value


def from_code(code: int) -> dtype:
    return _BY_CODE[code]


_DEFAULT_COMPLEX = {float16: complex32, float32: complex64, float64: complex128}


def complex_for_default(default: dtype) -> dtype:
    """The complex type that belongs to a default floating type."""
    return _DEFAULT_COMPLEX.get(default, complex64)


def set_default(dtype: Any) -> None:
    """Let tensors of floating point be of this type where nothing else is said."""
    if not isinstance(dtype, _dtype):
        raise TypeError(
            "invalid dtype object: only floating-point types are supported as the default type"
        )
    if not dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    state.set_default_dtype(dtype)


_dtype = dtype
state.set_default_dtype(float32)

# mantissa bits, least normal exponent, largest value, smallest subnormal exponent
_FLOAT_FACTS: dict[dtype, tuple[int, int, float]] = {
    float16: (10, -14, 65504.0),
    bfloat16: (7, -126, struct.unpack("<f", struct.pack("<I", 0x7F7F0000))[0]),
    float32: (23, -126, struct.unpack("<f", struct.pack("<I", 0x7F7FFFFF))[0]),
    float64: (52, -1022, 1.7976931348623157e308),
    float8_e5m2: (2, -14, 57344.0),
    float8_e4m3fn: (3, -6, 448.0),
    float8_e5m2fnuz: (2, -15, 57344.0),
    float8_e4m3fnuz: (3, -7, 240.0),
}
_RESOLUTION = {float16: 1e-3, bfloat16: 1e-2, float32: 1e-6, float64: 1e-15}


class _Limits:
    """Limits of an element type; made once for each."""

    dtype: str
    # Those that have been made, by the type.
    _made: ClassVar[dict[Any, Any]]

    def __init_subclass__(cls) -> None:
        cls._made = {}

    def __new__(cls, type: Any = None) -> Any:
        found = cls._made.get(type) if isinstance(type, dtype) else None
        if found is None:
            found = object.__new__(cls)
            found._find(type)
            if isinstance(type, dtype):
                cls._made[type] = found
        return found

    def _find(self, type: Any) -> None:
        """Set the fields to what holds of a type."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (next(kind for kind in ALL if kind._name == self.dtype),)


@dataclass(frozen=True, repr=False, init=False)
class finfo(_Limits):
    """Limits of a floating type; of a complex type's parts; of the default type without one."""

    bits: int
    eps: float
    max: float
    min: float
    tiny: float
    smallest_normal: float
    resolution: float
    dtype: str

    def _find(self, type: Any) -> None:
        if type is None:
            type = state.default_dtype()
        type = as_dtype(type)
        if not isinstance(type, dtype):
            raise TypeError(
                f"finfo(): argument 'type' must be torch.dtype, not {type.__class__.__name__}"
            )
        real = type.to_real()
        if real not in _FLOAT_FACTS:
            raise TypeError(
                f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                f"'{type!r}'"
            )
        mantissa, exponent, largest = _FLOAT_FACTS[real]
        self.__dict__.update(
            bits=real.itemsize * 8, eps=2.0**-mantissa, max=largest, min=-largest,
            tiny=2.0**exponent, smallest_normal=2.0**exponent,
            resolution=_RESOLUTION.get(real, 1.0), dtype=real._name,
        )  # fmt: skip

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )


@dataclass(frozen=True, repr=False, init=False)
class iinfo(_Limits):
    """Limits of an integer type."""

    bits: int
    max: int
    min: int
    dtype: str

    def _find(self, type: Any) -> None:
        type = as_dtype(type)
        if not isinstance(type, dtype):
            raise TypeError(
                f"iinfo(): argument 'type' must be torch.dtype, not {type.__class__.__name__}"
            )
        if type.category != INTEGRAL:
            raise TypeError(
                f"torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                f"'{type!r}'"
            )
        bits = type.itemsize * 8
        low, high = (
            (-(1 << bits - 1), (1 << bits - 1) - 1) if type.is_signed else (0, (1 << bits) - 1)
        )
        self.__dict__.update(bits=bits, max=high, min=low, dtype=type._name)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"

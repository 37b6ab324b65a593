"""Rounding, and taking numbers apart into whole and fractional parts or powers of two."""

from __future__ import annotations

from collections.abc import Callable

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import pointwise as calls
from rushlight.engine.core.dtype import BOOLEAN, COMPLEX, FLOATING, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import maths, promotion
from rushlight.engine.loops.expr import (
    Value,
    bitcast,
    ceil,
    const,
    convert,
    floor,
    rint,
    select,
    trunc,
)
from rushlight.engine.ops.kinds.pointwise import ALIKE, Args, int32, pointwise, same
from rushlight.engine.ops.kinds.views import composite, explicit


def _no_complex(name: str) -> Callable[[dtype, Args], None]:
    def check(common: dtype, args: Args) -> None:
        if common.category == COMPLEX:
            raise NotImplementedError(f"{name} is not supported for complex inputs")

    return check


def _of_floats(function: Callable[[Value], Value]) -> Callable[[Value], Value]:
    """Integers are whole already."""
    return lambda x: function(x) if x.is_float else x


WHOLE = "iuhf"
for _name, _function in (("floor", floor), ("ceil", ceil), ("trunc", trunc)):
    pointwise(
        _name, allowed=WHOLE, kernel=f"{_name}_vml_cpu", check=_no_complex(_name), exact=ALIKE
    )(_of_floats(_function))
pointwise("round", allowed=WHOLE, kernel="round_vml_cpu", exact=ALIKE)(_of_floats(rint))


@pointwise("round.decimals", allowed="hf", compiled=("decimals",))
def round_decimals(x: Value, decimals: int) -> Value:
    return maths.round_decimals(x, decimals)


@pointwise("frac", allowed="hf", exact=ALIKE)
def frac(x: Value) -> Value:
    return x - trunc(x)


def _check_frexp(common: dtype, args: Args) -> None:
    if common.category != FLOATING:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")


@pointwise("frexp.Tensor", allowed="hf", result=(same, int32), check=_check_frexp)
def frexp(x: Value) -> tuple[Value, Value]:
    return maths.frexp(x)


def _power_of_two(self: Tensor, other: Tensor) -> Tensor:
    """Two to the power of ``other``, in the type of the result."""
    floating = self._dtype_.category == FLOATING
    if floating and other._dtype_.category == BOOLEAN:
        raise NotImplementedError("\"ldexp_cpu_exp\" not implemented for 'Bool'")
    if floating and other._dtype_.category < FLOATING:
        other = copies.to_dtype(other, self._dtype_)
    elif floating and not other._size_:
        # A power without dimensions is as exact as what it multiplies.
        other = copies.to_dtype(other, promotion.promote_types(self._dtype_, other._dtype_))
    return calls.pow_Scalar(2.0, other)


@explicit("ldexp.Tensor")
def ldexp(self: Tensor, other: Tensor) -> Tensor:
    return calls.mul_Tensor(self, _power_of_two(self, other))


@explicit("ldexp_")
def ldexp_(self: Tensor, other: Tensor) -> Tensor:
    return calls.mul__Tensor(self, _power_of_two(self, other))


@composite("ldexp.out")
def ldexp_out(self: Tensor, other: Tensor, out: Tensor) -> Tensor:
    return calls.mul_out(self, _power_of_two(self, other), out)


@pointwise("nextafter", allowed="hf", raw=True)
def nextafter(x: Value, y: Value) -> Value:
    if x.type in ("f32", "f64"):
        return maths.nextafter(x, y)
    wide, target = convert(x, "f32"), convert(y, "f32")
    bits = bitcast(x, "i16")
    stepped = select((target > wide) == (wide > 0), bits + 1, bits - 1)
    smallest = select(target > 0, const("i16", 1), const("i16", -0x7FFF))
    stepped = select(wide == 0, smallest, stepped)
    stepped = select(wide == target, bitcast(y, "i16"), stepped)
    no_number = (wide != wide) | (target != target)
    return bitcast(select(no_number, const("i16", 0x7FFF), stepped), x.type)

"""Addition to division, powers, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import pointwise as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import BOOLEAN, COMPLEX, FLOATING, INTEGRAL, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import maths, promotion
from rushlight.engine.loops.expr import Complex, Value, as_complex, const, fma, select, trunc
from rushlight.engine.ops import answers
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.pointwise import ALIKE, Args, group, pointwise, rounded_to
from rushlight.engine.ops.kinds.views import composite, explicit

ARITHMETIC = "bihfck"


def check_alpha(common: dtype, alpha: Any) -> None:
    """The factor of one operand must be of the result's kind."""
    if isinstance(alpha, bool) and common.category != BOOLEAN:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and common.category < FLOATING:
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point number."
        )
    if isinstance(alpha, complex) and common.category != COMPLEX:
        raise RuntimeError(
            "For non-complex input tensors, argument alpha must not be a complex number."
        )


def _check_add(common: dtype, args: Args) -> None:
    check_alpha(common, args[2])


def _is_bool(x: Any) -> bool:
    return x._dtype_ is dtypes.bool_ if isinstance(x, Tensor) else isinstance(x, bool)


def check_sub(common: dtype, args: Args) -> None:
    first, second = (_is_bool(x) for x in args[:2])
    if first and second:
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` "
            "or `logical_xor()` operator instead."
        )
    if first or second:
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
            "trying to invert a mask, use the `~` or `logical_not()` operator instead."
        )
    check_alpha(common, args[2])


def _scaled(x: Any, alpha: Any) -> Any:
    """``alpha * x``, where an alpha of one was compiled in."""
    return x * alpha if isinstance(alpha, (Value, Complex)) else x


def _sum(a: Any, b: Any, factor: Any) -> Any:
    if not isinstance(factor, (Value, Complex)):
        return a + b
    if isinstance(factor, Value) and factor.is_float:
        return fma(b, factor, a)
    return a + b * factor


ADD = {
    "defaults": {"alpha": 1},
    "allowed": ARITHMETIC,
    "kernel": "add_stub",
    "rounded": True,
}


@pointwise("add.Tensor", "add.Scalar", check=_check_add, **ADD)
def add(a: Any, b: Any, alpha: Any) -> Any:
    if isinstance(a, Value) and a.is_bool:
        return a | (b & alpha if isinstance(alpha, Value) else b)
    return _sum(a, b, alpha)


@pointwise("sub.Tensor", "sub.Scalar", check=check_sub, **ADD)
def sub(a: Any, b: Any, alpha: Any) -> Any:
    return _sum(a, b, -alpha) if isinstance(alpha, (Value, Complex)) else a - b


@pointwise("rsub.Tensor", "rsub.Scalar", check=check_sub, **ADD)
def rsub(a: Any, b: Any, alpha: Any) -> Any:
    return b - _scaled(a, alpha)


@pointwise("mul.Tensor", "mul.Scalar", precise=("other",))
def mul(a: Any, b: Any) -> Any:
    return a & b if isinstance(a, Value) and a.is_bool else a * b


@pointwise("div.Tensor", "div.Scalar", promote="float", allowed="biuhfc", precise=("other",))
def div(a: Any, b: Any) -> Any:
    return a / b


# -- division with a rounded quotient --


def _inspect_divisor(common: dtype, args: Args) -> None:
    """Integers cannot be divided by zero: a number's sign is in the keys of calls."""
    if common.category != INTEGRAL:
        return
    divisor = args[1]
    if isinstance(divisor, Tensor):
        if tensors.is_computed(divisor) and not answers.are_all(divisor):
            raise RuntimeError("ZeroDivisionError")
    elif not divisor:
        raise RuntimeError("ZeroDivisionError")


def _check_mode(common: dtype, args: Args) -> None:
    if args[2] not in (None, "trunc", "floor"):
        raise RuntimeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
            f"'{args[2]}'"
        )
    if args[2] is not None and (common.category in (BOOLEAN, COMPLEX)):
        raise NotImplementedError(
            f"\"div_{args[2]}_cpu\" not implemented for '{promotion.title(common)}'"
        )


def _inspect_rounded(common: dtype, args: Args) -> None:
    if args[2] is not None:
        _inspect_divisor(common, args)


def _floor_quotient(a: Value, b: Value) -> Value:
    return (maths if a.is_float else maths.integers).floor_divide(a, b)  # type: ignore[attr-defined,no-any-return]


@pointwise(
    "div.Tensor_mode",
    "div.Scalar_mode",
    promote=lambda args: "float" if args[2] is None else "default",
    allowed="ihfc",
    kernel="div_cpu",
    check=_check_mode,
    inspect=_inspect_rounded,
    typed=True,
)
def div_rounded(kind: dtype, a: Any, b: Any, mode: str | None) -> Any:
    if mode is None:
        return a / b
    if mode == "floor":
        return _floor_quotient(a, b)
    if a.is_int:
        return maths.integers.truncated_divide(a, b)
    return trunc(rounded_to(kind, a / b))


DIVIDING = {"allowed": "ihf", "inspect": _inspect_divisor}


@pointwise("floor_divide", "floor_divide.Scalar", kernel="div_floor_cpu", **DIVIDING)
def floor_divide(a: Value, b: Value) -> Value:
    return _floor_quotient(a, b)


@pointwise("fmod.Tensor", "fmod.Scalar", rounded=True, **DIVIDING)
def fmod(a: Value, b: Value) -> Value:
    return maths.fmod(a, b) if a.is_float else maths.integers.truncated_remainder(a, b)


@pointwise(
    "remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor", rounded=True, **DIVIDING
)
def remainder(a: Value, b: Value) -> Value:
    return maths.remainder(a, b) if a.is_float else maths.integers.remainder(a, b)


@pointwise("gcd", allowed="i")
def gcd(a: Value, b: Value) -> Value:
    return maths.integers.gcd(a, b)


@pointwise("lcm", allowed="i")
def lcm(a: Value, b: Value) -> Value:
    return maths.integers.lcm(a, b)


# -- powers --


def _one(x: Any) -> Any:
    if isinstance(x, Complex):
        return as_complex(1, x)
    return const(x.type, 1)


def power(x: Any, y: Any) -> Any:
    """``x`` to the ``y`` in their common type."""
    if isinstance(x, Complex):
        return maths.complex_functions.pow(x, y)
    return maths.pow(x, y) if x.is_float else maths.integer_power(x, y)


@pointwise("pow.Tensor_Tensor", allowed="ihfc", kernel="pow")
def pow_tensors(x: Any, y: Any) -> Any:
    return power(x, y)


# Each of these has kernels of its own; those of 4 are for the cubes in its derivative.
_EASY = (0, 1, 2, 3, 4, -1, -2, 0.5, -0.5)


def _inspect_exponent(common: dtype, args: Args) -> None:
    if common.category == INTEGRAL and args[1] < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")


def _check_power(position: int, trivial: tuple[int, ...]) -> Callable[[dtype, Args], None]:
    """Powers that need no computing exist in every type, others only where `power` does."""

    def check(common: dtype, args: Args) -> None:
        if args[position] not in trivial and group(common) not in "ihfc":
            raise NotImplementedError(f"\"pow\" not implemented for '{promotion.title(common)}'")

    return check


@pointwise(
    "pow.Tensor_Scalar",
    defaults={"exponent": _EASY},
    check=_check_power(1, (0, 1)),
    rounded=True,
    inspect=_inspect_exponent,
)
def pow_scalar(x: Any, exponent: Any) -> Any:
    if isinstance(exponent, (Value, Complex)):
        return power(x, exponent)
    if isinstance(x, Complex):
        return _complex_power(x, exponent)
    return maths.power_by(x, exponent)


def _complex_power(z: Complex, exponent: float) -> Complex:
    if exponent == 0:
        return _one(z)
    result = {
        0.5: maths.complex_functions.sqrt,
        1: lambda z: z,
        2: lambda z: z * z,
        3: lambda z: z * z * z,
        4: lambda z: maths.complex_functions.pow(z, as_complex(4, z)),
    }[abs(exponent)](z)
    return 1 / result if exponent < 0 else result


@pointwise("pow.Scalar", defaults={"self": (1, 2)}, check=_check_power(0, (1,)), rounded=True)
def pow_of_scalar(base: Any, y: Any) -> Any:
    if base is True or (not isinstance(base, (Value, Complex)) and base == 1):
        return _one(y)
    if isinstance(base, (Value, Complex)):
        return power(base, y)
    if isinstance(y, Value) and y.is_float:
        return maths.exp2(y)
    if isinstance(y, Complex):
        return maths.complex_functions.exp2(y)
    return power(const(y.type, 2), y)


@composite("square")
def square(self: Tensor) -> Tensor:
    return calls.pow_Tensor_Scalar(self, 2)


@composite("square_")
def square_(self: Tensor) -> Tensor:
    return calls.pow__Scalar(self, 2)


@composite("square.out")
def square_out(self: Tensor, out: Tensor) -> Tensor:
    return calls.pow_Tensor_Scalar_out(self, 2, out)


def _widened(x: Any) -> tuple[Any, dtype]:
    """An operand of `float_power` in the widest type of its kind."""
    kind = promotion.result_type(x)
    wide = dtypes.complex128 if kind.category == COMPLEX else dtypes.float64
    if isinstance(x, Tensor):
        return copies._to_copy(x, wide), wide
    return complex(x) if wide is dtypes.complex128 else float(x), wide


def _float_power(base: Any, exponent: Any) -> Tensor:
    base, first = _widened(base)
    exponent, second = _widened(exponent)
    wide = promotion.promote_types(first, second)
    if not isinstance(base, Tensor):
        return calls.pow_Scalar(base, copies._to_copy(exponent, wide))
    base = copies._to_copy(base, wide)
    if not isinstance(exponent, Tensor):
        return calls.pow_Tensor_Scalar(base, exponent)
    return calls.pow_Tensor_Tensor(base, copies._to_copy(exponent, wide))


@composite("float_power.Tensor_Tensor", "float_power.Scalar", "float_power.Tensor_Scalar")
def float_power(base: Any, exponent: Any) -> Tensor:
    return _float_power(base, exponent)


@explicit(
    "float_power.Tensor_Tensor_out", "float_power.Scalar_out", "float_power.Tensor_Scalar_out"
)
def float_power_out(base: Any, exponent: Any, out: Tensor) -> Tensor:
    result = _float_power(base, exponent)
    if out._dtype_ is not result._dtype_:
        raise RuntimeError(
            f"the output given to float_power has dtype {promotion.title(out._dtype_)} but the "
            f"operation's result requires dtype {promotion.title(result._dtype_)}"
        )
    return outputs.copy_result(out, result)


@composite("float_power_.Scalar", "float_power_.Tensor")
def float_power_(base: Tensor, exponent: Any) -> Tensor:
    kind = promotion.result_type(base, exponent)
    wide = dtypes.complex128 if kind.category == COMPLEX else dtypes.float64
    if base._dtype_ is not wide:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {promotion.title(base._dtype_)} but the "
            f"operation's result requires dtype {promotion.title(wide)}"
        )
    if isinstance(exponent, Tensor):
        return calls.pow__Tensor(base, exponent)
    return calls.pow__Scalar(base, exponent)


# -- sums of products --


@pointwise("addcmul", defaults={"value": 1}, allowed="ihfck", kernel="addcmul_cpu_out")
def addcmul(a: Any, b: Any, c: Any, value: Any) -> Any:
    return a + _scaled(b, value) * c


def _check_addcdiv(common: dtype, args: Args) -> None:
    if promotion.result_type(args[1], args[2]).category < FLOATING:
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release "
            "addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv "
            "behavior can be implemented as (input + value * torch.trunc(tensor1 / "
            "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
            "tensor2) for float inputs. The future addcdiv behavior is just the latter "
            "implementation: (input + value * tensor1 / tensor2), for all dtypes."
        )


@pointwise(
    "addcdiv",
    defaults={"value": 1},
    allowed="hfc",
    kernel="addcdiv_cpu_out",
    check=_check_addcdiv,
)
def addcdiv(a: Any, b: Any, c: Any, value: Any) -> Any:
    return a + _scaled(b, value) / c


def _check_lerp(common: dtype, args: Args) -> None:
    for name, other in (("end", args[1]), ("weight", args[2])):
        if isinstance(other, Tensor) and other._dtype_ is not args[0]._dtype_:
            raise RuntimeError(
                f"expected dtype {promotion.c_name(args[0]._dtype_)} for `{name}` but got dtype "
                f"{promotion.c_name(other._dtype_)}"
            )


@pointwise("lerp.Scalar", allowed="hfc", kernel="lerp_kernel_scalar", check=_check_lerp)
@pointwise("lerp.Tensor", allowed="hfc", kernel="lerp_kernel_tensor", check=_check_lerp)
def lerp(start: Any, end: Any, weight: Any) -> Any:
    if isinstance(weight, Complex):
        small = weight.real * weight.real + weight.imag * weight.imag < 0.25
    else:
        small = abs(weight) < 0.5
    span = end - start
    return select(small, start + weight * span, end - span * (1 - weight))


# -- negation and absolute value --


def check_neg(common: dtype, args: Args) -> None:
    """Truth values have no negative."""
    if common is dtypes.bool_:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
            "invert a mask, use the `~` or `logical_not()` operator instead."
        )


@pointwise("neg", allowed="ihfck", check=check_neg, exact=ALIKE)
def neg(x: Any) -> Any:
    return -x


@composite("positive")
def positive(self: Tensor) -> Tensor:
    if self._dtype_ is dtypes.bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return steps.Same.note(self)

"""Comparisons, extremes and limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.core.dtype import BOOLEAN, COMPLEX, dtype
from rushlight.engine.loops.expr import Value, convert, isnan, select
from rushlight.engine.loops.expr import maximum as larger
from rushlight.engine.loops.expr import minimum as smaller
from rushlight.engine.ops.kinds.pointwise import ALIKE, Args, boolean, pointwise

ORDERED = {"result": boolean, "allowed": "bihf", "rounded": True}


def _as_number(x: Any) -> Any:
    """Truth values compare as the numbers 0 and 1."""
    return convert(x, "u8") if isinstance(x, Value) and x.is_bool else x


@pointwise("eq.Tensor", "eq.Scalar", result=boolean, rounded=True)
def eq(a: Any, b: Any) -> Any:
    return _as_number(a) == _as_number(b)


@pointwise("ne.Tensor", "ne.Scalar", result=boolean, rounded=True)
def ne(a: Any, b: Any) -> Any:
    return _as_number(a) != _as_number(b)


@pointwise("lt.Tensor", "lt.Scalar", **ORDERED)
def lt(a: Value, b: Value) -> Value:
    return _as_number(a) < _as_number(b)


@pointwise("le.Tensor", "le.Scalar", **ORDERED)
def le(a: Value, b: Value) -> Value:
    return _as_number(a) <= _as_number(b)


@pointwise("gt.Tensor", "gt.Scalar", **ORDERED)
def gt(a: Value, b: Value) -> Value:
    return _as_number(a) > _as_number(b)


@pointwise("ge.Tensor", "ge.Scalar", **ORDERED)
def ge(a: Value, b: Value) -> Value:
    return _as_number(a) >= _as_number(b)


# -- extremes --


def _no_complex(name: str) -> Callable[[dtype, Args], None]:
    def check(common: dtype, args: Args) -> None:
        if common.category == COMPLEX:
            raise RuntimeError(f"{name} not implemented for complex tensors.")

    return check


def highest(a: Any, b: Any) -> Any:
    """The larger one; NaN if either is NaN."""
    return a | b if a.is_bool else larger(a, b)


def lowest(a: Any, b: Any) -> Any:
    """The smaller one; NaN if either is NaN."""
    return a & b if a.is_bool else smaller(a, b)


@pointwise("maximum", allowed="bihf", check=_no_complex("maximum"))
def maximum(a: Value, b: Value) -> Value:
    return highest(a, b)


@pointwise("minimum", allowed="bihf", check=_no_complex("minimum"))
def minimum(a: Value, b: Value) -> Value:
    return lowest(a, b)


@pointwise("fmax", allowed="bihf", check=_no_complex("fmax"))
def fmax(a: Value, b: Value) -> Value:
    if not a.is_float:
        return highest(a, b)
    return select(isnan(b) | (a >= b), a, b)


@pointwise("fmin", allowed="bihf", check=_no_complex("fmin"))
def fmin(a: Value, b: Value) -> Value:
    if not a.is_float:
        return lowest(a, b)
    return select(isnan(b) | (a <= b), a, b)


# -- limits --


def _check_clamp(common: dtype, args: Args) -> None:
    if all(limit is None for limit in args[1:]):
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if common.category == COMPLEX:
        raise NotImplementedError("clamp is not supported for complex types")


CLAMP = {"allowed": "bihf", "check": _check_clamp, "rounded": True}
LOW = {**CLAMP, "kernel": "clamp_min_scalar_cpu"}
HIGH = {**CLAMP, "kernel": "clamp_max_scalar_cpu"}


def _check_both(common: dtype, args: Args) -> None:
    _check_clamp(common, args)
    if common.category == BOOLEAN and None not in args[1:]:
        raise NotImplementedError("\"clamp_cpu\" not implemented for 'Bool'")


BOTH = {**CLAMP, "kernel": "clamp_scalar_cpu", "check": _check_both}


# A limit that is a number comes first: of equal zeros the element's own stays, and one look at the number tells
# whether it is NaN.
@pointwise("clamp", exact=ALIKE, **BOTH)
def clamp(x: Any, low: Any, high: Any) -> Any:
    if low is not None:
        x = highest(low, x)
    return x if high is None else lowest(high, x)


@pointwise("clamp_min", exact=ALIKE, **LOW)
def clamp_min(x: Any, low: Any) -> Any:
    return highest(low, x)


@pointwise("clamp_max", exact=ALIKE, **HIGH)
def clamp_max(x: Any, high: Any) -> Any:
    return lowest(high, x)


@pointwise("clamp.Tensor", **BOTH)
def clamp_by_tensors(x: Any, low: Any, high: Any) -> Any:
    if low is not None:
        x = highest(x, low)
    return x if high is None else lowest(x, high)


@pointwise("clamp_min.Tensor", **LOW)
def clamp_min_by_tensor(x: Any, low: Any) -> Any:
    return highest(x, low)


@pointwise("clamp_max.Tensor", **HIGH)
def clamp_max_by_tensor(x: Any, high: Any) -> Any:
    return lowest(x, high)


def _check_heaviside(common: dtype, args: Args) -> None:
    if any(x._dtype_.category == COMPLEX for x in args):
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if args[0]._dtype_ is not args[1]._dtype_:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


@pointwise(
    "heaviside",
    allowed="bihf",
    check=_check_heaviside,
    exact="heaviside is not yet implemented for tensors with different dtypes.",
)
def heaviside(x: Any, at_zero: Any) -> Any:
    if x.is_bool:
        return x | at_zero
    step = convert(x > 0, x.type)
    return select(x == 0, at_zero, step)

"""Questions about single numbers: their sign, whether they are finite, whether they are listed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.engine.calls import pointwise as calls
from rushlight.engine.calls import reduction as reductions
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core.dtype import COMPLEX, FLOATING, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.loops.expr import BITS, Complex, Value, bitcast, const, convert, isnan, select
from rushlight.engine.loops.maths import complex_functions as on_complex
from rushlight.engine.ops import bridge
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.pointwise import ALIKE, Args, boolean, pointwise, real_part
from rushlight.engine.ops.kinds.views import cpu, meta


def truth(x: Any) -> Value:
    """Whether a number is not zero."""
    if isinstance(x, Complex):
        return (x.real != 0) | (x.imag != 0)
    return convert(x, "bool")


@pointwise("isnan", result=boolean)
def is_nan(x: Any) -> Value:
    return isnan(x)


@pointwise("isfinite", result=boolean, allowed="biuhfck", kernel="isfinite")
def isfinite(x: Any) -> Value:
    if isinstance(x, Complex):
        return isfinite(x.real) & isfinite(x.imag)
    return abs(x) < math.inf if x.is_float else const("bool", True)


@pointwise("isinf", result=boolean, allowed="biuhfck", kernel="isinf")
def isinf(x: Any) -> Value:
    if isinstance(x, Complex):
        return isinf(x.real) | isinf(x.imag)
    return abs(x) == math.inf if x.is_float else const("bool", False)


@pointwise("isreal", result=boolean)
def isreal(x: Any) -> Value:
    return x.imag == 0 if isinstance(x, Complex) else const("bool", True)


def _real_only(error: type[Exception], message: str) -> Callable[[dtype, Args], None]:
    def check(common: dtype, args: Args) -> None:
        if common.category == COMPLEX:
            raise error(message)

    return check


def _is(x: Value, infinity: float) -> Value:
    return x == infinity if x.is_float else const("bool", False)


@pointwise(
    "isposinf",
    result=boolean,
    allowed="biuhf",
    exact="isposinf does not support non-boolean outputs.",
    check=_real_only(RuntimeError, "isposinf does not support complex inputs."),
)
def isposinf(x: Value) -> Value:
    return _is(x, math.inf)


@pointwise(
    "isneginf",
    result=boolean,
    allowed="biuhf",
    exact="isneginf does not support non-boolean outputs.",
    check=_real_only(RuntimeError, "isneginf does not support complex inputs."),
)
def isneginf(x: Value) -> Value:
    return _is(x, -math.inf)


# -- signs --


def has_sign(x: Value) -> Value:
    """Whether the sign bit is set, also that of zeros and NaN."""
    if x.is_float:
        return bitcast(x, f"i{BITS[x.type]}") < 0
    return const("bool", False) if x.is_bool else x < 0


@pointwise(
    "signbit",
    result=boolean,
    allowed="biuhf",
    exact="signbit does not support non-boolean outputs.",
    check=_real_only(NotImplementedError, "signbit is not implemented for complex tensors."),
)
def signbit(x: Value) -> Value:
    return has_sign(x)


def _sign(x: Value) -> Value:
    return x if x.is_bool else convert(x > 0, x.type) - convert(x < 0, x.type)


@pointwise(
    "sign",
    allowed="bihf",
    exact=ALIKE,
    check=_real_only(
        NotImplementedError,
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
        "torch.sgn instead.",
    ),
)
def sign(x: Value) -> Value:
    return _sign(x)


@pointwise("sgn", allowed="bihfck", kernel="sign_cpu", exact=ALIKE)
def sgn(x: Any) -> Any:
    return on_complex.sgn(x) if isinstance(x, Complex) else _sign(x)


@pointwise("abs", result=real_part, allowed="ihfck8", exact=ALIKE)
def absolute(x: Any) -> Any:
    return on_complex.absolute(x) if isinstance(x, Complex) else abs(x)


def _angle_type(common: dtype, args: Args) -> dtype:
    return promotion.to_float(common).to_real()


@pointwise("angle", result=_angle_type, allowed="biuhfc")
def angle(x: Any) -> Any:
    if isinstance(x, Complex):
        return on_complex.angle(x)
    if not x.is_float:
        negative = const("bool", False) if x.is_bool else x < 0
        return select(negative, const("f64", math.pi), const("f64", 0))
    flat = select(x < 0, const(x.type, math.pi), const(x.type, 0))
    return select(isnan(x), x, flat)


@pointwise("copysign.Tensor", "copysign.Scalar", promote="float", allowed="biuhf")
def copysign(x: Value, sign: Value) -> Value:
    return select(has_sign(sign), -abs(x), abs(x))


# -- replacing what is not finite --


def _largest(kind: dtype) -> float:
    return dtypes.finfo(kind.to_real()).max


@pointwise(
    "nan_to_num",
    allowed="biuhfc",
    kernel="nan_to_num",
    typed=True,
    exact="nan_to_num: dtype of out: {given} should be same as input: {wanted}",
)
def nan_to_num(kind: dtype, x: Any, nan: Any, high: Any, low: Any) -> Any:
    if kind.category < FLOATING:
        return x
    if isinstance(x, Complex):
        real = [None if v is None else v.real for v in (nan, high, low)]
        return Complex(nan_to_num(kind, x.real, *real), nan_to_num(kind, x.imag, *real))
    nan = const(x.type, 0) if nan is None else nan
    high = const(x.type, _largest(kind)) if high is None else high
    low = const(x.type, -_largest(kind)) if low is None else low
    bounded = select(x == math.inf, high, select(x == -math.inf, low, x))
    return select(isnan(x), nan, bounded)


# -- membership --


def check_isin(elements: Any, tests: Any) -> dtype:
    for value in (elements, tests):
        if isinstance(value, Tensor) and (
            value._dtype_ is dtypes.bool_ or value._dtype_ in (dtypes.complex64, dtypes.complex128)
        ):
            raise RuntimeError(
                f"Unsupported input type encountered for isin(): {promotion.title(value._dtype_)}"
            )
    return promotion.result_type(elements, tests)


def _values(x: Any, kind: dtype) -> Any:
    """The elements as numpy sees them; bfloat16 as the floats they stand for."""
    if not isinstance(x, Tensor):
        return np.asarray(x)
    values = bridge.array(x)
    if x._dtype_ is dtypes.bfloat16:
        return (values.astype(np.uint32) << 16).view(np.float32)
    if x._dtype_ not in bridge.NUMPY:
        raise NotImplementedError(
            f"\"isin_default_cpu\" not implemented for '{promotion.title(x._dtype_)}'"
        )
    return values


# So many pairs are compared sooner than sorted.
_FEW = 1 << 12


def among(elements: Tensor, tests: Tensor, invert: bool) -> Tensor:
    """The answer by comparing every pair."""
    row = views.reshape(tests, (-1,))
    found = reductions.any_dim(calls.eq_Tensor(views.unsqueeze(elements, -1), row), -1)
    return calls.logical_not(found) if invert else found


@cpu("isin.Tensor_Tensor", "isin.Tensor_Scalar", "isin.Scalar_Tensor")
def isin(elements: Any, test_elements: Any, assume_unique: bool, invert: bool) -> Tensor:
    kind = check_isin(elements, test_elements)
    if isinstance(elements, Tensor) and isinstance(test_elements, Tensor):
        few = 0 < elements._numel_ * test_elements._numel_ <= _FEW
        if few and elements._dtype_ is test_elements._dtype_:
            return among(elements, test_elements, invert)
    found = np.isin(_values(elements, kind), _values(test_elements, kind), invert=invert)
    return bridge.tensor_over(np.ascontiguousarray(found).reshape(found.shape), dtypes.bool_)


@cpu("isin.Tensor_Tensor_out", "isin.Tensor_Scalar_out", "isin.Scalar_Tensor_out")
def isin_out(
    elements: Any, test_elements: Any, assume_unique: bool, invert: bool, out: Tensor
) -> Tensor:
    found = isin(elements, test_elements, assume_unique, invert)
    outputs.check_exact(out, found._dtype_)
    return outputs.copy_result(out, found)


@meta("isin.Tensor_Tensor", "isin.Tensor_Scalar", "isin.Scalar_Tensor")
def isin_meta(elements: Any, test_elements: Any, assume_unique: bool, invert: bool) -> Tensor:
    check_isin(elements, test_elements)
    shape = elements._size_ if isinstance(elements, Tensor) else ()
    device = outputs.common_device((elements, test_elements))
    return outputs.new_outputs([(shape, sizes.contiguous_strides(shape), dtypes.bool_)], device)  # type: ignore[no-any-return]


@meta("isin.Tensor_Tensor_out", "isin.Tensor_Scalar_out", "isin.Scalar_Tensor_out")
def isin_out_meta(
    elements: Any, test_elements: Any, assume_unique: bool, invert: bool, out: Tensor
) -> Tensor:
    found = isin_meta(elements, test_elements, assume_unique, invert)
    outputs.check_exact(out, found._dtype_)
    return outputs.copy_result(out, found)

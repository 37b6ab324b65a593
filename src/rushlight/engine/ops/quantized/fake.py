"""Rounding as if quantized: real numbers go in and come out, those that a quantized tensor could have.

The gradient passes where an element was not cut off; the learnable forms have one for the scale and
the zero point, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, pointwise, reduction
from rushlight.engine.calls import quantized as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import geometry, promotion
from rushlight.engine.loops.expr import Value, const, convert, rint, select
from rushlight.engine.loops.plan import Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.ops.kinds.elementwise import elementwise_loop
from rushlight.engine.ops.kinds.views import composite, cpu, explicit, meta
from rushlight.engine.ops.quantized.making import (
    extremes_of,
    item,
    numbers_in,
    suitable_scale,
)

# -- loops with several results --

_plans = PlanTable()
# No integer is so large: PyTorch's gradients take such quotients for the least one.
_TOO_LARGE = 9.2e18


def _produced(name: str, body: Any, kinds: Sequence[dtypes.dtype], operands: Sequence[Any]) -> Any:
    """New tensors of what a function makes of tensors and numbers, each in its own precision."""
    parts = [
        (t._flags_, t._size_, t._stride_) if isinstance(t, Tensor) else type(t) for t in operands
    ]
    key = name, tuple(kinds), *parts
    plan = _plans.get(key)
    if plan is None:
        plan = _plans[key] = _planned(name, body, kinds, operands)
    return steps.Produced.note(plan, operands, plan.produce(*operands))


def _planned(name: str, body: Any, kinds: Sequence[dtypes.dtype], operands: Sequence[Any]) -> Plan:
    first = operands[0]
    stride = geometry.output_strides(first._size_, [(first._size_, first._stride_)])
    templates = [Template(sizes.intern(first._size_), stride, kind) for kind in kinds]
    ins = [t._dtype_.memory if isinstance(t, Tensor) else "f64" for t in operands]
    params = [
        promotion.compute_type(t._dtype_) if isinstance(t, Tensor) else "f64" for t in operands
    ]
    outs = [kind.memory for kind in kinds]
    loop = elementwise_loop(
        body, templates, operands, outs, ins, params, identity=(name, tuple(kinds))
    )
    return Plan(loop, templates)


def _number(x: Value, scale: Value, zero: Value, whole_zero: bool = True) -> Value:
    """The number that an element is rounded to, before it is cut; as a real one of its precision.

    A zero point that is no whole number is added before.
    """
    single = convert(scale, "f32")
    inverse = convert(1.0 / single, x.type)
    if whole_zero:
        return convert(zero, x.type) + rint(x * inverse)
    return rint(convert(zero, x.type) + x * inverse)


def _inside(number: Value, low: Value, high: Value) -> Value:
    return (number >= low) & (number <= high)


def _cut(number: Value, low: Value, high: Value) -> Value:
    """A number cut to a range; what is no number is below it."""
    return select(number >= low, select(number <= high, number, high), low)


def _rounding(whole_zero: bool, channels: bool) -> Any:
    def round_and_mark(x: Value, scale: Value, zero: Value, low: Value, high: Value) -> Any:
        number = convert(_number(x, scale, zero, whole_zero), "f64")
        # As in PyTorch: of channels, a number too large for an integer is the least one, and the product
        # is one of double precision.
        cut = _cut(number, low, high)
        if channels:
            cut = select(number < const("f64", _TOO_LARGE), cut, low)
        product = "f64" if channels else "f32"
        from_zero = convert(cut - convert(zero, "f64"), product)
        value = from_zero * convert(convert(scale, "f32"), product)
        return convert(value, x.type), _inside(number, low, high)

    return round_and_mark


def _fake(self: Tensor, scale: Any, zero_point: Any, low: int, high: int) -> Any:
    channels = isinstance(scale, Tensor)
    whole = not isinstance(zero_point, Tensor) or zero_point._dtype_ is dtypes.int32
    kinds = self._dtype_, dtypes.bool_
    operands = self, scale, zero_point, float(low), float(high)
    return _produced(
        f"fake_quantize {whole} {channels}", _rounding(whole, channels), kinds, operands
    )


# -- one scale --


def _check_range(low: int, high: int, zero_point: int | None = None) -> None:
    if low > high:
        raise RuntimeError("`quant_min` should be less than or equal to `quant_max`.")
    if zero_point is not None and not low <= zero_point <= high:
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")


def _check_floating(self: Tensor, name: str) -> None:
    if self._dtype_ not in (dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16):
        given = promotion.title(self._dtype_)
        raise NotImplementedError(f"\"{name}\" not implemented for '{given}'")


@composite("fake_quantize_per_tensor_affine")
def per_tensor(self: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int) -> Any:
    return calls.fake_quantize_per_tensor_affine_cachemask(
        self, scale, zero_point, quant_min, quant_max
    )[0]


@composite("fake_quantize_per_tensor_affine.tensor_qparams")
def per_tensor_by_tensors(
    self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int
) -> Any:
    switch = creation.ones([1], dtype=dtypes.int64)
    return calls._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(
        self, scale, zero_point, switch, quant_min, quant_max
    )[0]


@cpu("fake_quantize_per_tensor_affine_cachemask")
def per_tensor_with_mask(
    self: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int
) -> Any:
    _check_range(quant_min, quant_max, zero_point)
    _check_floating(self, "fake_quantize_tensor_cachemask_kernel_type_handling")
    return _fake(self, float(scale), float(zero_point), quant_min, quant_max)


@cpu("_fake_quantize_per_tensor_affine_cachemask_tensor_qparams")
def per_tensor_by_tensors_with_mask(
    self: Tensor, scale: Tensor, zero_point: Tensor, fake_quant_enabled: Tensor, quant_min: int,
    quant_max: int,
) -> Any:  # fmt: skip
    _check_range(quant_min, quant_max)
    _check_floating(self, "fake_quantize_tensor_cachemask_kernel_type_handling")
    if not item(fake_quant_enabled):
        return copies.clone(self), creation.ones(self._size_, dtype=dtypes.bool_)
    return _fake(self, float(item(scale)), float(item(zero_point)), quant_min, quant_max)


def _alike(self: Tensor, *rest: Any) -> Any:
    """What a call gives without elements: a tensor like the first, and a mask."""
    device = self._storage_.device
    return tensors.empty(self._size_, self._dtype_, device), tensors.empty(
        self._size_, dtypes.bool_, device
    )


for _name in (
    "fake_quantize_per_tensor_affine_cachemask", "fake_quantize_per_channel_affine_cachemask",
    "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
):  # fmt: skip
    meta(_name)(_alike)


@explicit(
    "fake_quantize_per_tensor_affine_cachemask_backward",
    "fake_quantize_per_channel_affine_cachemask_backward",
)
def masked(grad: Tensor, mask: Tensor) -> Any:
    if mask._dtype_ is not dtypes.bool_:
        raise RuntimeError("mask must be boolean")
    if mask._size_ != grad._size_:
        raise RuntimeError("`mask` and `dY` are not the same size")
    return pointwise.mul_Tensor(grad, mask)


# -- a scale for each channel --


def _check_channels(self: Tensor, scale: Tensor, zero_point: Tensor, axis: int) -> None:
    if scale._dtype_ not in (dtypes.float32, dtypes.bfloat16, dtypes.float16):
        raise RuntimeError(f"Scale must be Float, found {promotion.title(scale._dtype_)}")
    if zero_point._dtype_ not in (dtypes.int32, dtypes.float32, dtypes.float16):
        raise RuntimeError(
            f"Zero-point must be Int32, Float or Half, found {promotion.title(zero_point._dtype_)}"
        )
    if len(scale._size_) != 1:
        raise RuntimeError("scale should be a 1-D tensor")
    if len(zero_point._size_) != 1:
        raise RuntimeError("zero point should be a 1-D tensor")
    if scale._numel_ != zero_point._numel_:
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    if not 0 <= axis <= len(self._size_):
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")
    if scale._numel_ != self._size_[axis]:
        raise RuntimeError(
            "dimensions of scale and zero-point are not consistent with input tensor"
        )


def _stretched(self: Tensor, values: Tensor, axis: int) -> Any:
    shape = [1] * len(self._size_)
    shape[axis] = -1
    return views.view(values, shape)


@composite("fake_quantize_per_channel_affine")
def per_channel(
    self: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Any:
    return calls.fake_quantize_per_channel_affine_cachemask(
        self, scale, zero_point, axis, quant_min, quant_max
    )[0]


@cpu("fake_quantize_per_channel_affine_cachemask")
def per_channel_with_mask(
    self: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Any:
    _check_channels(self, scale, zero_point, axis)
    _check_range(quant_min, quant_max)
    _check_floating(self, "fake_quantize_channel_cachemask_cpu_type_handling")
    scales, zeros = (_stretched(self, t, axis) for t in (scale, zero_point))
    return _fake(self, scales, zeros, quant_min, quant_max)


# -- learnable --


def _whole_zero(zero_point: Tensor, low: int, high: int, forward: bool) -> int:
    """The zero point as a number; PyTorch cuts it where gradients are taken, and rounds it before."""
    import numpy as np

    value = np.float32(item(zero_point))
    value = np.rint(value) if forward else value + np.float32(0.5)
    return int(min(max(value, low), high))


@cpu("_fake_quantize_learnable_per_tensor_affine")
def learnable_per_tensor(
    self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int,
    grad_factor: float,
) -> Any:  # fmt: skip
    zero = _whole_zero(zero_point, quant_min, quant_max, True)
    return per_tensor_with_mask(self, float(item(scale)), zero, quant_min, quant_max)[0]


@cpu("_fake_quantize_learnable_per_channel_affine")
def learnable_per_channel(
    self: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int,
    grad_factor: float,
) -> Any:  # fmt: skip
    zero = _rounded_zeros(zero_point, quant_min, quant_max)
    found = per_channel_with_mask(self, scale, zero, axis, quant_min, quant_max)
    return found[0]


def _rounded_zeros(zero_point: Tensor, low: int, high: int) -> Any:
    return copies.to_dtype(pointwise.clamp(pointwise.round(zero_point), low, high), dtypes.int32)


def _same_as_input(self: Tensor, *rest: Any) -> Any:
    return tensors.empty(self._size_, self._dtype_, self._storage_.device)


for _name in (
    "_fake_quantize_learnable_per_tensor_affine", "_fake_quantize_learnable_per_channel_affine",
):  # fmt: skip
    meta(_name)(_same_as_input)


def _learning(
    x: Value, grad: Value, scale: Value, zero: Value, low: Value, high: Value, factor: Value
) -> Any:
    """The gradients of one element: of itself, of the scale, of the zero point."""
    number = convert(_number(x, scale, zero), "f64")
    single = convert(scale, "f32")
    inverse = convert(1.0 / single, x.type)
    inside = _inside(number, low, high)
    zero_ = convert(zero, "f64")
    rounded = convert((_cut(number, low, high) - zero_) * convert(single, "f64"), "f32")
    nothing = const(x.type, 0.0)
    times = convert(convert(factor, "f32"), x.type)
    of_scale = grad * (convert(rounded, x.type) - x) * inverse * times
    above = (number > high) & (number < const("f64", _TOO_LARGE))
    edge = convert(select(above, high, low) - zero_, x.type)
    outside = grad * edge * times
    of_zero = grad * const(x.type, -1.0) * convert(single, x.type) * times
    return (
        select(inside, grad, nothing),
        select(inside, of_scale, outside),
        select(inside, nothing, of_zero),
    )


def _learned(
    self: Tensor, grad: Tensor, scale: Any, zero: Any, low: int, high: int, factor: float
) -> Any:
    kinds = [self._dtype_] * 3
    operands = self, grad, scale, zero, float(low), float(high), float(factor)
    return _produced("learnable", _learning, kinds, operands)


@cpu("_fake_quantize_learnable_per_tensor_affine_backward")
def learnable_per_tensor_backward(
    grad: Tensor, self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int,
    grad_factor: float,
) -> Any:  # fmt: skip
    zero = _whole_zero(zero_point, quant_min, quant_max, False)
    of_x, of_scale, of_zero = _learned(
        self, grad, float(item(scale)), float(zero), quant_min, quant_max, grad_factor
    )
    sums = (views.unsqueeze(reduction.sum(t), 0) for t in (of_scale, of_zero))
    return of_x, *sums


@cpu("_fake_quantize_learnable_per_channel_affine_backward")
def learnable_per_channel_backward(
    grad: Tensor, self: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int,
    quant_max: int, grad_factor: float,
) -> Any:  # fmt: skip
    zero = _rounded_zeros(zero_point, quant_min, quant_max)
    stretched = [_stretched(self, t, axis) for t in (scale, zero)]
    of_x, of_scale, of_zero = _learned(
        self, grad, stretched[0], stretched[1], quant_min, quant_max, grad_factor
    )
    others = [d for d in range(len(self._size_)) if d != axis]
    if not others:
        return of_x, of_scale, of_zero
    return of_x, *(reduction.sum_dim_IntList(t, others) for t in (of_scale, of_zero))


# -- watched and rounded in one --


@composite("fused_moving_avg_obs_fake_quant")
def observed_and_rounded(*args: Any) -> Any:
    self = args[0]
    if self._numel_ == 0:
        return copies.clone(self)
    return calls._fused_moving_avg_obs_fq_helper(*args)[0]


@cpu("_fused_moving_avg_obs_fq_helper")
def observed_and_rounded_with_mask(
    self: Tensor, observer_on: Tensor, fake_quant_on: Tensor, running_min: Tensor,
    running_max: Tensor, scale: Tensor, zero_point: Tensor, averaging_const: float, quant_min: int,
    quant_max: int, ch_axis: int, per_row_fake_quant: bool, symmetric_quant: bool,
) -> Any:  # fmt: skip
    if ch_axis >= len(self._size_):
        raise RuntimeError(
            "Error in fused_moving_avg_obs_fake_quant_cpu: ch_axis must be < self.dim()"
        )
    if item(observer_on):
        found = _observed(self, ch_axis, per_row_fake_quant)
        for running, now in zip((running_min, running_max), found):
            _move(running, now, averaging_const)
        _choose(running_min, running_max, scale, zero_point, quant_min, quant_max, symmetric_quant)
    if not per_row_fake_quant:
        return calls._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(
            self, scale, zero_point, fake_quant_on, quant_min, quant_max
        )
    if not item(fake_quant_on):
        return copies.clone(self), creation.ones(self._size_, dtype=dtypes.bool_)
    return calls.fake_quantize_per_channel_affine_cachemask(
        self, scale, zero_point, ch_axis, quant_min, quant_max
    )


def _observed(self: Tensor, axis: int, per_row: bool) -> tuple[list[float], list[float]]:
    """The least and the largest elements, of the whole tensor or of each channel."""
    if not per_row:
        least, most = extremes_of(self)
        return [least], [most]
    rows = views.reshape(views.transpose_int(self, 0, axis), (self._size_[axis], -1))
    least, most = reduction.aminmax(rows, dim=1)
    return numbers_in(least), numbers_in(most)


def _move(running: Tensor, now: list[float], share: float) -> None:
    """Bring running bounds nearer to those of now; the first ones are taken as they are."""
    import numpy as np

    from rushlight.engine.ops import bridge

    if running._numel_ != len(now):
        copies.resize_(running, (len(now),))
        copies.fill__Scalar(running, float("inf"))
    values, fresh = bridge.array(running), np.array(now, np.float32)
    flat = values.reshape(-1)
    with np.errstate(invalid="ignore"):
        moved = flat + np.float32(share) * (fresh - flat)
    new = np.where(np.isinf(flat), fresh, moved)
    values[...] = new.reshape(values.shape)
    tensors.bump_version(running)


def _choose(
    least: Tensor, most: Tensor, scale: Tensor, zero_point: Tensor, low: int, high: int,
    symmetric: bool,
) -> None:  # fmt: skip
    """Write the scales and zero points that suit running bounds."""
    from rushlight.engine.ops import bridge

    found = [
        suitable_scale(a, b, low, high, symmetric)
        for a, b in zip(numbers_in(least), numbers_in(most))
    ]
    for target, values in zip((scale, zero_point), zip(*found)):
        if target._numel_ != len(values):
            copies.resize_(target, (len(values),))
        array = bridge.array(target)
        array[...] = [*values] if array.ndim else values[0]
        tensors.bump_version(target)

"""Tensors of one value or of none, and unit matrices."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation as calls
from rushlight.engine.calls import sparse
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import size as sizes
from rushlight.engine.core import state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.symbolic import required
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import geometry, maths
from rushlight.engine.loops.expr import Complex, Value
from rushlight.engine.loops.plan import Plan
from rushlight.engine.loops.plans import PlanTable, notes_device_steps
from rushlight.engine.loops.promotion import compute_type, number_dtype, title
from rushlight.engine.ops import formats, numbers, unwritten
from rushlight.engine.ops.creation import constants
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import Constant, elementwise_loop, unchanged
from rushlight.engine.ops.kinds.pointwise import pointwise
from rushlight.engine.ops.kinds.views import explicit

_fill_plans = PlanTable()
_empty_plans = PlanTable()


def _checked_size(size: Any) -> tuple[int, ...]:
    for length in size:
        if not (length >= 0 if type(length) is int else required(length >= 0)):
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {length}: {list(size)}"
            )
    return tuple(size)


def check_layout(layout: Any) -> None:
    if layout is not None and layout is not layouts.strided:
        raise NotImplementedError(f"tensors of layout {layout} are not supported")


def _without_values(size: Any, dtype: Any, layout: Any, device: Any, name: str) -> Tensor:
    """A tensor of zeros in another layout; ``name`` is what messages call the function."""
    if layout in layouts.COMPRESSED:
        return _compressed_without_values(_checked_size(size), dtype, layout, device, name)
    if layout is not layouts.sparse_coo:
        check_layout(layout)
    return sparse._sparse_coo_tensor_with_dims(len(size), 0, size, dtype, layout, device)


def _compressed_without_values(
    size: tuple[int, ...], dtype: Any, layout: Any, device: Any, name: str
) -> Tensor:
    if len(size) < 2:
        raise RuntimeError(
            f"torch.{name}: Only batched sparse compressed (non-block) tensors are supported, but got "
            f"size {list(size)}"
        )
    if layout in layouts.BLOCKED:
        raise RuntimeError(
            f"{name}_sparse_compressed expected sparse compressed (non-block) tensor layout but got "
            f"{layouts.title(layout)}"
        )
    return sparse._sparse_compressed_tensor_with_dims(
        0, 0, size, (), dtypes.int64, dtype, layout, device
    )


def _is_planned_for(where: Any) -> bool:
    """Whether a plan of this thread makes such tensors: those of the host, or of the device that it plans for.

    A kernel of the host that runs for a device gets tensors there.
    """
    planner = state.thread.planner
    return where is devices.cpu or (planner is not None and devices.place(where) is planner.device)


def uninitialised(size: Any, dtype: Any, layout: Any, device: Any, stride: Any = None) -> Tensor:
    """An uninitialised tensor from the arguments of a factory."""
    if layout is not None and layout is not layouts.strided:
        return _without_values(size, dtype, layout, device, "empty")
    kind = dtype or state.default_dtype()
    where = device or state.default_device()
    shape = _checked_size(size)
    if _is_planned_for(where):
        plan = _empty_plans.get((shape, stride, kind))
        if plan is None:
            strides = sizes.contiguous_strides(shape) if stride is None else tuple(stride)
            template = Template(sizes.intern(shape), strides, kind)
            plan = _empty_plans[shape, stride, kind] = Plan(None, [template])
        return steps.Produced.note(plan, (), plan.produce())
    if stride is None:
        return tensors.empty(shape, kind, where)
    return tensors.empty_strided(shape, tuple(stride), kind, where)


def filled(size: Any, value: Any, dtype: Any, layout: Any, device: Any) -> Tensor:
    """A tensor of one value."""
    where = device or state.default_device()
    kind = dtype or state.default_dtype()
    shape = _checked_size(size)
    if not _is_planned_for(where) or layout is not None:
        if layout not in (None, layouts.strided):
            raise RuntimeError("full(...) is not implemented for sparse layout")
        return copies.fill__Scalar(uninitialised(shape, kind, layout, where), value)
    return filled_like(shape, sizes.contiguous_strides(shape), kind, value)


def filled_like(shape: tuple[int, ...], stride: tuple[int, ...], kind: Any, value: Any) -> Tensor:
    """A CPU tensor of one value with the given strides: a plan that takes the value at each run."""
    number = numbers.checked_for_filling(value, kind)
    key = (shape, stride, kind)
    plan = _fill_plans.get(key)
    if plan is None:
        template = Template(sizes.intern(shape), stride, kind)
        compute = compute_type(kind)
        loop = elementwise_loop(
            unchanged, [template], [number], [kind.memory], [compute], [compute],
            identity=unchanged,
        )  # fmt: skip
        plan = _fill_plans[key] = Plan(loop, [template])
    # a number that the plan cannot take as it was given is not remembered as the caller's
    given = value if type(value) is type(number) and value == number else number
    return steps.Produced.note(plan, (given,), plan.produce(number))


_constant_plans = PlanTable()


def constant(shape: Any, stride: Any, kind: Any, value: int, device: Any, layout: Any) -> Tensor:
    """A tensor of zeros or ones: a plan without any operand."""
    where = device or state.default_device()
    if layout not in (None, layouts.strided):
        if value:
            raise RuntimeError("full(...) is not implemented for sparse layout")
        return _without_values(shape, kind, layout, where, "zeros")
    if not _is_planned_for(where):
        return copies.fill__Scalar(uninitialised(shape, kind, layout, where, stride), value)
    key = (shape, stride, kind, value)
    plan = _constant_plans.get(key)
    if plan is None:
        template = Template(sizes.intern(_checked_size(shape)), stride, kind)
        compute = compute_type(kind)
        held = Constant(value, compute)
        loop = elementwise_loop(
            unchanged, [template], [held], [kind.memory], [compute], [compute], identity=unchanged
        )
        plan = _constant_plans[key] = Plan(loop, [template])
    return steps.Produced.note(plan, (), plan.produce())


@explicit("empty.memory_format")
@notes_device_steps
def empty(
    size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    stride = formats.strides_in(_checked_size(size), memory_format) if memory_format else None
    return unwritten.filled(uninitialised(size, dtype, layout, device, stride))


@explicit("empty_strided")
@notes_device_steps
def empty_strided(
    size: Any, stride: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    if stride and min(stride) < 0:
        raise sizes.too_many_bytes(size, stride)
    return unwritten.filled(uninitialised(size, dtype, layout, device, stride))


@explicit("empty_permuted")
@notes_device_steps
def empty_permuted(
    size: Any, physical_layout: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    if sorted(physical_layout) != list(range(len(size))):
        if len(physical_layout) != len(size):
            raise RuntimeError(
                f"Number of dimensions in size does not match the length of the physical_layout; "
                f"i.e. len(size) = {len(size)} is not equal to len(physical_layout) = "
                f"{len(physical_layout)}"
            )
        raise RuntimeError(f"invalid physical_layout {list(physical_layout)}")
    stride = geometry.dense_strides(_checked_size(size), list(reversed(physical_layout)))
    return unwritten.filled(uninitialised(size, dtype, layout, device, stride))


@explicit("empty_like")
@notes_device_steps
def empty_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    stride = formats.strides_like(self, memory_format)
    where = device or self._storage_.device
    return calls.empty_strided(
        self._size_, stride, dtype or self._dtype_, layout, where, pin_memory
    )


def _constant_of(size: Any, value: int, dtype: Any, layout: Any, device: Any) -> Tensor:
    shape = _checked_size(size)
    kind = dtype or state.default_dtype()
    return constant(shape, sizes.contiguous_strides(shape), kind, value, device, layout)


@explicit("zeros")
@notes_device_steps
def zeros(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    return _constant_of(size, 0, dtype, layout, device)


@explicit("_efficientzerotensor")
@notes_device_steps
def efficient_zeros(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    return _constant_of(size, 0, dtype, layout, device)


@explicit("ones")
@notes_device_steps
def ones(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    return _constant_of(size, 1, dtype, layout, device)


@explicit("full")
@notes_device_steps
def full(
    size: Any, fill_value: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    kind = dtype or number_dtype(fill_value)
    # Not even complex numbers of half precision: PyTorch's rule for this function alone.
    kind = dtypes.complex64 if kind is dtypes.complex32 and dtype is None else kind
    return filled(size, fill_value, kind, layout, device)


@explicit("scalar_tensor")
@notes_device_steps
def scalar_tensor(s: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    return filled((), s, dtype, layout, device)


@explicit("zeros_like")
@notes_device_steps
def zeros_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    return _constant_like(self, 0, dtype, layout, device, memory_format)


def _constant_like(
    self: Tensor, value: int, dtype: Any, layout: Any, device: Any, memory_format: Any
) -> Tensor:
    stride = formats.strides_like(self, memory_format)
    where = device or self._storage_.device
    return constant(self._size_, stride, dtype or self._dtype_, value, where, layout)


@explicit("ones_like")
@notes_device_steps
def ones_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    return _constant_like(self, 1, dtype, layout, device, memory_format)


@explicit("full_like")
@notes_device_steps
def full_like(
    self: Tensor,
    fill_value: Any,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    memory_format: Any,
) -> Tensor:
    made = empty_like(self, dtype, layout, device, pin_memory, memory_format)
    return copies.fill__Scalar(made, fill_value)


@explicit("new_empty")
@notes_device_steps
def new_empty(
    self: Tensor, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    where = device or self._storage_.device
    return calls.empty_memory_format(size, dtype or self._dtype_, layout, where, pin_memory, None)


@explicit("new_empty_strided")
@notes_device_steps
def new_empty_strided(
    self: Tensor, size: Any, stride: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    where = device or self._storage_.device
    return calls.empty_strided(size, stride, dtype or self._dtype_, layout, where, pin_memory)


@explicit("new_full")
@notes_device_steps
def new_full(
    self: Tensor, size: Any, fill_value: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    where = device or self._storage_.device
    return calls.full(size, fill_value, dtype or self._dtype_, layout, where, pin_memory)


@explicit("new_zeros")
@notes_device_steps
def new_zeros(
    self: Tensor, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    return calls.zeros(
        size, dtype or self._dtype_, layout, device or self._storage_.device, pin_memory
    )


@explicit("new_ones")
@notes_device_steps
def new_ones(
    self: Tensor, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    return calls.ones(
        size, dtype or self._dtype_, layout, device or self._storage_.device, pin_memory
    )


@explicit("eye")
def eye(n: int, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    return eye_m(n, n, dtype, layout, device, pin_memory)


@explicit("eye.m")
def eye_m(n: int, m: int, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    size = _checked_eye(n, m)
    return constants.remembered(lambda: eye_into(uninitialised(size, dtype, layout, device)))


def _checked_eye(n: int, m: int) -> tuple[int, int]:
    for name, value in (("n", n), ("m", m)):
        if value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    return n, m


def eye_into(out: Tensor) -> Tensor:
    copies.zero_(out)
    length = min(out._size_)
    diagonal = tensors.view_of(out, (length,), (sum(out._stride_),), out._offset_)
    steps.View.note(out, diagonal)
    copies.fill__Scalar(diagonal, 1)
    return out


@explicit("eye.out")
def eye_out(n: int, out: Tensor) -> Tensor:
    return eye_m_out(n, n, out)


@explicit("eye.m_out")
def eye_m_out(n: int, m: int, out: Tensor) -> Tensor:
    outputs.set_size(out, _checked_eye(n, m))
    with outputs.one_change(out):
        return eye_into(out)


@explicit("zeros.out")
def zeros_out(size: Any, out: Tensor) -> Tensor:
    outputs.set_size(out, tuple(size))
    return copies.zero_(out)


@explicit("ones.out")
def ones_out(size: Any, out: Tensor) -> Tensor:
    outputs.set_size(out, tuple(size))
    return copies.fill__Scalar(out, 1)


@explicit("full.out")
def full_out(size: Any, fill_value: Any, out: Tensor) -> Tensor:
    outputs.set_size(out, tuple(size))
    return copies.fill__Scalar(out, fill_value)


@explicit("empty.out")
def empty_out(size: Any, memory_format: Any, out: Tensor) -> Tensor:
    outputs.set_size(out, tuple(size))
    return unwritten.filled(out)


# -- complex numbers from parts --


def _check_parts(name: str) -> Any:
    def check(common: Any, args: Any) -> None:
        a, b = args
        allowed = (dtypes.float16, dtypes.float32, dtypes.float64)
        if a._dtype_ not in allowed or b._dtype_ not in allowed:
            raise RuntimeError(
                f"Expected both inputs to be Half, Float or Double tensors but got "
                f"{title(a._dtype_)} and {title(b._dtype_)}"
            )
        if a._dtype_ is not b._dtype_:
            raise RuntimeError(
                f"Expected object of scalar type {title(a._dtype_)} but got scalar type "
                f"{title(b._dtype_)} for second argument"
            )

    return check


def _complex_result(common: Any, args: Any) -> Any:
    return common.to_complex()


_EXACT = "Expected object of scalar type {wanted} but got scalar type {given} for argument 'out'"


@pointwise("complex", result=_complex_result, check=_check_parts("complex"), exact=_EXACT)
def complex_(real: Value, imag: Value) -> Any:
    return Complex(real, imag)


@pointwise("polar", result=_complex_result, check=_check_parts("polar"), exact=_EXACT)
def polar(length: Value, angle: Value) -> Any:
    return Complex(length * maths.cos(angle), length * maths.sin(angle))

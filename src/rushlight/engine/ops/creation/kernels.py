"""Factory operators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import size as sizes
from rushlight.engine.core import state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.generated.calls import copy as copies
from rushlight.engine.generated.calls import creation as calls
from rushlight.engine.generated.calls import sparse
from rushlight.engine.loops import geometry, maths
from rushlight.engine.loops.expr import Complex, Value, as_complex, const, convert, fma, select
from rushlight.engine.loops.maths import complex_functions
from rushlight.engine.loops.plan import Plan
from rushlight.engine.loops.plans import PlanTable, note_other, note_plan
from rushlight.engine.loops.promotion import compute_type, number_dtype, title
from rushlight.engine.ops import bridge, formats, numbers
from rushlight.engine.ops.creation import constants
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import Constant, elementwise_loop, unchanged
from rushlight.engine.ops.kinds.pointwise import pointwise
from rushlight.engine.ops.kinds.views import composite, explicit

_fill_plans = PlanTable()
_empty_plans = PlanTable()


def _checked_size(size: Any) -> tuple[int, ...]:
    for length in size:
        if length < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {length}: {list(size)}"
            )
    return tuple(size)


def _checked_layout(layout: Any) -> None:
    if layout is not None and layout is not layouts.strided:
        raise NotImplementedError(f"tensors of layout {layout} are not supported")


def _without_values(size: Any, dtype: Any, layout: Any, device: Any) -> Tensor:
    """A tensor of zeros in another layout."""
    if layout not in (layouts.sparse_coo, layouts.sparse_csr, layouts.sparse_csc):
        _checked_layout(layout)
    made = sparse._sparse_coo_tensor_with_dims(len(size), 0, size, dtype, layout, device)
    return made if layout is layouts.sparse_coo else sparse._to_sparse(made, layout)


def _new(size: Any, dtype: Any, layout: Any, device: Any, stride: Any = None) -> Tensor:
    """An uninitialised tensor from the arguments of a factory."""
    if layout is not None and layout is not layouts.strided:
        return _without_values(size, dtype, layout, device)
    kind = dtype or state.default_dtype()
    where = device or state.default_device()
    shape = _checked_size(size)
    if stride is None and where is devices.cpu:
        plan = _empty_plans.get((shape, kind))
        if plan is None:
            template = tensors.template_for(sizes.intern(shape), kind)
            plan = _empty_plans[shape, kind] = Plan(None, [template])
        return note_plan(plan, (), plan.produce())
    if stride is None:
        return tensors.empty(shape, kind, where)
    return tensors.empty_strided(shape, tuple(stride), kind, where)


def filled(size: Any, value: Any, dtype: Any, layout: Any, device: Any) -> Tensor:
    """A tensor of one value."""
    where = device or state.default_device()
    kind = dtype or state.default_dtype()
    shape = _checked_size(size)
    if where is not devices.cpu or layout is not None:
        if layout not in (None, layouts.strided):
            raise RuntimeError("full(...) is not implemented for sparse layout")
        return copies.fill__Scalar(_new(shape, kind, layout, where), value)
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
    return note_plan(plan, (given,), plan.produce(number))


_constant_plans = PlanTable()


def constant(shape: Any, stride: Any, kind: Any, value: int, device: Any, layout: Any) -> Tensor:
    """A tensor of zeros or ones: a plan without any operand."""
    where = device or state.default_device()
    if layout not in (None, layouts.strided):
        if value:
            raise RuntimeError("full(...) is not implemented for sparse layout")
        return _without_values(shape, kind, layout, where)
    if where is not devices.cpu:
        return copies.fill__Scalar(_new(shape, kind, layout, where, stride), value)
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
    return note_plan(plan, (), plan.produce())


@explicit("empty.memory_format")
def empty(
    size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    stride = formats.strides_in(_checked_size(size), memory_format) if memory_format else None
    return _new(size, dtype, layout, device, stride)


@explicit("empty_strided")
def empty_strided(
    size: Any, stride: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    return _new(size, dtype, layout, device, stride)


@explicit("empty_permuted")
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
    return _new(size, dtype, layout, device, stride)


@composite("empty_like")
def empty_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    stride = formats.strides_like(self, memory_format)
    where = device or self._storage.device
    return calls.empty_strided(self._size, stride, dtype or self._dtype, layout, where, pin_memory)


def _constant_of(size: Any, value: int, dtype: Any, layout: Any, device: Any) -> Tensor:
    shape = _checked_size(size)
    kind = dtype or state.default_dtype()
    return constant(shape, sizes.contiguous_strides(shape), kind, value, device, layout)


@explicit("zeros")
def zeros(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    return _constant_of(size, 0, dtype, layout, device)


@explicit("_efficientzerotensor")
def efficient_zeros(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    return _constant_of(size, 0, dtype, layout, device)


@explicit("ones")
def ones(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    return _constant_of(size, 1, dtype, layout, device)


@explicit("full")
def full(
    size: Any, fill_value: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    return filled(size, fill_value, dtype or number_dtype(fill_value), layout, device)


@explicit("scalar_tensor")
def scalar_tensor(s: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    return filled((), s, dtype, layout, device)


@explicit("zeros_like")
def zeros_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    return _constant_like(self, 0, dtype, layout, device, memory_format)


def _constant_like(
    self: Tensor, value: int, dtype: Any, layout: Any, device: Any, memory_format: Any
) -> Tensor:
    stride = formats.strides_like(self, memory_format)
    where = device or self._storage.device
    return constant(self._size, stride, dtype or self._dtype, value, where, layout)


@explicit("ones_like")
def ones_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    return _constant_like(self, 1, dtype, layout, device, memory_format)


@composite("full_like")
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


@composite("new_empty")
def new_empty(
    self: Tensor, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    where = device or self._storage.device
    return calls.empty_memory_format(size, dtype or self._dtype, layout, where, pin_memory, None)


@composite("new_empty_strided")
def new_empty_strided(
    self: Tensor, size: Any, stride: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    where = device or self._storage.device
    return calls.empty_strided(size, stride, dtype or self._dtype, layout, where, pin_memory)


@composite("new_full")
def new_full(
    self: Tensor, size: Any, fill_value: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    where = device or self._storage.device
    return calls.full(size, fill_value, dtype or self._dtype, layout, where, pin_memory)


@composite("new_zeros")
def new_zeros(
    self: Tensor, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    return calls.zeros(
        size, dtype or self._dtype, layout, device or self._storage.device, pin_memory
    )


@composite("new_ones")
def new_ones(
    self: Tensor, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    return calls.ones(
        size, dtype or self._dtype, layout, device or self._storage.device, pin_memory
    )


# -- sequences: a map over the index --

_index_loops = PlanTable()


def counting(out: Tensor, key: Any, body: Any, values: tuple[Any, ...], kind: str) -> Tensor:
    """Fill a tensor with ``body(index, *values)``; the numbers are of kernel type ``kind``.

    The index comes from memory: a kernel's elements do not know their position.
    """
    if not out._numel or out._storage._device_code != devices.cpu.code:
        return out
    index = positions(out._numel)
    loop = _index_loops.get((key, out._flags, out._size, out._stride))
    if loop is None:
        shaped = tensors.view_of(index, out._size, sizes.contiguous_strides(out._size), 0)
        loop = elementwise_loop(
            body, [out], [shaped, *values], [out._dtype.memory], ["i64"] + [kind] * len(values),
            ["i64"] + [kind] * len(values),
        )  # fmt: skip
        _index_loops[key, out._flags, out._size, out._stride] = loop
    note_other()
    loop.run(out, index, *values)
    tensors.bump_version(out)
    return out


_positions: list[Tensor] = []


def positions(count: int) -> Tensor:
    """The int64 numbers 0, 1, 2, … up to at least ``count``; the longest made so far is kept."""
    if not _positions or _positions[0]._numel < count:
        length = max(1 << (count - 1).bit_length(), 1024)
        _positions[:] = [bridge.tensor_of(np.arange(length))]
    return _positions[0]


def arange_length(start: Any, end: Any, step: Any, integral: bool) -> int:
    """How many elements an arange has, with PyTorch's checks."""
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not all(math.isfinite(x) for x in (start, end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (step > 0) != (end >= start) and end != start:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if integral:
        return max(-(-(end - start) // step), 0)
    return max(math.ceil((end - start) / step), 0)


def _whole(start: Any, end: Any, step: Any) -> tuple[int, int, int]:
    """The bounds of an arange of integers."""
    if 0 < abs(step) < 1:
        raise ValueError("step must be nonzero")
    return int(start), int(end), int(step)


def arange_into(out: Tensor, start: Any, end: Any, step: Any) -> Tensor:
    kind = out._dtype
    if kind.category == dtypes.COMPLEX or kind.category == dtypes.BOOLEAN:
        raise NotImplementedError(f"\"arange\" not implemented for '{title(kind)}'")
    integral = kind.category == dtypes.INTEGRAL
    if integral:
        start, end, step = _whole(start, end, step)
    length = arange_length(start, end, step, integral)
    if out._numel != length:
        outputs.resize_output(out, (length,))
    compute = "i64" if integral else ("f64" if kind is dtypes.float64 else "f32")

    def body(i: Value, first: Value, delta: Value) -> Any:
        return first + convert(i, compute) * delta

    return counting(out, ("arange", compute), body, (start, step), compute)


def _arange(start: Any, end: Any, step: Any, dtype: Any, layout: Any, device: Any) -> Tensor:
    if dtype is None:
        given = (start, end, step)
        dtype = dtypes.int64 if all(isinstance(x, int) for x in given) else state.default_dtype()
    where = device or state.default_device()
    if where is not devices.cpu or dtype.category not in (dtypes.INTEGRAL, dtypes.FLOATING):
        return arange_into(_new((0,), dtype, layout, device), start, end, step)
    _checked_layout(layout)
    key = (start, end, step, dtype, type(start), type(end), type(step))
    plan = _arange_plans.get(key)
    if plan is None:
        plan = _arange_plans[key] = _arange_plan(start, end, step, dtype)
    return note_plan(plan, (), plan.produce())


_arange_plans = PlanTable()


def _arange_plan(start: Any, end: Any, step: Any, kind: Any) -> Plan:
    """A plan that owns its bounds and the positions it counts."""
    integral = kind.category == dtypes.INTEGRAL
    if integral:
        start, end, step = _whole(start, end, step)
    length = arange_length(start, end, step, integral)
    template = tensors.template_for(sizes.intern((length,)), kind)
    if not length:
        return Plan(None, [template])
    compute = "i64" if integral else ("f64" if kind is dtypes.float64 else "f32")
    index = tensors.view_of(positions(length), (length,), (1,), 0)
    operands = [Constant(index, "i64"), Constant(start, compute), Constant(step, compute)]
    types = ["i64", compute, compute]

    def body(i: Value, first: Value, delta: Value) -> Any:
        return first + convert(i, compute) * delta

    identity = _arange_plan, compute
    loop = elementwise_loop(
        body, [template], operands, [kind.memory], types, types, identity=identity
    )
    return Plan(loop, [template])


@explicit("arange")
def arange(end: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    return _arange(0, end, 1, dtype, layout, device)


@explicit("arange.start")
def arange_from(
    start: Any, end: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    return _arange(start, end, 1, dtype, layout, device)


@explicit("arange.start_step")
def arange_by(
    start: Any, end: Any, step: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    return _arange(start, end, step, dtype, layout, device)


@explicit("arange.out")
def arange_out(end: Any, out: Tensor) -> Tensor:
    return arange_into(out, 0, end, 1)


@explicit("arange.start_out")
def arange_start_out(start: Any, end: Any, step: Any, out: Tensor) -> Tensor:
    return arange_into(out, start, end, step)


def range_into(out: Tensor, start: Any, end: Any, step: Any) -> Tensor:
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (step > 0) != (end >= start) and end != start:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    length = math.floor((end - start) / step) + 1
    outputs.resize_output(out, (length,))
    integral = out._dtype.category == dtypes.INTEGRAL
    compute = "i64" if integral else ("f64" if out._dtype is dtypes.float64 else "f32")
    values = (int(start), int(step)) if integral else (start, step)

    def body(i: Value, first: Value, delta: Value) -> Any:
        return first + convert(i, compute) * delta

    return counting(out, ("arange", compute), body, values, compute)


@explicit("range.step")
def range_by(
    start: Any, end: Any, step: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    return range_into(_new((0,), dtype, layout, device), start, end, step)


@explicit("range")
def range_from(
    start: Any, end: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    return range_into(_new((0,), dtype, layout, device), start, end, 1)


@explicit("range.out")
def range_out(start: Any, end: Any, step: Any, out: Tensor) -> Tensor:
    return range_into(out, start, end, step)


@explicit("range.out_")
def range_out_(start: Any, end: Any, out: Tensor) -> Tensor:
    return range_into(out, start, end, 1)


def _spaced_dtype(start: Any, end: Any, dtype: Any) -> Any:
    if dtype is not None:
        return dtype
    if isinstance(start, complex) or isinstance(end, complex):
        return dtypes.complex_for_default(state.default_dtype())
    return state.default_dtype()


def _number(x: Any) -> Any:
    return numbers.read_element(x) if isinstance(x, Tensor) else x


def linspace_into(out: Tensor, start: Any, end: Any, steps: int, base: float | None) -> Tensor:
    """Evenly spaced numbers, or powers of ``base`` with such exponents."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if out._numel != steps:
        outputs.resize_output(out, (steps,))
    if steps == 0:
        return out
    _check_bounds("linspace" if base is None else "logspace", start, end)
    start, end = _number(start), _number(end)
    kind = out._dtype
    integral = kind.category <= dtypes.INTEGRAL
    if integral:
        start, end = int(start), int(end)
    compute = {dtypes.float64: "f64", dtypes.complex128: "c128", dtypes.complex64: "c64"}.get(
        kind, "f64" if integral and base is None else "f32"
    )
    wide = complex if compute in ("c64", "c128") else float
    number: Any = np.float32 if compute == "f32" else wide
    step = wide((number(end) - number(start)) / number(steps - 1)) if steps > 1 else wide(0)
    evenly = _first_of_all if steps == 1 else _counted_from_the_nearer_end

    def body(i: Value, first: Any, last: Any, delta: Any, count: Any) -> Any:
        value = evenly(i, first, last, delta, count)
        return value if base is None else power_of(base, value)

    key = ("linspace", compute, base, steps == 1, integral)
    return counting(out, key, body, (start, end, step, float(steps)), compute)


def _check_bounds(name: str, start: Any, end: Any) -> None:
    if all(not isinstance(bound, Tensor) or not bound._size for bound in (start, end)):
        return
    raise RuntimeError(
        f"{name} only supports 0-dimensional start and end tensors, but got start with "
        f"{len(start._size) if isinstance(start, Tensor) else 0} dimension(s) and end with "
        f"{len(end._size) if isinstance(end, Tensor) else 0} dimension(s)."
    )


def _first_of_all(i: Value, first: Any, last: Any, delta: Any, count: Any) -> Any:
    return first


def _counted_from_the_nearer_end(i: Value, first: Any, last: Any, delta: Any, count: Any) -> Any:
    """The second half is counted back from the end, so that both ends are exact."""
    if isinstance(count, Complex):
        position, total = convert(i, count.real.type), count.real
        forward = first + delta * position
        backward = last - delta * (total - position - 1)
    else:
        position, total = convert(i, count.type), count
        forward = fma(delta, position, first)
        backward = fma(-delta, total - position - 1, last)
    return select(position + position + 1 < total, forward, backward)


def power_of(base: float, exponent: Any) -> Any:
    """A number to a real or complex power."""
    if isinstance(exponent, Complex):
        return complex_functions.pow(as_complex(base, exponent), exponent)
    return maths.pow(const(exponent.type, base), exponent)


def _register_spaced(name: str, with_base: bool) -> None:
    def make(start: Any, end: Any, steps: int, *rest: Any) -> Tensor:
        base, (dtype, layout, device, _) = (rest[0], rest[1:]) if with_base else (None, rest)
        kind = _spaced_dtype(start, end, dtype)

        def spaced() -> Tensor:
            made = _new((max(steps, 0),), kind, layout, device)
            return linspace_into(made, start, end, steps, base)

        if isinstance(start, Tensor) or isinstance(end, Tensor):
            return spaced()
        return constants.remembered(spaced)

    def fill(start: Any, end: Any, steps: int, *rest: Any) -> Tensor:
        return linspace_into(rest[-1], start, end, steps, rest[0] if with_base else None)

    for overload in ("", ".Tensor_Tensor", ".Tensor_Scalar", ".Scalar_Tensor"):
        explicit(name + overload)(make)
        explicit(f"{name}{overload}_out" if overload else f"{name}.out")(fill)


_register_spaced("linspace", False)
_register_spaced("logspace", True)


@composite("eye")
def eye(n: int, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    return eye_m(n, n, dtype, layout, device, pin_memory)


@composite("eye.m")
def eye_m(n: int, m: int, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    size = _checked_eye(n, m)
    return constants.remembered(lambda: eye_into(_new(size, dtype, layout, device)))


def _checked_eye(n: int, m: int) -> tuple[int, int]:
    for name, value in (("n", n), ("m", m)):
        if value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    return n, m


def eye_into(out: Tensor) -> Tensor:
    copies.zero_(out)
    length = min(out._size)
    diagonal = tensors.view_of(out, (length,), (sum(out._stride),), out._offset)
    copies.fill__Scalar(diagonal, 1)
    return out


@explicit("eye.out")
def eye_out(n: int, out: Tensor) -> Tensor:
    outputs.resize_output(out, _checked_eye(n, n))
    return eye_into(out)


@explicit("eye.m_out")
def eye_m_out(n: int, m: int, out: Tensor) -> Tensor:
    outputs.resize_output(out, _checked_eye(n, m))
    return eye_into(out)


@explicit("zeros.out")
def zeros_out(size: Any, out: Tensor) -> Tensor:
    outputs.resize_output(out, tuple(size))
    return copies.zero_(out)


@explicit("ones.out")
def ones_out(size: Any, out: Tensor) -> Tensor:
    outputs.resize_output(out, tuple(size))
    return copies.fill__Scalar(out, 1)


@explicit("full.out")
def full_out(size: Any, fill_value: Any, out: Tensor) -> Tensor:
    outputs.resize_output(out, tuple(size))
    return copies.fill__Scalar(out, fill_value)


@explicit("empty.out")
def empty_out(size: Any, memory_format: Any, out: Tensor) -> Tensor:
    outputs.resize_output(out, tuple(size))
    return out


# -- complex numbers from parts --


def _check_parts(name: str) -> Any:
    def check(common: Any, args: Any) -> None:
        a, b = args
        allowed = (dtypes.float16, dtypes.float32, dtypes.float64)
        if a._dtype not in allowed or b._dtype not in allowed:
            raise RuntimeError(
                f"Expected both inputs to be Half, Float or Double tensors but got "
                f"{title(a._dtype)} and {title(b._dtype)}"
            )
        if a._dtype is not b._dtype:
            raise RuntimeError(
                f"Expected object of scalar type {title(a._dtype)} but got scalar type "
                f"{title(b._dtype)} for second argument"
            )

    return check


def _complex_result(common: Any, args: Any) -> Any:
    return common.to_complex()


@pointwise("complex", result=_complex_result, check=_check_parts("complex"), exact=True)
def complex_(real: Value, imag: Value) -> Any:
    return Complex(real, imag)


@pointwise("polar", result=_complex_result, check=_check_parts("polar"), exact=True)
def polar(length: Value, angle: Value) -> Any:
    return Complex(length * maths.cos(angle), length * maths.sin(angle))

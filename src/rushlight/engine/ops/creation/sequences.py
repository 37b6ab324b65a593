"""Sequences: numbers at even distances, as maps over the index."""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import size as sizes
from rushlight.engine.core import state, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import maths
from rushlight.engine.loops.expr import Complex, Value, as_complex, const, convert, fma, select
from rushlight.engine.loops.placement import planned_for
from rushlight.engine.loops.plan import Chain, Plan
from rushlight.engine.loops.plans import PlanTable, notes_device_steps
from rushlight.engine.loops.promotion import c_name, can_cast, compute_type, title
from rushlight.engine.native.numpy_later import np
from rushlight.engine.ops import numbers
from rushlight.engine.ops.creation import constants
from rushlight.engine.ops.creation.factories import check_layout, uninitialised
from rushlight.engine.ops.creation.positions import by_position, counting_at, counting_loop, vector
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import Constant, elementwise_loop, unchanged
from rushlight.engine.ops.kinds.pinning import pinned
from rushlight.engine.ops.kinds.views import explicit

# Doubles hold whole numbers below this, and quotients of two of them are rounded up correctly.
_EXACT = 1 << 52

_position_loops = PlanTable()


def counting(out: Tensor, key: Any, body: Any, values: tuple[Any, ...], kind: str) -> Tensor:
    """Fill a tensor with ``body(index, *values)``; the numbers are of kernel type ``kind``."""
    with planned_for(out, "aten::arange"):
        return _counted(out, key, body, values, kind)


def _counted(out: Tensor, key: Any, body: Any, values: tuple[Any, ...], kind: str) -> Tensor:
    if not out._numel_ or not tensors.is_computed(out):
        return out
    signature = key, out._flags_, out._size_, out._stride_
    found = _position_loops.get(signature)
    if found is None:
        target = Template(out._size_, out._stride_, out._dtype_)
        chain, scratch = by_position(target, body, values, kind)
        found = _position_loops[signature] = chain, Plan(None, scratch)
    chain, room = found
    scratch = steps.Produced.note(room, (), room.produce())
    chain.run(out, scratch, *values)
    steps.Written.note(chain, (out, scratch, *values), 1)
    tensors.bump_version(out)
    return out


def arange_length(start: Any, end: Any, step: Any, integral: bool) -> int:
    """How many elements an arange has, with PyTorch's checks."""
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not all(type(x) in symbolic.INTEGERS or symbolic.is_finite(x) for x in (start, end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (step > 0) != (end >= start) and end != start:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if integral or all(
        type(x) in symbolic.INTEGERS and abs(x) < _EXACT for x in (start, end, step)
    ):
        return symbolic.maximum(-(-(end - start) // step), 0)
    return symbolic.maximum(math.ceil((end - start) / step), 0)


def _is_whole(number: Any) -> bool:
    return isinstance(number, int) or type(number) is symbolic.SymInt


def _whole(start: Any, end: Any, step: Any) -> tuple[int, int, int]:
    """The bounds of an arange of integers."""
    if 0 < abs(step) < 1:
        raise ValueError("step must be nonzero")
    return tuple(x if type(x) in symbolic.INTEGERS else int(x) for x in (start, end, step))  # type: ignore[return-value]


def arange_into(out: Tensor, start: Any, end: Any, step: Any) -> Tensor:
    kind = out._dtype_
    if kind.category == dtypes.COMPLEX or kind.category == dtypes.BOOLEAN:
        raise NotImplementedError(f"\"arange\" not implemented for '{title(kind)}'")
    integral = kind.category == dtypes.INTEGRAL
    if integral:
        start, end, step = _whole(start, end, step)
    length = arange_length(start, end, step, integral)
    if out._numel_ != length:
        if out._numel_:
            steps.warn(
                f"The number of elements in the out tensor of shape {list(out._size_)} is "
                f"{out._numel_} which does not match the computed number of elements {length}. Note "
                "that this may occur as a result of rounding error. The out tensor will be resized "
                f"to a tensor of shape ({length},).",
                stacklevel=2,
            )
        outputs.set_size(out, (length,))
    outputs.check_written_once(out)
    compute = "i64" if integral else ("f64" if kind is dtypes.float64 else "f32")

    def body(i: Value, first: Value, delta: Value) -> Any:
        return first + convert(i, compute) * delta

    return counting(out, ("arange", compute), body, (start, step), compute)


def _arange(start: Any, end: Any, step: Any, dtype: Any, layout: Any, device: Any) -> Tensor:
    if dtype is None:
        given = (start, end, step)
        dtype = dtypes.int64 if all(map(_is_whole, given)) else state.default_dtype()
    if not _is_planned(device) or dtype.category not in (dtypes.INTEGRAL, dtypes.FLOATING):
        return arange_into(uninitialised((0,), dtype, layout, device), start, end, step)
    check_layout(layout)
    has_floats = any(type(x) in symbolic.FLOATS for x in (start, end, step))
    if dtype.category == dtypes.FLOATING and has_floats:
        return _by_numbers(arange_length(start, end, step, False), start, step, dtype)
    key = (start, end, step, dtype, type(start), type(end), type(step))
    plan = _arange_plans.get(key)
    if plan is None:
        plan = _arange_plans[key] = _arange_plan(start, end, step, dtype)
    return steps.Produced.note(plan, (), plan.produce())


_arange_plans = PlanTable()


def _is_planned(device: Any) -> bool:
    """Whether numbers on a device are made by plans."""
    where = device or state.default_device()
    # Where loops are planned for another device than the host's, new tensors are there.
    return where is devices.cpu or state.thread.planner is not None


def _by_numbers(length: int, start: Any, step: Any, kind: Any) -> Tensor:
    """So many floating-point numbers, by a plan that is given the first one and the distance."""
    key = ("by numbers", length, kind, type(start), type(step))
    plan = _arange_plans.get(key)
    if plan is None:
        plan = _arange_plans[key] = _arange_of_numbers(length, start, step, kind)
    # The numbers are operands, and decide the length besides.
    steps.ByValue.note()
    return steps.Produced.note(plan, (start, step), plan.produce(start, step))  # type: ignore[no-any-return]


def _arange_plan(start: Any, end: Any, step: Any, kind: Any) -> Plan:
    """A plan that owns its bounds."""
    integral = kind.category == dtypes.INTEGRAL
    if integral:
        start, end, step = _whole(start, end, step)
    length = arange_length(start, end, step, integral)
    template = tensors.template_for(sizes.intern((length,)), kind)
    if not length:
        return Plan(None, [template])
    if kind is dtypes.int64:
        counted = counting_at(0, counting_loop(length, start, step))
        return Plan(Chain(1, [counted]), [template])
    if integral:
        chain, scratch = by_position(template, unchanged, (), "i64", unchanged, start, step)
        return Plan(chain, [template, *scratch], len(scratch))
    compute = "f64" if kind is dtypes.float64 else "f32"
    bounds = Constant(start, compute), Constant(step, compute)
    return _by_steps(template, bounds, compute)


def _by_steps(template: Template, bounds: tuple[Any, Any], compute: str) -> Plan:
    """The plan of floating-point numbers from a first one on, at a distance."""

    def body(i: Value, first: Value, delta: Value) -> Any:
        return first + convert(i, compute) * delta

    chain, scratch = by_position(template, body, bounds, compute, (_by_steps, compute))
    return Plan(chain, [template, *scratch], len(scratch))


def _arange_of_numbers(length: int, start: Any, step: Any, kind: Any) -> Plan:
    """A plan that is given the first number and the distance, and serves all that are so long."""
    template = tensors.template_for(sizes.intern((length,)), kind)
    if not length:
        return Plan(None, [template])
    return _by_steps(template, (start, step), "f64" if kind is dtypes.float64 else "f32")


@explicit("arange")
@notes_device_steps
def arange(end: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    return _arange(0, end, 1, dtype, layout, device)


@explicit("arange.start")
@notes_device_steps
def arange_from(
    start: Any, end: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    return _arange(start, end, 1, dtype, layout, device)


@explicit("arange.start_step")
@notes_device_steps
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


def _range_length(start: Any, end: Any, step: Any) -> int:
    """How many elements a range has, which may end with its bound."""
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (step > 0) != (end >= start) and end != start:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    return math.floor((end - start) / step) + 1


def _range(start: Any, end: Any, step: Any, kind: Any, layout: Any, device: Any) -> Tensor:
    kind = kind or state.default_dtype()
    if not _is_planned(device) or kind.category != dtypes.FLOATING:
        return range_into(uninitialised((0,), kind, layout, device), start, end, step)
    check_layout(layout)
    return _by_numbers(_range_length(start, end, step), start, step, kind)


def range_into(out: Tensor, start: Any, end: Any, step: Any) -> Tensor:
    outputs.set_size(out, (_range_length(start, end, step),))
    outputs.check_written_once(out)
    integral = out._dtype_.category == dtypes.INTEGRAL
    compute = "i64" if integral else ("f64" if out._dtype_ is dtypes.float64 else "f32")
    values = (int(start), int(step)) if integral else (start, step)

    def body(i: Value, first: Value, delta: Value) -> Any:
        return first + convert(i, compute) * delta

    return counting(out, ("arange", compute), body, values, compute)


@explicit("range.step")
def range_by(
    start: Any, end: Any, step: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    return _range(start, end, step, dtype, layout, device)


@explicit("range")
def range_from(
    start: Any, end: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    return _range(start, end, 1, dtype, layout, device)


@explicit("range.out")
def range_out(start: Any, end: Any, step: Any, out: Tensor) -> Tensor:
    return range_into(out, start, end, step)


@explicit("range.out_")
def range_out_(start: Any, end: Any, out: Tensor) -> Tensor:
    return range_into(out, start, end, 1)


def _spaced_dtype(name: str, start: Any, end: Any, dtype: Any) -> Any:
    if isinstance(start, complex) or isinstance(end, complex):
        found = dtypes.complex_for_default(state.default_dtype())
        if dtype is not None and not can_cast(found, dtype):
            raise RuntimeError(
                f"torch.{name}(): inferred dtype {c_name(found)} can't be safely cast to passed "
                f"dtype {title(dtype)}"
            )
        return dtype or found
    return dtype or state.default_dtype()


def _number(x: Any) -> Any:
    return numbers.operand_of(x) if isinstance(x, Tensor) else x


def linspace_into(out: Tensor, start: Any, end: Any, steps: int, base: float | None) -> Tensor:
    """Evenly spaced numbers, or powers of ``base`` with such exponents."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if out._numel_ != steps:
        outputs.set_size(out, (steps,))
    outputs.check_written_once(out)
    if steps == 0:
        return out
    _check_bounds("linspace" if base is None else "logspace", start, end)
    start, end = _number(start), _number(end)
    kind = out._dtype_
    if kind.category != dtypes.COMPLEX and complex in (type(start), type(end)):
        raise RuntimeError(f"value cannot be converted to type {c_name(kind)} without overflow")
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
    if all(not isinstance(bound, Tensor) or not bound._size_ for bound in (start, end)):
        return
    raise RuntimeError(
        f"{name} only supports 0-dimensional start and end tensors, but got start with "
        f"{len(start._size_) if isinstance(start, Tensor) else 0} dimension(s) and end with "
        f"{len(end._size_) if isinstance(end, Tensor) else 0} dimension(s)."
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
        return maths.complex_functions.pow(as_complex(base, exponent), exponent)
    return maths.pow(const(exponent.type, base), exponent)


# So many numbers at most are spaced by a plan that divides anew for each of them.
_FEW = 1 << 14
_spaced_plans = PlanTable()


def _is_bound(bound: Any) -> bool:
    """Whether a plan may take a bound as it is: a real number, or a tensor that holds one."""
    if not isinstance(bound, Tensor):
        return type(bound) in (int, float)
    is_real = bound._dtype_.category in (dtypes.INTEGRAL, dtypes.FLOATING)
    return not bound._size_ and bound._keys_ == key_bits.CPU and is_real


def _spaced_between(start: Any, end: Any, count: int, kind: Any, base: float | None) -> Tensor:
    """The same for few floating-point numbers, as a plan to which the bounds are given."""
    facts = [b._dtype_ if isinstance(b, Tensor) else type(b) for b in (start, end)]
    key = (count, kind, base, *facts)
    plan = _spaced_plans.get(key)
    if plan is None:
        plan = _spaced_plans[key] = _spacing(start, end, count, kind, base)
    return steps.Produced.note(  # type: ignore[no-any-return]
        plan, (start, end), plan.produce(start, end)
    )


def _spacing(start: Any, end: Any, count: int, kind: Any, base: float | None) -> Plan:
    compute = "f64" if kind is dtypes.float64 else "f32"

    def body(i: Value, first: Any, last: Any, total: Any) -> Any:
        first, last, total = (convert(x, compute) for x in (first, last, total))
        if count > 1:
            delta = (last - first) / (total - 1)
            first = _counted_from_the_nearer_end(i, first, last, delta, total)
        return first if base is None else power_of(base, first)

    template = tensors.template_for(sizes.intern((count,)), kind)
    if not count:
        return Plan(None, [template])
    place = vector(count)
    held = [b._dtype_.memory if isinstance(b, Tensor) else compute for b in (start, end)]
    loaded = [compute_type(b._dtype_) if isinstance(b, Tensor) else compute for b in (start, end)]
    loop = elementwise_loop(
        body, [template], [place, start, end, Constant(count, "i64")], [kind.memory],
        ["i64", *held, "i64"], ["i64", *loaded, "i64"],
        identity=(_spacing, compute, base, count > 1),
    )  # fmt: skip
    links = [counting_at(1, counting_loop(count)), (loop, [0, 1, 2, 3])]
    return Plan(Chain(4, links), [template, place], 1)


def _register_spaced(name: str, with_base: bool) -> None:
    def make(*args: Any) -> Tensor:
        made = unpinned(*args)
        return pinned(made) if args[-1] else made

    def unpinned(start: Any, end: Any, steps: int, *rest: Any) -> Tensor:
        base, (dtype, layout, device, _) = (rest[0], rest[1:]) if with_base else (None, rest)
        kind = _spaced_dtype(name, start, end, dtype)
        where = device or state.default_device()
        is_few = where is devices.cpu and 0 <= steps <= _FEW
        if is_few and kind.category == dtypes.FLOATING and _is_bound(start) and _is_bound(end):
            check_layout(layout)
            return _spaced_between(start, end, steps, kind, base)

        def spaced() -> Tensor:
            made = uninitialised((max(steps, 0),), kind, layout, device)
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

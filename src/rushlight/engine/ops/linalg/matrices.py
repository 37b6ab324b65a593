"""What LAPACK's operators have in common: checks, matrices stored by columns, errors."""

from __future__ import annotations

import ctypes
import inspect
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, objects, state, symbolic, wrapped
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import FLOATING, dtype
from rushlight.engine.core.errors import LinAlgError
from rushlight.engine.core.symbolic import SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.loops import geometry, promotion
from rushlight.engine.loops.placement import planning
from rushlight.engine.loops.plan import STATUS_WORDS, Loop
from rushlight.engine.native import lapack, threads
from rushlight.engine.native.lapack import Call, Number, Work
from rushlight.engine.ops import answers, bridge
from rushlight.engine.ops.copy import device_copies
from rushlight.engine.ops.creation.factories import uninitialised
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.planned import Kernel, Spec, planned
from rushlight.engine.ops.kinds.views import composite, explicit
from rushlight.engine.ops.linalg.device_routines import DeviceCall, place

Ints = tuple[int, ...]
LETTERS = {
    dtypes.float32: "s", dtypes.float64: "d", dtypes.complex64: "c", dtypes.complex128: "z",
}  # fmt: skip
REAL = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}
COMPLEX_OF = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}


# -- checks --


def check_matrix(name: str, x: Tensor, argument: str = "A") -> None:
    """At least two dimensions."""
    if len(x._size_) < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")


def check_square(name: str, x: Tensor, argument: str = "A") -> None:
    """Matrices with as many rows as columns."""
    check_matrix(name, x, argument)
    # A plain tuple: indexing a `Size` costs more.
    size = tuple(x._size_)
    if size[-1] != size[-2]:
        raise RuntimeError(
            f"{name}: {argument} must be batches of square matrices, but they are "
            f"{size[-2]} by {size[-1]} matrices"
        )


def check_floating(name: str, x: Tensor, low_precision: bool = True) -> None:
    """Real or complex numbers; the narrow types are refused by name where PyTorch does so."""
    if x._dtype_.category < FLOATING:
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got "
            f"{promotion.title(x._dtype_)}"
        )
    if not low_precision and x._dtype_ not in LETTERS:
        raise RuntimeError(
            f"{name}: Low precision dtypes not supported. Got {promotion.title(x._dtype_)}"
        )


def check_kernel(kernel: str, x: Tensor) -> None:
    """A type that LAPACK has routines for."""
    if x._dtype_ not in LETTERS:
        raise not_implemented(kernel, x._dtype_)


def check_same_type(name: str, a: Tensor, b: Tensor, names: str = "A") -> None:
    if a._dtype_ is not b._dtype_:
        raise RuntimeError(
            f"{name}: Expected {names} and B to have the same dtype, but found {names} of type "
            f"{promotion.title(a._dtype_)} and B of type {promotion.title(b._dtype_)} instead"
        )


def check_equation(name: str, a: Tensor, b: Tensor, left: bool) -> None:
    """The shapes of ``AX = B`` or ``XA = B``."""
    check_matrix(name, b, "B")
    if a._size_[-1] != b._size_[-2 if left else -1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation "
            f"{'AX = B' if left else 'XA = B'} ({a._size_[-2]}x{a._size_[-1]} and "
            f"{b._size_[-2]}x{b._size_[-1]})"
        )


def wants_gradient(x: Tensor) -> bool:
    """Whether derivatives with respect to the tensor will be asked for."""
    if state.thread.grad_enabled and bool(getattr(x, "requires_grad", False)):
        return True
    return x._autograd_ is not None and x._autograd_.tangent is not None


# -- storage by columns --


def batch_of(x: Tensor) -> Ints:
    return tuple(x._size_)[:-2]


def joined_batch(a: Tensor, b: Tensor) -> Ints:
    """The batch that two tensors of matrices broadcast to."""
    first, second = batch_of(a), batch_of(b)
    return first if first == second else tuple(geometry.broadcast_sizes(second, first))


def column_strides(size: Ints) -> Ints:
    """Strides of matrices stored by columns, one matrix after another."""
    turned = sizes.contiguous_strides((*size[:-2], size[-1], size[-2]))
    return (*turned[:-2], turned[-1], turned[-2])


def column_spec(size: Sequence[int], kind: dtype) -> Spec:
    """A result stored by columns."""
    return tuple(size), column_strides(tuple(size)), kind


def new_columns(size: Sequence[int], kind: dtype) -> Tensor:
    """A new uninitialised tensor of matrices stored by columns."""
    size = tuple(size)
    return uninitialised(size, kind, None, place(), column_strides(size))


def columns(x: Tensor, batch: Ints | None = None) -> Tensor:
    """A copy of matrices, stored by columns; a batch given is broadcast to."""
    own = tuple(x._size_)
    size = own if batch is None else (*batch, *own[-2:])
    made = new_columns(size, x._dtype_)
    if made._numel_:
        copies.copy_(made, x)
    return made


def read_columns(x: Tensor) -> Tensor:
    """Matrices stored by columns, copied only if they aren't already; only for reading."""
    return x if x._stride_ == column_strides(tuple(x._size_)) else columns(x)


def by_columns(x: Tensor, batch: Ints) -> tuple[Tensor, int]:
    """Matrices to be read over a batch, and the bytes from one to the next (0 for a single one)."""
    own = batch_of(x)
    if own == batch or math.prod(own) == 1:
        held = read_columns(x)
        return held, step(held) if own == batch else 0
    held = columns(x, batch)
    return held, step(held)


def step(x: Tensor, dims: int = 2) -> int:
    """Bytes from one matrix (or vector, with one dimension) to the next."""
    return math.prod(tuple(x._size_)[-dims:]) * x._dtype_.itemsize


def transposed(x: Tensor) -> Tensor:
    return views.transpose_int(x, -2, -1)


# -- calls --

address = tensors.data_pointer
_ARRAY_LETTERS = {"s": "f", "c": "f", "d": "d", "z": "d"}


def work(kind: dtype, length: int = 0) -> Work:
    """A work array of a routine's own type."""
    return Work(_ARRAY_LETTERS[LETTERS[kind]], 2 if kind.is_complex else 1, length)


def real_work(kind: dtype, length: int = 0) -> Work:
    """A work array of real numbers."""
    return Work(_ARRAY_LETTERS[LETTERS[kind]], 1, length)


def integer_work(length: int = 0) -> Work:
    return Work("q", 1, length)


def number(kind: dtype, value: float) -> Number:
    """A number of a routine's own type."""
    return Number(_ARRAY_LETTERS[LETTERS[kind]], (value, 0.0) if kind.is_complex else (value,))


def real_number(kind: dtype, value: float) -> Number:
    return Number(_ARRAY_LETTERS[LETTERS[kind]], (value,))


class TracedCall(Call):
    """A call whose sizes a program fills in: each is in a table of its own."""

    asks_each_time = True

    def __init__(self, *given: Any) -> None:
        self.tables: list[Any] = []
        super().__init__(*given)

    def place_of(self, argument: Any) -> Any:
        if not isinstance(argument, (int, SymInt)):
            return super().place_of(argument)
        self.tables.append(symbolic.words([argument]))
        return ctypes.addressof(self.tables[-1])


_COMPLEX_NAMES = {"orgqr": "ungqr", "ormqr": "unmqr", "syevd": "heevd"}


def call(
    name: str, kind: dtype, *arguments: Any, count: int, work: int, info: bool = True
) -> Call | DeviceCall:
    """A call of a routine without its type's letter; see `lapack.call`."""
    if kind.is_complex:
        name = _COMPLEX_NAMES.get(name, name)
    if place() is not devices.cpu:
        return DeviceCall(name, LETTERS[kind], kind, arguments)
    if symbolic.trace() is not None:
        most = threads.get_size()
        return TracedCall(LETTERS[kind] + name, arguments, count, work, info, most)
    return lapack.call(LETTERS[kind] + name, arguments, count, work, info)


def pivots_type() -> dtype:
    """The type of integers in LAPACK's arrays."""
    on_host = place() is devices.cpu
    return dtypes.int64 if on_host and lapack.integer_bytes() == 8 else dtypes.int32


def short(x: Tensor) -> Tensor:
    """Integers as the results have them."""
    return copies.to_dtype(x, dtypes.int32)


def wide(x: Tensor) -> Tensor:
    """Pivots as LAPACK reads them: contiguous, of its type."""
    return copies.contiguous(copies.to_dtype(x, pivots_type()))


def new(size: Sequence[int], kind: dtype) -> Tensor:
    """A new uninitialised tensor."""
    return uninitialised(tuple(size), kind, None, place())


def no_reports(batch: Ints) -> Tensor:
    """The reports of routines that needn't run."""
    return copies.fill__Scalar(new(batch, dtypes.int32), 0)


def run(
    call: Call | DeviceCall, batch: Ints, *matrices: Tensor, reads: Sequence[int] = ()
) -> Tensor:
    """Run a routine on matrices, in the order of its arguments; what it says of each of a batch.

    Args:
        reads: which of the matrices it only reads
    """
    if isinstance(call, DeviceCall):
        return call.run(batch, matrices)
    own = {id(matrices[k]): matrices[k] for k in range(len(matrices)) if k not in reads}
    others = {id(matrices[k]): matrices[k] for k in reads if id(matrices[k]) not in own}
    reports, room = new(batch, dtypes.int32), new((call.room,), dtypes.int64)
    operands = (*own.values(), reports, room, *others.values())
    order = [id(x) for x in operands]
    places = tuple(order.index(id(x)) for x in matrices)
    key = places, tuple(x._dtype_.itemsize for x in operands)
    found = call.known.get(key)
    if found is None:
        found = call.known[key] = _loop(call, places, len(own), operands)
    loop, status = found
    loop.run(*operands)
    steps.Written.note(loop, operands, len(own) + 1, status)
    for written in operands[: len(own) + 1]:
        tensors.bump_version(written)
    return reports


def _loop(call: Call, places: Ints, written: int, operands: Sequence[Tensor]) -> tuple[Loop, int]:
    """The loop that makes a call with such operands, and its status; the call's words come before them."""
    status = symbolic.words([0] * STATUS_WORDS) if call.asked else None
    failed = 0 if status is None else ctypes.addressof(status)
    own = tuple(place + 1 for place in places)
    words = symbolic.words(call.bound(own, written + 1, written + 2, failed))
    kinds = [(objects.TENSOR_OPERAND, x._dtype_.itemsize) for x in operands]
    count = len(operands)
    loop = Loop(
        lapack.module.address(lapack.lapack_loop), [1], [[0]] * (count + 1),
        [(objects.CONSTANT_OPERAND, 8), *kinds], 1, [], 0,
        [ctypes.addressof(words), *[0] * count], (words, status, call),
    )  # fmt: skip
    return loop, failed


# -- errors --


def _inversion(info: int) -> str:
    return (
        f"The diagonal element {info} is zero, the inversion could not be completed because the "
        f"input matrix is singular."
    )


def _cholesky(info: int) -> str:
    return (
        f"The factorization could not be completed because the input is not positive-definite "
        f"(the leading minor of order {info} is not positive-definite)."
    )


def _eigenvalues(info: int) -> str:
    return (
        f"The algorithm failed to converge because the input matrix is ill-conditioned or has too "
        f"many repeated eigenvalues (error code: {info})."
    )


def _singular_values(info: int) -> str:
    if info == -4:
        return (
            "The algorithm failed to converge because the input matrix contained non-finite values."
        )
    return (
        f"The algorithm failed to converge because the input matrix is ill-conditioned or has too "
        f"many repeated singular values (error code: {info})."
    )


def _least_squares(info: int) -> str:
    return (
        f"The least squares problem could not be solved because the input matrix does not have "
        f"full rank (error code: {info})."
    )


def _factors(info: int) -> str:
    return (
        f"U[{info},{info}] is zero and using it on lu_solve would result in a division by zero. If "
        f"you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
        f"linalg.lu_factor_ex(A, pivot)"
    )


def _solution(info: int) -> str:
    return "The solver failed because the input matrix is singular."


_MEANINGS: tuple[tuple[str, Callable[[int], str]], ...] = (
    ("inv", _inversion),
    ("cholesky_inverse", _inversion),
    ("cholesky", _cholesky),
    ("svd", _singular_values),
    ("eig", _eigenvalues),
    ("syevd", _eigenvalues),
    ("lstsq", _least_squares),
    ("lu_factor", _factors),
    ("solve", _solution),
)


def error_for(name: str, info: int, place: str) -> Exception:
    """The exception that a routine's report stands for."""
    short_name = name.rpartition(".")[2]
    for word, meaning in _MEANINGS:
        if short_name.startswith(word):
            kind = RuntimeError if meaning is _factors else LinAlgError
            return kind(f"{name}: {place}{meaning(info)}")
    return RuntimeError(f"{name}: {place}Unknown error code: {info}.")


def check_reports(info: Tensor, name: str) -> None:
    """Raise for the first matrix whose routine failed."""
    on_device = bool(info._keys_ & keys.CUDA)
    if info._storage_._device_code != 0 and not on_device:
        return
    if info._dtype_ is not dtypes.int32:
        raise RuntimeError(f"infos must be int32, not {info._dtype_}")
    if on_device or answers.is_any(info):
        info = wrapped.bottom_of(info)
        with planning(None):
            found = bridge.array(device_copies.to_host(info) if on_device else info).reshape(-1)
        if not found.any():
            return
        position = int(found.nonzero()[0][0])
        place = f"(Batch element {position}): " if info._size_ else ""
        raise error_for(name, int(found[position]), place)


@composite("_linalg_check_errors")
def check_errors(info: Tensor, api_name: str, is_matrix: bool) -> None:
    check_reports(info, api_name)


# -- out= forms --


def planned_by_columns(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`planned`, for operators that lay out their empty outputs by columns."""

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        planned(name)(rule)
        operators.when_needed(name, partial(_lay_out_empty_outs, name, rule))
        return rule

    return decorate


def _lay_out_empty_outs(name: str, rule: Callable[..., Any]) -> None:
    for op in outputs.variants(operators.operator(name))[1]:
        _lay_out_empty(op, rule)


def _lay_out_empty(op: Operator, rule: Callable[..., Any]) -> None:
    kernel = Kernel(op, rule, False, False)
    count = len(kernel.names)

    def written(*args: Any) -> Any:
        result = kernel.out(*args)
        for target, (size, stride, _) in zip(args[count:], rule(*args[:count]).specs):
            if not target._numel_:
                tensors.set_geometry(target, size, stride)
        return result

    operators.register_kernel(op.full_name, "CPU", written)


def with_outs(
    name: str, *out_names: str, exact: bool = False, label: str = "", is_step: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a composite function and its ``out=`` forms, which copy the results.

    Args:
        out_names: the overloads; by default the one that is called ``out``
        exact: the outputs must have the results' own types, and no argument may want a gradient
        label: who complains about an output's type, with PyTorch's words for that
        is_step: whether it has a gradient formula of its own
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        (explicit if is_step else composite)(name)(function)
        base = name.partition(".")[0]
        for out_name in out_names or ("out",):
            # What writes to the output itself loses histories, and so refuses them.
            written = _written(function, exact, label)
            (explicit if exact else composite)(f"{base}.{out_name}")(written)
        return function

    return decorate


def _written(function: Callable[..., Any], exact: bool, label: str) -> Callable[..., Any]:
    count = len(inspect.signature(function).parameters)

    def written(*args: Any) -> Any:
        given, outs = args[:count], args[count:]
        results = function(*given)
        results = results if isinstance(results, tuple) else (results,)
        for out, result in zip(outs, results):
            check_out_type(out, result._dtype_, exact, label)
        for out, result in zip(outs, results):
            copy_out(out, result)
        return outs[0] if len(outs) == 1 else tuple(outs)

    return written


def check_out_type(out: Tensor, result: dtype, exact: bool, label: str = "") -> None:
    if exact:
        outputs.check_exact(out, result)
    if label and not promotion.can_cast(result, out._dtype_):
        raise RuntimeError(
            f"{label}: Expected result to be safely castable from {promotion.title(result)} dtype, "
            f"but got result with dtype {promotion.title(out._dtype_)}"
        )


def copy_out(out: Tensor, result: Tensor) -> None:
    """Write one result to an ``out=`` tensor."""
    outputs.common_device((out, result))
    outputs.check_cast(result._dtype_, out._dtype_)
    outputs.resize_output(out, tuple(result._size_))
    outputs.check_written_once(out)
    copies.copy_(out, result)

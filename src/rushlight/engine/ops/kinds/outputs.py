"""What functional, in-place and ``out=`` variants of an operator have in common.

An operator is a rule that says what its outputs look like and a loop that fills them. The three
variants differ only in where the outputs come from and in what is checked before they are written.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import keys, state
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Schema
from rushlight.engine.loops import geometry, promotion


def variants(op: Operator) -> tuple[list[Operator], list[Operator]]:
    """The in-place and the ``out=`` overloads with the same arguments as a functional one."""
    wanted = _signature(op.schema)
    inplace: list[Operator] = []
    out: list[Operator] = []
    for name, found in ((op.packet_name + "_", inplace), (op.packet_name, out)):
        for other in operators.overloads(f"{op.namespace}::{name}"):
            kind = other.schema.kind
            if other is not op and _signature(other.schema) == wanted and kind != "functional":
                found.append(other)
    return inplace, out


def functional_of(op: Operator) -> Operator | None:
    """The functional overload with the arguments of an ``out=`` one."""
    wanted = _signature(op.schema)
    for other in operators.overloads(f"{op.namespace}::{op.packet_name}"):
        if other.schema.kind == "functional" and _signature(other.schema) == wanted:
            return other
    return None


def _signature(schema: Schema) -> tuple[tuple[str, str], ...]:
    outs = schema.out_arguments
    return tuple((a.name, a.type.plain) for a in schema.arguments if a not in outs)


def common_device(operands: Iterable[Any]) -> devices.device:
    """The device of the result; CPU tensors without dimensions go along with any."""
    found: Tensor | None = None
    for operand in operands:
        if not isinstance(operand, Tensor):
            continue
        if found is None or (not found._size_ and found._storage_._device_code == 0):
            found = operand
            continue
        if operand._storage_._device_code == found._storage_._device_code:
            continue
        here, there = operand._storage_.device, found._storage_.device
        if operand._size_ or here.type != "cpu":
            raise devices.differ(there, here)
    return found._storage_.device if found is not None else devices.cpu


def check_cast(result: dtype, target: dtype) -> None:
    """A result may be written only to a type that can hold its category."""
    if not promotion.can_cast(result, target):
        raise RuntimeError(
            f"result type {promotion.title(result)} can't be cast to the desired output type "
            f"{promotion.title(target)}"
        )


def check_written_once(out: Tensor) -> None:
    """An output must not reach one element through two indices, as expanded tensors do."""
    if geometry.may_overlap_itself(out._size_, out._stride_):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation."
        )


def warn_if_expanded(target: Tensor, name: str, example: str) -> None:
    """Warn of a change that meets one element of its target through several indices."""
    if any(stride == 0 and size > 1 for size, stride in zip(target._size_, target._stride_)):
        steps.warn(
            f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before "
            "performing this operation. This also applies to advanced indexing e.g. "
            f"tensor[{example}",
            stacklevel=2,
        )


def check_no_partial_overlap(out: Tensor, inputs: Iterable[Any]) -> None:
    """An output may be one of the inputs, but not share only part of its memory."""
    for other in inputs:
        if not isinstance(other, Tensor) or other is out or other._storage_ is not out._storage_:
            continue
        if not out._numel_ or not other._numel_:
            continue
        if not sizes.is_dense(out._size_, out._stride_) or not sizes.is_dense(
            other._size_, other._stride_
        ):
            continue
        first, second = tensors.place_of(out), tensors.place_of(other)
        length, other_length = (t._numel_ * t._dtype_.itemsize for t in (out, other))
        if first == second and length == other_length and out._stride_ == other._stride_:
            continue
        if first < second + other_length and second < first + length:
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to "
                "tensor refer to a single memory location. Please clone() the tensor before "
                "performing the operation."
            )


def check_inplace(out: Tensor, size: tuple[int, ...], result: dtype) -> None:
    """The result of an in-place operation must have the tensor's shape and fit its type."""
    check_cast(result, out._dtype_)
    if out._size_ != size:
        raise RuntimeError(
            f"output with shape {list(out._size_)} doesn't match the broadcast shape {list(size)}"
        )
    check_written_once(out)


def before_change(self: Tensor) -> Any:
    """What an in-place composite reads: a copy, if a gradient will ask for the old elements."""
    from rushlight.engine.calls import copy as copies

    is_recorded = self._keys_ & keys.AUTOGRAD and state.thread.grad_enabled
    return copies.clone(self) if is_recorded else self


def prepare_out(out: Tensor, size: tuple[int, ...], stride: tuple[int, ...], result: dtype) -> None:
    """Check an ``out=`` tensor and give it the result's shape."""
    check_cast(result, out._dtype_)
    resize_output(out, size, stride)
    check_written_once(out)


def resize_output(
    out: Tensor, size: tuple[int, ...], stride: tuple[int, ...] | None = None
) -> None:
    """Give an output the result's shape; a warning if it had elements and another shape."""
    if out._size_ == size:
        return
    if out._numel_:
        steps.warn(
            f"An output with one or more elements was resized since it had shape "
            f"{list(out._size_)}, which does not match the required output shape {list(size)}. "
            f"This behavior is deprecated, and in a future PyTorch release outputs will not be "
            f"resized unless they have zero elements. You can explicitly reuse an out tensor t by "
            f"resizing it, inplace, to zero elements with t.resize_(0).",
            stacklevel=2,
        )
    set_size(out, size, stride)


def set_size(out: Tensor, size: tuple[int, ...], stride: tuple[int, ...] | None = None) -> None:
    """Give an output the result's shape, whatever it had."""
    if out._size_ == size:
        return
    # The loops that follow are for the new shape: they must not meet the old one again.
    steps.Unrepeatable.note()
    tensors.resize(out, size, stride)


@contextlib.contextmanager
def one_change(out: Tensor) -> Iterator[None]:
    """Count all that is written to an output as one change; such a call is not repeated."""
    before = tensors.version(out)
    yield
    steps.Unrepeatable.note()
    tensors.set_version(out, before + 1)


def copy_result(out: Tensor, result: Tensor) -> Tensor:
    """Put a computed result into an ``out=`` tensor."""
    prepare_out(out, result._size_, result._stride_, result._dtype_)
    operators.operator("copy_").call(out, result, False)
    return out


def new_outputs(
    specs: Sequence[tuple[tuple[int, ...], tuple[int, ...], dtype]], device: devices.device
) -> Any:
    """Uninitialised tensors for the given (size, stride, dtype): one, or a tuple."""
    made = tuple(tensors.empty_strided(*spec, device) for spec in specs)
    return made[0] if len(made) == 1 else made


# What C++ calls the element types, which stands in these messages; others have names that agree.
_C_TYPES = {
    "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
    "int64": "long int", "int32": "int", "int16": "short int", "int8": "signed char",
    "uint8": "unsigned char",
}  # fmt: skip


def check_exact(out: Tensor, result: dtype) -> None:
    """An output that is written as it is must have the result's own type."""
    if out._dtype_ is not result:
        wanted, given = (_C_TYPES.get(kind._name, kind._name) for kind in (result, out._dtype_))
        raise RuntimeError(f"Expected out tensor to have dtype {wanted}, but got {given} instead")


def check_scalar_type(out: Tensor, result: dtype) -> None:
    """The same in other words."""
    if out._dtype_ is not result:
        raise RuntimeError(
            f"expected scalar_type {promotion.title(result)} but found "
            f"{promotion.title(out._dtype_)}"
        )


def check_apart(out: Tensor, *others: Tensor) -> None:
    """What is written must not share memory with what is read at the same time."""
    for other in others:
        if other._storage_ is not out._storage_ or not out._numel_ or not other._numel_:
            continue
        if other is out or _covers_same(out, other):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to "
                "tensor refer to a single memory location. Please clone() the tensor before "
                "performing the operation."
            )


def _covers_same(a: Tensor, b: Tensor) -> bool:
    """Whether two dense tensors have bytes in common."""
    if not (sizes.is_dense(a._size_, a._stride_) and sizes.is_dense(b._size_, b._stride_)):
        return False
    first, second = tensors.place_of(a), tensors.place_of(b)
    return (
        first < second + b._numel_ * b._dtype_.itemsize
        and second < first + a._numel_ * a._dtype_.itemsize
    )

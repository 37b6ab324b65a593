"""`searchsorted` and `bucketize`: places in sorted sequences."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation
from rushlight.engine.calls import searching as calls
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.expr import bitcast, const, convert, select
from rushlight.engine.loops.plan import Chain, Loop, Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.loops.promotion import compute_type, promote_types
from rushlight.engine.ops import answers, bridge
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import elementwise_loop
from rushlight.engine.ops.kinds.views import cpu, explicit, meta
from rushlight.engine.ops.searching import binary_search
from rushlight.engine.ops.sorting import selection


def _keys(tensor: Tensor, kind: dtype) -> Any:
    """Integers in the order of the elements, as elements of a common type."""
    if kind in (dtypes.bfloat16, dtypes.float16):
        kind = dtypes.float32
    return np.ascontiguousarray(selection.integer_keys(bridge.array(copies.to_dtype(tensor, kind))))


def check_sequence(sequence: Tensor, values: Tensor, side: str | None, right: bool) -> None:
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(
            f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}"
        )
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left "
            "while right was True"
        )
    if not sequence._size_:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 "
            "dimension"
        )
    several = len(sequence._size_) > 1
    if several and not values._size_:
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor "
            f"dimension is 1, but we got boundaries tensor dim({len(sequence._size_)}) and input "
            f"value's dim(0) numel(1)"
        )
    if several and sequence._size_[:-1] != values._size_[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
            "dimensions of boundaries tensor and input value tensor must match, but we got "
            f"boundaries tensor {list(sequence._size_)} and input value tensor {list(values._size_)}"
        )


def check_sorter(sequence: Tensor, sorter: Tensor) -> None:
    if sorter._dtype_ is not dtypes.int64:
        from rushlight.engine.loops.promotion import title

        raise RuntimeError(
            "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype "
            + title(sorter._dtype_)
        )
    if sorter._size_ != sequence._size_:
        raise RuntimeError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary "
            f"tensor {list(sequence._size_)}and got sorter tensor {list(sorter._size_)}"
        )
    if sorter._numel_ and not answers.are_within(sorter, 0, sequence._size_[-1] - 1):
        raise RuntimeError("torch.searchsorted(): sorter index out of range")


_LARGEST = (1 << 63) - 1
# So many elements are searched at once by a plan, on one thread and without letting others run.
_FEW = 1 << 12
_searches = PlanTable()


def _is_small(sequence: Tensor, values: Tensor, kind: dtype) -> bool:
    most = max(sequence._numel_, values._numel_)
    least = min(sequence._numel_, values._numel_)
    on_cpu = not sequence._storage_._device_code and not values._storage_._device_code
    return on_cpu and least > 0 and most <= _FEW and kind is not dtypes.uint64


def _searched(
    sequence: Tensor, values: Tensor, kind: dtype, right: bool, sorter: Tensor | None
) -> Tensor:
    """`_search` as a plan."""
    facts = sequence._flags_, sequence._size_, sequence._stride_
    key = (*facts, values._flags_, values._size_, values._stride_, kind, right, sorter is None)
    plan = _searches.get(key)
    if plan is None:
        plan = _searches[key] = _searching(sequence, values, kind, right, sorter is not None)
    given = [sequence, values]
    if sorter is not None:
        given.append(copies.contiguous(sorter))
    return steps.Produced.note(plan, given, plan.produce(*given))  # type: ignore[no-any-return]


def _searching(sequence: Tensor, values: Tensor, kind: dtype, right: bool, is_sorted: bool) -> Plan:
    templates = [tensors.template_for(t._size_, dtypes.int64) for t in (values, sequence, values)]
    length = sequence._size_[-1]
    rows = sequence._numel_ // length if len(sequence._size_) > 1 else 0
    words = symbolic.words([rows, length, values._numel_ // max(rows, 1), int(right)])
    used = 3 + is_sorted
    kinds = [(objects.TENSOR_OPERAND, 8)] * used + [(objects.CONSTANT_OPERAND, 8)]
    kernel = binary_search.sorted_places_kernel if is_sorted else binary_search.places_kernel
    search = Loop(
        binary_search.module.address(kernel), [1], [[0]] * len(kinds), kinds, 1, [], 0,
        [*[0] * used, ctypes.addressof(words)], words,
    )  # fmt: skip
    first, second = (
        key_loop(template, source, kind)
        for template, source in zip(templates[1:], (sequence, values))
    )
    operands = [0, 1, 2, *([5] if is_sorted else []), 0]
    chain = Chain(5 + is_sorted, [(first, [1, 3]), (second, [2, 4]), (search, operands)])
    return Plan(chain, templates, 2)


def key_loop(target: Template, source: Tensor, kind: dtype) -> Loop:
    """The loop that writes integers in the order of the elements: NaN is the largest."""
    common = compute_type(kind)

    def key(x: Any) -> Any:
        x = convert(x, common)
        if not x.is_float:
            return convert(x, "i64")
        bits = bitcast(convert(x, "f64") + 0.0, "i64")
        ordered = select(bits < 0, bits ^ _LARGEST, bits)
        return select(x == x, ordered, const("i64", _LARGEST))

    own = source._dtype_
    return elementwise_loop(key, [target], [source], ["i64"], [own.memory], [compute_type(own)])


def _search(
    sequence: Tensor, values: Tensor, small: bool, right: bool, sorter: Tensor | None
) -> Tensor:
    check_types(sequence, values, "searchsorted_out_cpu")
    kind = promote_types(sequence._dtype_, values._dtype_)
    if _is_small(sequence, values, kind):
        made = _searched(sequence, values, kind, right, sorter)
        return copies.to_dtype(made, dtypes.int32) if small else made
    keys, wanted = _keys(sequence, kind), _keys(values, kind)
    order = None if sorter is None else np.ascontiguousarray(bridge.array(sorter))
    made = tensors.empty(values._size_, dtypes.int64)
    length = sequence._size_[-1]
    several = len(sequence._size_) > 1
    rows = sequence._numel_ // max(length, 1) if several else 0
    if several and not length:
        rows = math.prod(sequence._size_[:-1])
    if made._numel_:
        binary_search.search()(
            keys.ctypes.data, 0 if order is None else order.ctypes.data, rows, length,
            wanted.ctypes.data, made._numel_ // max(rows, 1), int(right), tensors.data_pointer(made),
        )  # fmt: skip
    return copies.to_dtype(made, dtypes.int32) if small else made


def check_types(sequence: Tensor, values: Tensor, kernel: str) -> None:
    for given in (values, sequence):
        odd = given._dtype_.category in (dtypes.COMPLEX, dtypes.BOOLEAN)
        if odd or given._dtype_ in dtypes.FLOAT8:
            raise not_implemented(kernel, given._dtype_)


@meta("searchsorted.Tensor")
def searchsorted_of_meta(
    sequence: Tensor,
    values: Tensor,
    out_int32: bool,
    right: bool,
    side: str | None,
    sorter: Tensor | None,
) -> Tensor:
    check_sequence(sequence, values, side, right)
    return _places_of_meta(values, out_int32)


def _places_of_meta(values: Tensor, out_int32: bool) -> Tensor:
    kind = dtypes.int32 if out_int32 else dtypes.int64
    return tensors.empty(values._size_, kind, values._storage_.device)


@cpu("searchsorted.Tensor")
def searchsorted(
    sequence: Tensor,
    values: Tensor,
    out_int32: bool,
    right: bool,
    side: str | None,
    sorter: Tensor | None,
) -> Tensor:
    check_sequence(sequence, values, side, right)
    if sorter is not None:
        check_sorter(sequence, sorter)
    if out_int32 and sequence._size_[-1] >= 2**31:
        raise RuntimeError(
            "torch.searchsorted(): the size of boundaries' last dimension should be less than "
            f"INT_MAX, but we got {sequence._size_[-1]}"
        )
    return _search(sequence, values, out_int32, right or side == "right", sorter)


def _number(value: Any, sequence: Tensor) -> Tensor:
    kind = sequence._dtype_
    whole = isinstance(value, int) or kind.category == dtypes.FLOATING
    return creation.full((), value, kind if whole else dtypes.float64, None, devices.cpu)


@explicit("searchsorted.Scalar")
def searchsorted_number(sequence: Tensor, value: Any, *args: Any) -> Tensor:
    return calls.searchsorted_Tensor(sequence, _number(value, sequence), *args)


def _check_out(out: Tensor, small: bool) -> None:
    if out._dtype_ is not (dtypes.int32 if small else dtypes.int64):
        from rushlight.engine.loops.promotion import title

        raise RuntimeError(
            "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or "
            "Long(int64) depending on whether out_int32 flag is True, but we got output tensor's "
            f"dtype {title(out._dtype_)} and out_int32 flag is {small}"
        )


@explicit("searchsorted.Tensor_out")
def searchsorted_out(sequence: Tensor, values: Tensor, small: bool, *args: Any) -> Tensor:
    *rest, out = args
    _check_out(out, small)
    return outputs.copy_result(out, calls.searchsorted_Tensor(sequence, values, small, *rest))


@explicit("searchsorted.Scalar_out")
def searchsorted_number_out(sequence: Tensor, value: Any, small: bool, *args: Any) -> Tensor:
    return searchsorted_out(sequence, _number(value, sequence), small, *args)


@meta("bucketize.Tensor")
def bucketize_of_meta(values: Tensor, boundaries: Tensor, out_int32: bool, right: bool) -> Tensor:
    return _places_of_meta(values, out_int32)


@cpu("bucketize.Tensor")
def bucketize(values: Tensor, boundaries: Tensor, out_int32: bool, right: bool) -> Tensor:
    if len(boundaries._size_) != 1:
        raise RuntimeError(
            f"boundaries tensor must be 1 dimension, but got dim({len(boundaries._size_)})"
        )
    return _search(boundaries, values, out_int32, right, None)


@explicit("bucketize.Scalar")
def bucketize_number(value: Any, boundaries: Tensor, out_int32: bool, right: bool) -> Tensor:
    return calls.bucketize_Tensor(_number(value, boundaries), boundaries, out_int32, right)


@explicit("bucketize.Tensor_out")
def bucketize_out(
    values: Tensor, boundaries: Tensor, out_int32: bool, right: bool, out: Tensor
) -> Tensor:
    _check_out(out, out_int32)
    return outputs.copy_result(out, calls.bucketize_Tensor(values, boundaries, out_int32, right))

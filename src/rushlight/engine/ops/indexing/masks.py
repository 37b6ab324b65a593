"""Masks: where they hold, and selecting, filling and scattering by them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import comparison, creation, pointwise, reduction
from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import indexing as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import recorder, steps
from rushlight.engine.loops import geometry
from rushlight.engine.loops.expr import convert, select, trunc
from rushlight.engine.loops.plan import Loop, Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.loops.promotion import c_name, compute_type, number_dtype, result_type, title
from rushlight.engine.ops import numbers
from rushlight.engine.ops.kinds import compaction, outputs
from rushlight.engine.ops.kinds.elementwise import elementwise_loop
from rushlight.engine.ops.kinds.pointwise import pointwise as pointwise_kind
from rushlight.engine.ops.kinds.views import composite, cpu, explicit, meta

# Up to here, a scan over the mask costs less than a table of the places.
_FEW = 4096

# -- nonzero --


def _dense(tensor: Tensor) -> Tensor:
    return copies.contiguous(tensor, layouts.contiguous_format)


@cpu("nonzero")
def nonzero(self: Tensor) -> Tensor:
    holds = _dense(self if self._dtype_ is dtypes.bool_ else pointwise.ne_Scalar(self, 0))
    made = recorder.unnoted(lambda: _places(holds))
    compaction.note_places(holds, made, False)
    return made  # type: ignore[no-any-return]


def _places(self: Tensor) -> Tensor:
    """The places where a contiguous mask holds."""
    flat = compaction.chosen(self, None)
    if len(self._size_) == 1:
        return views.as_strided(flat, (flat._numel_, 1), (1, max(flat._numel_, 1)), None)
    # The result is laid out by columns.
    count = flat._numel_
    made = tensors.empty_strided(
        (count, len(self._size_)), (1, max(count, 1)), dtypes.int64, self._storage_.device
    )
    for d in reversed(range(1, len(self._size_))):
        column = views.select_int(made, 1, d)
        flat = _split_off(flat, self._size_[d], column) if count else flat
    if self._size_:
        copies.copy_(views.select_int(made, 1, 0), flat, False)
    return made


_divisions = PlanTable()


def _split_off(flat: Tensor, length: int, column: Tensor) -> Tensor:
    """Divide places by a length: the remainders go to the column, the quotients are the result.

    Places are below 2**52, where a quotient of floats truncates to that of the integers.
    """
    quotient = tensors.empty(flat._size_, dtypes.int64)
    key = (flat._numel_, length)
    loop = _divisions.get(key)
    if loop is None:

        def body(place: Any) -> Any:
            whole = convert(trunc(convert(place, "f64") / float(length)), "i64")
            return whole, place - whole * length

        loop = _divisions[key] = elementwise_loop(
            body, [quotient, column], [flat], ["i64", "i64"], ["i64"], ["i64"]
        )
    loop.run(quotient, column, flat)
    return quotient


@explicit("nonzero.out")
def nonzero_out(self: Tensor, out: Tensor) -> Tensor:
    if out._dtype_ is not dtypes.int64:
        raise RuntimeError(
            f"nonzero: Expected out tensor to have scalar type Long but got scalar type {title(out._dtype_)}"
        )
    outputs.check_apart(out, self)
    return outputs.copy_result(out, calls.nonzero(self))


@composite("argwhere")
def argwhere(self: Tensor) -> Tensor:
    return calls.nonzero(self)


@composite("nonzero_numpy")
def nonzero_numpy(self: Tensor) -> tuple[Tensor, ...]:
    source = self if self._size_ else views.unsqueeze(self, 0)
    if source._keys_ != keys.CPU:
        return tuple(views.unbind_int(calls.nonzero(source), 1))
    holds = _dense(source if source._dtype_ is dtypes.bool_ else pointwise.ne_Scalar(source, 0))
    made = recorder.unnoted(lambda: tuple(views.unbind_int(calls.nonzero(holds), 1)))
    compaction.note_places(holds, made, True)
    return made  # type: ignore[no-any-return]


@explicit("nonzero_static")
def nonzero_static(self: Tensor, size: int, fill_value: int) -> Tensor:
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    if numbers.has_no_elements(self):
        return tensors.empty_strided(
            (size, len(self._size_)), (1, size), dtypes.int64, self._storage_.device
        )
    if self._keys_ & ~keys.AUTOGRAD == keys.CPU:
        holds = _dense(self if self._dtype_ is dtypes.bool_ else pointwise.ne_Scalar(self, 0))
        first = compaction.first_places(holds, size, fill_value)
        if first is not None:
            return first
    found = calls.nonzero(self)
    made = creation.full((size, found._size_[1]), fill_value, dtypes.int64)
    count = min(size, found._size_[0])
    copies.copy_(
        views.slice_Tensor(made, 0, 0, count, 1), views.slice_Tensor(found, 0, 0, count, 1), False
    )
    return made


@explicit("nonzero_static.out")
def nonzero_static_out(self: Tensor, size: int, fill_value: int, out: Tensor) -> Tensor:
    return outputs.copy_result(out, nonzero_static(self, size, fill_value))


# -- where --


@composite("where")
def where_condition(condition: Tensor) -> tuple[Tensor, ...]:
    return nonzero_numpy(condition)


def _check_condition(common: Any, args: Sequence[Any]) -> None:
    condition = args[0]
    if condition._dtype_ not in (dtypes.bool_, dtypes.uint8):
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{title(condition._dtype_)}"
        )


@pointwise_kind(
    "where.self",
    separate=("condition",),
    check=_check_condition,
    exact="Expected out type to be {wanted} but got {given}",
)
def where(condition: Any, a: Any, b: Any) -> Any:
    return select(condition if condition.is_bool else condition != 0, a, b)


def _number(value: Any, like: Tensor | None) -> Tensor:
    """A number as a tensor that promotes like one."""
    kind = number_dtype(value) if like is None else result_type(like, value)
    return creation.scalar_tensor(value, kind, None, devices.cpu, None)


@composite("where.ScalarSelf")
def where_scalar_self(condition: Tensor, self: Any, other: Tensor) -> Tensor:
    return calls.where_self(condition, _number(self, other), other)


@composite("where.ScalarOther")
def where_scalar_other(condition: Tensor, self: Tensor, other: Any) -> Tensor:
    return calls.where_self(condition, self, _number(other, self))


@composite("where.Scalar")
def where_scalars(condition: Tensor, self: Any, other: Any) -> Tensor:
    return calls.where_self(condition, _number(self, None), _number(other, None))


# -- masked --


@cpu("masked_select")
def masked_select(self: Tensor, mask: Tensor) -> Tensor:
    if mask._dtype_ is not dtypes.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    if self._size_ != mask._size_:
        shape = geometry.broadcast_sizes(self._size_, mask._size_)
        self, mask = views.expand(self, shape, False), views.expand(mask, shape, False)
    mask, self = _dense(mask), _dense(self)
    made = compaction.chosen(mask, self, self._dtype_)
    compaction.note_rows(mask, self, made)
    return made


@explicit("masked_select.out")
def masked_select_out(self: Tensor, mask: Tensor, out: Tensor) -> Tensor:
    if out._dtype_ is not self._dtype_:
        raise RuntimeError("masked_select(): self and result must have the same scalar type")
    outputs.check_written_once(out)
    outputs.check_apart(out, self, mask)
    return outputs.copy_result(out, calls.masked_select(self, mask))


def _check_mask(mask: Tensor) -> None:
    if mask._dtype_ is not dtypes.bool_:
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype "
            f"{c_name(mask._dtype_)}"
        )


_fillings = PlanTable()


def fill_where(tensor: Tensor, part: Tensor, mask: Tensor, value: Any) -> None:
    """Write a number to the elements of a part that a mask chooses, as one loop on the tensor."""
    kind = tensor._dtype_
    number = numbers.checked_for_filling(value, kind)
    shift = (part._offset_ - tensor._offset_) * kind.itemsize
    key = (tensor._flags_, part._size_, part._stride_, shift, mask._size_, mask._stride_)
    loop = _fillings.get(key)
    if loop is None:
        operands = (part, mask, number)
        loop = _fillings[key] = _choosing(part, operands, kind, (shift, shift, 0, 0))
    loop.run(tensor, tensor, mask, number)
    if numbers.repeats(value, kind):
        steps.Written.note(loop, (tensor, tensor, mask, value), 1)
    else:
        steps.Unrepeatable.note()
    tensors.bump_version(tensor)


@explicit("masked_fill_.Scalar")
def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    _check_mask(mask)
    _check_shape(self, mask)
    outputs.warn_if_expanded(self, "masked_fill_", "mask] = scalar")
    if tensors.is_computed(self):
        outputs.check_no_partial_overlap(self, (mask,))
        numbers.checked(value, self._dtype_)
        fill_where(self, self, mask, value)
    return self


def _check_shape(self: Tensor, mask: Tensor) -> None:
    if self._size_ == mask._size_:
        return
    shape = geometry.broadcast_sizes(self._size_, mask._size_)
    if shape != self._size_:
        raise RuntimeError(
            f"output with shape {list(self._size_)} doesn't match the broadcast shape {list(shape)}"
        )


@explicit("masked_fill_.Tensor")
def masked_fill_tensor_(self: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    _check_mask(mask)
    if value._size_:
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{len(value._size_)} dimension(s)."
        )
    if value._dtype_ is not self._dtype_:
        outputs.check_cast(value._dtype_, self._dtype_)
        value = copies.to_dtype(value, self._dtype_)
    _check_shape(self, mask)
    if geometry.may_overlap_itself(self._size_, self._stride_):
        return masked_fill_(self, mask, numbers.read_element(value))
    return calls.where_self_out(mask, value, self, self)


@explicit("masked_fill.Scalar")
def masked_fill(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    if (self._keys_ | mask._keys_) & ~keys.AUTOGRAD != keys.CPU:
        return calls.masked_fill__Scalar(_expanded_copy(self, mask), mask, value)
    _check_mask(mask)
    return _filled(self, mask, value)


_filled_copies = PlanTable()


def _filled(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """A copy with a number where a mask is true, made in one pass."""
    kind = self._dtype_
    number = numbers.checked(value, kind)
    key = (self._flags_, self._size_, self._stride_, mask._size_, mask._stride_)
    plan = _filled_copies.get(key)
    if plan is None:
        shape = geometry.broadcast_sizes(self._size_, mask._size_)
        template = Template(sizes.intern(shape), sizes.contiguous_strides(shape), kind)
        loop = _choosing(template, (self, mask, number), kind)
        plan = _filled_copies[key] = Plan(loop, [template])
    result = plan.produce(self, mask, number)
    if numbers.repeats(value, kind):
        return steps.Produced.note(plan, (self, mask, value), result)
    steps.Unrepeatable.note()
    return result


def _choosing(
    target: Any, operands: tuple[Any, ...], kind: dtypes.dtype, offsets: tuple[int, ...] = ()
) -> Loop:
    """The loop that writes a number where a mask is true, else an element."""
    compute = compute_type(kind)
    return elementwise_loop(
        lambda x, chosen, new: select(chosen, new, x),
        [target],
        list(operands),
        [kind.memory],
        [kind.memory, "bool", compute],
        [compute, "bool", compute],
        offsets=offsets or (0, 0, 0, 0),
    )


@explicit("masked_fill.Tensor")
def masked_fill_tensor(self: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    return calls.masked_fill__Tensor(_expanded_copy(self, mask), mask, value)


def _expanded_copy(self: Tensor, mask: Tensor) -> Tensor:
    shape = geometry.broadcast_sizes(self._size_, mask._size_)
    whole = self if shape == self._size_ else views.expand(self, shape, False)
    return copies.clone(whole, layouts.contiguous_format)


@meta("masked_scatter_")
def masked_scatter_of_meta(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    _check_masked_scatter(self, mask, source)
    tensors.bump_version(self)
    return self


def _check_masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> None:
    if self._dtype_ is not source._dtype_:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got "
            f"{title(self._dtype_)} and {title(source._dtype_)}"
        )
    if mask._dtype_ is not dtypes.bool_:
        raise RuntimeError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype "
            f"{c_name(mask._dtype_)}"
        )


@cpu("masked_scatter_")
def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    _check_masked_scatter(self, mask, source)
    outputs.check_written_once(self)
    outputs.check_apart(self, mask, source)
    holds = views.expand(mask, self._size_, False)
    if 0 < self._numel_ <= _FEW and source._numel_ and recorder.is_recorded():
        return copies.copy_(self, _scattered(self, holds, source), False)
    steps.Unrepeatable.note()
    places = compaction.chosen(_dense(holds), None)
    count = places._numel_
    if count > source._numel_:
        raise _too_few(count, source)
    values = views.reshape(source, (-1,))
    return calls.put_(self, places, views.slice_Tensor(values, 0, 0, count, 1), False)


def _scattered(self: Tensor, holds: Tensor, source: Tensor) -> Tensor:
    """The same for few elements, in steps that do not depend on how many are chosen."""
    places = reduction.cumsum(views.reshape(holds, (-1,)), 0, dtypes.int64)
    last = views.select_int(places, 0, -1)
    if comparison.item(pointwise.gt_Scalar(last, source._numel_)):
        raise _too_few(comparison.item(last), source)
    # Before the first that is chosen stands any element: nobody sees it.
    chosen = calls.take(source, pointwise.sub_Scalar(places, 1, 1))
    return calls.where_self(holds, views.reshape(chosen, self._size_), self)


def _too_few(count: int, source: Tensor) -> RuntimeError:
    return RuntimeError(
        f"masked_scatter: expected the number of elements in source to be at least the number "
        f"of ones in mask ({count}), but got {source._numel_}"
    )


@explicit("masked_scatter")
def masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    return calls.masked_scatter_(_expanded_copy(self, mask), mask, source)

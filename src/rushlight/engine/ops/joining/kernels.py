"""Joining tensors along a dimension."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation
from rushlight.engine.calls import joining as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import objects, state, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.symbolic import required
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import recorder, steps
from rushlight.engine.loops import promotion
from rushlight.engine.loops.plan import Chain, Loop, Plan
from rushlight.engine.loops.plans import PlanTable, calls_nothing, notes_device_steps
from rushlight.engine.native import runtime
from rushlight.engine.native.row_copies import join_pieces
from rushlight.engine.ops import formats
from rushlight.engine.ops.copy.kernels import copy_loop
from rushlight.engine.ops.dims import same_sizes, wrap_dim
from rushlight.engine.ops.joining import pad_modes, padding
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import composite, cpu, explicit, meta

__all__ = ["pad_modes", "padding"]

Tensors = Sequence[Tensor]


def _skipped(tensor: Tensor) -> bool:
    """Empty one-dimensional tensors take no part, whatever the others' shape."""
    return len(tensor._size_) == 1 and tensor._size_[0] == 0


def cat_shape(given: Tensors, dim: int) -> tuple[tuple[int, ...], int]:
    """The joined size and the dimension's number."""
    if not given:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for position, t in enumerate(given):
        if not t._size_:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {position}) cannot be concatenated"
            )
    first = next((t for t in given if not _skipped(t)), None)
    if first is None:
        # Nothing but empty vectors, which fit everywhere.
        return (0,), 0
    wanted = tuple(first._size_)
    d = wrap_dim(dim, len(wanted))
    before, after = wanted[:d], wanted[d + 1 :]
    is_symbolic = symbolic.trace_of(n for t in given for n in t._size_) is not None
    total = 0
    for position, t in enumerate(given):
        size = t._size_
        if size is not first._size_:
            if _skipped(t):
                continue
            around = tuple(size)
            if is_symbolic or around[:d] != before or around[d + 1 :] != after:
                _check_fit(around, wanted, d, position)
        total += tuple.__getitem__(size, d)
    return (*before, total, *after), d


def _check_fit(size: tuple[int, ...], first: tuple[int, ...], d: int, position: int) -> None:
    """Raise for a tensor that cannot be joined with the first one."""
    if len(size) != len(first):
        raise RuntimeError(
            f"Tensors must have same number of dimensions: got {len(first)} and {len(size)}"
        )
    for other in range(len(first)):
        if other != d and not required(size[other] == first[other]):
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {d}. Expected size "
                f"{first[other]} but got size {size[other]} for tensor number "
                f"{position} in the list."
            )


def _stride_for(shape: tuple[int, ...], given: Tensors) -> tuple[int, ...]:
    """Strides of the whole: channels last where those of all parts are."""
    used = [t for t in given if not _skipped(t)]
    found = {formats.suggested(t) for t in used}
    return formats.suggested_strides(shape, *(used[:1] if len(found) == 1 else []))


def _cat_into(out: Tensor, given: Tensors, d: int) -> Tensor:
    start = 0
    for t in given:
        if _skipped(t) and len(out._size_) != 1:
            continue
        length = t._size_[d]
        if t._numel_:
            size = (*out._size_[:d], length, *out._size_[d + 1 :])
            part = tensors.view_of(out, size, out._stride_, out._offset_ + start * out._stride_[d])
            copies.copy_(part, t, False)
        start += length
    return out


def _are_blocks(given: Tensors) -> bool:
    """Whether tensors lie densely and have one type, so that they can be copied as they are."""
    flags = given[0]._flags_
    return bool(flags & objects.CONTIGUOUS) and {t._flags_ for t in given} == {flags}


_plans = PlanTable()
# Longer lists of different sizes are those of a text's words: they hardly come again.
_MOST_PLANNED = 40
_MOST_ALIKE = 250
# Larger sources are shared by threads.
_MOST_SOURCE = 1 << 16


def _is_planned(given: Tensors) -> bool:
    """Whether a call with this list may come again."""
    if len(given) <= _MOST_PLANNED:
        return True
    size = given[0]._size_
    return len(given) <= _MOST_ALIKE and all(t._size_ is size for t in given)


def _is_quickly_done(given: Tensors) -> bool:
    """Whether copying each piece takes less time than a plan for a list that may not come again."""
    return (
        not recorder.is_recorded()
        and symbolic.trace() is None
        and len(given) > 2
        and sum([t._numel_ for t in given]) <= _MOST_SOURCE
    )


def _piece_by_piece(given: Tensors, dim: int, is_new: bool = False) -> Tensor | None:
    """Dense tensors joined along a dimension, or along a new one, if that needs no plan."""
    if not given or state.thread.planner is not None:
        return None
    if _is_planned(given) and not _is_quickly_done(given):
        return None
    rank = len(given[0]._size_)
    places = rank + is_new
    if not -places <= dim < places:
        return None
    if rank in (4, 5) and formats.suggested(given[0]) is not layouts.contiguous_format:
        return None
    return tensors.joined(given, dim % places, is_new)


def _pieces_plan(whole: Template, given: Tensors, d: int) -> Plan | None:
    """One loop that joins small dense tensors of one type, if they are that."""
    turns = math.prod(whole.size[:d])
    item = whole.dtype.itemsize
    pieces = [t._numel_ * item // symbolic.maximum(turns, 1) for t in given]
    fits = (
        whole.dtype is given[0]._dtype_
        and _are_blocks(given)
        and sizes.is_contiguous(whole.size, whole.stride)
        and symbolic.largest([t._numel_ for t in given]) * item <= _MOST_SOURCE
    )
    if not fits:
        return None
    strides = [[sum(pieces), 0], *([piece, 0] for piece in pieces)]
    kinds = [(objects.TENSOR_OPERAND, item)] * len(strides)
    kernel = runtime.module.address(join_pieces)
    work = 2 * turns * sum(pieces)
    return Plan(Loop(kernel, [turns, len(given)], strides, kinds, 2, [0], work), [whole])


@cpu("cat")
@calls_nothing
@notes_device_steps
def cat(tensors_: Tensors, dim: int) -> Tensor:
    made = _piece_by_piece(tensors_, dim)
    if made is not None:
        return made
    if state.thread.planner is None and not _is_planned(tensors_):
        return _long_cat(tensors_, dim)
    key = (dim, *((t._flags_, t._size_, t._stride_) for t in tensors_))
    plan = _plans.get(key)
    if plan is None:
        shape, d = cat_shape(tensors_, dim)
        kind = promotion.result_type(*tensors_)
        outputs.common_device(tensors_)
        stride = _stride_for(shape, tensors_)
        plan = _plans[key] = _cat_plan(Template(sizes.intern(shape), stride, kind), tensors_, d)
    return steps.Produced.note(plan, tensors_, plan.produce(*tensors_))


def _long_cat(given: Tensors, dim: int) -> Tensor:
    shape, d = cat_shape(given, dim)
    outputs.common_device(given)
    kind = promotion.result_type(*given)
    out = tensors.empty_strided(shape, _stride_for(shape, given), kind, devices.cpu)
    return _cat_into(out, given, d)


def _cat_plan(whole: Template, given: Tensors, d: int) -> Plan:
    """The copies of all, each into its part of the result."""
    is_for_host = state.thread.planner is None
    together = _pieces_plan(whole, given, d) if len(given) > 2 and is_for_host else None
    if together is not None:
        return together
    links = []
    start = 0
    for position, t in enumerate(given):
        if _skipped(t) and len(whole.size) != 1:
            continue
        size = (*whole.size[:d], t._size_[d], *whole.size[d + 1 :])
        part = Template(sizes.intern(size), whole.stride, whole.dtype)
        offset = start * whole.stride[d] * whole.dtype.itemsize
        if t._numel_:
            links.append((copy_loop(part, t, offset), (0, position + 1)))
        start += t._size_[d]
    return Plan(Chain(len(given) + 1, links), [whole])


@meta("cat")
def cat_meta(tensors_: Tensors, dim: int) -> Tensor:
    shape, _ = cat_shape(tensors_, dim)
    kind = promotion.result_type(*tensors_)
    device = outputs.common_device(tensors_)
    return tensors.empty_strided(shape, _stride_for(shape, tensors_), kind, device)


@explicit("cat.out")
def cat_out(tensors_: Tensors, dim: int, out: Tensor) -> Tensor:
    shape, d = cat_shape(tensors_, dim)
    kind = promotion.result_type(*tensors_)
    if not promotion.can_cast(kind, out._dtype_):
        raise TypeError(
            f"torch.cat(): input types can't be cast to the desired output type "
            f"{promotion.title(out._dtype_)}"
        )
    outputs.prepare_out(out, shape, _stride_for(shape, tensors_), kind)
    for t in tensors_:
        if t is out or (t._storage_ is out._storage_ and t._numel_ and out._numel_):
            outputs.check_no_partial_overlap(out, (t,))
            if t is out:
                raise RuntimeError(
                    "unsupported operation: the input tensors cannot refer to any of the output memory locations."
                )
    if out._storage_._device_code or not _is_planned(tensors_):
        with outputs.one_change(out):
            return _cat_into(out, tensors_, d)
    key = ("out", d, *((t._flags_, t._size_, t._stride_) for t in (out, *tensors_)))
    plan = _plans.get(key)
    if plan is None:
        whole = Template(out._size_, out._stride_, out._dtype_)
        plan = _plans[key] = _cat_plan(whole, tensors_, d)
    loop: Any = plan.loop
    loop.run(out, *tensors_)
    steps.Written.note(loop, (out, *tensors_), 1)
    tensors.bump_version(out)
    return out


for _name in ("concat", "concatenate"):
    composite(_name)(lambda tensors_, dim: calls.cat(tensors_, dim))
    composite(f"{_name}.out")(lambda tensors_, dim, out: calls.cat_out(tensors_, dim, out))


def _stacked_dim(given: Tensors, dim: int) -> int:
    """The new dimension's number, for tensors of one size."""
    if not given:
        raise RuntimeError("stack expects a non-empty TensorList")
    for position, t in enumerate(given):
        if t._size_ != given[0]._size_ and not same_sizes(t._size_, given[0]._size_):
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(given[0]._size_)} at "
                f"entry 0 and {list(t._size_)} at entry {position}"
            )
    return wrap_dim(dim, len(given[0]._size_) + 1)


def _unsqueezed(given: Tensors, dim: int) -> tuple[list[Tensor], int]:
    d = _stacked_dim(given, dim)
    return [views.unsqueeze(t, d) for t in given], d


@cpu("stack")
@notes_device_steps
@calls_nothing
def stack_cpu(tensors_: Tensors, dim: int) -> Tensor:
    made = _piece_by_piece(tensors_, dim, is_new=True)
    if made is not None:
        return made
    if state.thread.planner is None and not _is_planned(tensors_):
        return calls.cat(*_unsqueezed(tensors_, dim))
    key = ("stack", dim, *((t._flags_, t._size_, t._stride_) for t in tensors_))
    plan = _plans.get(key)
    if plan is None:
        views_, d = _unsqueezed(tensors_, dim)
        shape, _ = cat_shape(views_, d)
        outputs.common_device(tensors_)
        kind = promotion.result_type(*tensors_)
        whole = Template(sizes.intern(shape), _stacked_strides(shape, tensors_, d), kind)
        plan = _plans[key] = _cat_plan(whole, views_, d)
    return steps.Produced.note(plan, tensors_, plan.produce(*tensors_))


def _stacked_strides(shape: tuple[int, ...], given: Tensors, d: int) -> tuple[int, ...]:
    """Strides of a stack, which is what the tensors joined are, with a dimension cut in two."""
    size = given[0]._size_
    whole = (*size[:d], len(given) * size[d], *size[d + 1 :]) if d < len(size) else ()
    joined = _stride_for(whole, given)
    if not whole or 0 in whole or joined == sizes.contiguous_strides(whole):
        return sizes.contiguous_strides(shape)
    return (*joined[:d], size[d] * joined[d], *joined[d:])


@explicit("stack", "_stack")
def stack(tensors_: Tensors, dim: int) -> Tensor:
    return calls.cat(*_unsqueezed(tensors_, dim))


@composite("stack.out", "_stack.out")
def stack_out(tensors_: Tensors, dim: int, out: Tensor) -> Tensor:
    return calls.cat_out(*_unsqueezed(tensors_, dim), out=out)


def _stacking(
    name: str, prepare: Callable[[Tensors], list[Tensor]], dim_of: Callable[[list[Tensor]], int]
) -> None:
    """Operators that bring their inputs to a rank and then join them."""

    def ready(given: Tensors) -> tuple[list[Tensor], int]:
        if not given:
            raise RuntimeError(f"{name} expects a non-empty TensorList")
        prepared = prepare(given)
        return prepared, dim_of(prepared)

    composite(name)(lambda tensors_: calls.cat(*ready(tensors_)))
    composite(f"{name}.out")(lambda tensors_, out: calls.cat_out(*ready(tensors_), out=out))


def _at_least(rank: int) -> Callable[[Tensors], list[Tensor]]:
    function = getattr(views, f"atleast_{rank}d")
    return lambda given: [function(t) for t in given]


def _columns(given: Tensors) -> list[Tensor]:
    return [views.reshape(t, (t._numel_, 1)) if len(t._size_) <= 1 else t for t in given]


_stacking("hstack", _at_least(1), lambda given: 0 if len(given[0]._size_) == 1 else 1)
_stacking("vstack", _at_least(2), lambda given: 0)
_stacking("row_stack", _at_least(2), lambda given: 0)
_stacking("dstack", _at_least(3), lambda given: 2)
_stacking("column_stack", _columns, lambda given: 1)


@explicit("block_diag")
def block_diag(tensors_: Tensors) -> Tensor:
    for position, t in enumerate(tensors_):
        if len(t._size_) > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {position} "
                f"has {len(t._size_)} dimensions"
            )
    blocks = [views.atleast_2d(t) for t in tensors_]
    if not blocks:
        return tensors.empty((1, 0), _default())
    kind = promotion.result_type(*tensors_) if tensors_ else _default()
    rows, columns = (sum(b._size_[k] for b in blocks) for k in (0, 1))
    made = creation.zeros((rows, columns), kind, layouts.strided, blocks[0]._storage_.device)
    row = column = 0
    for block in blocks:
        height, width = block._size_
        part = views.slice_Tensor(made, 0, row, row + height, 1)
        copies.copy_(views.slice_Tensor(part, 1, column, column + width, 1), block, False)
        row, column = row + height, column + width
    return made


def _default() -> Any:
    from rushlight.engine.core import state

    return state.default_dtype()

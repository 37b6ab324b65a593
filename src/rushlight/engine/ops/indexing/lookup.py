"""`index` and `index_put_`: what is left of a subscript when its plain parts have made a view."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import indexing as calls
from rushlight.engine.calls import pointwise, reduction
from rushlight.engine.calls import view as views
from rushlight.engine.calls.remembered import indexing as remembered
from rushlight.engine.calls.remembered import view as remembered_views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import size as sizes
from rushlight.engine.core import state, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import recorder, steps
from rushlight.engine.loops import geometry
from rushlight.engine.loops.plans import PlanTable, notes_device_steps
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops import answers, bridge, numbers
from rushlight.engine.ops.kinds import compaction, indexed, outputs
from rushlight.engine.ops.kinds.views import composite, cpu, explicit, meta

Indices = Sequence[Tensor | None]
MASKS = (dtypes.bool_, dtypes.uint8)


# -- one index tensor over dense rows --


def is_row_index(self: Tensor, indices: Indices) -> bool:
    """Whether an index takes whole rows, each dense, at positions in one int64 vector."""
    index = indices[0] if len(indices) == 1 else None
    return (
        index is not None
        and index._dtype_ is dtypes.int64
        and len(index._size_) == 1
        and len(self._size_) >= 1
        and self._numel_ > 0
        and sizes.is_contiguous(self._size_[1:], self._stride_[1:])
    )


# With more positions than this, threads share them.
_FEW = 4096


def taken_rows(self: Tensor, index: Tensor) -> Tensor:
    """``self[index]`` for dense rows, as a step that the call cache can repeat."""
    from rushlight.engine.core import storage

    made = tensors.empty((index._numel_, *self._size_[1:]), self._dtype_)
    item = self._dtype_.itemsize
    length = self._size_[0]
    words = (
        tensors.data_pointer(index), index._numel_, index._stride_[0] * 8, length,
        self._stride_[0] * item, self._numel_ // length * item,
    )  # fmt: skip
    wrong = -1
    if symbolic.trace() is None:
        wrong = storage.gather_rows(tensors.data_pointer(made), tensors.data_pointer(self), *words)
    if wrong >= 0:
        value = bridge.array(index)[wrong]
        raise IndexError(f"index {value} is out of bounds for dimension 0 with size {length}")
    if recorder.recording.steps is not None:
        steps.Rows.note(self, index, RowMove(made, words[1:]), made)
    return made


class RowMove:
    """A gather of rows as machine code takes it: the new tensor's template, then the row's words."""

    def __init__(self, made: Tensor, words: tuple[int, ...]) -> None:
        self.template = tensors.template_for(made._size_, made._dtype_)
        values = [*tensors.template_words(self.template), *words, made._dtype_.itemsize]
        self.words = symbolic.words(values)


# -- any index --


def beside(self: Tensor, indices: Indices) -> Indices:
    """Indices on the device of what is indexed; those of the host are brought there."""
    where = self._storage_.device
    if all(x is None or x._storage_.device in (where, devices.meta) for x in indices):
        return indices
    if where is devices.meta:
        return indices
    return [_brought(x, where) for x in indices]


def _brought(index: Tensor | None, where: devices.device) -> Tensor | None:
    if index is None or index._storage_.device is where:
        return index
    if index._storage_.device is not devices.cpu:
        raise RuntimeError(
            f"indices should be either on cpu or on the same device as the indexed tensor ({where})"
        )
    return copies._to_copy(index, None, None, where, None, False, None)  # type: ignore[no-any-return]


def prepared(self: Tensor, indices: Indices) -> list[Tensor | None]:
    """The indices, masks replaced by the positions where they hold; checked against the tensor."""
    if not indices:
        raise IndexError("at least one index must be provided")
    made: list[Tensor | None] = []
    for index in indices:
        if index is None:
            made.append(None)
            continue
        if index._dtype_ not in (dtypes.int64, dtypes.int32, *MASKS):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if index._dtype_ is dtypes.uint8:
            steps.warn(
                "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool "
                "instead.",
                stacklevel=2,
            )
        if index._dtype_ in MASKS:
            _check_mask(self, index, len(made))
            made += remembered_views.unbind_int(remembered.nonzero(index), 1)
        else:
            made.append(index)
    if len(made) > len(self._size_):
        raise IndexError(
            f"too many indices for tensor of dimension {len(self._size_)} (got {len(made)})"
        )
    return made


def _check_mask(self: Tensor, mask: Tensor, dim: int) -> None:
    for k, length in enumerate(mask._size_):
        if dim + k >= len(self._size_) or self._size_[dim + k] != length:
            raise IndexError(
                f"The shape of the mask {list(mask._size_)} at index {k} does not match the shape "
                f"of the indexed tensor {list(self._size_)} at index {dim + k}"
            )


class Selection:
    """What prepared indices select of a tensor: the result's shape, and geometry over it."""

    def __init__(self, self_: Tensor, indices: Indices) -> None:
        given = [(d, x) for d, x in enumerate(indices) if x is not None]
        try:
            looked = geometry.broadcast_sizes((), *(tuple(x._size_) for _, x in given))
        except RuntimeError:
            shapes = ", ".join(str(list(x._size_)) for _, x in given)
            raise IndexError(
                "shape mismatch: indexing tensors could not be broadcast together with shapes "
                + shapes
            ) from None
        dims = [d for d, _ in given]
        kept = [d for d in range(len(self_._size_)) if d not in dims]
        adjacent = bool(dims) and dims[-1] - dims[0] + 1 == len(dims)
        before = dims[0] if adjacent else 0
        first, last = kept[:before], kept[before:]
        self.shape = (
            *(self_._size_[d] for d in first),
            *looked,
            *(self_._size_[d] for d in last),
        )
        self.far = (
            *(self_._stride_[d] for d in first),
            *(0 for _ in looked),
            *(self_._stride_[d] for d in last),
        )
        self.axes = []
        for d, x in given:
            if not self_._size_[d] and 0 not in looked:
                # Where nothing else is selected, no loop would look at the positions.
                raise IndexError("index is out of bounds for dimension with size 0")
            own = geometry.expanded_strides(looked, x._size_, x._stride_)
            strides = (0,) * len(first) + own + (0,) * len(last)
            self.axes.append(indexed.Axis(x, strides, self_._size_[d], self_._stride_[d]))


_reads = PlanTable()
_writes = PlanTable()


def _facts(self: Tensor, indices: Indices) -> tuple[Any, ...]:
    marks = tuple(None if x is None else (x._flags_, x._size_, x._stride_) for x in indices)
    return self._flags_, self._size_, self._stride_, marks


def _check(outside: indexed.Outside, self: Tensor, indices: Indices) -> None:
    if outside is not None:
        d = [d for d, x in enumerate(indices) if x is not None][outside[0]]
        raise IndexError(
            f"index {outside[1]} is out of bounds for dimension {outside[0]} with size "
            f"{self._size_[d]}"
        )


@cpu("index.Tensor", "_unsafe_index.Tensor")
@notes_device_steps
def index(self: Tensor, indices: Indices) -> Tensor:
    indices = beside(self, indices)
    first = indices[0] if len(indices) == 1 else None
    if first is not None:
        is_for_host = state.thread.planner is None
        if is_for_host and first._numel_ <= _FEW and is_row_index(self, indices):
            return taken_rows(self, first)
        if first._dtype_ is dtypes.bool_ and first._size_ == self._size_ != ():
            return calls.masked_select(self, first)
    given = [(d, x) for d, x in enumerate(indices) if x is not None]
    if len(given) == 1 and _is_row_mask(self, *given[0]):
        return _masked_rows(self, *given[0])
    if not recorder.is_recorded() and any(x is not None and x._dtype_ in MASKS for x in indices):
        # How many positions a mask has is another number each time: what they select is remembered.
        return remembered.index_Tensor(self, prepared(self, indices))  # type: ignore[no-any-return]
    indices = prepared(self, indices)
    key = _facts(self, indices)
    found = _reads.get(key)
    tables = [x for x in indices if x is not None]
    if found is None:
        selection = Selection(self, indices)
        shape = selection.shape
        # The result lies as what it is taken from.
        along = [selection.far, *(axis.strides for axis in selection.axes)]
        stride = geometry.dense_strides(shape, geometry.dimension_order(shape, along))
        made = tensors.empty_strided(shape, stride, self._dtype_, devices.cpu)
        near, far = indexed.Side(made, made._stride_), indexed.Side(self, selection.far)
        if not tables:
            return copies.clone(self)
        loop = indexed.build(shape, near, far, selection.axes, writes=False, wraps=True)
        found = _reads[key] = loop, Template(made._size_, made._stride_, self._dtype_)
    loop, template = found
    made = tensors.create(template)
    _check(loop.run(made, self, *tables), self, indices)
    return made


def _is_row_mask(self: Tensor, dim: int, mask: Tensor) -> bool:
    """Whether a mask chooses whole rows of a tensor, or of blocks of it, and the result is contiguous."""
    dims = len(mask._size_)
    return (
        mask._dtype_ is dtypes.bool_
        and 0 < dims < len(self._size_)
        and mask._size_ == self._size_[dim : dim + dims]
        and (sizes.is_contiguous(self._size_, self._stride_) or _is_few_in_order(self))
    )


def _is_few_in_order(self: Tensor) -> bool:
    """Whether few elements lie in the order of their indices, as in a slice."""
    in_order = all(a >= b for a, b in itertools.pairwise(self._stride_))
    return in_order and self._stride_[-1] > 0 and self._numel_ <= _FEW


def _masked_rows(self: Tensor, dim: int, mask: Tensor) -> Tensor:
    holds = copies.contiguous(mask, layouts.contiguous_format)
    self = copies.contiguous(self, layouts.contiguous_format)

    def compute() -> Tensor:
        around = self._size_[:dim], self._size_[dim + len(mask._size_) :]
        rows = views.reshape(self, (*around[0], mask._numel_, *around[1]))
        return index(rows, [*[None] * dim, compaction.chosen(holds, None)])  # type: ignore[no-any-return]

    made = recorder.unnoted(compute)
    compaction.note_rows(holds, self, made, dim)
    return made  # type: ignore[no-any-return]


@meta("index.Tensor", "_unsafe_index.Tensor")
def index_meta(self: Tensor, indices: Indices) -> Tensor:
    if any(x is not None and x._dtype_ in MASKS for x in indices):
        raise NotImplementedError("the shape of a selection by a mask depends on its elements")
    shape = Selection(self, prepared(self, indices)).shape
    return tensors.empty(shape, self._dtype_, self._storage_.device)


@explicit("index.Tensor_out")
def index_out(self: Tensor, indices: Indices, out: Tensor) -> Tensor:
    if out._dtype_ is not self._dtype_:
        raise RuntimeError(
            f"index(): expected out tensor to have dtype {self._dtype_._name}, but got {out._dtype_._name}"
        )
    outputs.check_written_once(out)
    outputs.check_apart(out, self, *(x for x in indices if x is not None))
    return outputs.copy_result(out, calls.index_Tensor(self, indices))


@meta("_index_put_impl_")
def index_put_meta(
    self: Tensor, indices: Indices, values: Tensor, accumulate: bool, unsafe: bool
) -> Tensor:
    return self


@cpu("_index_put_impl_")
def index_put_impl(
    self: Tensor, indices: Indices, values: Tensor, accumulate: bool, unsafe: bool
) -> Tensor:
    indices = beside(self, indices)
    if self._dtype_ is not values._dtype_ and _is_fill(indices, values, accumulate):
        numbers.checked(numbers.read_element(values), self._dtype_)
        values = copies.to_dtype(values, self._dtype_)
    outputs.warn_if_expanded(self, "index_put_", "indices] = tensor")
    outputs.check_apart(self, values, *(x for x in indices if x is not None))
    mask = _few_chosen(self, indices, values)
    found = None if mask is None else _over_chosen(self, mask, values, accumulate)
    if found is not None:
        return copies.copy_(self, found, False)
    indices = prepared(self, indices)
    if self._dtype_ is not values._dtype_:
        _check_values(Selection(self, indices).shape, values)
        raise other_type(self, values)
    if values._storage_ is self._storage_:
        values = copies.clone(values)
    given = [x for x in indices if x is not None]
    key = (accumulate, values._size_, values._stride_, *_facts(self, indices))
    loop = _writes.get(key)
    if loop is None:
        selection = Selection(self, indices)
        _check_values(selection.shape, values)
        strides = _aligned(selection.shape, values)
        near, far = indexed.Side(values, strides), indexed.Side(self, selection.far)
        fold = "sum" if accumulate else ""
        loop = indexed.build(
            selection.shape, near, far, selection.axes, writes=True, wraps=True, fold=fold
        )
        _writes[key] = loop
    _check(loop.run(values, self, *given), self, indices)
    tensors.bump_version(self)
    return self


def _few_chosen(self: Tensor, indices: Indices, values: Tensor) -> Tensor | None:
    """The mask that says where few elements are written, in a call that is to be repeated."""
    mask = indices[0] if len(indices) == 1 else None
    if mask is None or mask._dtype_ is not dtypes.bool_ or not recorder.is_recorded():
        return None
    is_of_rows = mask._size_ == self._size_[: len(mask._size_)] != ()
    is_few = 0 < self._numel_ <= _FEW and values._numel_ > 0
    return mask if is_of_rows and is_few and values._dtype_ is self._dtype_ else None


def _over_chosen(self: Tensor, mask: Tensor, values: Tensor, accumulate: bool) -> Tensor | None:
    """A tensor with values in the places that a mask chooses, by steps that do not depend on how many.

    None if the values cannot go there.
    """
    rest = self._size_[len(mask._size_) :]
    is_one = len(values._size_) <= len(rest) or values._size_[0] == 1
    if is_one and len(values._size_) > len(rest):
        values = views.select_int(values, 0, 0)
    own = values._size_ if is_one else values._size_[1:]
    if len(own) > len(rest) or any(n not in (1, m) for n, m in zip(reversed(own), reversed(rest))):
        return None
    if not is_one:
        ends = reduction.cumsum(views.reshape(mask, (-1,)), 0, dtypes.int64)
        count = views.select_int(ends, 0, -1)
        if not answers.are_all(pointwise.eq_Scalar(count, values._size_[0])):
            return None
        # Before the first that is chosen stands any row: nobody sees it.
        rows = pointwise.clamp_min(pointwise.sub_Scalar(ends, 1, 1), 0)
        own = (*(1 for _ in rest[len(own) :]), *own)
        values = views.reshape(calls.index_select(values, 0, rows), (*mask._size_, *own))
    wide = views.reshape(mask, (*mask._size_, *(1 for _ in rest)))
    new = pointwise.add_Tensor(self, values, 1) if accumulate else values
    return calls.where_self(wide, new, self)


def other_type(self: Tensor, values: Tensor) -> RuntimeError:
    """What is raised for values that are not of the tensor's type."""
    return RuntimeError(
        f"Index put requires the source and destination dtypes match, got {title(self._dtype_)} "
        f"for the destination and {title(values._dtype_)} for the source."
    )


def _is_fill(indices: Indices, values: Tensor, accumulate: bool) -> bool:
    """Whether one value goes wherever a mask says, so that it may be of another type."""
    given = [x for x in indices if x is not None]
    return values._numel_ == 1 and not accumulate and len(given) == 1 and given[0]._dtype_ in MASKS


def _aligned(shape: tuple[int, ...], values: Tensor) -> tuple[int, ...]:
    """Strides of values over the selection; leading dimensions of size 1 may be too many."""
    extra = max(len(values._size_) - len(shape), 0)
    return geometry.expanded_strides(shape, values._size_[extra:], values._stride_[extra:])


def _check_values(shape: tuple[int, ...], values: Tensor) -> None:
    """Raise for values that cannot be broadcast to what the index selects."""
    extra = max(len(values._size_) - len(shape), 0)
    fits = all(s in (1, t) for s, t in zip(reversed(values._size_), reversed(shape)))
    if not fits or any(n != 1 for n in values._size_[:extra]):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values._size_)} cannot be broadcast to "
            f"indexing result of shape {list(shape)}"
        )


@explicit("index_put_")
def index_put_(self: Tensor, indices: Indices, values: Tensor, accumulate: bool) -> Tensor:
    mask = indices[0] if len(indices) == 1 else None
    is_number = not values._size_ and values._storage_._device_code == devices.cpu.code
    fits = is_number and values._dtype_ is self._dtype_ and not accumulate
    if mask is not None and fits and mask._dtype_ is dtypes.bool_ and mask._size_ == self._size_:
        return calls.masked_fill__Tensor(self, mask, values)
    return calls._index_put_impl_(self, indices, values, accumulate, False)


@explicit("index_put")
def index_put(self: Tensor, indices: Indices, values: Tensor, accumulate: bool) -> Tensor:
    return calls.index_put_(copies.clone(self), indices, values, accumulate)


@explicit("_unsafe_index_put")
def unsafe_index_put(self: Tensor, indices: Indices, values: Tensor, accumulate: bool) -> Tensor:
    return calls.index_put_(copies.clone(self), indices, values, accumulate)


def _clamped(self: Tensor, indices: Indices) -> list[Tensor | None]:
    """Indices moved inside the tensor."""
    return [
        None if x is None else pointwise.clamp(x, -self._size_[d], self._size_[d] - 1)
        for d, x in enumerate(indices)
    ]


@composite("_unsafe_masked_index")
def unsafe_masked_index(self: Tensor, mask: Tensor, indices: Indices, fill: Any) -> Tensor:
    if not self._numel_:
        shape = Selection(self, indices).shape
        return copies.fill_Scalar(tensors.empty(shape, self._dtype_), fill)
    found = calls.index_Tensor(self, _clamped(self, indices))
    return calls.masked_fill_Scalar(found, pointwise.logical_not(mask), fill)


@composite("_unsafe_masked_index_put_accumulate")
def unsafe_masked_index_put_accumulate(
    self: Tensor, mask: Tensor, indices: Indices, values: Tensor
) -> Tensor:
    if not self._numel_:
        return copies.clone(self)
    kept = calls.masked_fill_Scalar(values, pointwise.logical_not(mask), 0)
    return calls.index_put(self, _clamped(self, indices), kept, True)

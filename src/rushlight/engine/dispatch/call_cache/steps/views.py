"""Steps that make views."""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight.engine.core import objects, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core.objects import STORAGE, TENSOR
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache.step import Encoded, Step, position_of, positions
from rushlight.engine.dispatch.call_cache.subscripts import (
    OUTSIDE,
    IndexShift,
    address_of,
    shift_of,
)
from rushlight.engine.native.lowlevel import load, store
from rushlight.engine.native.python_api import decref, incref, tuple_new, tuple_set
from rushlight.engine.native.runtime import module


class VIEW:
    base, size, stride, offset, numel, flags, independence, places = positions(
        "base", "size", "stride", "offset", "numel", "flags", "independence", "places"
    )


# How far a view counts as a tensor of its own: not at all, as no view, or with versions of its own.
_A_VIEW, _NO_VIEW, _COUNTS_APART = 0, 1, 2


@module.entry
def repeat_view(step: int, flat_args: int) -> int:
    shift = shift_of(load(step + VIEW.places), flat_args)
    if shift == OUTSIDE:
        return -1
    base = load(flat_args + load(step + VIEW.base) * 8)
    made = objects.new_view(
        base,
        load(step + VIEW.size),
        load(step + VIEW.stride),
        load(base + TENSOR.offset) + load(step + VIEW.offset) + shift,
        load(step + VIEW.numel),
        load(step + VIEW.flags),
    )
    if made == 0:
        return 0
    if load(step + VIEW.independence) == _A_VIEW:
        objects.note_viewed(base)
    else:
        objects.forget_base(made)
    if load(step + VIEW.independence) == _COUNTS_APART:
        objects.count_apart(made)
    return made


class View(Step):
    """A view of a tensor, which depends on its metadata alone."""

    __slots__ = ("made", "operands")
    run = repeat_view
    takes_sizes = True
    only_names = True
    takes_index_shift = True

    def __init__(self, base: Tensor, made: Tensor) -> None:
        self.operands, self.made = (base,), made

    def encode(
        self, flat_args: list[Any], result: Any, index_shift: IndexShift | None = None
    ) -> Encoded | None:
        (base, *_), made = self.operands, self.made
        place = position_of(base, flat_args)
        if made is not result or place == -1 or type(made) is not Tensor:
            return None
        if made._dtype_ is not base._dtype_ or (made._keys_ ^ base._keys_) & objects.NOT_AUTOGRAD:
            return None
        table = None if index_shift is None else index_shift.table()
        offset = made._offset_ - base._offset_ - (0 if index_shift is None else index_shift.shift)
        own = [place, symbolic.address(made._size_), symbolic.address(made._stride_), offset]
        own += [made._numel_, made._flags_, _independence(base, made), address_of(table)]
        return Encoded(View, own, (made._size_, made._stride_, table))


def _independence(base: Tensor, view: Tensor) -> int:
    if view._base is not None:
        return _A_VIEW
    return _NO_VIEW if view._counter_ is base._counter_ else _COUNTS_APART


class Place(View):
    """A view whose place integers in tensors name.

    For each of them ``places`` has the tensor, its value, and the size and stride of its dimension.
    """

    __slots__ = ("places",)
    may_fail = True
    takes_index_shift = False

    def __init__(self, base: Tensor, places: tuple[Any, ...], made: Tensor) -> None:
        super().__init__(base, made)
        self.operands, self.places = (base, *(p[0] for p in places)), places

    def encode(
        self, flat_args: list[Any], result: Any, index_shift: IndexShift | None = None
    ) -> Encoded | None:
        rows = [
            (position_of(tensor, flat_args), tensor._dtype_.itemsize, size, stride, 0)
            for tensor, _, size, stride in self.places
        ]
        if any(row[0] < 0 for row in rows):
            return None
        shift = sum(value * stride for _, value, _, stride in self.places)
        return super().encode(flat_args, result, IndexShift(rows, shift))


class OTHER_VIEW:
    base, facts = positions("base", "facts")


class FACTS:
    """Positions of the words that describe a view which differs in more than its geometry, in bytes."""

    size = 0
    stride = 8
    count = 16  # of elements
    flags = 24
    dtype = 32
    toggled = 40  # the keys that it has and its base has not, or the other way round
    base_shift = 48  # the binary logarithms of the element sizes, of the base and of the view
    shift = 56
    offset = 64  # where the view begins, in bytes from its base's beginning
    reach = 72  # how many bytes of the storage it needs from its beginning on
    independence = 80
    base_offset = 88  # where the base must begin, or -1


@module.entry
def repeat_other_view(step: int, flat_args: int) -> int:
    base = load(flat_args + load(step + OTHER_VIEW.base) * 8)
    facts = load(step + OTHER_VIEW.facts)
    start = load(facts + FACTS.offset)
    start += load(base + TENSOR.offset) << load(facts + FACTS.base_shift)
    needed = start + load(facts + FACTS.reach)
    if start < 0 or needed > load(load(base + TENSOR.storage) + STORAGE.nbytes):
        return -1
    shift = load(facts + FACTS.shift)
    if (start >> shift) << shift != start:
        return -1
    expected = load(facts + FACTS.base_offset)
    if expected >= 0 and expected != load(base + TENSOR.offset):
        return -1
    made = objects.new_view(
        base,
        load(facts + FACTS.size),
        load(facts + FACTS.stride),
        start >> shift,
        load(facts + FACTS.count),
        load(facts + FACTS.flags),
    )
    if made == 0:
        return 0
    kind = load(facts + FACTS.dtype)
    incref(kind)
    decref(load(made + TENSOR.dtype))
    store(made + TENSOR.dtype, kind)
    store(made + TENSOR.keys, load(made + TENSOR.keys) ^ load(facts + FACTS.toggled))
    if load(facts + FACTS.independence) == _A_VIEW:
        objects.note_viewed(base)
    else:
        objects.forget_base(made)
    if load(facts + FACTS.independence) == _COUNTS_APART:
        objects.count_apart(made)
    return made


class OtherView(Step):
    """A view with another element type or other keys, or one at a place of its own.

    It begins as far from its base's beginning as now: wherever that is, or only if its base begins where
    this one does.
    """

    RELATIVE, EXACT = 0, 1

    __slots__ = ("made", "operands", "place")
    run = repeat_other_view
    takes_sizes = True
    may_fail = True

    def __init__(self, base: Tensor, place: int, made: Tensor) -> None:
        self.operands, self.place, self.made = (base,), place, made

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        (base,), made = self.operands, self.made
        flat_arg = position_of(base, flat_args)
        if made is not result or flat_arg == -1 or type(made) is not Tensor:
            return None
        sizes_of_elements = [x._dtype_.itemsize for x in (base, made)]
        start = made._offset_ * sizes_of_elements[1] - base._offset_ * sizes_of_elements[0]
        facts = [symbolic.address(made._size_), symbolic.address(made._stride_), made._numel_]
        facts += [
            made._flags_,
            id(made._dtype_),
            (made._keys_ ^ base._keys_) & objects.NOT_AUTOGRAD,
        ]
        facts += [n.bit_length() - 1 for n in sizes_of_elements]
        facts.append(start)
        facts.append(sizes.storage_bytes(made._size_, made._stride_, 0, sizes_of_elements[1]))
        facts += [_independence(base, made), base._offset_ if self.place == self.EXACT else -1]
        table = symbolic.words(facts)
        keep = (table, made._size_, made._stride_, made._dtype_)
        return Encoded(OtherView, [flat_arg, ctypes.addressof(table)], keep)


class VIEWS:
    base, table, count, independence = positions("base", "table", "count", "independence")


class ONE_OF_VIEWS:
    """Positions of the words of one of several views, in bytes."""

    size, stride, offset, numel, flags, bytes = 0, 8, 16, 24, 32, 40


@module.entry
def repeat_views(step: int, flat_args: int) -> int:
    base = load(flat_args + load(step + VIEWS.base) * 8)
    count = load(step + VIEWS.count)
    if load(step + VIEWS.independence) == _A_VIEW:
        objects.note_viewed(base)
    found = tuple_new(count)
    if found == 0:
        return 0
    for k in range(count):
        row = load(step + VIEWS.table) + k * ONE_OF_VIEWS.bytes
        made = objects.new_view(
            base,
            load(row + ONE_OF_VIEWS.size),
            load(row + ONE_OF_VIEWS.stride),
            load(base + TENSOR.offset) + load(row + ONE_OF_VIEWS.offset),
            load(row + ONE_OF_VIEWS.numel),
            load(row + ONE_OF_VIEWS.flags),
        )
        if made == 0:
            decref(found)
            return 0
        if load(step + VIEWS.independence) != _A_VIEW:
            objects.forget_base(made)
        if load(step + VIEWS.independence) == _COUNTS_APART:
            objects.count_apart(made)
        tuple_set(found, k, made)
    return found


class Views(Step):
    """Several views of a tensor, which depend on its metadata alone; all or none count as tensors of their own."""

    __slots__ = ("made", "operands")
    run = repeat_views
    takes_sizes = True
    only_names = True

    def __init__(self, base: Tensor, made: tuple[Any, ...]) -> None:
        self.operands, self.made = (base,), made

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        (base,) = self.operands
        place = position_of(base, flat_args)
        if self.made is not result or place == -1 or any(type(v) is not Tensor for v in self.made):
            return None
        rows = [
            word for v in self.made
            for word in (
                symbolic.address(v._size_), symbolic.address(v._stride_),
                v._offset_ - base._offset_, v._numel_, v._flags_,
            )
        ]  # fmt: skip
        table = symbolic.words(rows)
        keep = (table, [(v._size_, v._stride_) for v in self.made])
        independence = _independence(base, self.made[0]) if self.made else _A_VIEW
        own = [place, ctypes.addressof(table), len(self.made), independence]
        return Encoded(Views, own, keep)

"""What a mask chooses, in order: elements or their positions. See `loops.compaction_kernel`."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing, pointwise, reduction
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import objects, state, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import recorder, steps
from rushlight.engine.loops.compaction_kernel import choose_ir, count_ir
from rushlight.engine.loops.kernels import kernel_address
from rushlight.engine.loops.plan import LENGTHS, SOME_LENGTH, Chain, Loop, Plan, Sized
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.native import choosing, heap_types
from rushlight.engine.native.lowlevel import Function
from rushlight.engine.native.numpy_later import np
from rushlight.engine.ops import numbers

BLOCK = 1 << 14


class _Blocks:
    """The loops for a number of elements, and the tables that they read."""

    def __init__(self, count: int, bits: int) -> None:
        blocks = -(-count // BLOCK)
        self.first = np.arange(blocks, dtype=np.int64) * BLOCK
        self.lengths = np.minimum(count - self.first, BLOCK)
        self.zeros = np.zeros(1, np.int64)
        # Looking an array's address up takes longer than a small loop.
        self.first_at: int = self.first.ctypes.data
        self.lengths_at: int = self.lengths.ctypes.data
        self.zeros_at: int = self.zeros.ctypes.data
        item = bits // 8
        self.counting = self._loop(kernel_address(count_ir), blocks, [8, 8, 1 * BLOCK], count)
        strides = [0, 8, 8, BLOCK, item * BLOCK if bits else 8]
        self.choosing = self._loop(
            kernel_address(choose_ir, bits), blocks, strides, count * (1 + 2 * item)
        )

    def _loop(self, kernel: int, blocks: int, strides: list[int], work: int) -> Loop:
        kinds = [(objects.POINTER_OPERAND, 8)] * len(strides)
        return Loop(kernel, [blocks], [[s] for s in strides], kinds, 1, [0], work)


_blocks = functools.lru_cache(maxsize=256)(_Blocks)


def chosen(mask: Tensor, source: Tensor | None, kind: dtype = dtypes.int64) -> Tensor:
    """The elements of a source where a mask holds, or their positions; both are contiguous.

    The caller notes what that was.
    """
    count = mask._numel_
    if not count:
        return tensors.empty((0,), kind)
    trace = symbolic.trace()
    if trace is not None:
        return tensors.empty((trace.found(SOME_LENGTH),), kind)
    if state.thread.planner is not None:
        return _chosen_by_operators(mask, source, kind)
    item = kind.itemsize
    loops = _blocks(count, item * 8 if source is not None else 0)
    address = tensors.data_pointer(mask)
    total, starts, keep = _starts(loops, address)
    made = tensors.empty((total,), kind)
    if total:
        values = loops.first_at if source is None else tensors.data_pointer(source)
        target = tensors.data_pointer(made)
        loops.choosing.run(target, starts, loops.lengths_at, address, values)
    del keep
    return made


def _chosen_by_operators(mask: Tensor, source: Tensor | None, kind: dtype) -> Tensor:
    """The same where the host does not see the elements: a running count says where each one goes."""
    count, where = mask._numel_, mask._storage_.device
    holds = views.reshape(mask, (count,))
    ends = reduction.cumsum(holds, 0, dtypes.int64)
    total = numbers.read_element(views.select_int(ends, 0, count - 1))
    if source is None:
        source = creation.arange(count, kind, None, where, None)
    # What is not chosen goes behind the end.
    places = indexing.where_ScalarOther(holds, pointwise.sub_Scalar(ends, 1, 1), total)
    room = tensors.empty((total + 1,), kind)
    indexing.scatter__src(room, 0, places, views.reshape(source, (count,)))
    return copies.clone(views.narrow(room, 0, 0, total), None)  # type: ignore[no-any-return]


def _starts(loops: _Blocks, mask: int) -> tuple[int, int, Any]:
    """How many elements a mask chooses; the address of where each block's go, and its owner."""
    if len(loops.lengths) == 1:
        count = ctypes.c_int64()
        loops.counting.run(ctypes.addressof(count), loops.lengths_at, mask)
        return count.value, loops.zeros_at, None
    counts = np.empty(len(loops.lengths), np.int64)
    loops.counting.run(counts.ctypes.data, loops.lengths_at, mask)
    ends = counts.cumsum()
    starts = ends - counts
    return int(ends[-1]), starts.ctypes.data, starts


# -- small results, repeated by machine code --

# With more elements than this the way through Python costs little beside the work.
_FEW = 1 << 16
_sized = PlanTable()


def _note(key: Any, build: Callable[[], Sized], inputs: tuple[Tensor, ...], made: Any) -> None:
    """Note what gave a result. It is planned where a call is recorded: that takes longer than most calls."""
    if not recorder.is_recorded():
        return
    sized = _sized.get(key)
    if sized is None:
        sized = _sized[key] = build()
    steps.Sized.note(sized, inputs, made)


def note_places(mask: Tensor, made: Any, columns: bool) -> None:
    """Note that a result is the places where a contiguous mask holds, perhaps as a tuple of columns."""
    if not _is_small(mask):
        steps.Unrepeatable.note()
        return
    key = ("places", mask._size_, columns)
    _note(key, lambda: _places(mask, columns), (mask,), made)


def note_rows(mask: Tensor, source: Tensor, made: Tensor, dim: int = 0) -> None:
    """Note that a result is the rows of a contiguous source where a contiguous mask holds, from a dimension on."""
    if not _is_small(mask) or source._keys_ & ~key_bits.AUTOGRAD != key_bits.CPU:
        steps.Unrepeatable.note()
        return
    around = source._size_[:dim], source._size_[dim + len(mask._size_) :]
    key = ("rows", mask._numel_, around, source._dtype_)
    _note(key, lambda: _rows(mask._numel_, around, source._dtype_), (mask, source), made)


def _is_small(mask: Tensor) -> bool:
    is_for_host = state.thread.planner is None
    return is_for_host and 0 < mask._numel_ <= _FEW and heap_types.supported()


def _one_loop(
    function: Function, count: int, items: Sequence[int], constants: dict[int, Any]
) -> Loop:
    """A kernel of `native.choosing`.

    Args:
        function: the kernel
        count: how many elements the mask has
        items: for each operand, how many bytes its elements have
        constants: the operands that are words of memory
    """
    kinds = [
        (objects.CONSTANT_OPERAND if k in constants else objects.TENSOR_OPERAND, item)
        for k, item in enumerate(items)
    ]
    offsets = [ctypes.addressof(constants[k]) if k in constants else 0 for k in range(len(items))]
    kernel = choosing.module.address(function)
    return Loop(kernel, [count], [[0]] * len(kinds), kinds, 1, [], 0, offsets, constants)


def _counting(
    length: int, inputs: int, function: Function = choosing.count_where
) -> tuple[Chain, Any]:
    """The loop that counts by the first of some inputs, and where it leaves the count."""
    count = symbolic.words([0])
    loop = _one_loop(function, length, [8, 1], {0: count})
    return Chain(inputs, [(loop, [0, 0])]), count


def _rows(length: int, around: tuple[tuple[int, ...], tuple[int, ...]], kind: dtype) -> Sized:
    before, rest = around
    counting, count = _counting(length, 2)
    item = kind.itemsize
    words = symbolic.words([sizes.numel(rest) * item, sizes.numel(before)])
    loop = _one_loop(choosing.rows_where, length, [item, item, 1, 8], {3: words})
    filling = Chain(3, [(loop, [0, 2, 1, 0])])

    def templates(found: int) -> list[Template]:
        return [tensors.template_for(sizes.intern((*before, found, *rest)), kind)]

    return Sized(counting, filling, count, templates)


def _places(mask: Tensor, columns: bool) -> Sized:
    dims, length = len(mask._size_), mask._numel_
    counting, count = _counting(length, 1)
    shape = symbolic.words([dims, *mask._size_])
    if columns:
        loop = _one_loop(choosing.columns_where, length, [8] * (dims + 1) + [1], {0: shape})
        filling = Chain(dims + 1, [(loop, [*range(dims + 1), 0])])
    else:
        loop = _one_loop(choosing.places_where, length, [8, 1, 8, 8], {2: count, 3: shape})
        filling = Chain(2, [(loop, [0, 1, 0, 0])])

    def templates(found: int) -> list[Template]:
        if columns:
            return [tensors.template_for(sizes.intern((found,)), dtypes.int64)] * dims
        return [Template(sizes.intern((found, dims)), (1, max(found, 1)), dtypes.int64)]

    return Sized(counting, filling, count, templates, columns)


_first_places = PlanTable()


def first_places(mask: Tensor, count: int, fill: int) -> Tensor | None:
    """The first places, so many, where a contiguous mask holds, and rows of a number in the place of missing ones.

    None if that is left to others.
    """
    if not _is_small(mask) or count == 0 or not mask._size_:
        return None
    key = mask._size_, count, fill
    plan = _first_places.get(key)
    if plan is None:
        plan = _first_places[key] = _planned_places(mask._size_, count, fill)
    return steps.Produced.note(plan, (mask,), plan.produce(mask))  # type: ignore[no-any-return]


def _planned_places(size: tuple[int, ...], count: int, fill: int) -> Plan:
    words = [symbolic.words(table) for table in ([count], [fill], [len(size), *size])]
    told = dict(enumerate(words, 2))
    loop = _one_loop(choosing.first_places_where, sizes.numel(size), [8, 1, 8, 8, 8], told)
    template = tensors.template_for(sizes.intern((count, len(size))), dtypes.int64)
    return Plan(Chain(2, [(loop, [0, 1, 0, 0, 0])]), [template])


# -- runs --


def note_runs(
    begins: Tensor, elements: Tensor, order: Tensor | None, made: Any, places: bool, lengths: bool
) -> None:
    """Note that a result is one element of each run, the elements' runs, and how long these are.

    Args:
        begins: whether each element but the first begins a run
        elements: the elements, side by side
        order: where each of them goes among the places, if elsewhere; integers of 64 bits
        made: the three tensors
        places: whether the second says the elements' runs; it is empty otherwise
        lengths: whether the third says how long they are
    """
    key = ("runs", begins._numel_, made[1]._size_, elements._dtype_, order is None, places, lengths)
    told = [elements._dtype_.itemsize, places, lengths, order is not None]
    inputs = begins, elements, elements if order is None else order
    _note(key, lambda: _runs(begins._numel_, made[1]._size_, elements._dtype_, told), inputs, made)


def _runs(count: int, size: tuple[int, ...], kind: dtype, told: Sequence[int]) -> Sized:
    item, _, lengths, _ = told
    counting, found = _counting(count, 3, choosing.count_runs)
    items = [item, 8, 8, item, 8, 1, 8]
    loop = _one_loop(choosing.runs, count, items, {6: symbolic.words(map(int, told))})
    filling = Chain(6, [(loop, [0, 1, 2, 4, 5, 3, 0])])

    def templates(n: int) -> list[Template]:
        kinds = [((n,), kind), (size, dtypes.int64), ((n if lengths else 0,), dtypes.int64)]
        return [tensors.template_for(sizes.intern(shape), k) for shape, k in kinds]

    return Sized(counting, filling, found, templates, True)


# -- repeats --


def repeats_are_few(repeats: Tensor) -> bool:
    """Whether a result of so many rows may be noted by `note_repeats`."""
    return _is_small(repeats) and repeats._dtype_ is dtypes.int64


def note_repeats(
    repeats: Tensor, source: Tensor | None, made: Tensor, dim: int = 0, expected: int | None = None
) -> None:
    """Note that a result is each row of a source as often as integers say, or the rows' places.

    Both tensors are contiguous; the rows are along a dimension. Another number of rows than is
    expected is for Python to refuse.
    """
    if symbolic.trace() is None and made._numel_ > choosing.MOST_REPEATS:
        steps.Unrepeatable.note()
        return
    size, kind = ((0,), dtypes.int64) if source is None else (source._size_, source._dtype_)
    around = size[:dim], size[dim + 1 :]
    key = ("repeats", repeats._numel_, source is None, around, kind, expected)
    inputs = (repeats,) if source is None else (repeats, source)
    _note(
        key, lambda: _repeats(repeats._numel_, source is None, around, kind, expected), inputs, made
    )


def _repeats(
    length: int,
    of_places: bool,
    around: tuple[tuple[int, ...], tuple[int, ...]],
    kind: dtype,
    expected: int | None,
) -> Sized:
    before, rest = around
    counting, count = _counting(length, 1 if of_places else 2, choosing.count_repeats)
    if of_places:
        loop = _one_loop(choosing.repeated_places, length, [8, 8], {})
        filling = Chain(2, [(loop, [0, 1])])
    else:
        item = kind.itemsize
        words = symbolic.words([sizes.numel(rest) * item, sizes.numel(before)])
        loop = _one_loop(choosing.repeated_rows, length, [item, 8, item, 8], {3: words})
        filling = Chain(3, [(loop, [0, 1, 2, 0])])

    def templates(found: int) -> list[Template]:
        # The numbers are wrong then, or the way through Python costs little beside the work.
        if found > choosing.MOST_REPEATS or (expected is not None and found != expected):
            raise OverflowError(f"{found} rows")
        return [tensors.template_for(sizes.intern((*before, found, *rest)), kind)]

    lengths = LENGTHS if expected is None else (expected,)
    return Sized(counting, filling, count, templates, lengths=lengths)


# -- classes --

_MOST_CLASSES = 1024


def note_classes(classes: Tensor, made: Tensor, least: int, weights: Tensor | None = None) -> None:
    """Note that a result is the classes' counts, or a row for each of them with a one at its place.

    Args:
        classes: contiguous integers of 64 bits
        least: how many classes there are at least
        weights: what each counts for, contiguous and of the result's type
    """
    is_known = symbolic.trace() is None
    if not _is_small(classes) or (is_known and not 0 < made._size_[-1] <= _MOST_CLASSES):
        steps.Unrepeatable.note()
        return
    in_rows = len(made._size_) > len(classes._size_)
    key = ("classes", classes._size_, in_rows, least, None if weights is None else made._dtype_)
    inputs = (classes,) if weights is None else (classes, weights)
    _note(key, lambda: _classes(classes._size_, in_rows, least, made._dtype_), inputs, made)


def _classes(size: tuple[int, ...], in_rows: bool, least: int, kind: dtype) -> Sized:
    length, item = sizes.numel(size), kind.itemsize
    count = symbolic.words([0])
    limits = symbolic.words([least, _MOST_CLASSES])
    inputs = 1 if kind is dtypes.int64 else 2
    loop = _one_loop(choosing.classes_in, length, [8, 8, 8], {0: count, 2: limits})
    counting = Chain(inputs, [(loop, [0, 0, 0])])
    if inputs == 2:
        told = {3: count, 4: symbolic.words([item])}
        loop = _one_loop(choosing.sums_of_classes, length, [item, 8, item, 8, 8], told)
        filling = Chain(3, [(loop, [0, 1, 2, 0, 0])])
    else:
        fill = choosing.rows_of_classes if in_rows else choosing.counts_of_classes
        loop = _one_loop(fill, length, [8, 8, 8], {2: count})
        filling = Chain(2, [(loop, [0, 1, 0])])

    def templates(found: int) -> list[Template]:
        if found > _MOST_CLASSES:
            raise OverflowError(f"{found} classes")
        shape = (*size, found) if in_rows else (found,)
        return [tensors.template_for(sizes.intern(shape), kind)]

    # No classes: some are out of range.
    return Sized(counting, filling, count, templates, lengths=(SOME_LENGTH, 1))

"""One loop over many tensors: rows of tensors of equal length, run in a single launch.

A row is what the loop reads and writes for one parameter, say: the parameter, its state, its
gradient. All elements of all rows, laid end to end, are shared among the threads.

Plan words: see `LIST`. Like everything in machine code, this is used only where
`heap_types.supported()` holds.
"""

from __future__ import annotations

from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import objects
from rushlight.engine.core.objects import STORAGE, TENSOR, first_byte, operand_pointer, types
from rushlight.engine.native import heap_types, threads
from rushlight.engine.native.launch import MOST_OPERANDS
from rushlight.engine.native.lowlevel import atomic_add, invoke, load, load8, stack, store
from rushlight.engine.native.memory import allocate, free_block
from rushlight.engine.native.python_api import (
    bool_from_word,
    error_occurred,
    incref,
    list_item,
    list_size,
    long_as_signed,
    restore_thread,
    save_thread,
    tuple_new,
    tuple_set,
)
from rushlight.engine.native.runtime import module

# Below this many bytes moved a second thread costs more than it brings.
GRAIN_BYTES = 1 << 18
# How many elements a thread takes at a time.
STRETCH = 1 << 15
WITH_GRADIENT = key_bits.CPU | key_bits.AUTOGRAD


class LIST:
    """Positions of a list plan's words, in bytes."""

    kernel = 0
    columns = 8  # tensors in a row
    outputs = 16  # how many of them, from the first on, are written
    numbers = 24  # arguments that are the same for all rows
    parts = 32  # numbers in an element: 2 for complex ones
    moved = 40  # bytes that an element stands for, all columns together
    kinds = 48  # address of a byte per number: how its argument becomes a pointer
    strides = 56  # address of the strides that the kernel gets
    flags = 64  # from here on, two words per column: a tensor's flags, and its element size


class SHARE:
    """Positions of the words that the threads get."""

    plan, table, rows, total, numbers, taken = 0, 8, 16, 24, 32, 40


@module.function
def is_plain(tensor: int, flags: int) -> int:
    """Whether an object is an ordinary tensor of the expected type and layout."""
    kind = load(tensor + heap_types.TYPE_OFFSET)
    if kind != types.tensor and kind != types.parameter:
        return 0
    keys = load(tensor + TENSOR.keys)
    if keys != key_bits.CPU and keys != WITH_GRADIENT:
        return 0
    return 1 if load(tensor + TENSOR.flags) == flags else 0


@module.function
def rows_fit(plan: int, tensors: int, rows: int) -> int:
    """Whether every tensor is what the plan was made for."""
    columns = load(plan + LIST.columns)
    outputs = load(plan + LIST.outputs)
    for r in range(rows):
        numel = 0
        for k in range(columns):
            tensor = list_item(tensors, r * columns + k)
            if is_plain(tensor, load(plan + LIST.flags + k * 16)) == 0:
                return 0
            if k == 0:
                numel = load(tensor + TENSOR.numel)
            if load(tensor + TENSOR.numel) != numel:
                return 0
            if k < outputs and load(tensor + TENSOR.counter) != types.none:
                return 0
    return 1


@module.function
def write_table(plan: int, tensors: int, rows: int, table: int) -> int:
    """Fill the table: a row's length and pointers; counts versions up; the number of elements."""
    columns = load(plan + LIST.columns)
    outputs = load(plan + LIST.outputs)
    parts = load(plan + LIST.parts)
    total = 0
    for r in range(rows):
        row = table + r * (columns + 1) * 8
        numel = 0
        for k in range(columns):
            tensor = list_item(tensors, r * columns + k)
            numel = load(tensor + TENSOR.numel) * parts
            itemsize = load(plan + LIST.flags + k * 16 + 8) * parts
            store(row + 8 + k * 8, first_byte(tensor, itemsize))
            if k < outputs:
                storage = load(tensor + TENSOR.storage)
                store(storage + STORAGE.version, load(storage + STORAGE.version) + 1)
        store(row, numel)
        total += numel
    return total


@module.function
def cut(place: int, size: int) -> int:
    """Where threads divide a row: a multiple of 64 elements, for aligned access."""
    if place <= 0:
        return 0
    if place >= size:
        return size
    return place // 64 * 64


@module.function
def run_share(context: int, part: int, parts: int) -> int:
    """Take stretches of elements until none are left; the threads take turns as they can."""
    plan = load(context + SHARE.plan)
    row = load(context + SHARE.table)
    rows = load(context + SHARE.rows)
    total = load(context + SHARE.total)
    columns = load(plan + LIST.columns)
    outputs = load(plan + LIST.outputs)
    pointers = stack(MOST_OPERANDS)
    sizes = stack(2)
    store(sizes + 8, 1)
    for k in range(load(plan + LIST.numbers)):
        place = outputs + columns + k
        store(pointers + place * 8, load(context + SHARE.numbers) + k * 16)
    start = 0
    while True:
        first = atomic_add(context + SHARE.taken, STRETCH)
        if first >= total:
            return 0
        last = first + STRETCH
        while start + load(row) <= first and rows > 1:
            start += load(row)
            row += (columns + 1) * 8
            rows -= 1
        here = start
        walked = row
        for _ in range(rows):
            if here >= last:
                break
            size = load(walked)
            low = cut(first - here, size)
            high = cut(last - here, size)
            if low < high:
                store(sizes, high - low)
                for k in range(columns):
                    itemsize = load(plan + LIST.flags + k * 16 + 8)
                    pointer = load(walked + 8 + k * 8) + low * itemsize
                    store(pointers + (outputs + k) * 8, pointer)
                    if k < outputs:
                        store(pointers + k * 8, pointer)
                invoke(load(plan + LIST.kernel), pointers, sizes, load(plan + LIST.strides))
            here += size
            walked += (columns + 1) * 8
    return 0


@module.entry
def run_rows(context: int, arguments: int, count: int) -> int:
    """Python: ``run_rows(plan, tensors, *numbers)``; False, with nothing done, if they do not fit.

    ``tensors`` is a flat list, one row after the other.
    """
    plan = long_as_signed(load(arguments))
    tensors = load(arguments + 8)
    columns = load(plan + LIST.columns)
    rows = list_size(tensors) // columns
    if rows_fit(plan, tensors, rows) == 0:
        return bool_from_word(0)
    scratch = stack(128)
    for k in range(load(plan + LIST.numbers)):
        kind = load8(load(plan + LIST.kinds) + k)
        operand_pointer(load(arguments + 16 + k * 8), kind, 0, scratch + k * 16)
    if error_occurred() != 0:
        return 0
    nbytes = rows * (columns + 1) * 8
    table = allocate(nbytes)
    if table == -1:
        objects.report_out_of_memory(nbytes)
        return 0
    share = stack(6)
    store(share + SHARE.plan, plan)
    store(share + SHARE.table, table)
    store(share + SHARE.rows, rows)
    store(share + SHARE.numbers, scratch)
    store(share + SHARE.taken, 0)
    total = write_table(plan, tensors, rows, table)
    store(share + SHARE.total, total)
    parts = total * load(plan + LIST.moved) // GRAIN_BYTES
    if parts > threads.words.size:
        parts = threads.words.size
    if parts > 1:
        saved = save_thread()
        threads.run_region(run_share, share, parts)
        restore_thread(saved)
    else:
        run_share(share, 0, 1)
    free_block(table)
    return bool_from_word(1)


@module.entry
def elements(context: int, arguments: int, count: int) -> int:
    """Python: ``elements(tensors)``, the numbers of a list of plain one-element tensors.

    None if one of them is something else.
    """
    tensors = load(arguments)
    size = list_size(tensors)
    for k in range(size):
        tensor = list_item(tensors, k)
        if load(tensor + heap_types.TYPE_OFFSET) != types.tensor:
            return none()
        if load(tensor + TENSOR.keys) != key_bits.CPU or load(tensor + TENSOR.numel) != 1:
            return none()
    made = tuple_new(size)
    for k in range(size):
        number = objects.element(list_item(tensors, k))
        if number == 0:
            number = none()
        tuple_set(made, k, number)
    return made


@module.function
def none() -> int:
    """A new reference to None."""
    incref(types.none)
    return types.none

"""Tensors cut into pieces and put together from them, without a plan, by machine code.

A list of pieces rarely comes again with the same lengths, so what one costs here is what ragged
batches take. Like everything in machine code, this is used only where `heap_types.supported()` holds.
"""

from __future__ import annotations

from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import objects
from rushlight.engine.core.objects import (
    CODE_MASK,
    CONTIGUOUS,
    TENSOR,
    WRAPPED_NUMBER,
    first_byte,
    types,
)
from rushlight.engine.core.tensor_lists import none
from rushlight.engine.native import heap_types
from rushlight.engine.native.lowlevel import Words, load, stack, store
from rushlight.engine.native.python_api import (
    decref,
    dict_get,
    incref,
    long_as_signed,
    long_from_word,
    tuple_item,
    tuple_new,
    tuple_set,
    tuple_size,
    vectorcall,
)
from rushlight.engine.native.row_copies import copy_row
from rushlight.engine.native.runtime import module

_kinds = Words("int")
_kinds.int = id(int)
# Neither a history nor inference mode is a matter of elements that are copied.
_ELEMENTS_ONLY = ~(key_bits.AUTOGRAD | key_bits.INFERENCE)


@module.function
def is_number(item: int) -> int:
    """Whether an object is one of Python's integers, and no symbolic one."""
    return 1 if load(item + heap_types.TYPE_OFFSET) == _kinds.int else 0


@module.function
def are_numbers(items: int) -> int:
    """Whether a tuple holds such integers alone."""
    for k in range(tuple_size(items)):
        if is_number(tuple_item(items, k)) == 0:
            return 0
    return 1


@module.function
def fits_along(size: int, first: int, dim: int) -> int:
    """Whether two sizes are the same but for one dimension."""
    if size == first:
        return 1
    if tuple_size(size) != tuple_size(first) or are_numbers(size) == 0:
        return 0
    for k in range(tuple_size(size)):
        if k != dim and long_as_signed(tuple_item(size, k)) != long_as_signed(tuple_item(first, k)):
            return 0
    return 1


@module.function
def is_like(tensor: int, flags: int) -> int:
    """Whether an object is an ordinary tensor in the host's memory of the expected type and layout."""
    kind = load(tensor + heap_types.TYPE_OFFSET)
    if kind != types.tensor and kind != types.parameter:
        return 0
    if load(tensor + TENSOR.keys) & _ELEMENTS_ONLY != key_bits.CPU:
        return 0
    return 1 if load(tensor + TENSOR.flags) == flags else 0


@module.entry
def joined_length(context: int, arguments: int, count: int) -> int:
    """Python: ``joined_length(tensors, dim)``, how long a tuple of dense tensors is along a dimension.

    None unless all are ordinary tensors of one type whose other sizes agree. No dimension may
    differ if ``dim`` is the number of dimensions.
    """
    tensors = load(arguments)
    dim = long_as_signed(load(arguments + 8))
    leader = tuple_item(tensors, 0)
    flags = load(leader + TENSOR.flags)
    first = load(leader + TENSOR.size)
    if flags & (CONTIGUOUS | WRAPPED_NUMBER) != CONTIGUOUS or are_numbers(first) == 0:
        return none()
    total = 0
    for k in range(tuple_size(tensors)):
        tensor = tuple_item(tensors, k)
        if is_like(tensor, flags) == 0:
            return none()
        size = load(tensor + TENSOR.size)
        if fits_along(size, first, dim) == 0:
            return none()
        if dim < tuple_size(first):
            total += long_as_signed(tuple_item(size, dim))
    return long_from_word(total)


@module.entry
def lay_pieces(context: int, arguments: int, count: int) -> int:
    """Python: ``lay_pieces(out, tensors, turns, itemsize)``, for what `joined_length` has looked at.

    In each turn every tensor gives its next piece; they fill the result one behind the other.
    """
    out = load(arguments)
    tensors = load(arguments + 8)
    turns = long_as_signed(load(arguments + 16))
    itemsize = long_as_signed(load(arguments + 24))
    to = first_byte(out, itemsize)
    for turn in range(turns):
        for k in range(tuple_size(tensors)):
            tensor = tuple_item(tensors, k)
            nbytes = load(tensor + TENSOR.numel) * itemsize // turns
            copy_row(to, first_byte(tensor, itemsize) + turn * nbytes, nbytes)
            to += nbytes
    return none()


@module.function
def flags_of(size: int, stride: int, numel: int, code: int) -> int:
    """The ``_flags_`` word of a tensor with this metadata."""
    step = 1
    for from_end in range(tuple_size(size)):
        k = tuple_size(size) - 1 - from_end
        length = long_as_signed(tuple_item(size, k))
        if length != 1 and long_as_signed(tuple_item(stride, k)) != step:
            return code | CONTIGUOUS if numel == 0 else code
        step *= length
    return code | CONTIGUOUS


@module.function
def with_length(size: int, dim: int, length: int, known: int, unique: int) -> int:
    """The one size that is another but for a dimension's length; 0 with an error set on failure."""
    items = tuple_new(tuple_size(size))
    if items == 0:
        return 0
    for k in range(tuple_size(size)):
        item = length if k == dim else tuple_item(size, k)
        incref(item)
        tuple_set(items, k, item)
    found = dict_get(known, items)
    if found != 0:
        incref(found)
    else:
        given = stack(1)
        store(given, items)
        found = vectorcall(unique, given, 1, 0)
    decref(items)
    return found


@module.entry
def cut_pieces(context: int, arguments: int, count: int) -> int:
    """Python: ``cut_pieces(base, lengths, dim, stride, sizes, intern)``, views one behind the other.

    ``sizes`` are the unique ones, and ``intern`` makes one. None if some number is a symbolic one.
    """
    base = load(arguments)
    lengths = load(arguments + 8)
    dim = long_as_signed(load(arguments + 16))
    stride = load(arguments + 24)
    whole = load(base + TENSOR.size)
    if are_numbers(whole) == 0 or are_numbers(stride) == 0 or are_numbers(lengths) == 0:
        return none()
    code = load(base + TENSOR.flags) & CODE_MASK
    step = long_as_signed(tuple_item(stride, dim))
    offset = load(base + TENSOR.offset)
    made = tuple_new(tuple_size(lengths))
    if made == 0:
        return 0
    for k in range(tuple_size(lengths)):
        number = tuple_item(lengths, k)
        size = with_length(whole, dim, number, load(arguments + 32), load(arguments + 40))
        if size == 0:
            decref(made)
            return 0
        numel = 1
        for d in range(tuple_size(size)):
            numel *= long_as_signed(tuple_item(size, d))
        view = objects.new_view(
            base, size, stride, offset, numel, flags_of(size, stride, numel, code)
        )
        decref(size)
        if view == 0:
            decref(made)
            return 0
        tuple_set(made, k, view)
        offset += long_as_signed(number) * step
    return made


@module.entry
def step_through(context: int, arguments: int, count: int) -> int:
    """Python: ``step_through(base, size, stride, step, times)``, views of one layout, a step behind each other.

    None if some number is a symbolic one.
    """
    base = load(arguments)
    size = load(arguments + 8)
    stride = load(arguments + 16)
    step = load(arguments + 24)
    times = load(arguments + 32)
    if are_numbers(size) == 0 or are_numbers(stride) == 0:
        return none()
    if is_number(step) == 0 or is_number(times) == 0:
        return none()
    numel = 1
    for d in range(tuple_size(size)):
        numel *= long_as_signed(tuple_item(size, d))
    flags = flags_of(size, stride, numel, load(base + TENSOR.flags) & CODE_MASK)
    offset = load(base + TENSOR.offset)
    made = tuple_new(long_as_signed(times))
    if made == 0:
        return 0
    for k in range(long_as_signed(times)):
        view = objects.new_view(base, size, stride, offset + k * long_as_signed(step), numel, flags)
        if view == 0:
            decref(made)
            return 0
        tuple_set(made, k, view)
    return made

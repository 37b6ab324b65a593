"""The key of a call: the words that say all that decides what it does.

A call's *leaves* are its arguments, with lists and tuples replaced by their items. The key of a
call's *class* leaves out what may vary within it: sizes, strides, and integers that operators take as
sizes; these are the class's *inputs*.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any

from rushlight.engine.core import keys, objects, state
from rushlight.engine.core import size as sizes
from rushlight.engine.core.objects import TENSOR
from rushlight.engine.native import array_objects, heap_types, runtime
from rushlight.engine.native.array_objects import ARRAY
from rushlight.engine.native.lowlevel import Words, load, load32, stack, store, store_float
from rushlight.engine.native.python_api import (
    clear_error,
    error_occurred,
    float_as_double,
    list_item,
    list_size,
    long_as_signed,
    thread_ident,
    tuple_item,
    tuple_size,
)
from rushlight.engine.native.runtime import module

types_of = objects.types

MOST_KEY_WORDS = 2048
MOST_LEAVES = 256
MOST_INPUTS = 1024

BINDING_WORDS = ("_table", "_mask", "_numbers", "_habits", "_classes", "_class_mask", "_sizes")
BINDING_OBJECTS = ("_slow", "_miss")


class BINDING:
    """Offsets of a binding's fields."""

    table, mask, numbers, habits, classes, class_mask, sizes, slow, miss = (
        heap_types.HEADER + 8 * i for i in range(len(BINDING_WORDS) + len(BINDING_OBJECTS))
    )


class INPUTS:
    """Positions of the integers that a class of calls leaves open, in bytes."""

    count = 0
    ints = 8  # whether integers of the present argument are among them, as sizes always are
    first = 16


# Keys that tensors of calls which can be remembered may have.
WITH_GRADIENT = keys.CPU | keys.AUTOGRAD
OF_INFERENCE = keys.CPU | keys.INFERENCE

# Addresses of the types that a key treats by value, and of a few that are recognised.
kinds = Words("float", "int", "tuple", "list", "slice", "size")
kinds.float, kinds.int, kinds.tuple, kinds.list, kinds.slice, kinds.size = map(
    id, (float, int, tuple, list, slice, sizes.Size)
)

# What a binding's calls are like, as bits: argument 1 is a subscript; with a list as argument 0,
# calls are never steps that can be repeated; arrays among the arguments are only looked at from outside.
HAS_SUBSCRIPT, READS_LISTS, TAKES_ARRAYS = 1, 2, 4

# Among the bits of the arguments that are numbers: they are checked against an element type.
CHECKED = 1 << 62
OF_ANY_SIZE = 2
# Every element type holds integers from 0 to this, and floats between these.
FITS_ANY_INTEGER, FITS_ANY = 127, 240.0

SLICE_FIELDS = heap_types.HEADER
# A key begins with the number of arguments, with marks, and with the word of `validity`: of subscripts whose integers do not
# count, of calls in inference mode, of classes of calls.
_MOVES, _INFERS, _CLASS = 1 << 20, 1 << 21, 1 << 22
_GENERATION_SHIFT = 24


@module.function
def add_word(buffer: int, count: int, word: int) -> int:
    """Append a word to a key; -1 when it is full or has been given up."""
    if count < 0 or count >= MOST_KEY_WORDS:
        return -1
    store(buffer + count * 8, word)
    return count + 1


@module.function
def records() -> int:
    """Whether this thread records gradients; -1 if that takes more than a look to find out."""
    if state.switches.unrecorded == 0:
        return 1
    if state.switches.unrecorded > 1:
        return -1
    return 0 if thread_ident() == state.switches.unrecorded_thread else 1


@module.function
def infers() -> int:
    """Whether this thread, and no other, is in inference mode."""
    if state.switches.inferring != 1:
        return 0
    return 1 if thread_ident() == state.switches.inferring_thread else 0


@module.function
def add_input(inputs: int, value: int) -> None:
    count = load(inputs + INPUTS.count)
    store(inputs + INPUTS.count, count + 1)
    if count < MOST_INPUTS:
        store(inputs + INPUTS.first + count * 8, value)


@module.function
def add_inputs(inputs: int, items: int, length: int) -> None:
    """Append all integers of a tuple that holds nothing else."""
    for k in range(length):
        value = long_as_signed(tuple_item(items, k))
        if value == -1 and error_occurred() != 0:
            # Such calls have no class.
            clear_error()
            store(inputs + INPUTS.count, MOST_INPUTS)
        add_input(inputs, value)


@module.function
def add_tensor(buffer: int, count: int, item: int, leaves: int, inputs: int) -> int:
    """Append a tensor: its type and geometry, if it has no keys but the CPU's and autograd's.

    Which earlier leaf it is belongs to the key too: `a + a` is not `a + b`.
    """
    own = load(item + TENSOR.keys)
    if own != keys.CPU:
        recording = 0
        if own == WITH_GRADIENT:
            recording = records()
        elif own != OF_INFERENCE or infers() == 0:
            return -1
        if recording < 0:
            return -1
        count = add_word(buffer, count, own + recording)
    first = 1
    while first <= MOST_LEAVES and load(leaves + first * 8) != item:
        first += 1
    count = add_word(buffer, count, first)
    count = add_word(buffer, count, load(item + TENSOR.flags))
    if inputs != 0:
        dims = tuple_size(load(item + TENSOR.size))
        add_inputs(inputs, load(item + TENSOR.size), dims)
        add_inputs(inputs, load(item + TENSOR.stride), dims)
        return add_word(buffer, count, dims)
    count = add_word(buffer, count, load(item + TENSOR.size))
    return add_word(buffer, count, load(item + TENSOR.stride))


@module.function
def is_tensor(item: int) -> int:
    kind = load(item + heap_types.TYPE_OFFSET)
    return 1 if kind == types_of.tensor or kind == types_of.parameter else 0


@module.function
def is_free(item: int, kind: int, any_size: int) -> int:
    """Whether a number's type is enough: it fits its loop, and the tensor's type if that matters."""
    if kind == kinds.int:
        value = long_as_signed(item)
        if value == -1 and error_occurred() != 0:
            clear_error()
            return 0
        return any_size | ((value >= 0) & (value <= FITS_ANY_INTEGER))
    number = float_as_double(item)
    return any_size | ((number >= -FITS_ANY) & (number <= FITS_ANY))


@module.function
def add_array(buffer: int, count: int, item: int) -> int:
    """Append a numpy array: its type, geometry and flags."""
    dims = load32(item + ARRAY.dims)
    count = add_word(buffer, count, load(item + ARRAY.descr))
    count = add_word(buffer, count, dims)
    count = add_word(buffer, count, load32(item + ARRAY.flags) & array_objects.TOLD_FLAGS)
    for k in range(dims):
        count = add_word(buffer, count, load(load(item + ARRAY.sizes) + k * 8))
        count = add_word(buffer, count, load(load(item + ARRAY.strides) + k * 8))
    return count


@module.function
def add_plain(buffer: int, count: int, item: int, leaves: int, inputs: int) -> int:
    """Append an item that is not a container: integers and floats by value, others by identity.

    If ``inputs`` is an address, what may vary within a class of calls goes there.
    """
    kind = load(item + heap_types.TYPE_OFFSET)
    if is_tensor(item) != 0:
        return add_tensor(buffer, count, item, leaves, inputs)
    if kind == kinds.list or kind == kinds.tuple:
        # Of containers in containers, only lists of integers are remembered.
        return -1
    count = add_word(buffer, count, kind)
    if kind == array_objects.api.array:
        return add_array(buffer, count, item)
    if kind == kinds.int:
        value = long_as_signed(item)
        if value == -1 and error_occurred() != 0:
            clear_error()
            return -1
        if inputs != 0 and load(inputs + INPUTS.ints) != 0:
            add_input(inputs, value)
            return count
        return add_word(buffer, count, value)
    if kind == kinds.size and inputs != 0:
        length = tuple_size(item)
        add_inputs(inputs, item, length)
        return add_word(buffer, count, length)
    if kind == kinds.float:
        if count < 0 or count >= MOST_KEY_WORDS:
            return -1
        store_float(buffer + count * 8, float_as_double(item))
        return count + 1
    return add_word(buffer, count, item)


@module.function
def add_integers(buffer: int, count: int, items: int) -> int:
    """Append a list of integers by value; -1 if there is something else in it."""
    length = list_size(items)
    count = add_word(buffer, count, kinds.list)
    count = add_word(buffer, count, length)
    for k in range(length):
        item = list_item(items, k)
        if load(item + heap_types.TYPE_OFFSET) != kinds.int:
            return -1
        count = add_plain(buffer, count, item, 0, 0)
    return count


@module.function
def add_item(buffer: int, count: int, item: int, leaves: int, inputs: int) -> int:
    """Append an item of a container: slices by their fields, lists of integers by these."""
    if load(item + heap_types.TYPE_OFFSET) == kinds.list:
        return add_integers(buffer, count, item)
    if load(item + heap_types.TYPE_OFFSET) == kinds.slice:
        count = add_word(buffer, count, kinds.slice)
        for k in range(3):
            count = add_plain(buffer, count, load(item + SLICE_FIELDS + k * 8), leaves, inputs)
        return count
    return add_plain(buffer, count, item, leaves, inputs)


@module.function
def add_subscript(buffer: int, count: int, item: int, leaves: int, moving: int) -> int:
    """Append a part of a subscript: of integers only their type, of slices only how long they are.

    ``moving`` counts the parts that were appended so.
    """
    kind = load(item + heap_types.TYPE_OFFSET)
    if kind == kinds.int:
        store(moving, load(moving) + 1)
        return add_word(buffer, count, kind)
    if kind == kinds.slice:
        start = load(item + SLICE_FIELDS)
        stop = load(item + SLICE_FIELDS + 8)
        starts = load(start + heap_types.TYPE_OFFSET) == kinds.int
        if starts and load(stop + heap_types.TYPE_OFFSET) == kinds.int:
            first = long_as_signed(start)
            length = long_as_signed(stop) - first
            if error_occurred() != 0:
                clear_error()
                return -1
            if first >= 0 and length >= 0:
                store(moving, load(moving) + 1)
                count = add_word(buffer, count, kind)
                count = add_word(buffer, count, length)
                return add_plain(buffer, count, load(item + SLICE_FIELDS + 16), leaves, 0)
    return add_item(buffer, count, item, leaves, 0)


@module.function
def add_subscripts(buffer: int, count: int, item: int, leaves: int, moving: int) -> int:
    """Append a whole subscript, and its parts to the leaves."""
    kind = load(item + heap_types.TYPE_OFFSET)
    if kind != kinds.tuple:
        add_leaf(leaves, item)
        return add_subscript(buffer, count, item, leaves, moving)
    length = tuple_size(item)
    count = add_word(buffer, count, kind)
    count = add_word(buffer, count, length)
    for k in range(length):
        part = tuple_item(item, k)
        add_leaf(leaves, part)
        count = add_subscript(buffer, count, part, leaves, moving)
    return count


@module.function
def add_leaf(leaves: int, item: int) -> None:
    """Append an item to the list of leaves, whose first word is its length."""
    count = load(leaves) + 1
    store(leaves, count)
    if count <= MOST_LEAVES:
        store(leaves + count * 8, item)


@module.function
def add_argument(
    buffer: int, count: int, item: int, is_number: int, leaves: int, inputs: int
) -> int:
    """Append an argument to the key, and it or what it contains to the leaves."""
    kind = load(item + heap_types.TYPE_OFFSET)
    if kind != kinds.tuple and kind != kinds.list:
        add_leaf(leaves, item)
    is_plain = is_number != 0 and (kind == kinds.float or kind == kinds.int)
    if is_plain and is_free(item, kind, is_number & OF_ANY_SIZE) != 0:
        return add_word(buffer, count, kind)
    if kind == kinds.tuple:
        length = tuple_size(item)
        count = add_word(buffer, count, kind)
        count = add_word(buffer, count, length)
        for k in range(length):
            part = tuple_item(item, k)
            add_leaf(leaves, part)
            count = add_item(buffer, count, part, leaves, inputs)
            if count < 0:
                return -1
        return count
    if kind == kinds.list:
        length = list_size(item)
        count = add_word(buffer, count, kind)
        count = add_word(buffer, count, length)
        for k in range(length):
            part = list_item(item, k)
            add_leaf(leaves, part)
            count = add_item(buffer, count, part, leaves, inputs)
            if count < 0:
                return -1
        return count
    return add_item(buffer, count, item, leaves, inputs)


@module.function
def share_storage(a: int, b: int) -> int:
    """Whether two arguments are tensors over the same memory, as ``x[i] += 1`` ends with."""
    if is_tensor(a) == 0 or is_tensor(b) == 0:
        return 0
    return 1 if load(a + TENSOR.storage) == load(b + TENSOR.storage) else 0


@module.function
def make_key(
    buffer: int, leaves: int, binding: int, arguments: int, count: int, names: int, moving: int,
    inputs: int,
) -> int:  # fmt: skip
    """Write the key of a call; its length, or -1 if such a call is not remembered.

    If ``moving`` is an address, argument 1 is a subscript whose integers may be others next time.
    If ``inputs`` is one, the key is that of the call's class, and the integers that vary within the
    class are written there: sizes, strides, and integers that operators take as sizes.
    """
    store(leaves, 0)
    numbers = load(binding + BINDING.numbers)
    first = count | (state.switches.generation << _GENERATION_SHIFT)
    if moving != 0:
        first = first | _MOVES
    if inputs != 0:
        first = first | _CLASS
        store(inputs + INPUTS.count, 0)
    if state.switches.inferring != 0 and infers() != 0:
        first = first | _INFERS
    length = add_word(buffer, 0, first)
    given = count
    if names != 0:
        given = count + tuple_size(names)
        for k in range(given - count):
            # Keyword names are interned, so their addresses stand for them.
            length = add_word(buffer, length, tuple_item(names, k))
    for k in range(given):
        item = load(arguments + k * 8)
        if moving != 0 and k == 1:
            length = add_subscripts(buffer, length, item, leaves, moving)
        else:
            is_number = (numbers >> k) & 1 if k < count else 0
            if is_number != 0 and numbers & CHECKED == 0:
                is_number = is_number + OF_ANY_SIZE
            if inputs != 0:
                taken = (load(binding + BINDING.sizes) >> k) & 1 if k < count and k < 63 else 0
                store(inputs + INPUTS.ints, taken)
            length = add_argument(buffer, length, item, is_number, leaves, inputs)
    if count == 3 and load(binding + BINDING.habits) & HAS_SUBSCRIPT != 0:
        length = add_word(buffer, length, share_storage(load(arguments), load(arguments + 16)))
    if load(leaves) > MOST_LEAVES:
        return -1
    if inputs != 0 and load(inputs + INPUTS.count) > MOST_INPUTS:
        return -1
    return length


@module.entry
def hash_key(buffer: int, length: int) -> int:
    mixed = 1469598103934665603
    for k in range(length):
        mixed = (mixed ^ load(buffer + k * 8)) * 1099511628211
    mixed = mixed ^ (mixed >> 29)
    return mixed | 1


@module.entry
def write_key(
    binding: int, arguments: int, count: int, names: int, buffer: int, moves: int, inputs: int
) -> int:
    """For Python: write a call's key, perhaps without a subscript's integers; its length or -1."""
    leaves = stack(MOST_LEAVES + 1)
    moving = stack(1)
    store(moving, 0)
    return make_key(
        buffer, leaves, binding, arguments, count, names, moving if moves != 0 else 0, inputs
    )


@functools.cache
def _compiled(function: Any) -> Any:
    return runtime.callable_from_python(function)


def key_of(
    binding: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    moves: bool = False,
    inputs: Any = None,
) -> Any:
    """A call's key as a table of words; None if such calls are not remembered.

    Args:
        binding: what is called
        args: positional arguments
        kwargs: the others
        moves: whether the integers of a subscript are left out
        inputs: a table to put the class's inputs in, for the key of the call's class
    """
    arguments = [*args, *kwargs.values()]
    given = (ctypes.c_int64 * max(len(arguments), 1))(*map(id, arguments))
    names = tuple(map(sys.intern, kwargs))
    buffer = (ctypes.c_int64 * MOST_KEY_WORDS)()
    length = _compiled(write_key)(
        id(binding),
        ctypes.addressof(given),
        len(args),
        id(names) if names else 0,
        ctypes.addressof(buffer),
        int(moves),
        0 if inputs is None else ctypes.addressof(inputs),
    )
    return None if length < 0 else (ctypes.c_int64 * length).from_buffer_copy(buffer)


def class_of(
    binding: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[bytes, list[int]] | None:
    """The key of a call's class, and the integers that the class leaves open; None if it has none."""
    inputs = (ctypes.c_int64 * (INPUTS.first // 8 + MOST_INPUTS))()
    key = key_of(binding, args, kwargs, False, inputs)
    first = INPUTS.first // 8
    return None if key is None else (bytes(key), list(inputs[first : first + inputs[0]]))


def hash_of(key: Any) -> int:
    """What a key is found by."""
    return int(_compiled(hash_key)(ctypes.addressof(key), len(key)))
